/* SPDX-License-Identifier: MIT */
#include "analysis/response.h"

#include <math.h>
#include <string.h>

#define PAST_MOST 8u /* steps before the first instant, at most */

/* One experiment: what is moved, by how much, and where the answers go. */
struct trial {
    const struct tt_case *c;
    const tt_scenario *s;
    struct tt_response *r;
    tt_run *like; /* owned: not started, has the types */
    uint32_t warm_up;
};

/* Adds `weight` times what is seen to out; 0 in a number that is not finite. */
static enum tt_code watch(const struct trial *t, tt_run *run, double weight,
                          double *out, tt_err *err)
{
    struct tt_response *r = t->r;
    double *row;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(row, r->n))
        return tt_nomem(err, "the analysis");
    for (uint32_t k = 0; k < r->n_time && rc == TT_OK; k++) {
        rc = k ? tt_case_advance(run, 1, err) : TT_OK;
        if (rc == TT_OK)
            rc = tt_probe_read(run, r->number, r->n, row, err);
        for (uint32_t i = 0; rc == TT_OK && i < r->n; i++) {
            if (!isfinite(row[i]))
                rc = tt_fail(err, TT_EUNIT,
                             "'%s' of instance '%s' is not a finite number",
                             tt_run_plan(run)
                                 ->unit[r->number[i].unit]
                                 .desc->port[r->number[i].port]
                                 .name,
                             tt_run_plan(run)->unit[r->number[i].unit].name);
            out[(size_t)k * r->n + i] += weight * row[i] / r->number[i].nominal;
        }
    }
    tt_free(row);
    return rc;
}

/* moved: NULL is nothing. */
static enum tt_code play(const struct trial *t,
                         const struct tt_probe_number *moved, double by,
                         double weight, double *out, tt_err *err)
{
    const struct tt_probe_number at = moved ? *moved : t->r->number[0];
    struct tt_run_nudge nudge = {at.unit, at.port, at.element, by};
    int late = t->c->tangent == TT_TANGENT_LATE;
    int at_start = moved && moved->of == TT_PROBE_STATE && !late;
    tt_run *run = NULL;
    uint64_t before = 0;
    enum tt_code rc =
        tt_case_run(&run, t->c, t->s, t->like, at_start ? &nudge : NULL, err);

    if (rc == TT_OK)
        rc = tt_run_start(run, err);
    if (rc == TT_OK)
        rc = tt_case_advance(run, t->warm_up, err);
    if (rc == TT_OK && late)
        rc = tt_probe_linearise(run, err);
    if (rc == TT_OK && moved && !at_start)
        rc = tt_probe_move(run, moved, by, err);
    if (rc == TT_OK) /* what was moved is now in what is read */
        rc = tt_case_advance(run, 1, err);
    if (rc == TT_OK) {
        before = tt_probe_unit_steps(run);
        t->r->time = tt_run_time(run);
        rc = watch(t, run, weight, out, err);
    }
    if (rc == TT_OK)
        t->r->work =
            (double)(tt_probe_unit_steps(run) - before) / (t->r->n_time - 1);
    tt_run_free(run);
    return rc;
}

/* The answer to one cause, per nominal moved. */
static enum tt_code differ(const struct trial *t,
                           const struct tt_probe_number *moved, double size,
                           double *out, tt_err *err)
{
    double by = size * moved->nominal, weight = 1 / (2 * size);
    enum tt_code rc = play(t, moved, by, weight, out, err);

    return rc == TT_OK ? play(t, moved, -by, -weight, out, err) : rc;
}

static double largest(const double *a, const double *less, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - (less ? less[i] : 0)));
    return most;
}

/* --- what there is ---------------------------------------------------------
 */

int tt_response_hides(const tt_plan *p, const struct tt_probe_number *x,
                      uint32_t n)
{
    for (uint32_t u = 0; u < p->n_unit; u++) {
        int open = p->unit[u].desc->caps.discrete;

        for (uint32_t i = 0; i < n; i++) {
            if (x[i].unit != u || x[i].of != TT_PROBE_STATE)
                continue;
            if (!x[i].movable)
                return 1;
            open = 1;
        }
        if (!open && p->unit[u].n_in) /* without inputs it is a source */
            return 1;
    }
    return 0;
}

static uint32_t past_of(const tt_plan *p)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < p->n_course; i++)
        if (p->course[i].depth > most)
            most = p->course[i].depth;
    return most < PAST_MOST ? most + 1 : PAST_MOST;
}

uint32_t tt_response_before(const tt_plan *p)
{
    return past_of(p) + 1;
}

static uint32_t carried(const struct tt_case *c, double step)
{
    return (uint32_t)llround(c->carry / step);
}

/* Steps of instances that all plays take. */
static double work_of(const struct trial *t)
{
    const tt_plan *p = tt_run_plan(t->like);
    double each = 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        each += p->unit[u].rate;
    return 4.0 * t->r->n_cause * (t->warm_up + t->r->n_time) * each;
}

static enum tt_code check_budget(const struct trial *t, tt_err *err)
{
    if (t->c->budget > 0 && (t->r->hidden || work_of(t) > t->c->budget))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it takes more than %u steps of instances",
                       (unsigned)t->c->budget);
    return TT_OK;
}

static enum tt_code look(struct trial *t, tt_err *err)
{
    struct tt_response *r = t->r;
    enum tt_code rc = tt_case_run(&t->like, t->c, t->s, NULL, NULL, err);

    if (rc == TT_OK)
        rc = tt_probe_list(t->like, &r->number, &r->n, err);
    if (rc != TT_OK)
        return rc;
    r->plan = tt_plan_hash(tt_run_plan(t->like));
    r->score = tt_run_score(t->like)->hash;
    r->discrete = tt_probe_discrete(t->like);
    r->hidden = tt_response_hides(tt_run_plan(t->like), r->number, r->n);
    t->warm_up = past_of(tt_run_plan(t->like)) + carried(t->c, r->step);
    for (uint32_t i = 0; i < r->n; i++)
        r->n_cause += (uint32_t)(r->number[i].movable != 0);
    if (r->n_cause == 0)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "nothing can be moved: no instance declares states "
                       "that start where they are set, and no number is "
                       "connected");
    if (r->n_cause > TT_RESPONSE_CAUSES)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%u states and connected inputs are more than the %u "
                       "that are moved one by one",
                       r->n_cause, TT_RESPONSE_CAUSES);
    return check_budget(t, err);
}

/* What counts: less than this part of a change is rounding. */
#define LEAST 1e-5

/* How far twice the change is from twice the answer. */
static void compare(struct tt_response *r, const double *once,
                    const double *twice)
{
    double scale = LEAST;

    for (uint32_t k = 0; k < r->n_time; k++) {
        const double *row = once + (size_t)k * r->n;

        scale = fmax(scale, largest(row, NULL, r->n));
        r->error = fmax(r->error,
                        largest(row, twice + (size_t)k * r->n, r->n) / scale);
    }
}

/* The answers to every cause. */
static enum tt_code take(const struct trial *t, double size, int check,
                         tt_err *err)
{
    struct tt_response *r = t->r;
    size_t each = (size_t)r->n * r->n_time;
    double *one = r->at, *twice;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(twice, each))
        return tt_nomem(err, "the analysis");
    for (uint32_t i = 0; i < r->n && rc == TT_OK; i++) {
        if (!r->number[i].movable)
            continue;
        rc = differ(t, &r->number[i], size, one, err);
        if (rc == TT_OK && check) {
            memset(twice, 0, each * sizeof(*twice));
            rc = differ(t, &r->number[i], 2 * size, twice, err);
            compare(r, one, twice);
        }
        one += each;
    }
    tt_free(twice);
    return rc;
}

static int moves(const struct tt_response *r, uint32_t number)
{
    for (size_t k = 0; k < (size_t)r->n_cause * r->n_time; k++)
        if (fabs(r->at[k * r->n + number]) > 1e-3 * LEAST)
            return 1;
    return 0;
}

/* A state that nothing moves is one of which nothing is known. */
static enum tt_code check_states(const struct trial *t, tt_err *err)
{
    const tt_plan *p = tt_run_plan(t->like);

    for (uint32_t i = 0; i < t->r->n; i++) {
        const struct tt_probe_number *x = &t->r->number[i];

        if (x->of != TT_PROBE_STATE || moves(t->r, i))
            continue;
        return tt_fail(err, TT_EUNSUPPORTED,
                       "state '%s' of instance '%s' cannot be moved: it does "
                       "not follow its start value, nor any input",
                       p->unit[x->unit].desc->port[x->port].name,
                       p->unit[x->unit].name);
    }
    return TT_OK;
}

enum tt_code tt_response_take(struct tt_response *out, const struct tt_case *c,
                              uint32_t n_time, double size, int check,
                              tt_err *err)
{
    struct tt_response r = {.n_time = n_time};
    tt_scenario *s = NULL;
    enum tt_code rc = tt_case_load(&s, c, n_time + PAST_MOST, &r.step, err);
    struct trial t = {.c = c, .s = s, .r = &r};

    if (rc == TT_OK)
        rc = look(&t, err);
    if (rc == TT_OK && !TT_NEW_ARRAY(r.at, (size_t)r.n * n_time * r.n_cause))
        rc = tt_nomem(err, "the analysis");
    if (rc == TT_OK)
        rc = take(&t, size, check, err);
    if (rc == TT_OK)
        rc = check_states(&t, err);
    tt_run_free(t.like);
    tt_scenario_free(s);
    return TT_HAND_OVER_VALUE(rc, out, r, tt_response_fini);
}

enum tt_code tt_response_plain(const struct tt_case *c,
                               const struct tt_response *r, uint32_t n_time,
                               double *row)
{
    struct tt_response one = *r; /* its memory is that of r */
    tt_scenario *s = NULL;
    tt_run *like = NULL;
    enum tt_code rc = tt_case_load(&s, c, n_time + PAST_MOST, &one.step, NULL);
    struct trial t = {.c = c, .s = s, .r = &one};

    one.n_time = n_time;
    memset(row, 0, (size_t)n_time * r->n * sizeof(*row));
    if (rc == TT_OK)
        rc = tt_case_run(&like, c, s, NULL, NULL, NULL);
    if (rc == TT_OK) {
        t.like = like;
        t.warm_up = past_of(tt_run_plan(like)) + carried(c, one.step);
        rc = play(&t, NULL, 0, 1, row, NULL);
    }
    tt_run_free(like);
    tt_scenario_free(s);
    return rc;
}

void tt_response_fini(struct tt_response *r)
{
    TT_FREE_ALL(r->number, r->at);
    *r = (struct tt_response){0};
}
