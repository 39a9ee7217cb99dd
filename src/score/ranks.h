/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_RANKS_H
#define TT_SCORE_RANKS_H

/* A score that several processes play together.
 *
 * Each unit lives on one *rank*. All ranks play the whole score, with the same
 * frame, but a unit's operations are its owner's; values others need go to
 * them in XFER operations, as late and as many at once as the order of the
 * score allows. What decides (loops, solvers, policies) is played by everyone,
 * on the same values, so everyone decides the same. */

#include "score/score.h"

/* Which rank has which unit: equal work, few connections between ranks. cost
 * is any measure of a unit's work, NULL: all the same. owner has a place per
 * unit. The same input gives the same answer. */
TT_NODISCARD enum tt_code tt_ranks_assign(const tt_plan *p, uint32_t n_rank,
                                          const double *cost, uint32_t *owner,
                                          tt_err *err);

/* s, which one plays alone, for n_rank ranks. */
TT_NODISCARD enum tt_code tt_score_split(tt_score **out, const tt_score *s,
                                         uint32_t n_rank, const uint32_t *owner,
                                         tt_err *err);

#endif
