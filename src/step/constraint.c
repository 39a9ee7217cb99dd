/* SPDX-License-Identifier: MIT */
/* Maestro's continuous constraints, with its bins and factors.
 *
 * Different on purpose: the extrapolation errors of two ports add up; steps to
 * a crossing are counted in H also by the first-order formula, which Maestro
 * counts in the last step even if a sampling instant had cut it short; what is
 * held constant is clipped into [min, max] like the rest. */
#include "base/hooks.h"
#include "step/policy_impl.h"

#include <float.h>
#include <math.h>

#define SHORTER 0.98 /* of the step: an attempt that is not the same again */

static enum tt_code check_ports(const struct tt_policy_limits *lim,
                                const struct tt_policy_opts *o, uint32_t most,
                                tt_err *err)
{
    if (o->n_ports == 0)
        return tt_fail(err, TT_EINPUT, "no ports");
    if (o->n_ports > most)
        return tt_fail(err, TT_EINPUT, "%u ports, at most 2", o->n_ports);
    for (uint32_t i = 0; i < o->n_ports; i++)
        if (o->ports[i] >= lim->n_watched)
            return tt_fail(err, TT_EINPUT, "port %u of %u watched", o->ports[i],
                           lim->n_watched);
    return TT_OK;
}

/* --- zero crossing ----------------------------------------------------- */

static struct course course_of(const struct tt_policy *p,
                               const struct member *m)
{
    const struct track *all = tt_policy_ctracks(p);
    const uint32_t *port = tt_policy_ports(p, m);
    const struct track *a = all + port[0], *b;
    uint32_t o = m->zero.order - 1;
    struct course c = {a->x, a->xp, a->xpp, a->d, a->dd, a->eps[o]};

    if (m->n_ports < 2)
        return c;
    b = all + port[1];
    c.f -= b->x;
    c.fp -= b->xp;
    c.fpp -= b->xpp;
    c.d -= b->d;
    c.dd -= b->dd;
    c.eps += p->lim.maestro ? -b->eps[o] : b->eps[o];
    return c;
}

/* The smallest positive root of f + d s + dd s^2/2, with p = 2d/dd, q = 2f/dd;
 * infinite if there is none. The root of larger size is computed, the other
 * follows from their product q without cancellation. */
double tt_policy_root(const struct course *c)
{
    double p = 2 * c->d / c->dd, q = 2 * c->f / c->dd;
    double disc = p * p / 4 - q, big, small, low, high;

    if (!(disc >= 0))
        return (double)INFINITY;
    big = p > 0 ? -p / 2 - sqrt(disc) : -p / 2 + sqrt(disc);
    small = big != 0 ? q / big : 0;
    low = fmin(big, small);
    high = fmax(big, small);
    if (low > 0)
        return low;
    if (high > 0)
        return high;
    return disc == 0 && high == 0 ? DBL_MIN : (double)INFINITY;
}

/* Seconds to the crossing, by the last values. */
static double time_to_zero(const struct tt_policy *p, const struct member *m,
                           const struct course *c)
{
    if (m->zero.order == 2 && c->dd != 0)
        return tt_policy_root(c);
    if (c->f == c->fp)
        return (double)INFINITY;
    return fabs(c->f) / fabs(c->f - c->fp) * p->h1;
}

static double steps_to_zero(const struct tt_policy *p, const struct member *m,
                            const struct course *c)
{
    return p->lim.maestro ? tt_maestro_steps_to_zero(p, m->zero.order, c)
                          : time_to_zero(p, m, c) / p->last_cont;
}

static double approach(const struct tt_policy *p, const struct member *m,
                       const struct course *c)
{
    double n = steps_to_zero(p, m, c) / (1 + c->eps + m->zero.safety);

    if (n <= 1)
        return n;
    if (n <= 1.5 * RELAX)
        return TIGHTEN;
    if (n <= RELAX_STRONGLY)
        return 1;
    if (n <= 10 * RELAX_STRONGLY)
        return RELAX;
    return RELAX_STRONGLY;
}

/* f has changed sign twice and grown each time. */
static int swings_up(const struct tt_policy *p, const struct course *c)
{
    return p->points >= 3 && c->f * c->fp < 0 && c->f * c->fpp >= 0 &&
           fabs(c->fpp) < fabs(c->fp) && fabs(c->fp) < fabs(c->f);
}

/* A length times a factor. What Maestro holds it does not clip. */
static double times(const struct tt_policy *p, double factor, double h)
{
    return p->lim.maestro && factor == 1 ? h
                                         : tt_policy_saturate(p, factor * h);
}

static double zero_propose(const struct tt_policy *p, struct member *m)
{
    struct course c = course_of(p, m);
    double size = fabs(c.f), factor = 1;
    int inside = size < m->zero.abstol;
    int well_inside = size < 0.5 * m->zero.abstol;

    if (m->inside) /* what it crosses on the way is found: see zero_judge */
        return p->lim.max;
    switch (m->state) {
    case ZERO_UNKNOWN:
        break;
    case ZERO_DISTANCING:
        factor = RELAX_STRONGLY;
        break;
    case ZERO_APPROACHING:
        if (!inside)
            factor = approach(p, m, &c);
        else
            factor = well_inside ? RELAX : 1;
        break;
    case ZERO_CROSSED:
        if (swings_up(p, &c))
            factor = well_inside ? 1 : inside ? TIGHTEN : 0;
        else
            factor = well_inside ? RELAX : inside ? 1 : TIGHTEN;
        break;
    }
    return times(p, factor, p->last_cont);
}

static double f_of(const struct tt_policy *p, const struct member *m,
                   const double *v)
{
    const uint32_t *port = tt_policy_ports(p, m);

    return m->n_ports < 2 ? v[port[0]] : v[port[0]] - v[port[1]];
}

/* By signs: the product of two tiny values would be 0. */
static int changes_sign(double a, double b)
{
    return a == 0 || b == 0 || (a < 0) != (b < 0);
}

/* A part of the step in which f changes sign, or reaches 0. */
struct bracket {
    double ta, tb, fa, fb;
};

/* The next one at or after row *at, of those that are known within the step,
 * with its ends before the first and after the last. */
static int next_bracket(const struct tt_policy *p, const struct member *m,
                        const struct tt_policy_evidence *ev, uint32_t *at,
                        struct bracket *b)
{
    const struct tt_policy_inside *in = ev->inside;
    uint32_t n = in ? in->n : 0;

    for (; *at <= n; (*at)++) {
        const double *v =
            *at < n ? in->v + (size_t)*at * p->lim.n_watched : ev->v1;

        b->tb = *at < n ? in->t[*at] : ev->t1;
        b->fb = f_of(p, m, v);
        if (isnan(b->fb))
            continue;
        if (changes_sign(b->fa, b->fb))
            return 1;
        b->ta = b->tb;
        b->fa = b->fb;
    }
    return 0;
}

static struct bracket from_start(const struct tt_policy *p,
                                 const struct member *m,
                                 const struct tt_policy_evidence *ev)
{
    return (struct bracket){.ta = ev->t0, .fa = f_of(p, m, ev->v0)};
}

static int crossed(const struct tt_policy *p, const struct member *m,
                   const struct tt_policy_evidence *ev)
{
    struct bracket b = from_start(p, m, ev);
    uint32_t at = 0;

    return next_bracket(p, m, ev, &at, &b);
}

/* Is the crossing at an end of the step that is near enough? */
static int is_located(const struct member *m,
                      const struct tt_policy_evidence *ev,
                      const struct bracket *b)
{
    return (b->ta == ev->t0 && fabs(b->fa) <= m->zero.abstol) ||
           (b->tb == ev->t1 && fabs(b->fb) <= m->zero.abstol);
}

/* Where the values within the step place it: the next attempt ends there. */
static double located(const struct tt_policy_evidence *ev,
                      const struct bracket *b)
{
    double h = ev->t1 - ev->t0, part = fabs(b->fa) / fabs(b->fb - b->fa);
    double to = b->ta + part * (b->tb - b->ta) - ev->t0;

    if (!ev->inside || !(to > 0))
        return INVALID_STEP * h;
    return fmin(to, SHORTER * h);
}

static struct objection zero_judge(const struct tt_policy *p,
                                   const struct member *m,
                                   const struct tt_policy_evidence *ev)
{
    struct bracket b = from_start(p, m, ev);
    double f0 = fabs(b.fa), f1 = fabs(f_of(p, m, ev->v1));

    for (uint32_t at = 0; next_bracket(p, m, ev, &at, &b); at++) {
        if (!is_located(m, ev, &b))
            return (struct objection){
                TT_POLICY_CROSSED, located(ev, &b),
                fmax(fmin(f0, f1), fmin(fabs(b.fa), fabs(b.fb))),
                m->zero.abstol};
        b.ta = b.tb;
        b.fa = b.fb;
    }
    return (struct objection){0};
}

static void zero_commit(const struct tt_policy *p, struct member *m,
                        const struct tt_policy_evidence *ev)
{
    const struct tt_policy_inside *in = ev->inside;

    for (uint32_t i = 0; in && i < in->n && !m->inside; i++)
        m->inside = !isnan(f_of(p, m, in->v + (size_t)i * p->lim.n_watched));
    if (crossed(p, m, ev))
        m->state = ZERO_CROSSED;
    else if (fabs(f_of(p, m, ev->v1)) < fabs(f_of(p, m, ev->v0)))
        m->state = ZERO_APPROACHING;
    else
        m->state = ZERO_DISTANCING;
}

static enum tt_code zero_check(const struct tt_policy_limits *lim,
                               const struct tt_policy_opts *o, tt_err *err)
{
    enum tt_code rc = check_ports(lim, o, 2, err);

    if (rc != TT_OK)
        return rc;
    if (o->zero.order > 2)
        return tt_fail(err, TT_EINPUT, "order %u, must be 1 or 2",
                       o->zero.order);
    if (!(o->zero.abstol >= 0))
        return tt_fail(err, TT_EINPUT, "abstol must be positive");
    if (!(o->zero.safety > -1))
        return tt_fail(err, TT_EINPUT, "safety must be above -1");
    return TT_OK;
}

const struct policy_ops tt_policy_zero_ops = {
    TT_HOOKS(zero_, check, propose, judge, commit), .crossed = crossed};

/* --- bounded difference ------------------------------------------------ */

/* What spans the values compared: of one port before and now, or of several
 * ports now. */
struct span {
    double low, high;
};

static void widen(struct span *s, double x)
{
    s->low = x < s->low ? x : s->low;
    s->high = x > s->high ? x : s->high;
}

static double relative(const struct span *s)
{
    double scale = fmax(fabs(s->low), fabs(s->high));

    return scale > 0 ? (s->high - s->low) / scale : 0;
}

static struct span span_now(const struct tt_policy *p, const struct member *m)
{
    const struct track *all = tt_policy_ctracks(p);
    const uint32_t *port = tt_policy_ports(p, m);
    struct span s = {all[port[0]].x, all[port[0]].x};

    if (m->n_ports == 1)
        widen(&s, all[port[0]].xp);
    for (uint32_t i = 1; i < m->n_ports; i++)
        widen(&s, all[port[i]].x);
    return s;
}

static struct span span_next(const struct tt_policy *p, const struct member *m,
                             const struct tt_policy_evidence *ev)
{
    const uint32_t *port = tt_policy_ports(p, m);
    struct span s = {ev->v1[port[0]], ev->v1[port[0]]};

    if (m->n_ports == 1)
        widen(&s, ev->v0[port[0]]);
    for (uint32_t i = 1; i < m->n_ports; i++)
        widen(&s, ev->v1[port[i]]);
    return s;
}

/* The factor of the bin, by one tolerance. Safety moves all but the last. */
static double bin(double d, double tol, double safety)
{
    double s = 1 / (1 + safety);

    if (d <= tol * 0.2 * s)
        return RELAX_STRONGLY;
    if (d <= tol * 0.4 * s)
        return RELAX;
    if (d <= tol * 0.6 * s)
        return 1;
    return d <= tol ? TIGHTEN : TIGHTEN_STRONGLY;
}

/* After a step that only an instant cut short, the difference is small for that
 * reason alone; then the decision before counts too, without relaxing, on the
 * last step that was not cut: the longer of the two. */
static double bounded_propose(const struct tt_policy *p, struct member *m)
{
    const struct tt_policy_bounded *o = &m->bounded;
    struct span s = span_now(p, m);
    double again = m->factor < 1 ? m->factor : 1;
    int repeat = p->discrete && !o->keep_discrete && m->factor > 0;
    double now, before;

    if (p->points < 2) /* nothing to compare, after an event */
        return tt_policy_saturate(p, p->last_cont);
    m->factor = fmin(bin(s.high - s.low, o->abstol, o->safety),
                     bin(relative(&s), o->reltol, o->safety));
    now = times(p, m->factor, p->h1);
    before = times(p, again, p->last_cont);
    if (!repeat || before <= now)
        return now;
    m->factor = again;
    return before;
}

static struct objection bounded_judge(const struct tt_policy *p,
                                      const struct member *m,
                                      const struct tt_policy_evidence *ev)
{
    struct span s = span_next(p, m, ev);
    double h = INVALID_STEP * (ev->t1 - ev->t0);

    if (s.high - s.low > m->bounded.abstol)
        return (struct objection){TT_POLICY_DIFFERENCE, h, s.high - s.low,
                                  m->bounded.abstol};
    if (relative(&s) > m->bounded.reltol)
        return (struct objection){TT_POLICY_DIFFERENCE, h, relative(&s),
                                  m->bounded.reltol};
    return (struct objection){0};
}

static enum tt_code bounded_check(const struct tt_policy_limits *lim,
                                  const struct tt_policy_opts *o, tt_err *err)
{
    enum tt_code rc = check_ports(lim, o, UINT32_MAX, err);

    if (rc != TT_OK)
        return rc;
    if (!(o->bounded.abstol >= 0) || !(o->bounded.reltol >= 0))
        return tt_fail(err, TT_EINPUT, "abstol and reltol must be positive");
    if (!(o->bounded.safety > -0.4))
        return tt_fail(err, TT_EINPUT, "safety must be above -0.4");
    return TT_OK;
}

const struct policy_ops tt_policy_bounded_ops = {
    TT_HOOKS(bounded_, check, propose, judge),
};
