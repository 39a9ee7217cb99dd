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
    struct tt_policy *policy;    /* in the frame */
    double *v0, *v1;             /* watched values at T0, in the frame; at T1 */
    struct tt_policy_hunt *hunt; /* per member, over attempts */
    uint32_t n_member, crossing; /* and the first that locates */
    struct tt_vary_counts *count; /* in the frame */
    /* Of a run inside a unit: what was found in the last step that ended at a
     * crossing. Its host may take that step back, and ask for it again. */
    struct tt_policy_hunt *found;
    double found_t0, found_t1;
    double *moved;  /* per crossing: tt_run_crossing's; NULL: not known */
    uint8_t *scout; /* per operation: it is of what crossings depend on; NULL:
                       all are, or not known yet */
};

/* locate.c: members of the policy; what follows from a crossing at the end of
 * a step that stands; what there was. */
void run_locate_members(const tt_run *r, struct tt_policy_opts *o);
void run_locate_start(tt_run *r);
/* Which instances crossings depend on, if these are not all; may these make an
 * attempt alone? */
TT_NODISCARD enum tt_code run_locate_concern(tt_run *r, tt_err *err);
int run_locate_scouts(const tt_run *r);
void run_locate_begin(const tt_run *r, const struct run_macro *m);
void run_locate_commit(tt_run *r, const struct run_macro *m);
void run_locate_report(tt_run *r);

#endif
