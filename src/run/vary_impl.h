/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_VARY_IMPL_H
#define TT_RUN_VARY_IMPL_H

/* Steps of variable length: proposing and judging them (vary.c), accounting for
 * them (account.c). */

#include "run/perform.h"

/* In the frame. */
struct tt_vary_counts {
    uint64_t rejected, doubled;
    double least, most; /* accepted steps so far */
    double asked;       /* the length proposed for the last step */
    double worst, sum;  /* of their error estimates; 1 is tolerated */
    int warned;
    struct when {
        double first, last; /* ends of the steps it limited */
    } when[];               /* per member and own reason of the policy */
};

struct tt_vary {
    struct tt_policy *policy; /* in the frame */
    double *v0, *v1;          /* watched values at T0, in the frame; at T1 */
    struct tt_vary_counts *count; /* in the frame */
};

#endif
