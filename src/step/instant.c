/* SPDX-License-Identifier: MIT */
/* Instants that must not be overshot. */
#include "step/policy_impl.h"

#include <math.h>
#include <string.h>

#define BASE_MAX 22   /* powers of ten that are exact doubles */
#define GRID_TOL 1e-9 /* of H: an end this near a grid point is that point */

double tt_policy_round14(double x)
{
    if (!(fabs(x) < 64)) /* doubles are coarser than 1e-14 from here on */
        return x;
    return floor(x * 1e14 + 0.5) / 1e14;
}

static double next_on_grid(const struct tt_policy *p, const struct member *m,
                           const struct tt_policy_ask *ask, double tol)
{
    double start = p->lim.start, ratio = (ask->t - start) / m->step;
    double k = nearbyint(ratio), t1;

    if (fabs(start + k * m->step - ask->t) > fmax(tol, GRID_TOL * m->step))
        k = floor(ratio);
    t1 = start + (k + 1) * m->step;
    return fabs(t1 - ask->end) <= GRID_TOL * m->step ? ask->end : t1;
}

/* ticks * 10^base: one rounding, so that it is the double nearest to the
 * decimal. Powers up to 22 are exact. */
static double scaled(double ticks, int base)
{
    double power = 1;

    for (int i = base < 0 ? -base : base; i > 0; i--)
        power *= 10;
    return base < 0 ? ticks / power : ticks * power;
}

/* Maestro's k = floor(round14(round14(t - first) / T)), but round14 does
 * nothing once doubles are coarser than it; there, and everywhere, an instant
 * within tol of t is t itself. Beyond what doubles resolve there is none. */
static double next_sample(const struct tt_policy *p, const struct member *m,
                          const struct tt_policy_ask *ask, double tol)
{
    const struct tt_policy_sampling *o = &m->sampling;
    double first = scaled((double)o->first, o->base);
    double period = scaled((double)o->rate, o->base);
    double t = ask->t, k;

    (void)p;
    if (t < first - tol)
        return first;
    k = floor(tt_policy_round14(tt_policy_round14(t - first) / period));
    k = fmax(k, floor((t + tol - first) / period) - 1);
    for (int i = 0; i < 4; i++) {
        double t1 =
            scaled((double)o->first + (k + i) * (double)o->rate, o->base);

        if (t1 > t + tol)
            return t1;
    }
    return (double)INFINITY;
}

static double next_listed(const struct tt_policy *p, const struct member *m,
                          const struct tt_policy_ask *ask, double tol)
{
    const double *at =
        (const double *)(const void *)((const char *)p + m->instants_at);
    uint32_t low = 0, high = m->n_instants;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (at[mid] > ask->t + tol)
            high = mid;
        else
            low = mid + 1;
    }
    if (low == m->n_instants)
        return (double)INFINITY;
    while (low + 1 < m->n_instants && at[low + 1] <= at[low] + tol)
        low++; /* these are one */
    return at[low];
}

static enum tt_code check_step(const struct tt_policy_limits *lim,
                               const struct tt_policy_opts *o, tt_err *err)
{
    (void)lim;
    if (!(o->step > 0) || !isfinite(o->step))
        return tt_fail(err, TT_EINPUT, "step must be positive");
    return TT_OK;
}

static enum tt_code check_sampling(const struct tt_policy_limits *lim,
                                   const struct tt_policy_opts *o, tt_err *err)
{
    (void)lim;
    if (o->sampling.rate <= 0)
        return tt_fail(err, TT_EINPUT, "rate must be positive");
    if (o->sampling.base < -BASE_MAX || o->sampling.base > BASE_MAX)
        return tt_fail(err, TT_EINPUT, "base %d, must be from -%d to %d",
                       o->sampling.base, BASE_MAX, BASE_MAX);
    return TT_OK;
}

static enum tt_code check_instants(const struct tt_policy_limits *lim,
                                   const struct tt_policy_opts *o, tt_err *err)
{
    (void)lim;
    for (uint32_t i = 0; i < o->n_instants; i++)
        if (!isfinite(o->instants[i]))
            return tt_fail(err, TT_EINPUT, "instant %u is not a number", i);
    return TT_OK;
}

const struct policy_ops tt_policy_fixed_ops = {.check = check_step,
                                               .next = next_on_grid};
const struct policy_ops tt_policy_sampling_ops = {.check = check_sampling,
                                                  .next = next_sample};
const struct policy_ops tt_policy_instants_ops = {
    .check = check_instants, .next = next_listed, .soft = 1};

/* Of two that are one the later wins, but nothing is after the end. */
static void offer(struct target *best, const struct target *c, double tol)
{
    if (c->t < best->t - tol) {
        *best = *c;
    } else if (c->t <= best->t + tol) {
        best->t = fmax(best->t, c->t);
        best->by = c->by;
        best->soft |= c->soft;
    }
}

/* A grid point that an event is as good as at stays what it is, as it does
 * where no step is taken back: the event is handled there. */
static void offer_event(const struct tt_policy *p, struct target *best,
                        double event, double tol)
{
    struct target c = {event, p->n + TT_POLICY_OWN_EVENT, 1};
    int on_grid =
        best->by < p->n && p->members[best->by].kind == TT_POLICY_FIXED;

    if (on_grid && fabs(event - best->t) <= tol)
        c.t = best->t;
    offer(best, &c, tol);
}

struct target tt_policy_target(const struct tt_policy *p,
                               const struct tt_policy_ask *ask)
{
    double tol = tt_policy_instant_tol(ask->t, p->lim.min);
    uint32_t own_end = p->n + TT_POLICY_OWN_END;
    struct target best = {(double)INFINITY, own_end, 1};
    struct target end = {ask->end, own_end, 1};

    for (uint32_t i = 0; i < p->n; i++) {
        const struct member *m = &p->members[i];
        const struct policy_ops *ops = tt_policy_ops_of(m->kind);
        struct target c = {(double)INFINITY, i, ops->soft};

        if (ops->next)
            c.t = ops->next(p, m, ask, tol);
        if (isfinite(c.t))
            offer(&best, &c, tol);
    }
    if (isfinite(ask->next_event) && ask->next_event > ask->t + tol)
        offer_event(p, &best, ask->next_event, tol);
    if (best.t >= ask->end - tol) {
        end.by = best.t <= ask->end + tol ? best.by : own_end;
        return end;
    }
    return best;
}
