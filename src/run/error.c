/* SPDX-License-Identifier: MIT */
/* Estimates of the error of a variable step, for the policy: from the step
 * played whole and in halves, from inputs and their past, from power bonds. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "run/run_impl.h"
#include "step/estimate.h"
#include "step/policy.h"

/* Past values of what is watched. */
struct past {
    double t[TT_ESTIMATE_POINTS]; /* newest first */
    uint32_t n;
    double *x; /* owned: TT_ESTIMATE_POINTS per watched value, newest first */
};

struct tt_error {
    struct tt_policy_estimate *estimate; /* owned, per constraint */
    double *nominal, *whole;             /* owned, per watched value */
    uint32_t *order;                     /* owned: of the course of an input */
    struct past past, kept;
    uint32_t least_order; /* of all courses */
    int extrapolates;     /* some input does not know the step's end */
};

static int wants_estimate(const struct tt_sc_constraint *c)
{
    return c->kind == TT_CONSTRAINT_ERROR;
}

static uint32_t order_of(const tt_plan *p, uint32_t slot)
{
    uint32_t course = p->slot[slot].course;

    return course == TT_NONE ? 0 : p->course[course].order;
}

/* The coupling is as good as the course of its worst input. */
static void look_at_courses(const tt_run *r, struct tt_error *e)
{
    const tt_plan *p = r->plan;

    e->least_order = TT_POLY_MAX;
    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t slot = p->feed[f].to, k = order_of(p, slot);

        if (p->slot[slot].type != TT_F64 ||
            tt_plan_port(p, slot)->variability != TT_VAR_CONTINUOUS)
            continue;
        e->least_order = k < e->least_order ? k : e->least_order;
        e->extrapolates = e->extrapolates || !run_input_is_fed(r, slot);
    }
}

static int allocate(struct tt_error *e, uint32_t n_constraint, uint32_t n)
{
    size_t points = (size_t)n * TT_ESTIMATE_POINTS;

    return TT_NEW_ARRAY(e->estimate, n_constraint) &&
           TT_NEW_ARRAY(e->nominal, n) && TT_NEW_ARRAY(e->whole, n) &&
           TT_NEW_ARRAY(e->order, n) && TT_NEW_ARRAY(e->past.x, points) &&
           TT_NEW_ARRAY(e->kept.x, points);
}

enum tt_code run_error_new(tt_run *r, tt_err *err)
{
    const tt_plan *p = r->plan;
    struct tt_error *e;
    int wanted = 0;

    for (uint32_t i = 0; i < r->plan->n_constraint; i++)
        wanted |= wants_estimate(&r->scenario->constraint[i]);
    if (!wanted)
        return TT_OK;
    if (!TT_NEW(e))
        return run_nomem(err);
    r->error = e;
    if (!allocate(e, r->plan->n_constraint, p->n_watch))
        return run_nomem(err);
    for (uint32_t i = 0; i < p->n_watch; i++) {
        e->nominal[i] = tt_plan_port(p, p->watch[i].slot)->nominal;
        e->order[i] = order_of(p, p->watch[i].slot);
    }
    look_at_courses(r, e);
    return TT_OK;
}

void run_error_free(struct tt_error *e)
{
    if (!e)
        return;
    tt_free(e->estimate);
    tt_free(e->nominal);
    tt_free(e->whole);
    tt_free(e->order);
    tt_free(e->past.x);
    tt_free(e->kept.x);
    tt_free(e);
}

double *run_error_whole(struct tt_error *e)
{
    return e->whole;
}

const struct tt_policy_estimate *run_error_estimates(const struct tt_error *e)
{
    return e->estimate;
}

double run_error_largest(const tt_run *r)
{
    double most = 0;

    for (uint32_t i = 0; i < r->plan->n_constraint; i++)
        most = fmax(most, r->error->estimate[i].err);
    return most;
}

/* --- the past -------------------------------------------------------------
 */

static double *past_of(struct past *p, uint32_t i)
{
    return p->x + (size_t)i * TT_ESTIMATE_POINTS;
}

static void push(struct past *p, double t, const double *v, uint32_t n)
{
    const size_t rest = (TT_ESTIMATE_POINTS - 1) * sizeof(double);

    memmove(p->t + 1, p->t, rest);
    p->t[0] = t;
    for (uint32_t i = 0; i < n; i++) {
        double *x = past_of(p, i);

        memmove(x + 1, x, rest);
        x[0] = v[i];
    }
    if (p->n < TT_ESTIMATE_POINTS)
        p->n++;
}

static void copy(struct past *to, const struct past *from, size_t n)
{
    memcpy(to->t, from->t, sizeof(to->t));
    to->n = from->n;
    if (n)
        memcpy(to->x, from->x, n * TT_ESTIMATE_POINTS * sizeof(double));
}

void run_error_start(tt_run *r, double t, const double *v)
{
    if (r->error)
        push(&r->error->past, t, v, r->plan->n_watch);
}

void run_error_keep(tt_run *r)
{
    if (r->error)
        copy(&r->error->kept, &r->error->past, r->plan->n_watch);
}

void run_error_back(tt_run *r)
{
    if (r->error)
        copy(&r->error->past, &r->error->kept, r->plan->n_watch);
}

void run_error_blocks(tt_run *r, struct run_block *b)
{
    struct tt_error *e = r->error;

    b[0] = b[1] = (struct run_block){NULL, 0};
    if (!e)
        return;
    b[0] = (struct run_block){&e->past, offsetof(struct past, x)};
    b[1] = (struct run_block){e->past.x, (size_t)r->plan->n_watch *
                                             TT_ESTIMATE_POINTS *
                                             sizeof(*e->past.x)};
}

/* --- estimates ------------------------------------------------------------
 */

/* The value that came at t less where the course of order k led. */
static double milne(const struct past *p, const double *x, uint32_t k, double t,
                    double came)
{
    double at[TT_ESTIMATE_POINTS], value[TT_ESTIMATE_POINTS];

    memcpy(at, p->t, (k + 1) * sizeof(*at));
    memcpy(value, x, (k + 1) * sizeof(*value));
    at[k + 1] = t;
    value[k + 1] = came;
    return tt_estimate_milne(0, 1) * tt_estimate_orders(at, value, k, t);
}

/* By how much courses of order k and k + 1 would part over a next step as long
 * as this one. The value that came is in it: a leap shows at once. */
static double orders(const struct past *p, const double *x, uint32_t k,
                     double t, double came)
{
    double at[TT_ESTIMATE_POINTS], value[TT_ESTIMATE_POINTS];

    at[0] = t;
    value[0] = came;
    memcpy(at + 1, p->t, (k + 1) * sizeof(*at));
    memcpy(value + 1, x, (k + 1) * sizeof(*value));
    return tt_estimate_orders(at, value, k, t + (t - p->t[0]));
}

/* What an input's past and the value that came at t tell, and the order k it
 * speaks of: that of its course, or what the past allows. */
static double input_error(struct tt_error *e, enum tt_sc_error_method method,
                          uint32_t i, double t, double came, uint32_t *k)
{
    const double *x = past_of(&e->past, i);

    *k = e->order[i] < e->past.n - 1 ? e->order[i] : e->past.n - 1;
    return method == TT_ERROR_MILNE ? milne(&e->past, x, *k, t, came)
                                    : orders(&e->past, x, *k, t, came);
}

static struct tt_policy_estimate of_inputs(const tt_run *r, uint32_t c,
                                           const double *v)
{
    const struct tt_sc_constraint *said = &r->scenario->constraint[c];
    const struct tt_watched *w = &r->plan->watched_by[c];
    struct tt_error *e = r->error;
    struct tt_policy_estimate is = {.order = TT_POLY_MAX + 1};

    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t i = w->at[k], order = 0;
        double from = v[i] - input_error(e, said->method, i, r->now->t[TT_T1],
                                         v[i], &order);

        is.err = fmax(is.err, tt_estimate_norm(&from, &v[i], &e->nominal[i], 1,
                                               said->abstol, said->reltol));
        is.order = fmin(is.order, order + 1);
    }
    return is;
}

static struct tt_policy_estimate of_halves(const tt_run *r, uint32_t c,
                                           const double *v)
{
    const struct tt_sc_constraint *said = &r->scenario->constraint[c];
    const struct tt_watched *w = &r->plan->watched_by[c];
    const struct tt_error *e = r->error;
    double factor = e->extrapolates
                        ? tt_estimate_doubling(e->least_order)
                        : tt_estimate_richardson(e->least_order + 1);
    double worst = 0;

    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t i = w->at[k];
        double one = tt_estimate_norm(&e->whole[i], &v[i], &e->nominal[i], 1,
                                      said->abstol, said->reltol);

        worst = isnan(one) || one > worst ? one : worst;
    }
    return (struct tt_policy_estimate){factor * worst, e->least_order + 2};
}

static struct tt_policy_estimate of_bonds(const tt_run *r, uint32_t c,
                                          int first)
{
    const struct tt_sc_constraint *said = &r->scenario->constraint[c];
    double before = first ? 0 : r->error->estimate[c].err;

    return (struct tt_policy_estimate){
        before + run_bonds_estimate(r, said->abstol, said->reltol),
        r->error->least_order + 2};
}

void run_error_played(tt_run *r, const double *v, int first)
{
    struct tt_error *e = r->error;

    for (uint32_t i = 0; e && i < r->plan->n_constraint; i++) {
        const struct tt_sc_constraint *c = &r->scenario->constraint[i];

        if (!wants_estimate(c))
            continue;
        if (c->method == TT_ERROR_RICHARDSON)
            e->estimate[i] = of_halves(r, i, v);
        else if (c->method == TT_ERROR_ENERGY)
            e->estimate[i] = of_bonds(r, i, first);
        else
            e->estimate[i] = of_inputs(r, i, v);
    }
    if (e)
        push(&e->past, r->now->t[TT_T1], v, r->plan->n_watch);
}
