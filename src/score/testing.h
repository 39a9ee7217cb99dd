/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_TESTING_H
#define TT_SCORE_TESTING_H

/* For tests: units to write scores for, and sections as one text. In
 * tutti_testing only. */

#include "plan/testing.h"
#include "score/score.h"

/* y = x (no feed-through), z = 2 u (feed-through), x' = u */
extern const struct tt_mock_spec tt_testing_pair;
/* w = a + b, both feed through */
extern const struct tt_mock_spec tt_testing_sum;
/* y = u + 1, but it does not state what y depends on */
extern const struct tt_mock_spec tt_testing_blurred;
/* y1 = u1 / 2, y2 = u2 / 2, and does not state it */
extern const struct tt_mock_spec tt_testing_twice_blurred;
/* one input and output of each of several types, y = u: Float64 u, y; Int32
 * ui, yi; Boolean ub, yb; Enumeration ue, ye; String us, ys */
extern const struct tt_mock_spec tt_testing_mixed;

/* "get {i}.a: y; set {g}.b: u <- {i}.a.y; ..." appended to out. */
void tt_testing_section(const tt_score *s, enum tt_section section,
                        struct tt_buf *out);

#endif
