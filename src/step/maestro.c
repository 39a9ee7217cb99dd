/* SPDX-License-Identifier: MIT */
/* Lengths of steps as Maestro chooses them, to the last bit: to compare results
 * with its. Bins and factors are the same as ours (constraint.c). */
#include "step/policy_impl.h"

#include <float.h>
#include <math.h>

#define LEAST 4.9406564584124654e-324 /* Java's Double.MIN_VALUE */

/* Half up to 14 decimals, of the exact value: x 1e14 is p + e. */
static double round14(double x)
{
    double p = x * 1e14, e = fma(x, 1e14, -p), low = floor(p), rest;

    if (!(fabs(x) < 64)) /* doubles are coarser than 1e-14 from here on */
        return x;
    rest = (p - low) + e;
    if (rest < 0) {
        low -= 1;
        rest += 1;
    }
    return (rest >= 0.5 ? low + 1 : low) / 1e14;
}

static double to_next_sample(const struct member *m, double t)
{
    double unit = pow(10, m->sampling.base);
    double first = unit * (double)m->sampling.first;
    double period = unit * (double)m->sampling.rate;
    double since, next, rest;

    if (t < first)
        return first - t;
    since = round14(t - first);
    next = period * (floor(round14(since / period)) + 1);
    rest = round14(round14(next) - since);
    return rest > 0 ? rest : period; /* Maestro would stay where it is */
}

static double by_first_order(const struct tt_policy *p, const struct course *c)
{
    if (p->points < 2)
        return DBL_MAX;
    return fabs(c->f) / fmax(LEAST, fabs(c->f - c->fp));
}

double tt_maestro_steps_to_zero(const struct tt_policy *p, uint32_t order,
                                const struct course *c)
{
    double half, disc, root;

    if (order == 1 || c->dd == 0)
        return by_first_order(p, c);
    half = -(2 * c->d / c->dd) / 2;
    disc = half * half - 2 * c->f / c->dd;
    if (!(disc >= 0))
        return DBL_MAX;
    root = half - sqrt(disc);
    if (disc == 0)
        return half == 0 ? LEAST : half < 0 ? DBL_MAX : half / p->last_cont;
    if (!(root > 0))
        root = half + sqrt(disc);
    return root > 0 ? root / p->last_cont : DBL_MAX;
}

/* The shortest wish, and the member that has it; sampling gives way to others
 * that wish the same. */
static void collect(struct tt_policy *p, double t)
{
    p->size = p->lim.max;
    p->by = p->n + TT_POLICY_OWN_MAX;
    p->attempt_discrete = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        struct member *m = &p->members[i];
        int sampled = m->kind == TT_POLICY_SAMPLING;
        double h = sampled ? fmin(to_next_sample(m, t), p->lim.max)
                           : tt_policy_wish(p, m);

        if (h < p->size || (h == p->size && !sampled && p->attempt_discrete)) {
            p->size = h;
            p->by = i;
            p->attempt_discrete = sampled;
        }
    }
}

static uint32_t member_of(const struct tt_policy *p, enum tt_policy_kind kind)
{
    uint32_t i = 0;

    while (i < p->n && p->members[i].kind != kind)
        i++;
    return i;
}

/* A fixed step is what it is. */
static int is_fixed(struct tt_policy *p)
{
    uint32_t i = member_of(p, TT_POLICY_FIXED);

    if (i == p->n)
        return 0;
    p->size = p->members[i].step;
    p->by = i;
    p->attempt_discrete = 0;
    return 1;
}

static struct tt_policy_step step_of(const struct tt_policy *p, double t,
                                     double h)
{
    return (struct tt_policy_step){t + h, h, p->by};
}

struct tt_policy_step tt_maestro_propose(struct tt_policy *p,
                                         const struct tt_policy_ask *ask)
{
    double rest = ask->end - ask->t, most = (double)INFINITY;
    uint32_t units = member_of(p, TT_POLICY_UNIT_MAX);

    if (is_fixed(p))
        return step_of(p, ask->t,
                       ask->t + p->size <= ask->end ? p->size : rest);
    if (p->steps == 0) {
        p->size = p->lim.init;
        p->by = p->n + TT_POLICY_OWN_INIT;
        p->attempt_discrete = 0;
    } else {
        collect(p, ask->t);
    }
    if (units < p->n && ask->unit_max > 0)
        most = fmax(ask->unit_max, p->lim.min);
    if (most < fmin(p->size, rest)) {
        p->by = units;
        p->attempt_discrete = p->steps > 0;
        return step_of(p, ask->t, most);
    }
    if (p->size > rest) {
        p->by = p->n + TT_POLICY_OWN_END;
        p->attempt_discrete = 0;
        return step_of(p, ask->t, rest);
    }
    return step_of(p, ask->t, p->size);
}

/* Where a unit could come to is taken as it is, and forgotten: Maestro goes on
 * from the length it chose. */
struct tt_policy_step tt_maestro_retry(struct tt_policy *p,
                                       const struct tt_policy_ruling *r,
                                       const struct tt_policy_ask *ask)
{
    if (!r->exact)
        p->size = r->h;
    return step_of(p, ask->t, r->h);
}
