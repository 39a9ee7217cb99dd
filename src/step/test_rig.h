/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_TEST_RIG_H
#define TT_STEP_TEST_RIG_H

/* For tests: a policy set over signals known in closed form. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "step/policy.h"

typedef double (*signal_fn)(double t);

struct rig {
    struct tt_policy *p;
    size_t size;
    signal_fn signal; /* of the one watched port, if any */
    uint32_t n_ports;
    int can_roll_back;
    struct tt_policy_ask ask;
    uint32_t steps, rejections, warnings;
    struct tt_policy_ruling last;
    struct tt_policy_step step;
};

static inline void rig_init(struct rig *r, const struct tt_policy_limits *lim,
                            const struct tt_policy_opts *o, uint32_t n)
{
    tt_err err;

    if (tt_policy_check(lim, o, n, &err) != TT_OK)
        fail_msg("%s", err.msg);
    r->size = tt_policy_size(lim, o, n);
    r->p = tt_policy_init(tt_alloc(r->size), lim, o, n);
    r->n_ports = lim->n_watched;
}

static inline void rig_sample(const struct rig *r, double t, double *v)
{
    if (r->n_ports)
        v[0] = r->signal(t);
}

static inline void rig_start(struct rig *r, double t, double end)
{
    double v[1] = {0};

    rig_sample(r, t, v);
    r->ask.t = t;
    r->ask.end = end;
    tt_policy_start(r->p, t, v);
}

/* One accepted step; 0 at the end or when the set gives up. */
static inline int rig_step(struct rig *r)
{
    double v0[1] = {0}, v1[1] = {0};
    struct tt_policy_evidence ev = {
        .t0 = r->ask.t, .v0 = v0, .v1 = v1, .can_roll_back = r->can_roll_back};

    r->step = tt_policy_propose(r->p, &r->ask);
    if (!(r->step.h > 0))
        return 0;
    rig_sample(r, ev.t0, v0);
    for (;;) {
        ev.t1 = r->step.t1;
        rig_sample(r, ev.t1, v1);
        r->last = tt_policy_judge(r->p, &ev);
        if (r->last.verdict != TT_POLICY_RETRY)
            break;
        r->rejections++;
        assert_true(r->rejections < 1000000);
        r->step = tt_policy_retry(r->p, &r->last, &r->ask);
        assert_true(r->step.t1 < ev.t1); /* a retry is shorter */
    }
    if (r->last.verdict == TT_POLICY_GIVE_UP)
        return 0;
    r->warnings += r->last.verdict == TT_POLICY_ACCEPT_WARN;
    tt_policy_commit(r->p, &ev, &r->last);
    r->steps++;
    r->ask.t = r->step.t1;
    return 1;
}

static inline void rig_fini(struct rig *r)
{
    tt_free(r->p);
}

/* Accept a step from t to t + h with values v0 to v1, whatever is proposed. */
static inline void force(struct tt_policy *p, double t, double h,
                         const double *v0, const double *v1)
{
    struct tt_policy_evidence ev = {
        .t0 = t, .t1 = t + h, .v0 = v0, .v1 = v1, .can_roll_back = 1};
    struct tt_policy_ruling r = {0};

    tt_policy_commit(p, &ev, &r);
}

static inline void near(double a, double b, double tol)
{
    char x[TT_NUM_MAX], y[TT_NUM_MAX], by[TT_NUM_MAX];

    if (fabs(a - b) <= tol)
        return;
    tt_num_print_short(x, a);
    tt_num_print_short(y, b);
    tt_num_print_short(by, tol);
    fail_msg("%s is not %s within %s", x, y, by);
}

#endif
