/* SPDX-License-Identifier: MIT */
/* Maestro's continuous constraints (MAESTRO.md 4.5), with its bins and factors.
 *
 * Different on purpose: the extrapolation errors of two ports add up; steps to
 * a crossing are counted in H also by the first-order formula, which Maestro
 * counts in the last step even if a sampling instant had cut it short; what is
 * held constant is clipped into [min, max] like the rest. */
#include "step/policy_impl.h"

#include <float.h>
#include <math.h>

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
static double root2(const struct course *c)
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
        return root2(c);
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

double tt_zero_propose(const struct tt_policy *p, const struct member *m)
{
    struct course c = course_of(p, m);
    double size = fabs(c.f), factor = 1;
    int inside = size < m->zero.abstol;
    int well_inside = size < 0.5 * m->zero.abstol;

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
int tt_zero_crossed(const struct tt_policy *p, const struct member *m,
                    const struct tt_policy_evidence *ev)
{
    double f0 = f_of(p, m, ev->v0), f1 = f_of(p, m, ev->v1);

    return f0 == 0 || f1 == 0 || (f0 < 0) != (f1 < 0);
}

struct objection tt_zero_judge(const struct tt_policy *p,
                               const struct member *m,
                               const struct tt_policy_evidence *ev)
{
    double f0 = fabs(f_of(p, m, ev->v0)), f1 = fabs(f_of(p, m, ev->v1));
    double nearest = f0 < f1 ? f0 : f1;
    double h = ev->t1 - ev->t0;

    if (!tt_zero_crossed(p, m, ev) || nearest <= m->zero.abstol)
        return (struct objection){0};
    return (struct objection){TT_POLICY_CROSSED, INVALID_STEP * h, nearest,
                              m->zero.abstol};
}

void tt_zero_commit(const struct tt_policy *p, struct member *m,
                    const struct tt_policy_evidence *ev)
{
    if (tt_zero_crossed(p, m, ev))
        m->state = ZERO_CROSSED;
    else if (fabs(f_of(p, m, ev->v1)) < fabs(f_of(p, m, ev->v0)))
        m->state = ZERO_APPROACHING;
    else
        m->state = ZERO_DISTANCING;
}

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
double tt_bounded_propose(const struct tt_policy *p, struct member *m)
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

struct objection tt_bounded_judge(const struct tt_policy *p,
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
