/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_RADIUS_H
#define TT_ANALYSIS_RADIUS_H

/* Is what a scenario's master plays stable? The spectral radius of the matrix
 * of one macro step, how it was found and how sure that is. */

#include "analysis/fit.h"

enum tt_stability {
    TT_STABILITY_UNKNOWN, /* for a reason */
    TT_STABILITY_STABLE,
    TT_STABILITY_UNSTABLE,
    TT_STABILITY_MARGINAL, /* 1, as far as that can be known */
};
const char *tt_stability_name(enum tt_stability s); /* "stable", ... */

struct tt_radius {
    enum tt_stability verdict;
    char reason[TT_ERR_MAX]; /* of "unknown"; else "" */
    double rho, error;       /* per macro step; NaN: not known */
    int affine;     /* it answers in proportion to large changes, too; else this
                       holds near the start only */
    int identified; /* states are hidden: what inputs and outputs show */
    int tangent;    /* ... but instances give derivatives: those, solved exactly
                     */
    double before;  /* rho a step before, of derivatives of what is not linear;
                       0: not asked for */
    double step;    /* s */
    double cost;    /* steps of instances per simulated second */
    struct tt_response response; /* owned; empty if it was not to be had */
    struct tt_fit fit;           /* owned */
};

/* Never fails: what hinders is the reason. */
void tt_radius_find(struct tt_radius *out, const struct tt_case *c);
void tt_radius_fini(struct tt_radius *r); /* zeroed is fine */
/* Its verdict, reason, rho, error and step, as members of a JSON object. */
void tt_radius_json(struct tt_buf *b, const struct tt_radius *r,
                    const char *between);

#endif
