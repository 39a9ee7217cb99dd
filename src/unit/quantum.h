/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_QUANTUM_H
#define TT_UNIT_QUANTUM_H

/* A wrapper that lets a unit sleep: a step that is asked for is made only when
 * an input has left its quantum, or when the unit's own course is due to be
 * looked at. For many units of which few have something to do.
 *
 * An input is in its quantum while it is no farther than that, times its
 * nominal value, from what the unit was given last; anything but a Float64 is
 * as long as it does not change. Asleep, the unit stands where its last step
 * ended: its outputs are those, and it was given no input since.
 *
 * How long it sleeps follows from its own outputs: at most twice as many steps
 * as the last time, fewer where an output would move by more than half a
 * quantum, and never more than `most`. When an input leaves its quantum the
 * unit is brought to the instant by one longer step, with the inputs it had,
 * then given all that is new. When its time is up it makes one longer step to
 * the end. It does not sleep past a largest step that it states, nor past the
 * end of the experiment.
 *
 * All of that is saved and packed with the unit's state. It takes no courses:
 * what it is given holds until it wakes. */

#include "unit/unit.h"

struct tt_quantum {
    double size;   /* > 0, of nominal values; 0: it does not sleep */
    uint32_t most; /* steps it may sleep through but one, at least 1 */
};

/* Wrap a unit that was just made, can vary its step and has no event mode; m as
 * for it. Takes `inner`, also when it fails. */
TT_NODISCARD enum tt_code tt_quantum_new(tt_unit **out, tt_unit *inner,
                                         struct tt_quantum q,
                                         const struct tt_make *m, tt_err *err);

/* Steps that were asked for, and steps that were made, of such a unit, wherever
 * in a stack of wrappers it is. Returns 0: there is none. */
int tt_quantum_steps(const tt_unit *u, uint64_t *asked, uint64_t *made);

#endif
