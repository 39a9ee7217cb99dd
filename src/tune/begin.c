/* SPDX-License-Identifier: MIT */
/* A start-up that is run once: what it leads to is where all runs of a search
 * begin. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "run/probe.h"
#include "sys/file.h"
#include "tune/deal.h"
#include "tune/tune_impl.h"
#include "tune/warm.h"

/* What the run leaves; the state is in a file. */
struct record {
    enum tt_code rc;
    tt_err err;
    double t, cost;
};

struct startup {
    struct search *s;
    struct chosen {
        uint32_t way;            /* TT_NONE: the scenario's own settings */
        double step;             /* of the way */
        char why[TT_TUNE_WORDS]; /* these could not lead there; "": they can */
    } by;
    const char *path;
    struct record r;
};

/* A run that is not started. */
struct planned {
    tt_scenario *sc;
    tt_run *run; /* NULL: it cannot be played */
};

static enum tt_code open_run(const struct startup *u, uint32_t way,
                             const struct tt_run_opts *o, struct planned *out,
                             tt_err *err)
{
    return way == TT_NONE
               ? tt_sweep_open(&out->sc, &out->run, &u->s->o->source, o, err)
               : search_open(u->s, way, u->by.step, o, &out->sc, &out->run,
                             err);
}

static void close_run(struct planned *p)
{
    tt_run_free(p->run);
    tt_scenario_free(p->sc);
}

/* Can the way go on from what the scenario's own settings lead to? */
static int goes_on(struct startup *u, const struct planned *own,
                   const struct planned *other, uint32_t way)
{
    const tt_plan *from = tt_run_plan(own->run), *p = tt_run_plan(other->run);
    const char *why = NULL;

    for (uint32_t i = 0; i < p->n_unit && !why; i++) {
        const struct tt_plan_made was = tt_plan_made(from, i);

        why = tt_plan_differs(p, i, &was);
        if (why)
            (void)snprintf(u->by.why, sizeof(u->by.why),
                           "%s could not go on from what the scenario's own "
                           "settings lead to: instance '%.200s' %s",
                           u->s->way[way].name, p->unit[i].name, why);
    }
    return !why;
}

/* The scenario's own settings, if ways can go on from there; else the first way
 * that can be played, at the largest step of references. */
static enum tt_code choose(struct startup *u, tt_err *err)
{
    const struct tt_run_opts o = {.like = u->s->like};
    double span = u->s->end - u->s->start;
    struct planned own = {NULL, NULL}, other = {NULL, NULL};
    uint32_t way = TT_NONE;
    tt_err why = {0};
    enum tt_code rc = open_run(u, TT_NONE, &o, &own, &why);

    u->by.way = TT_NONE;
    u->by.step = span / tt_known_finer(&u->s->known, span, 1000);
    while (!other.run && ++way < u->s->t->n_way)
        rc = open_run(u, way, &o, &other, &why);
    if (other.run && !(own.run && goes_on(u, &own, &other, way)))
        u->by.way = way;
    if (own.run || other.run)
        rc = TT_OK;
    else
        *err = why;
    close_run(&own);
    close_run(&other);
    return rc;
}

static enum tt_code play(struct startup *u, struct tt_stage *stage,
                         struct record *r, tt_err *err)
{
    struct tt_warm warm = {.until = u->s->o->warm};
    struct tt_run_checkpoint c = tt_warm_checkpoint(&warm, u->s->start);
    const struct tt_run_opts o = {
        .stage = stage, .like = u->s->like, .trial = 1, .checkpoint = &c};
    struct planned p = {NULL, NULL};
    enum tt_code rc;

    c.carried = 1;
    rc = open_run(u, u->by.way, &o, &p, err);
    if (rc == TT_OK)
        rc = tt_warm_play(&warm, p.run, err);
    if (rc == TT_OK) {
        r->t = tt_run_time(p.run);
        r->cost = (double)tt_probe_unit_steps(p.run);
        rc = tt_file_write(u->path, warm.state.data, warm.state.n, err);
    }
    close_run(&p);
    tt_warm_fini(&warm);
    return rc;
}

static void work(void *ctx, uint32_t job, struct tt_stage *stage, void *record)
{
    struct record *r = record;

    (void)job;
    r->rc = play(ctx, stage, r, &r->err);
    if (r->rc == TT_ESTOPPED) /* by a unit: only the pool is stopped by users */
        r->rc = r->err.code = TT_EUNIT;
}

static void died(void *ctx, uint32_t job, struct tt_stage *stage,
                 const struct tt_proc_result *how, void *record)
{
    struct record *r = record;
    char why[TT_TUNE_WORDS];

    (void)job;
    search_put_death(((const struct startup *)ctx)->s, stage, how, why);
    r->rc = tt_fail(&r->err, TT_EUNIT, "%s", why);
}

static enum tt_code done(void *ctx, uint32_t job, const void *record,
                         tt_err *err)
{
    struct startup *u = ctx;

    (void)job;
    u->r = *(const struct record *)record;
    if (u->r.rc != TT_OK)
        *err = u->r.err;
    return u->r.rc;
}

static enum tt_code take_file(struct startup *u, tt_err *err)
{
    struct tt_bytes *state = &u->s->begin.state;
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, SIZE_MAX / 2);
    rc = tt_file_read(&b, u->path, err);
    state->n = b.len;
    state->data = rc == TT_OK ? tt_buf_take(&b) : NULL;
    tt_buf_fini(&b);
    return rc == TT_OK && !state->data ? search_no_memory(err) : rc;
}

/* In a process of its own, as a unit may crash. */
static enum tt_code run_startup(struct startup *u, tt_err *err)
{
    const struct tt_tune_opts *o = u->s->o;
    const struct tt_pool pool = {.n_worker = 1,
                                 .record = sizeof(struct record),
                                 .patience =
                                     isfinite(o->seconds) ? o->seconds : 0,
                                 .stop = o->stop,
                                 .ctx = u,
                                 .work_cb = work,
                                 .died_cb = died,
                                 .done_cb = done};
    const uint32_t job = 0;
    char *dir = NULL, *path;
    tt_err ignored;
    enum tt_code rc = tt_dir_temp(&dir, err);

    if (rc != TT_OK)
        return rc;
    u->path = path = tt_path_join(dir, "state");
    rc = path ? tt_pool_run(&pool, &job, 1, err) : search_no_memory(err);
    if (rc == TT_OK)
        rc = take_file(u, err);
    (void)!tt_dir_remove(dir, &ignored);
    TT_FREE_ALL(path, dir);
    return rc;
}

/* Of the first rank. */
static enum tt_code share(struct startup *u, tt_err *err)
{
    tt_link *link = u->s->o->link;
    struct tt_bytes *state = &u->s->begin.state;
    uint64_t n = state->n;
    enum tt_code rc = link->ops->share(link, 0, &u->r, sizeof(u->r), err);

    if (rc == TT_OK)
        rc = link->ops->share(link, 0, &u->by, sizeof(u->by), err);
    if (rc == TT_OK)
        rc = link->ops->share(link, 0, &n, sizeof(n), err);
    if (rc == TT_OK && link->rank) {
        state->data = tt_alloc((size_t)n);
        state->n = (size_t)n;
        rc = state->data ? TT_OK : search_no_memory(err);
    }
    rc = tt_deal_agree(link, rc, err);
    return rc == TT_OK ? link->ops->share(link, 0, state->data, state->n, err)
                       : rc;
}

/* Does every period of software begin there? */
static enum tt_code check_instant(const struct search *s, double t, tt_err *err)
{
    char at[TT_NUM_MAX], to[TT_NUM_MAX], period[TT_NUM_MAX];

    tt_num_print_short(at, t);
    tt_num_print_short(to, s->o->warm);
    if (!(t < s->end))
        return tt_fail(err, TT_EINPUT,
                       "the first step that ends at %s s or later is the last "
                       "one",
                       to);
    for (uint32_t i = 0; i < s->known.n_beat; i++) {
        double n = (t - s->start) / s->known.beat[i].period;

        if (fabs(n - rint(n)) <= 1e-6 * n)
            continue;
        tt_num_print_short(period, s->known.beat[i].period);
        return tt_fail(err, TT_EINPUT,
                       "%s s is in the middle of a period of '%s', %s s", at,
                       s->known.beat[i].name, period);
    }
    return TT_OK;
}

static void describe(struct search *s, const struct startup *u)
{
    char at[TT_NUM_MAX], from[TT_NUM_MAX], to[TT_NUM_MAX], step[TT_NUM_MAX];
    char by[TT_TUNE_WORDS];

    tt_num_print_short(at, u->r.t);
    tt_num_print_short(from, s->start);
    tt_num_print_short(to, s->end);
    tt_num_print_digits(step, u->by.step, 3);
    if (u->by.way == TT_NONE)
        (void)snprintf(by, sizeof(by), "the scenario's own settings");
    else
        (void)snprintf(by, sizeof(by), "%s at %s s", s->way[u->by.way].name,
                       step);
    s->t->begin = u->r.t;
    s->t->begin_cost = u->r.cost;
    s->t->begin_by = tt_arena_strdup(s->t->arena, by);
    search_note(s,
                "Every run begins at %s s, with what one run from %s s by %s "
                "led to: errors, ranges, costs and hints are those of %s s to "
                "%s s, and nothing is compared before.",
                at, from, by, at, to);
    search_note(s, "Inputs have no past at %s s, as none have at the start.",
                at);
    if (u->by.why[0])
        search_note(s, "%s.", u->by.why);
}

enum tt_code search_begin(struct search *s, tt_err *err)
{
    struct startup u = {.s = s};
    tt_link *link = s->o->link;
    int leads = !link || !link->rank;
    enum tt_code rc;

    if (isnan(s->o->warm))
        return TT_OK;
    rc = tt_warm_check(s->o->warm, s->start, s->end, err);
    if (rc != TT_OK)
        return rc;
    if (leads)
        rc = choose(&u, err);
    if (leads && rc == TT_OK)
        rc = run_startup(&u, err);
    if (rc == TT_OK && leads)
        rc = check_instant(s, u.r.t, err);
    rc = tt_deal_agree(link, rc, err);
    if (rc == TT_OK && link)
        rc = share(&u, err);
    if (rc == TT_ESTOPPED)
        return rc;
    if (rc != TT_OK)
        return tt_context(err, rc,
                          "--warm (without it every run begins at the start)");
    s->t->n_run++;
    describe(s, &u);
    s->begin.start = s->start;
    s->start = u.r.t;
    if (s->o->each_run)
        search_report(s, s->t->n_run);
    return TT_OK;
}
