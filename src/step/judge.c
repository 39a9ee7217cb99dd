/* SPDX-License-Identifier: MIT */
/* Whether a step may stand. Nothing here changes the set. */
#include "step/policy_impl.h"

#include <math.h>

/* What becomes of an objection: a retry if possible, else what `stuck` gives.
 */
static struct tt_policy_ruling rule(const struct tt_policy *p,
                                    const struct tt_policy_evidence *ev,
                                    const struct objection *o, uint32_t by,
                                    enum tt_policy_verdict stuck)
{
    int maestro = p->lim.maestro && by < p->n; /* it looks at its own length */
    double h = fmax(maestro ? INVALID_STEP * p->size : o->h,
                    tt_policy_least(p, ev->t0));
    double tol = tt_policy_instant_tol(ev->t0, p->lim.min);
    int shorter =
        maestro ? h < p->size : h < ev->t1 - ev->t0 - tol; /* else the same */
    struct tt_policy_ruling r = {.verdict = TT_POLICY_RETRY,
                                 .reason = o->reason,
                                 .by = by,
                                 .h = h,
                                 .t1 = ev->t0 + h,
                                 .value = o->value,
                                 .limit = o->limit};

    if (!ev->can_roll_back || !shorter) {
        r.verdict = stuck;
        r.at_min = ev->can_roll_back;
    }
    return r;
}

/* Is what a unit reports to have reached, or could, the end of the step? */
static int is_there(const struct tt_policy *p,
                    const struct tt_policy_evidence *ev)
{
    return ev->reached >= ev->t1 - tt_policy_instant_tol(ev->t1, p->lim.min);
}

/* A unit did not come to t1. Where it could be reached is a fact, so min does
 * not bind; where it does not report, or reports that it could have come,
 * shorter steps are tried. */
static struct tt_policy_ruling rule_unit(const struct tt_policy *p,
                                         const struct tt_policy_evidence *ev)
{
    double tol = tt_policy_instant_tol(ev->t0, 0);
    struct objection o = {TT_POLICY_UNIT, INVALID_STEP * (ev->t1 - ev->t0),
                          ev->reached, ev->t1};
    uint32_t by = p->n + TT_POLICY_OWN_UNIT;
    struct tt_policy_ruling r =
        rule(p, ev, &o, by,
             ev->can_roll_back ? TT_POLICY_GIVE_UP : TT_POLICY_ACCEPT_WARN);

    if (ev->can_roll_back && ev->reached > ev->t0 + tol && !is_there(p, ev)) {
        r.verdict = TT_POLICY_RETRY;
        r.at_min = 0;
        r.exact = 1;
        r.h = ev->reached - ev->t0;
        r.t1 = p->lim.maestro ? ev->t0 + r.h : ev->reached;
    }
    return r;
}

/* The first watched value of a member that is no number, if any. */
static int finds_nan(const struct tt_policy *p, const struct member *m,
                     const struct tt_policy_evidence *ev, double *value)
{
    const uint32_t *port = tt_policy_ports(p, m);

    for (uint32_t i = 0; i < m->n_ports; i++) {
        *value = ev->v1[port[i]];
        if (!isfinite(*value))
            return 1;
        *value = ev->v0[port[i]];
        if (!isfinite(*value))
            return 1;
    }
    if (m->kind != TT_POLICY_ERROR || m->control.estimate >= ev->n_estimates)
        return 0;
    *value = ev->estimates[m->control.estimate].err;
    return isnan(*value);
}

static double zeno_window(const struct tt_policy *p, double t)
{
    return p->lim.zeno_window > 0
               ? p->lim.zeno_window
               : 10 * p->lim.zeno_steps * tt_policy_least(p, t);
}

int tt_policy_counts_for_zeno(const struct tt_policy *p,
                              const struct tt_policy_evidence *ev)
{
    double least = tt_policy_least(p, ev->t0);
    const struct policy_ops *ops;

    if (ev->t1 - ev->t0 > least * SLACK || !(least < p->lim.max))
        return 0;
    if (p->by == p->n + TT_POLICY_OWN_UNIT)
        return 1;
    if (p->by >= p->n)
        return 0;
    ops = tt_policy_ops_of(p->members[p->by].kind);
    return ops->crossed && ops->crossed(p, &p->members[p->by], ev);
}

static struct tt_policy_ruling rule_zeno(const struct tt_policy *p,
                                         const struct tt_policy_evidence *ev,
                                         const struct tt_policy_ruling *r)
{
    double since, window;

    if (p->zeno_n < p->lim.zeno_steps || !tt_policy_counts_for_zeno(p, ev))
        return *r;
    since = ev->t1 - tt_policy_cring(p)[p->zeno_at]; /* the oldest */
    window = zeno_window(p, ev->t0);
    if (since > window)
        return *r;
    return (struct tt_policy_ruling){.verdict = TT_POLICY_GIVE_UP,
                                     .reason = TT_POLICY_ZENO,
                                     .by = p->by,
                                     .at_min = 1,
                                     .value = p->lim.zeno_steps + 1,
                                     .limit = window};
}

/* NaN before tolerances, for comparing with it would accept it. */
static struct tt_policy_ruling rule_members(const struct tt_policy *p,
                                            const struct tt_policy_evidence *ev)
{
    struct tt_policy_ruling r = {0};

    for (uint32_t i = 0; i < p->n; i++) {
        struct objection o = {TT_POLICY_NAN, INVALID_STEP * (ev->t1 - ev->t0),
                              0, 0};

        if (finds_nan(p, &p->members[i], ev, &o.value))
            return rule(p, ev, &o, i, TT_POLICY_GIVE_UP);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const struct member *m = &p->members[i];
        const struct policy_ops *ops = tt_policy_ops_of(m->kind);
        struct objection o = {0};

        if (ops->judge)
            o = ops->judge(p, m, ev);
        if (o.reason != TT_POLICY_FINE &&
            (r.reason == TT_POLICY_FINE ||
             fmax(o.h, tt_policy_least(p, ev->t0)) < r.h))
            r = rule(p, ev, &o, i, TT_POLICY_ACCEPT_WARN);
    }
    return r;
}

struct tt_policy_ruling tt_policy_judge(const struct tt_policy *p,
                                        const struct tt_policy_evidence *ev)
{
    struct tt_policy_ruling r = {0};

    if (!(ev->t1 > ev->t0))
        return (struct tt_policy_ruling){.verdict = TT_POLICY_GIVE_UP,
                                         .reason = TT_POLICY_ZERO_LENGTH,
                                         .by = p->by,
                                         .at_min = 1};
    if (ev->scout && ev->outcome != TT_POLICY_REACHED)
        return tt_policy_rule_scout(p, ev);
    if (ev->scout)
        return tt_policy_rule_crossings(p, ev, &r);
    if (ev->outcome != TT_POLICY_REACHED &&
        !(ev->outcome == TT_POLICY_EARLY && is_there(p, ev)))
        return rule_unit(p, ev);
    r = rule_members(p, ev);
    if (r.verdict == TT_POLICY_ACCEPT || r.verdict == TT_POLICY_ACCEPT_WARN)
        r = tt_policy_rule_crossings(p, ev, &r);
    if (r.verdict == TT_POLICY_ACCEPT || r.verdict == TT_POLICY_ACCEPT_WARN)
        return rule_zeno(p, ev, &r);
    return r;
}
