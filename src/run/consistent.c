/* SPDX-License-Identifier: MIT */
/* A consistent start (Gomes 2019, Eq. 3.39): start values that the scenario
 * names are changed, as little as possible, until every coupling holds.
 * Newton's method; of many solutions the nearest, in terms of nominal values.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "run/run_impl.h"
#include "solve/dense.h"

#define MOST_TURNS 20

struct equation {
    uint32_t unit, port; /* what is to be 0 */
};

struct start {
    tt_run *r;
    struct equation *equation;
    uint32_t m;             /* equations */
    uint32_t n;             /* start values */
    double tolerance;       /* of each equation */
    double *value, *given;  /* n each */
    double *residual, *off; /* m each */
    double *jacobian;       /* m x n, columns by nominal */
    double *normal;         /* m x m */
    uint32_t *pivot;
    unsigned char *frame; /* as it was before initialisation */
};

/* --- equations ------------------------------------------------------------ */

static int has_rates(const tt_plan *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->unit[unit];

    for (uint32_t s = u->slot + u->n_read; s < u->slot + u->n_read + u->n_in;
         s++)
        if (tt_plan_port(p, s)->derivative_of != TT_NONE)
            return 1;
    return 0;
}

static void add_equation(struct start *s, uint32_t unit, const char *name)
{
    const struct tt_desc *d = s->r->plan->unit[unit].desc;

    s->equation[s->m++] =
        (struct equation){unit, tt_names_find(&d->by_name, name)};
}

static void list_equations(struct start *s)
{
    const tt_plan *p = s->r->plan;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        if (!p->unit[u].desc->caps.implicit)
            continue;
        add_equation(s, u, "residual");
        if (has_rates(p, u))
            add_equation(s, u, "rateResidual");
    }
}

/* --- evaluating ----------------------------------------------------------- */

static double nominal_of(const struct start *s, uint32_t j)
{
    const struct tt_plan_target *t = &s->r->plan->adjust[j];

    return fabs(s->r->plan->unit[t->unit].desc->port[t->port].nominal);
}

static enum tt_code move_value(const struct start *s, uint32_t j, double *v,
                               int get, tt_err *err)
{
    const struct tt_plan_target *t = &s->r->plan->adjust[j];
    struct tt_span span = {.port = &t->port, .n = 1, .value = v};
    tt_unit *u = s->r->unit[t->unit];

    return get ? tt_unit_get(u, &span, err) : tt_unit_set(u, &span, err);
}

/* All values of the start, as if it were played for the first time. */
static enum tt_code evaluate(const struct start *s, double *residual,
                             tt_err *err)
{
    enum tt_code rc;

    tt_frame_step_bring_back(s->r->frame, s->frame);
    rc = run_play_init(s->r, err);
    for (uint32_t i = 0; i < s->m && rc == TT_OK; i++) {
        const struct equation *e = &s->equation[i];
        struct tt_span span = {&e->port, 1, residual + i};

        rc = tt_unit_get(s->r->unit[e->unit], &span, err);
    }
    return rc;
}

static double worst(const struct start *s, uint32_t *which)
{
    double most = 0;

    *which = 0;
    for (uint32_t i = 0; i < s->m; i++)
        if (!(fabs(s->residual[i]) <= most)) {
            most = fabs(s->residual[i]);
            *which = i;
        }
    return most;
}

/* --- one step of Newton ----------------------------------------------------
 */

static enum tt_code differentiate(struct start *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t j = 0; j < s->n && rc == TT_OK; j++) {
        double by = nominal_of(s, j);
        double d = sqrt(DBL_EPSILON) * fmax(fabs(s->value[j]), by);
        double tried = s->value[j] + d;

        d = tried - s->value[j];
        rc = move_value(s, j, &tried, 0, err);
        if (rc == TT_OK)
            rc = evaluate(s, s->off, err);
        for (uint32_t i = 0; i < s->m && rc == TT_OK; i++)
            s->jacobian[(size_t)i * s->n + j] =
                (s->off[i] - s->residual[i]) / d * by;
        if (rc == TT_OK)
            rc = move_value(s, j, &s->value[j], 0, err);
    }
    return rc;
}

/* The least change d with J d = -residual: d = -J' y, J J' y = residual. */
static int correct(struct start *s)
{
    for (uint32_t i = 0; i < s->m; i++)
        for (uint32_t k = 0; k < s->m; k++) {
            double sum = 0;

            for (uint32_t j = 0; j < s->n; j++)
                sum += s->jacobian[(size_t)i * s->n + j] *
                       s->jacobian[(size_t)k * s->n + j];
            s->normal[(size_t)i * s->m + k] = sum;
        }
    for (uint32_t i = 0; i < s->m; i++)
        if (s->normal[(size_t)i * s->m + i] == 0 &&
            fabs(s->residual[i]) <= s->tolerance)
            s->normal[(size_t)i * s->m + i] = 1; /* holds, and stays so */
    if (tt_lu_factor(s->normal, s->pivot, s->m) != 0)
        return -1;
    tt_lu_solve(s->normal, s->pivot, s->m, s->residual);
    for (uint32_t j = 0; j < s->n; j++)
        for (uint32_t i = 0; i < s->m; i++)
            s->value[j] -= s->jacobian[(size_t)i * s->n + j] * s->residual[i] *
                           nominal_of(s, j);
    return 0;
}

static enum tt_code cannot(const struct start *s, const char *why, tt_err *err)
{
    uint32_t i;
    char off[TT_NUM_MAX];

    tt_num_print_digits(off, worst(s, &i), 3);
    return tt_fail(err, TT_EINPUT,
                   "no consistent start: '%s' of '%s' is off by %s, and %s",
                   s->r->plan->unit[s->equation[i].unit]
                       .desc->port[s->equation[i].port]
                       .name,
                   s->r->plan->unit[s->equation[i].unit].name, off, why);
}

static enum tt_code solve(struct start *s, tt_err *err)
{
    enum tt_code rc = evaluate(s, s->residual, err);
    uint32_t i;

    for (int turn = 0; rc == TT_OK && !(worst(s, &i) <= s->tolerance); turn++) {
        double kept = s->residual[i];

        if (turn == MOST_TURNS)
            return cannot(s,
                          "changing the values of 'consistentStart' does "
                          "not bring it closer",
                          err);
        rc = differentiate(s, err);
        if (rc == TT_OK && correct(s) != 0) {
            s->residual[i] = kept;
            return cannot(s,
                          "the values of 'consistentStart' do not change "
                          "it as they should",
                          err);
        }
        for (uint32_t j = 0; j < s->n && rc == TT_OK; j++)
            rc = move_value(s, j, &s->value[j], 0, err);
        if (rc == TT_OK)
            rc = evaluate(s, s->residual, err);
    }
    return rc;
}

/* --- the start --------------------------------------------------------------
 */

static void report(const struct start *s)
{
    const tt_plan *p = s->r->plan;
    char was[TT_NUM_MAX], is[TT_NUM_MAX];

    for (uint32_t j = 0; j < s->n; j++) {
        const struct tt_plan_target *t = &p->adjust[j];

        tt_num_print_short(was, s->given[j]);
        tt_num_print_short(is, s->value[j]);
        if (s->value[j] != s->given[j])
            run_note(s->r, "start", "%s.%s: %s instead of %s",
                     p->unit[t->unit].name,
                     p->unit[t->unit].desc->port[t->port].name, is, was);
    }
}

static int make_room(struct start *s)
{
    size_t most = 2 * (size_t)s->r->plan->n_unit, n = s->n;

    return TT_NEW_ARRAY(s->equation, most) && TT_NEW_ARRAY(s->value, n) &&
           TT_NEW_ARRAY(s->given, n) && TT_NEW_ARRAY(s->residual, most) &&
           TT_NEW_ARRAY(s->off, most);
}

static int make_matrices(struct start *s)
{
    return TT_NEW_ARRAY(s->jacobian, (size_t)s->m * s->n) &&
           TT_NEW_ARRAY(s->normal, (size_t)s->m * s->m) &&
           TT_NEW_ARRAY(s->pivot, s->m);
}

static void drop(struct start *s)
{
    TT_FREE_ALL(s->equation, s->value, s->given, s->residual, s->off,
                s->jacobian, s->normal, s->pivot, s->frame);
}

static enum tt_code make_consistent(struct start *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    s->frame = tt_alloc(tt_frame_step_size(s->r->frame));
    if (!s->frame || !make_room(s))
        return run_nomem(err);
    tt_frame_step_copy(s->r->frame, s->frame);
    list_equations(s);
    if (!make_matrices(s))
        return run_nomem(err);
    if (!s->m)
        return tt_fail(err, TT_EINPUT,
                       "'consistentStart' names values for couplings, but "
                       "there is no coupling");
    for (uint32_t j = 0; j < s->n && rc == TT_OK; j++) {
        rc = move_value(s, j, &s->value[j], 1, err);
        s->given[j] = s->value[j];
    }
    if (rc == TT_OK)
        rc = solve(s, err);
    if (rc == TT_OK)
        report(s);
    return rc;
}

enum tt_code run_consistent_start(tt_run *r, tt_err *err)
{
    double abstol = r->scenario->iteration.abstol;
    struct start s = {.r = r,
                      .n = r->plan->n_adjust,
                      .tolerance = abstol > 0 ? abstol : 1e-10};
    enum tt_code rc;

    if (r->opts.link && !r->alone)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "'consistentStart' is for runs of one rank");
    rc = make_consistent(&s, err);
    drop(&s);
    return rc;
}
