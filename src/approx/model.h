/* SPDX-License-Identifier: MIT */
#ifndef TT_APPROX_MODEL_H
#define TT_APPROX_MODEL_H

/* A small predictor of one signal, fitted to its past: dead reckoning.
 *
 * Several ways to go on compete, and at each new instant every one of them is
 * held against what came. The one that missed least of late leads on: that is
 * the context, and it changes with the signal. The last way is fitted: the
 * differences d of the last instants, if they are equally far apart, follow
 *
 *     d[n+1] = a d[n] + b d[n-1]
 *
 * by least squares. What a linear system of second order does, free or under a
 * constant input, obeys that exactly: lines, exponentials, oscillations that
 * fade or grow, each about any mean.
 *
 * Zeroed is a predictor without a past. No allocation; it can be copied. */

#include "approx/poly.h"

#define TT_MODEL_DEPTH 10u /* past instants, at most */

enum tt_model_way {
    TT_MODEL_HOLD,
    TT_MODEL_LINE,  /* through two values */
    TT_MODEL_CURVE, /* through three */
    TT_MODEL_FITTED,
    TT_MODEL_WAYS
};
/* "held", "a line", "a curve", "fitted" */
const char *tt_model_way_name(enum tt_model_way w);

struct tt_model {
    double t[TT_MODEL_DEPTH], v[TT_MODEL_DEPTH]; /* newest first */
    uint32_t n;
    uint32_t even;              /* newest instants that are equally far apart */
    double a, b;                /* of the fitted way */
    double miss[TT_MODEL_WAYS]; /* of late: fading mean of squares; < 0: none */
    /* Of all predictions there were: */
    uint64_t led[TT_MODEL_WAYS]; /* by each way */
    double sum;                  /* of squares */
    double worst, worst_t;
};

/* The value at a later instant than all before: judges the ways by it, keeps
 * it, and fits. */
void tt_model_add(struct tt_model *m, double t, double v);
/* A value that no past led to: after a discontinuity. What was predicted
 * before still counts. */
void tt_model_begin(struct tt_model *m, double t, double v);
/* The newest value was another one. */
void tt_model_amend(struct tt_model *m, double v);
/* A discontinuity lies before the newest value. */
void tt_model_forget(struct tt_model *m);

/* Where it leads at t, behind the newest instant. 0 without a past. */
double tt_model_at(const struct tt_model *m, double t);
/* The course from the newest instant to `end`, of this order at most. */
struct tt_poly tt_model_course(const struct tt_model *m, double end,
                               uint32_t order);

#endif
