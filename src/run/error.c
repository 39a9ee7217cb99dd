/* SPDX-License-Identifier: MIT */
/* Estimates of the error of a variable step, for the policy: from the step
 * played whole and in halves, from inputs and their past, from power bonds. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "run/twin.h"
#include "run/vary_impl.h"
#include "step/estimate.h"
#include "step/policy.h"

/* Past values of what is watched, in the frame. */
struct past {
    double t[TT_ESTIMATE_POINTS]; /* newest first */
    uint32_t n;
    double x[]; /* TT_ESTIMATE_POINTS per watched value, newest first */
};

struct tt_error {
    struct tt_policy_estimate *estimate; /* per constraint */
    double *nominal, *whole, *v;         /* per watched value */
    double whole_t;                      /* the end of the step played whole */
    uint32_t *order;                     /* of the course of an input */
    struct past *past;
    uint32_t least_order; /* of all courses */
    int extrapolates;     /* some input does not know the step's end */
    int fresh;            /* estimates are of this attempt */
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

        if (p->slot[slot].type != TT_F64 || tt_plan_flows(p, f) ||
            tt_plan_port(p, slot)->variability != TT_VAR_CONTINUOUS)
            continue;
        e->least_order = k < e->least_order ? k : e->least_order;
        e->extrapolates = e->extrapolates || !run_input_is_fed(r, slot);
    }
}

static int allocate(tt_run *r, struct tt_error *e)
{
    uint32_t n = r->plan->n_watch;

    return RUN_NEW(r, e->estimate, r->plan->n_constraint) &&
           RUN_NEW(r, e->nominal, n) && RUN_NEW(r, e->whole, n) &&
           RUN_NEW(r, e->v, n) && RUN_NEW(r, e->order, n);
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    const tt_plan *p = r->plan;
    struct tt_error *e;
    int estimates = 0;

    for (uint32_t i = 0; i < p->n_constraint; i++)
        estimates |= wants_estimate(&r->scenario->constraint[i]);
    if (!estimates || !p->rejects)
        return TT_OK;
    if (!RUN_NEW(r, e, 1) || !allocate(r, e))
        return run_nomem(err);
    r->error = e;
    *wanted = 1;
    run_reserve(r, TT_REGION_STEP, "errors",
                sizeof(struct past) +
                    (size_t)p->n_watch * TT_ESTIMATE_POINTS * sizeof(double),
                &e->past);
    for (uint32_t i = 0; i < p->n_watch; i++) {
        e->nominal[i] = tt_port_scale(tt_plan_port(p, p->watch[i].slot));
        e->order[i] = order_of(p, p->watch[i].slot);
    }
    look_at_courses(r, e);
    return TT_OK;
}

void run_error_clear(tt_run *r)
{
    if (r->error)
        r->error->fresh = 0;
}

const struct tt_policy_estimate *run_error_estimates(const tt_run *r)
{
    return r->error && r->error->fresh ? r->error->estimate : NULL;
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

static enum tt_code start(tt_run *r, tt_err *err)
{
    (void)err;
    run_look(r, r->error->v);
    push(r->error->past, r->agenda->t, r->error->v, r->plan->n_watch);
    return TT_OK;
}

/* Nothing from before an event counts. */
static void leapt(tt_run *r)
{
    r->error->past->n = 0;
    (void)!start(r, NULL);
}

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

/* What an input's past and the value that came at t report, and the order k it
 * is about: that of its course, or what the past allows. */
static double input_error(struct tt_error *e, enum tt_sc_error_method method,
                          uint32_t i, double t, double came, uint32_t *k)
{
    const double *x = past_of(e->past, i);

    *k = e->order[i] < e->past->n - 1 ? e->order[i] : e->past->n - 1;
    return method == TT_ERROR_MILNE ? milne(e->past, x, *k, t, came)
                                    : orders(e->past, x, *k, t, came);
}

static struct tt_policy_estimate of_inputs(const tt_run *r, uint32_t c,
                                           const double *v, int first)
{
    const struct tt_sc_constraint *given = &r->scenario->constraint[c];
    const struct tt_watched *w = &r->plan->watched_by[c];
    struct tt_error *e = r->error;
    struct tt_policy_estimate is = {.order = TT_POLY_MAX + 1};

    (void)first;
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t i = w->at[k], order = 0;
        double from = v[i] - input_error(e, given->method, i, r->now->t[TT_T1],
                                         v[i], &order);

        is.err = fmax(is.err, tt_estimate_norm(&from, &v[i], &e->nominal[i], 1,
                                               given->abstol, given->reltol));
        is.order = fmin(is.order, order + 1);
    }
    return is;
}

/* Where the step played whole led at the middle, going by its end and what was
 * before it. */
static double led(struct tt_error *e, uint32_t i, double middle, double came)
{
    double t[TT_ESTIMATE_POINTS], x[TT_ESTIMATE_POINTS];
    uint32_t n = e->past->n;

    n = n < e->least_order + 3 ? n : e->least_order + 3;
    t[0] = e->whole_t;
    x[0] = e->whole[i];
    memcpy(t + 1, e->past->t, n * sizeof(*t));
    memcpy(x + 1, past_of(e->past, i), n * sizeof(*x));
    return tt_estimate_between(t, x, n + 1, middle, came);
}

/* What came and went in the middle is no error that adds up: it counts as it
 * is, not per unit of time. */
static double weight_of_middle(const tt_run *r,
                               const struct tt_sc_constraint *given)
{
    double h = 2 * (r->now->t[TT_T1] - r->now->t[TT_T0]);

    return given->unit_time > 0 ? h / given->unit_time : 1;
}

/* The whole step compared with the halves, at the middle and then, with what
 * that showed, at the end. */
static struct tt_policy_estimate of_halves(const tt_run *r, uint32_t c,
                                           const double *v, int middle)
{
    const struct tt_sc_constraint *given = &r->scenario->constraint[c];
    const struct tt_watched *w = &r->plan->watched_by[c];
    struct tt_error *e = r->error;
    double factor = middle ? weight_of_middle(r, given)
                    : e->extrapolates
                        ? tt_estimate_doubling(e->least_order)
                        : tt_estimate_richardson(e->least_order + 1);
    double worst = middle ? 0 : e->estimate[c].err;

    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t i = w->at[k];
        double to = middle ? led(e, i, r->now->t[TT_T1], v[i]) : e->whole[i];
        double one = factor * tt_estimate_norm(&to, &v[i], &e->nominal[i], 1,
                                               given->abstol, given->reltol);

        worst = isnan(one) || one > worst ? one : worst;
    }
    return (struct tt_policy_estimate){worst, e->least_order + 2};
}

/* Did courses of one order more foretell this output better? Where they did
 * not, something happened that no past has: two courses may then agree, and
 * both be wrong. */
static int is_foretold(struct tt_error *e, uint32_t i, double t, double came)
{
    const double *x = past_of(e->past, i);
    uint32_t k = e->least_order;

    return e->past->n >= k + 2 && fabs(milne(e->past, x, k + 1, t, came)) <=
                                      fabs(milne(e->past, x, k, t, came));
}

/* What came against where a course led: of inputs that follow it, over this
 * step. */
static double surprise(const tt_run *r, uint32_t c, uint32_t i, double v)
{
    const struct tt_sc_constraint *given = &r->scenario->constraint[c];
    struct tt_error *e = r->error;
    double t1 = r->now->t[TT_T1], h = t1 - e->past->t[0];
    uint32_t k = e->least_order < e->past->n ? e->least_order : e->past->n - 1;
    double from = v - milne(e->past, past_of(e->past, i), k, t1, v);

    return (given->unit_time > 0 ? h / given->unit_time : 1) *
           tt_estimate_norm(&from, &v, &e->nominal[i], 1, given->abstol,
                            given->reltol);
}

/* What stands compared with courses of one order more. */
static struct tt_policy_estimate of_pair(const tt_run *r, uint32_t c,
                                         const double *v, int first)
{
    const struct tt_sc_constraint *given = &r->scenario->constraint[c];
    const struct tt_watched *w = &r->plan->watched_by[c];
    struct tt_error *e = r->error;
    double worst = 0;

    (void)first;
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t i = w->at[k];
        double one = tt_estimate_norm(&e->whole[i], &v[i], &e->nominal[i], 1,
                                      given->abstol, given->reltol);

        if (!isnan(one) && !is_foretold(e, i, r->now->t[TT_T1], v[i]))
            one = fmax(one, surprise(r, c, i, v[i]));
        worst = isnan(one) || one > worst ? one : worst;
    }
    return (struct tt_policy_estimate){worst, e->least_order + 2};
}

/* What units state of their own error, which is of one step; that it shrinks
 * at least as one of a method of order 1 is all that is known. */
static struct tt_policy_estimate of_own(const tt_run *r, uint32_t c,
                                        const double *v, int first)
{
    const struct tt_sc_constraint *given = &r->scenario->constraint[c];
    const struct tt_watched *w = &r->plan->watched_by[c];
    double worst = 0;

    (void)first;
    for (uint32_t k = 0; k < w->n; k++) {
        double one =
            fabs(v[w->at[k]]) / (given->abstol * r->error->nominal[w->at[k]]);

        worst = isnan(one) || one > worst ? one : worst;
    }
    return (struct tt_policy_estimate){worst, 2};
}

static struct tt_policy_estimate of_bonds(const tt_run *r, uint32_t c,
                                          const double *v, int first)
{
    const struct tt_sc_constraint *given = &r->scenario->constraint[c];
    double before = first ? 0 : r->error->estimate[c].err;

    (void)v;
    return (struct tt_policy_estimate){
        before + run_bonds_estimate(r, given->abstol, given->reltol),
        r->error->least_order + 2};
}

static struct tt_policy_estimate (*const estimate_by[])(const tt_run *r,
                                                        uint32_t c,
                                                        const double *v,
                                                        int first) = {
    [TT_ERROR_RICHARDSON] = of_halves, [TT_ERROR_ORDERS] = of_inputs,
    [TT_ERROR_MILNE] = of_inputs,      [TT_ERROR_ENERGY] = of_bonds,
    [TT_ERROR_EMBEDDED] = of_pair,     [TT_ERROR_OWN] = of_own};

/* A step from now's T0 to T1, whole or a half, was played and may stand: values
 * v came out. Estimates gather; the first of an attempt begins anew. */
static void estimate(tt_run *r, const double *v, int first)
{
    struct tt_error *e = r->error;

    for (uint32_t i = 0; i < r->plan->n_constraint; i++) {
        const struct tt_sc_constraint *c = &r->scenario->constraint[i];

        if (!wants_estimate(c))
            continue;
        e->estimate[i] = estimate_by[c->method](r, i, v, first);
    }
    push(e->past, r->now->t[TT_T1], v, r->plan->n_watch);
    e->fresh = 1;
}

void run_error_tried(tt_run *r, const tt_run *by)
{
    run_look(by, r->error->whole);
    r->error->whole_t = r->now->t[TT_T1];
    r->vary->count->doubled++;
}

static void after_exchange(tt_run *r, const struct tt_phase *at)
{
    struct tt_error *e = r->error;

    if (at->trial) {
        run_error_tried(r, r);
        return;
    }
    run_look(r, e->v);
    estimate(r, e->v, at->from == TT_MARK_START);
}

const struct run_companion run_error_companion = {
    TT_HOOKS(, make, start, leapt, after_exchange)};
