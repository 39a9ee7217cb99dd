/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_LINEAR_H
#define TT_UNIT_LINEAR_H

/* A wrapper that puts the linearised unit in the place of the unit: from the
 * instant at which initialisation ends, x' and y are what directional
 * derivatives there make of changes of states and inputs,
 *
 *     x' = f + A (x - x0) + B (u - u0),  y = y0 + C (x - x0) + D (u - u0)
 *
 * and steps are solved exactly, for inputs that are held or follow polynomials.
 * What the unit's own solver does is not in it. States whose start the unit
 * calculates itself can be set all the same: by how far from the declared
 * start, or else from 0, they are moved. For analysis: nothing is packed. */

#include "unit/unit.h"

/* Can it be done to such a unit? It declares states, all of them single
 * numbers, and gives directional derivatives. */
int tt_linear_can(const struct tt_desc *d);

/* Wrap a unit that was just made; m as for it. Takes `inner`, also when it
 * fails. */
TT_NODISCARD enum tt_code tt_linear_new(tt_unit **out, tt_unit *inner,
                                        const struct tt_make *m, tt_err *err);

#endif
