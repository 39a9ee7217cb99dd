/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_LINEAR_H
#define TT_UNIT_LINEAR_H

/* A wrapper that puts the linearised unit in the place of the unit: from the
 * instant at which initialisation ends, or a later one, x' and y are what
 * directional derivatives there make of changes of states and inputs,
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

/* Wrap a unit that was just made; m as for it. late: it plays as it is until
 * tt_linear_begin(). Takes `inner`, also when it fails. */
TT_NODISCARD enum tt_code tt_linear_new(tt_unit **out, tt_unit *inner, int late,
                                        const struct tt_make *m, tt_err *err);

/* Both of a unit, or of one that others are wrapped around; where there is none
 * they do nothing. Between two steps: linearise it here, if it is late; move
 * one of its states. */
TT_NODISCARD enum tt_code tt_linear_begin(tt_unit *u, tt_err *err);
void tt_linear_move(tt_unit *u, uint32_t port, double by);

#endif
