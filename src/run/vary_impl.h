/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_VARY_IMPL_H
#define TT_RUN_VARY_IMPL_H

/* Steps of variable length: playing them (vary.c) and accounting for them
 * (account.c). */

#include "run/run_impl.h"
#include "step/policy.h"

struct tt_vary {
    struct tt_policy *policy; /* owned block */
    size_t policy_size;
    double *v0, *v1; /* owned: watched values at T0 and T1 */
    void *kept;      /* owned: the frame at T0 */
    int can_roll_back;
    int ask_units; /* "fmumaxstepsize" is among the constraints */
    int warned;
    uint64_t rejected, doubled;
    struct when {
        double first, last; /* ends of the steps it limited */
    } * when;               /* owned, per member and own reason of the policy */
    double least, most;     /* accepted steps so far */
    double asked;           /* the length proposed for the last step */
    double worst, sum;      /* of their error estimates; 1 is tolerated */
};

#endif
