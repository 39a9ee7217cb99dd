/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_CONCERN_H
#define TT_SCORE_CONCERN_H

/* Of a step, what some units depend on: others need not be stepped to know
 * where these come to. */

#include "score/score.h"

/* unit: a mark per unit, of those wanted; marked in addition are those whose
 * values reach one of these within a step and its exchange, and those that are
 * solved, divided or integrated together with one. op: a mark per operation of
 * the sections step, exchange and undo that is of these units, or of loops of
 * theirs. What is left out of the exchange stays as it was, and so do
 * histories. */
TT_NODISCARD enum tt_code tt_score_concern(const tt_score *s, uint8_t *unit,
                                           uint8_t *op, tt_err *err);

#endif
