/* SPDX-License-Identifier: MIT */
#include "tune/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "formats/formats.h"
#include "results/pattern.h"
#include "sys/file.h"
#include "tune/deal.h"
#include "tune/journal.h"
#include "tune/warm.h"

#define TRIES 16u /* points that are planned to find one that can be */

struct work {
    const struct tt_sweep_opts *o;
    struct tt_sweep *s;
    tt_scenario *scenario; /* of `like` */
    tt_run *like;          /* not started: has the types */
    uint32_t *chosen;      /* owned: columns of the run */
    uint32_t *job;         /* owned: points that are open */
    const char **set;      /* owned: --set of a point */
    tt_arena *texts;
    tt_journal *journal;
    struct tt_warm warm;
};

const char *tt_sweep_state_name(enum tt_sweep_state s)
{
    static const char *const name[] = {"open", "done", "failed", "crashed",
                                       "late"};

    return name[s];
}

static struct tt_sweep_record *record_at(struct tt_sweep *s, uint32_t point)
{
    return (struct tt_sweep_record *)(void *)(s->record +
                                              (size_t)point * s->stride);
}

const struct tt_sweep_record *tt_sweep_at(const struct tt_sweep *s,
                                          uint32_t point)
{
    return (const struct tt_sweep_record *)(const void *)(s->record +
                                                          (size_t)point *
                                                              s->stride);
}

/* --- one point ------------------------------------------------------------ */

enum tt_code tt_sweep_open(tt_scenario **sc, tt_run **run,
                           const struct tt_sweep_source *s,
                           const struct tt_run_opts *o, tt_err *err)
{
    struct tt_run_opts with = *o;
    enum tt_code rc =
        tt_format_open(sc, s->path, s->n_path, s->variant, &s->o, NULL, err);

    if (rc != TT_OK)
        return rc;
    tt_scenario_at_leisure(*sc);
    with.kind_cb = s->kind_cb;
    rc = tt_run_new(run, *sc, &with, err);
    if (rc != TT_OK) {
        tt_scenario_free(*sc);
        *sc = NULL;
    }
    return rc;
}

static enum tt_code open_point(struct work *w, uint32_t point,
                               const struct tt_run_opts *o, tt_scenario **sc,
                               tt_run **run, tt_err *err)
{
    const struct tt_points *p = w->o->points;
    struct tt_sweep_source from = w->o->source;
    uint32_t n = from.o.n_set;
    tt_arena *texts = tt_arena_new();
    enum tt_code rc = texts ? TT_OK : tt_nomem(err, "the sweep");

    for (uint32_t i = 0; i < n; i++)
        w->set[i] = from.o.set[i];
    for (uint32_t i = 0; i < p->n_name && rc == TT_OK; i++) {
        const char *value = tt_points_at(p, point, i);
        size_t size = strlen(p->name[i]) + strlen(value) + 2;
        char *text = tt_arena_alloc(texts, size, 1);

        if (!text)
            rc = tt_nomem(err, "the sweep");
        else
            (void)snprintf(text, size, "%s=%s", p->name[i], value);
        w->set[n + i] = text;
    }
    from.o.set = w->set;
    from.o.n_set = n + p->n_name;
    if (rc == TT_OK)
        rc = tt_sweep_open(sc, run, &from, o, err);
    tt_arena_free(w->texts); /* the scenario may borrow texts while it lives */
    w->texts = texts;
    return rc;
}

/* The scenario as it is, with these options; up to the instant, or the point
 * from there. */
static enum tt_code play_part(struct work *w, const struct tt_run_opts *o,
                              const uint32_t *point, tt_err *err)
{
    tt_scenario *sc = NULL;
    tt_run *run = NULL;
    enum tt_code rc = tt_sweep_open(&sc, &run, &w->o->source, o, err);

    if (rc == TT_OK)
        rc = point ? tt_warm_go_on(&w->warm, run, w->o->points, *point, err)
                   : tt_warm_play(&w->warm, run, err);
    tt_run_free(run);
    tt_scenario_free(sc);
    return rc;
}

/* What is common is played by the first point of a worker. */
static enum tt_code play_warm(struct work *w, uint32_t point,
                              const struct tt_tally_opts *to,
                              struct tt_run_opts o, tt_err *err)
{
    const struct tt_run_checkpoint c =
        tt_warm_checkpoint(&w->warm, w->s->start);
    enum tt_code rc = TT_OK;

    for (int part = w->warm.state.data != NULL; part < 2 && rc == TT_OK;
         part++) {
        tt_observer *tally = tt_tally_new(to);

        if (!tally)
            return tt_nomem(err, "the sweep");
        o.observer = &tally;
        o.checkpoint = part ? NULL : &c;
        o.resume = part ? &w->warm.state : NULL;
        rc = play_part(w, &o, part ? &point : NULL, err);
        tt_observer_free(tally);
    }
    return rc;
}

static enum tt_code play(struct work *w, uint32_t point, struct tt_stage *stage,
                         struct tt_sweep_record *r, tt_err *err)
{
    const struct tt_tally_opts to = {
        .column = w->chosen,
        .n = w->s->n_column,
        .out = r->value,
        .curve = w->s->n_instant
                     ? r->value + (size_t)w->s->n_column * TT_TALLY_N
                     : NULL,
        .n_instant = w->s->n_instant};
    tt_observer *tally = NULL;
    const struct tt_run_opts o = {
        .stage = stage, .observer = &tally, .n_observer = 1, .like = w->like};
    tt_scenario *sc = NULL;
    tt_run *run = NULL;
    enum tt_code rc;

    if (!isnan(w->o->warm))
        return play_warm(w, point, &to, o, err);
    tally = tt_tally_new(&to);
    rc = tally ? open_point(w, point, &o, &sc, &run, err)
               : tt_nomem(err, "the sweep");

    if (rc == TT_OK)
        rc = tt_run_perform(run, err);
    tt_run_free(run);
    tt_scenario_free(sc);
    tt_observer_free(tally);
    return rc;
}

static void work(void *ctx, uint32_t job, struct tt_stage *stage, void *record)
{
    struct work *w = ctx;
    struct tt_sweep_record *r = record;
    tt_err err = {0};
    enum tt_code rc = play(w, job, stage, r, &err);

    r->state = rc == TT_OK ? TT_SWEEP_DONE : TT_SWEEP_FAILED;
    if (rc != TT_OK)
        (void)snprintf(r->problem, sizeof(r->problem), "%.*s",
                       (int)sizeof(r->problem) - 1, err.msg);
}

static void died(void *ctx, uint32_t job, struct tt_stage *stage,
                 const struct tt_proc_result *how, void *record)
{
    struct work *w = ctx;
    struct tt_sweep_record *r = record;
    struct tt_buf b;

    (void)job;
    tt_buf_init(&b, TT_ERR_MAX);
    if (how->lost_it) {
        tt_buf_str(&b, "not done within ");
        tt_buf_num(&b, w->o->patience);
        tt_buf_str(&b, " s");
    } else {
        w->o->death_cb(&b, stage, how);
    }
    r->state = how->lost_it ? TT_SWEEP_LATE : TT_SWEEP_CRASHED;
    (void)snprintf(r->problem, sizeof(r->problem), "%s",
                   b.failed || !b.len ? "the process ended" : b.data);
    tt_buf_fini(&b);
}

static void count(struct tt_sweep *s, uint32_t state)
{
    s->n_done++;
    s->n_failed += state != TT_SWEEP_DONE;
}

static enum tt_code done(void *ctx, uint32_t job, const void *record,
                         tt_err *err)
{
    struct work *w = ctx;
    struct tt_sweep_record *r = record_at(w->s, job);

    memcpy(r, record, w->s->stride);
    if (r->state == TT_SWEEP_OPEN || r->state > TT_SWEEP_LATE)
        r->state = TT_SWEEP_CRASHED;
    r->problem[TT_SWEEP_WORDS - 1] = 0;
    count(w->s, r->state);
    return w->journal ? tt_journal_add(w->journal, job, r, err) : TT_OK;
}

static void found(void *ctx, uint32_t number, const void *record)
{
    struct work *w = ctx;
    struct tt_sweep_record *r = record_at(w->s, number);

    if (r->state != TT_SWEEP_OPEN)
        return;
    memcpy(r, record, w->s->stride);
    count(w->s, r->state);
    w->s->n_found++;
}

static void idle(void *ctx)
{
    struct work *w = ctx;

    if (w->o->progress_cb)
        w->o->progress_cb(w->o->ctx, w->s->n_done, w->s->n_failed,
                          w->o->points->n);
}

/* --- what there is -------------------------------------------------------- */

/* Opens the first point that can be: the types serve all. */
static enum tt_code look(struct work *w, tt_err *err)
{
    const struct tt_run_opts o = {0};
    tt_err first = {0}, other = {0};
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < w->o->points->n && i < TRIES; i++) {
        enum tt_code now =
            open_point(w, i, &o, &w->scenario, &w->like, i ? &other : &first);

        if (now == TT_OK)
            return tt_run_unpack_units(w->like, err);
        rc = i ? rc : now;
    }
    *err = first;
    return rc;
}

static int is_wanted(const struct work *w, const struct tt_plan_column *c)
{
    enum tt_type type = tt_plan_port(tt_run_plan(w->like), c->slot)->type;

    return type != TT_TEXT && type != TT_BYTES &&
           tt_pattern_any(w->o->pattern, w->o->n_pattern, c->name);
}

static enum tt_code choose(struct work *w, tt_err *err)
{
    const tt_plan *p = tt_run_plan(w->like);
    struct tt_sweep *s = w->s;

    s->start = p->experiment.start;
    s->end = p->experiment.end;
    s->column = tt_arena_alloc(s->arena, p->n_column + 1, sizeof(*s->column));
    if (!s->column || !TT_NEW_ARRAY(w->chosen, p->n_column + 1))
        return tt_nomem(err, "the sweep");
    for (uint32_t i = 0; i < p->n_column; i++) {
        if (!is_wanted(w, &p->column[i]))
            continue;
        w->chosen[s->n_column] = i;
        s->column[s->n_column] = tt_arena_strdup(s->arena, p->column[i].name);
        if (!s->column[s->n_column++])
            return tt_nomem(err, "the sweep");
    }
    if (!isfinite(s->end))
        return tt_fail(err, TT_EINPUT,
                       "a sweep needs an end time: give --until T");
    if (!isnan(w->o->warm)) {
        enum tt_code rc =
            tt_warm_find(&w->warm, w->like, w->o->points, s->arena, err);

        if (rc != TT_OK)
            return rc;
    }
    if (s->n_column == 0)
        return tt_fail(err, TT_EINPUT,
                       "no column is recorded%s that could be tabled",
                       w->o->n_pattern ? " and chosen" : "");
    return TT_OK;
}

static enum tt_code reserve(struct work *w, tt_err *err)
{
    struct tt_sweep *s = w->s;
    size_t n = w->o->points->n;

    s->stride =
        sizeof(struct tt_sweep_record) +
        (size_t)s->n_column * (TT_TALLY_N + s->n_instant) * sizeof(double);
    s->record = tt_zalloc(n, s->stride);
    return s->record && TT_NEW_ARRAY(w->job, n) ? TT_OK
                                                : tt_nomem(err, "the sweep");
}

/* --- the journal ---------------------------------------------------------- */

static void add_text(struct tt_sha256 *h, const char *s)
{
    tt_sha256_add(h, s ? s : "", s ? strlen(s) + 1 : 1);
}

static void add_files(struct tt_sha256 *h, const struct work *w)
{
    for (uint32_t i = 0; i < tt_run_sources(w->like); i++)
        add_text(h, tt_run_source(w->like, i)->sha256);
    for (size_t i = 0; i < w->o->source.n_path; i++) {
        char sum[TT_SHA256_HEX] = "";
        tt_err ignored = {0};

        if (tt_file_sha256(w->o->source.path[i], sum, &ignored) == TT_OK)
            add_text(h, sum);
    }
}

/* The same work has the same name, and no other has. */
static void name_work(const struct work *w, char key[TT_SHA256_HEX])
{
    const struct tt_points *p = w->o->points;
    unsigned char sum[TT_SHA256_BYTES];
    struct tt_sha256 h;

    tt_sha256_init(&h);
    add_text(&h, w->o->words);
    add_files(&h, w);
    for (uint32_t i = 0; i < p->n_name; i++)
        add_text(&h, p->name[i]);
    for (size_t i = 0; i < (size_t)p->n * p->n_name; i++)
        add_text(&h, p->value[i]);
    for (uint32_t i = 0; i < w->s->n_column; i++)
        add_text(&h, w->s->column[i]);
    tt_sha256_end(&h, sum);
    tt_sha256_hex(sum, key);
}

static enum tt_code open_journal(struct work *w, tt_err *err)
{
    char key[TT_SHA256_HEX];
    const struct tt_journal_opts o = {.path = w->o->journal,
                                      .key = key,
                                      .record = w->s->stride,
                                      .n = w->o->points->n,
                                      .ctx = w,
                                      .found_cb = found};

    if (!w->o->journal || (w->o->link && w->o->link->rank))
        return TT_OK;
    name_work(w, key);
    return tt_journal_open(&w->journal, &o, err);
}

/* --- all ------------------------------------------------------------------ */

/* Which points are open is what the first rank found in the journal. */
static enum tt_code share_states(struct work *w, tt_err *err)
{
    uint32_t n = w->o->points->n;
    tt_link *link = w->o->link;
    enum tt_code rc;

    if (!link)
        return TT_OK;
    for (uint32_t i = 0; i < n; i++)
        w->job[i] = record_at(w->s, i)->state;
    rc = link->ops->share(link, 0, w->job, n * sizeof(*w->job), err);
    for (uint32_t i = 0; rc == TT_OK && i < n; i++)
        record_at(w->s, i)->state = w->job[i];
    return rc;
}

static enum tt_code run_open(struct work *w, tt_err *err)
{
    const struct tt_pool pool = {.n_worker = w->o->n_worker,
                                 .record = w->s->stride,
                                 .patience = w->o->patience,
                                 .stop = w->o->stop,
                                 .ctx = w,
                                 .work_cb = work,
                                 .died_cb = died,
                                 .done_cb = done,
                                 .idle_cb = idle};
    uint32_t n = 0;
    enum tt_code rc = share_states(w, err);

    for (uint32_t i = 0; i < w->o->points->n; i++)
        if (record_at(w->s, i)->state == TT_SWEEP_OPEN)
            w->job[n++] = i;
    return rc == TT_OK ? tt_deal_run(&pool, w->o->link, w->job, n, err) : rc;
}

static enum tt_code prepare(struct work *w, tt_err *err)
{
    const struct tt_sweep_opts *o = w->o;
    enum tt_code rc;

    w->s->arena = tt_arena_new();
    if (!w->s->arena ||
        !TT_NEW_ARRAY(w->set, o->source.o.n_set + o->points->n_name + 1))
        return tt_nomem(err, "the sweep");
    rc = look(w, err);
    if (rc == TT_OK)
        rc = choose(w, err);
    if (rc == TT_OK)
        rc = reserve(w, err);
    return rc == TT_OK ? open_journal(w, err) : rc;
}

enum tt_code tt_sweep_run(struct tt_sweep *out, const struct tt_sweep_opts *o,
                          tt_err *err)
{
    struct tt_sweep s = {.points = o->points, .n_instant = o->n_instant};
    struct work w = {.o = o, .s = &s, .warm = {.until = o->warm}};
    enum tt_code rc = tt_deal_agree(o->link, prepare(&w, err), err);

    if (rc == TT_OK)
        rc = run_open(&w, err);
    tt_journal_close(w.journal, rc == TT_OK);
    tt_warm_fini(&w.warm);
    tt_run_free(w.like);
    tt_scenario_free(w.scenario);
    tt_arena_free(w.texts);
    TT_FREE_ALL(w.chosen, w.job, w.set);
    if (rc == TT_OK || rc == TT_ESTOPPED)
        *out = s;
    else
        tt_sweep_fini(&s);
    return rc;
}

void tt_sweep_fini(struct tt_sweep *s)
{
    tt_arena_free(s->arena);
    tt_free(s->record);
    *s = (struct tt_sweep){0};
}
