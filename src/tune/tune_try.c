/* SPDX-License-Identifier: MIT */
/* Variants run by the pool, and compared. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/radius.h"
#include "base/num.h"
#include "run/probe.h"
#include "sys/clock.h"
#include "tune/deal.h"
#include "tune/tune_impl.h"

/* What a run leaves. */
struct record {
    uint32_t state;
    char why[TT_TUNE_WORDS];
    double cost, rho;
    double value[]; /* TT_TALLY_N, then INSTANTS, per column; then struct
                       tt_tune_shown per fact */
};

static size_t n_values(const struct search *s)
{
    return (size_t)s->n_column * (TT_TALLY_N + INSTANTS);
}

static size_t record_size(const struct search *s)
{
    return sizeof(struct record) + n_values(s) * sizeof(double) +
           s->n_fact * sizeof(struct tt_tune_shown);
}

struct batch {
    struct search *s;
    uint32_t first, done;
};

enum tt_code search_no_memory(tt_err *err)
{
    return tt_nomem(err, "the search");
}

static enum tt_code overlay(const struct tt_tune_way *w, double h, char **out,
                            tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, (size_t)1 << 20);
    tt_way_put(&b, w, h);
    rc = tt_buf_check(&b, "the search", err);
    *out = rc == TT_OK ? tt_buf_take(&b) : NULL;
    tt_buf_fini(&b);
    return rc;
}

enum tt_code search_open(struct search *s, uint32_t way, double h,
                         const struct tt_run_opts *o, tt_scenario **sc,
                         tt_run **run, tt_err *err)
{
    struct tt_sweep_source from = s->o->source;
    struct tt_run_opts with = *o;
    char *json = NULL;
    enum tt_code rc = overlay(&s->way[way], h, &json, err);

    from.o.json = json;
    if (s->begin.state.data) {
        from.o.start = s->start;
        with.begin = &s->begin;
    }
    if (rc == TT_OK)
        rc = tt_sweep_open(sc, run, &from, &with, err);
    tt_free(json);
    return rc;
}

/* Is it known to grow, and not only near the start? */
static int is_unstable(struct search *s, const struct tt_tune_try *t,
                       struct tt_stage *stage, double *rho)
{
    struct tt_case c = {.path = s->o->source.path,
                        .n_path = s->o->source.n_path,
                        .o = s->o->source.o,
                        .held = TT_NONE,
                        .stage = stage,
                        .kind_cb = s->o->source.kind_cb};
    struct tt_radius r;
    char *json = NULL;
    tt_err ignored = {0};
    int grows;

    if (overlay(&s->way[t->way], t->step, &json, &ignored) != TT_OK)
        return 0;
    c.o.json = json;
    tt_radius_find(&r, &c);
    *rho = r.rho;
    grows = r.verdict == TT_STABILITY_UNSTABLE && r.affine;
    tt_radius_fini(&r);
    tt_free(json);
    return grows;
}

static enum tt_code play(struct search *s, const struct tt_tune_try *t,
                         struct tt_stage *stage, struct record *r, tt_err *err)
{
    const struct tt_tally_opts to = {.column = s->column,
                                     .n = s->n_column,
                                     .out = r->value,
                                     .curve = r->value +
                                              (size_t)s->n_column * TT_TALLY_N,
                                     .n_instant = INSTANTS};
    tt_observer *tally = tt_tally_new(&to);
    const struct tt_run_opts o = {
        .stage = stage, .observer = &tally, .n_observer = 1, .like = s->like};
    tt_scenario *sc = NULL;
    tt_run *run = NULL;
    enum tt_code rc = tally
                          ? search_open(s, t->way, t->step, &o, &sc, &run, err)
                          : search_no_memory(err);

    if (rc == TT_OK)
        rc = tt_run_perform(run, err);
    if (rc == TT_OK) {
        r->cost = (double)tt_probe_unit_steps(run);
        search_look(s, run, r->value, (void *)(r->value + n_values(s)));
    }
    tt_run_free(run);
    tt_scenario_free(sc);
    tt_observer_free(tally);
    return rc;
}

static void work(void *ctx, uint32_t job, struct tt_stage *stage, void *record)
{
    struct search *s = ((struct batch *)ctx)->s;
    const struct tt_tune_try *t = &s->t->tried[job];
    struct record *r = record;
    tt_err err = {0};
    int grows;

    r->rho = r->cost = (double)NAN;
    grows = is_unstable(s, t, stage, &r->rho);
    if (grows && t->role == TT_TUNE_CANDIDATE && s->trusts_radius) {
        char rho[TT_NUM_MAX];

        tt_num_print_digits(rho, r->rho, 4);
        r->state = TT_TUNE_UNSTABLE;
        (void)snprintf(r->why, sizeof(r->why), "unstable: rho %s per step",
                       rho);
        return;
    }
    if (play(s, t, stage, r, &err) == TT_OK) {
        r->state = TT_TUNE_DONE;
        return;
    }
    r->state = TT_TUNE_FAILED;
    (void)snprintf(r->why, sizeof(r->why), "%.*s", (int)sizeof(r->why) - 1,
                   err.msg);
}

void search_put_death(const struct search *s, struct tt_stage *stage,
                      const struct tt_proc_result *how, char why[TT_TUNE_WORDS])
{
    struct tt_buf b;

    tt_buf_init(&b, TT_ERR_MAX);
    if (how->lost_it)
        tt_buf_str(&b, "the time was up");
    else
        s->o->death_cb(&b, stage, how);
    (void)snprintf(why, TT_TUNE_WORDS, "%s",
                   b.failed || !b.len ? "the process ended" : b.data);
    tt_buf_fini(&b);
}

static void died(void *ctx, uint32_t job, struct tt_stage *stage,
                 const struct tt_proc_result *how, void *record)
{
    struct record *r = record;

    (void)job;
    r->state = how->lost_it ? TT_TUNE_LATE : TT_TUNE_CRASHED;
    r->cost = r->rho = (double)NAN;
    search_put_death(((struct batch *)ctx)->s, stage, how, r->why);
}

static enum tt_code done(void *ctx, uint32_t job, const void *record,
                         tt_err *err)
{
    struct batch *b = ctx;
    struct search *s = b->s;
    struct tt_tune_try *t = &s->t->tried[job];
    const struct record *r = record;
    size_t n = (size_t)s->n_column * INSTANTS;

    if (s->o->each_run)
        search_report(s, s->t->n_run + ++b->done);

    t->state = (enum tt_tune_state)r->state;
    t->cost = r->cost;
    t->rho = r->rho;
    memcpy(t->why, r->why, sizeof(t->why) - 1);
    if (t->state != TT_TUNE_DONE)
        return TT_OK;
    t->shown = t->role == TT_TUNE_REFERENCE
                   ? tt_arena_alloc(s->t->arena, s->n_fact, sizeof(*t->shown))
                   : NULL;
    if (!TT_NEW_ARRAY(t->curve, n) ||
        (t->role == TT_TUNE_REFERENCE && !t->shown))
        return search_no_memory(err);
    memcpy(t->curve, r->value + (size_t)s->n_column * TT_TALLY_N,
           n * sizeof(*t->curve));
    s->per_step[t->way] = t->cost * t->step / (s->end - s->start);
    if (t->role == TT_TUNE_CANDIDATE)
        search_hold_against(s, (const void *)(r->value + n_values(s)), t);
    else if (t->shown)
        memcpy(t->shown, r->value + n_values(s), s->n_fact * sizeof(*t->shown));
    return TT_OK;
}

/* NULL: out of memory; then it is not shown. */
static const char *settings_of(const struct search *s, uint32_t way, uint32_t n)
{
    struct tt_buf b;
    const char *text;

    tt_buf_init(&b, (size_t)1 << 20);
    tt_way_put(&b, &s->way[way], (s->end - s->start) / n);
    text = b.failed ? NULL : tt_arena_strdup(s->t->arena, b.data);
    tt_buf_fini(&b);
    return text;
}

uint32_t search_add(struct search *s, uint32_t way, uint32_t n,
                    enum tt_tune_role role)
{
    struct tt_tune *t = s->t;

    if (TT_GROW(t->tried, t->n_tried, t->cap_tried) != 0)
        return TT_NONE;
    t->tried[t->n_tried] =
        (struct tt_tune_try){.way = way,
                             .step = n ? (s->end - s->start) / n : (double)NAN,
                             .role = role,
                             .settings = n ? settings_of(s, way, n) : NULL,
                             .error = (double)NAN,
                             .cost = (double)NAN,
                             .rho = (double)NAN};
    return t->n_tried++;
}

/* On the clock of the first rank. */
static enum tt_code time_left(const struct search *s, double *left, tt_err *err)
{
    tt_link *link = s->o->link;

    *left = s->o->seconds - (double)(tt_clock_ns() - s->begun) * 1e-9;
    return link ? link->ops->share(link, 0, left, sizeof(*left), err) : TT_OK;
}

enum tt_code search_run(struct search *s, uint32_t first, tt_err *err)
{
    struct batch b = {.s = s, .first = first};
    struct tt_tune *t = s->t;
    uint32_t n = t->n_tried - first, *job = NULL;
    double left = 0;
    enum tt_code rc = time_left(s, &left, err);
    struct tt_pool pool = {.n_worker = s->o->n_worker,
                           .record = record_size(s),
                           .patience = isfinite(left) ? fmax(left, 1e-3) : 0,
                           .stop = s->o->stop,
                           .ctx = &b,
                           .work_cb = work,
                           .died_cb = died,
                           .done_cb = done};

    if (rc != TT_OK)
        return rc;
    if (n > s->o->runs - t->n_run || left <= 0) {
        n = left <= 0 ? 0 : s->o->runs - t->n_run;
        s->starved = 1;
    }
    t->n_tried = first + n;
    if (n == 0)
        return TT_OK;
    if (!TT_NEW_ARRAY(job, n))
        return search_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        job[i] = first + i;
    rc = tt_deal_run(&pool, s->o->link, job, n, err);
    for (uint32_t i = first; i < t->n_tried; i++) {
        t->n_run += t->tried[i].state != TT_TUNE_UNSTABLE &&
                    t->tried[i].state != TT_TUNE_OPEN;
        if (t->tried[i].state == TT_TUNE_OPEN)
            (void)snprintf(t->tried[i].why, TT_TUNE_WORDS, "not run: stopped");
        else if (t->tried[i].state == TT_TUNE_LATE)
            s->starved = 1;
    }
    tt_free(job);
    return rc;
}

/* Of a column: INFINITY where one has none. */
static double apart(const struct search *s, const struct tt_tune_try *a,
                    const struct tt_tune_try *b, uint32_t c)
{
    const double *x = a->curve + (size_t)c * INSTANTS;
    const double *y = b->curve + (size_t)c * INSTANTS;
    double most = 0, sum = 0;

    for (uint32_t k = 0; k < INSTANTS; k++) {
        double d = isnan(x[k]) && isnan(y[k]) ? 0 : fabs(x[k] - y[k]);

        if (isnan(d) && s->discrete[c])
            d = s->range[c]; /* one has not ticked yet */
        if (!isfinite(d))
            return (double)INFINITY;
        most = fmax(most, d);
        sum += d / INSTANTS;
    }
    return (s->discrete[c] ? sum : most) / s->range[c];
}

double search_distance(const struct search *s, const struct tt_tune_try *a,
                       const struct tt_tune_try *b)
{
    double worst = 0;

    if (!a->curve || !b->curve)
        return (double)NAN;
    for (uint32_t c = 0; c < s->n_column; c++)
        worst = fmax(worst, apart(s, a, b, c));
    return worst;
}

uint32_t search_farthest(const struct search *s, const struct tt_tune_try *t)
{
    const struct tt_tune_try *right = &s->t->tried[s->reference[0]];
    uint32_t worst = 0;

    for (uint32_t c = 1; c < s->n_column; c++)
        if (apart(s, t, right, c) > apart(s, t, right, worst))
            worst = c;
    return worst;
}
