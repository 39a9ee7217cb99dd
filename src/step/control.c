/* SPDX-License-Identifier: MIT */
/* Error control; the formulas are at struct tt_policy_control. */
#include "step/policy_impl.h"

#include <math.h>

/* Did another member make the step shorter than proposed? Not rounding: far
 * from t = 0 a short step loses digits of its length, always the same way. */
static int cut_short(const struct tt_policy *p, const struct member *m,
                     const struct tt_policy_evidence *ev)
{
    double tol = tt_policy_instant_tol(ev->t1, p->lim.min);

    return m->own > 0 && ev->t1 - ev->t0 < m->own - tol;
}

/* An estimate of 0 means "long enough not to see it", not "as long as you
 * like"; a smaller one before it would make the next step leap. Hairer and
 * Wanner's codes take 1e-4 for both. */
#define ERR_LEAST 1e-4

static int estimate_of(const struct member *m,
                       const struct tt_policy_evidence *ev, double *e,
                       double *q)
{
    const struct tt_policy_control *o = &m->control;

    if (o->estimate >= ev->n_estimates)
        return 0;
    *e = ev->estimates[o->estimate].err;
    *q = ev->estimates[o->estimate].order;
    if (o->unit_time > 0) {
        *e *= o->unit_time / (ev->t1 - ev->t0);
        *q -= 1;
    }
    if (!(*q > 0)) /* an estimate that h does not influence */
        *q = 1;
    return 1;
}

static double clip(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The longest step of the grid that is no longer; not below the least. */
static double on_grid(const struct tt_policy *p, const struct member *m,
                      double h)
{
    double k = floor(4 * log2(h / p->lim.init) + 1e-9);

    return m->control.grid ? fmax(p->lim.init * exp2(k / 4), p->lim.min) : h;
}

static int is_off(const struct tt_policy *p, const struct member *m,
                  const struct tt_policy_evidence *ev)
{
    double h = ev->t1 - ev->t0, tol = tt_policy_instant_tol(ev->t1, p->lim.min);

    return m->control.grid && fabs(h - on_grid(p, m, h + tol)) > 2 * tol;
}

static double propose(const struct tt_policy *p, struct member *m)
{
    return m->own > 0 ? m->own : p->lim.max;
}

static struct objection judge(const struct tt_policy *p, const struct member *m,
                              const struct tt_policy_evidence *ev)
{
    const struct tt_policy_control *o = &m->control;
    double h = ev->t1 - ev->t0, e, q;

    if (!estimate_of(m, ev, &e, &q) || e <= 1)
        return (struct objection){0};
    if (isnan(e))
        return (struct objection){TT_POLICY_NAN, INVALID_STEP * h, e, 1};
    if (o->next)
        return (struct objection){0};
    h *= clip(o->safety * pow(e, -1 / q), o->shrink, 0.9);
    return (struct objection){TT_POLICY_ERR, on_grid(p, m, h), e, 1};
}

static void commit(const struct tt_policy *p, struct member *m,
                   const struct tt_policy_evidence *ev)
{
    const struct tt_policy_control *o = &m->control;
    int mine = p->rejected && p->by < p->n && m == &p->members[p->by];
    double h = ev->t1 - ev->t0, e, q, by;
    int cut = !mine && cut_short(p, m, ev), over;

    m->count.off_grid += (uint64_t)is_off(p, m, ev);
    if (!estimate_of(m, ev, &e, &q))
        return;
    over = o->next && e > 1;
    m->count.above += (uint64_t)over;
    e = e > ERR_LEAST ? e : ERR_LEAST;
    by = o->safety * pow(e, -1 / q);
    if (!cut && !mine && !over && m->err_prev > 0)
        by = pow(by, o->ki) * pow(m->err_prev / e, o->kp / q);
    if (cut)
        m->own = fmin(h * by, m->own);
    else
        m->own = h * clip(by, o->shrink, mine ? 1 : o->grow);
    m->own = on_grid(p, m, tt_policy_saturate(p, m->own));
    m->err_prev = cut ? 0 : e;
}

static enum tt_code check(const struct tt_policy_limits *lim,
                          const struct tt_policy_opts *o, tt_err *err)
{
    const struct tt_policy_control *c = &o->control;

    (void)lim;
    if (!(c->ki >= 0) || !(c->kp >= 0) || (c->ki == 0 && c->kp > 0))
        return tt_fail(err, TT_EINPUT, "ki must be positive, kp not negative");
    if (!(c->safety >= 0 && c->safety <= 1))
        return tt_fail(err, TT_EINPUT, "safety must be from 0 to 1");
    if (!(c->shrink >= 0 && c->shrink < 0.9))
        return tt_fail(err, TT_EINPUT, "shrink must be below 0.9");
    if (!(c->grow == 0 || c->grow >= 1))
        return tt_fail(err, TT_EINPUT, "grow must be at least 1");
    if (!(c->unit_time >= 0))
        return tt_fail(err, TT_EINPUT, "unit_time must not be negative");
    return TT_OK;
}

const struct policy_ops tt_policy_error_ops = {
    TT_HOOKS(, check, propose, judge, commit)};
