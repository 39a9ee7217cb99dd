/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_SUBSTEP_H
#define TT_UNIT_SUBSTEP_H

/* A wrapper that lets a unit follow courses which takes none itself: it makes
 * each step in sub-steps of equal length, and over each of them the inputs
 * are held at the mean of their courses. After the step they have the values
 * their courses ended with. A step without a course is made in one.
 *
 * Why the mean: held at its beginning, the input lags by half a sub-step and
 * the error falls like H / n; held at the mean it falls like (H / n)^2, and an
 * integrator gets exactly the area below its course.
 *
 * A sub-step that ends the step before its end (early, an event, the end of the
 * simulation) ends it there. A rejection in a later sub-step leaves the unit
 * moved, so that it needs a restore; one in the first is passed on as it is.
 * Courses are for one step; setting an input, a restore or a reset ends them
 * too. */

#include "unit/unit.h"

/* What the wrapper declares of itself: as `of`, but takes courses of any order,
 * sampled, for all continuous Float64 inputs. port is filled with of->n_port
 * ports, and d refers to them. */
void tt_substep_describe(struct tt_desc *d, struct tt_port *port,
                         const struct tt_desc *of);

/* How many. Where courses are straight lines their own error, of order H^2, is
 * far beyond what more than a few sub-steps would save; then `few` may be less
 * than `n`, and a step in which all courses are constant is made in one. */
struct tt_substeps {
    uint32_t n, few;
};

/* Wrap a unit that was just made and can vary its step; m as for it. Takes
 * `inner`, also when it fails. */
TT_NODISCARD enum tt_code tt_substep_new(tt_unit **out, tt_unit *inner,
                                         struct tt_substeps n,
                                         const struct tt_make *m, tt_err *err);

#endif
