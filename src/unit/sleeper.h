/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_SLEEPER_H
#define TT_UNIT_SLEEPER_H

/* A wrapper for a unit that steps only while it is awake, which an input that
 * is added behind its ports states (a number: not 0). Asleep its steps do
 * nothing, and its time stands still: it has a clock of its own, which begins
 * at the start and runs while it is awake.
 *
 * One that sleeps from the start stays in initialisation mode until it is first
 * awake and is used. It can be given other start values until then, by further
 * inputs behind that one. There is no way back behind that.
 *
 * Courses, events and derivatives are not passed on: they are of another time.
 */

#include "unit/unit.h"

/* Start values it can be given: ports, and the names of what gives them. */
struct tt_sleeper_start {
    uint32_t n;
    const uint32_t *port;
    const char *const *name;
};

/* What the wrapper declares of itself; port has room for of->n_port + 1 + n. */
void tt_sleeper_describe(struct tt_desc *d, struct tt_port *port,
                         const struct tt_desc *of,
                         const struct tt_sleeper_start *start);

/* Why a unit cannot be one, or NULL: it can. */
const char *tt_sleeper_refused(const struct tt_desc *of);

/* Wrap a unit that was just made; m as for it; start outlives it. Takes
 * `inner`, also when it fails. */
TT_NODISCARD enum tt_code tt_sleeper_new(tt_unit **out, tt_unit *inner,
                                         int awake,
                                         const struct tt_sleeper_start *start,
                                         const struct tt_make *m, tt_err *err);

#endif
