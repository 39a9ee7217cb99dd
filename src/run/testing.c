/* SPDX-License-Identifier: MIT */
#include "run/testing.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/kinds.h"

enum tt_code st_kind_of_mocks(const struct tt_kind_ops **kind,
                              const struct tt_source *s, tt_err *err)
{
    (void)s;
    (void)err;
    *kind = &tt_mock_kind;
    return TT_OK;
}

static void take_record(void *ctx, const struct tt_log_record *r)
{
    struct stage *st = ctx;

    tt_buf_fmt(&st->logged, "%s: %s%s%s\n", tt_log_level_name(r->level),
               r->unit ? r->unit : "", r->unit ? ": " : "", r->text);
}

static struct stage *stage_of(tt_observer *o)
{
    return (struct stage *)(void *)((char *)o -
                                    offsetof(struct stage, observer));
}

static enum tt_code see_begin(tt_observer *o, const struct tt_rows *rows,
                              tt_err *err)
{
    (void)err;
    stage_of(o)->rows = rows;
    return TT_OK;
}

static enum tt_code see_row(tt_observer *o, struct tt_instant at, double h,
                            tt_err *err)
{
    struct stage *st = stage_of(o);

    (void)h;
    (void)err;
    if (st->n_row < 64) {
        st->row_t[st->n_row] = at.t;
        st->row_n[st->n_row] = at.n;
        for (uint32_t i = 0; i < st->rows->n && i < 8; i++) {
            st->row_absent[st->n_row][i] =
                tt_column_is_absent(&st->rows->column[i]);
            st->row_v[st->n_row][i] = tt_value_as_double(
                st->rows->column[i].type, st->rows->column[i].value);
        }
    }
    st->n_row++;
    return at.t >= st->stop_at ? TT_ESTOPPED : TT_OK;
}

enum tt_code st_observer_end(tt_observer *o, tt_err *err)
{
    (void)o;
    (void)err;
    return TT_OK;
}

void st_observer_free(tt_observer *o)
{
    (void)o;
}

static const struct tt_observer_ops see_ops = {
    .begin = see_begin,
    .row = see_row,
    .end = st_observer_end,
    .free = st_observer_free,
};

struct stage *st_new(void)
{
    struct stage *st;

    TT_ASSERT(TT_NEW(st) != NULL);
    tt_buf_init(&st->tape, 1 << 20);
    tt_buf_init(&st->logged, 1 << 20);
    st->log = (struct tt_log){
        .sink_cb = take_record, .ctx = st, .least = TT_LOG_NOTE};
    st->observer.ops = &see_ops;
    st->stop_at = (double)INFINITY;
    tt_mock_register(NULL, NULL);
    return st;
}

void st_free(struct stage *st)
{
    tt_run_free(st->run);
    tt_scenario_free(st->scenario);
    tt_buf_fini(&st->tape);
    tt_buf_fini(&st->logged);
    tt_free(st);
}

enum tt_code st_load(struct stage *st, const char *json)
{
    tt_observer *const observer[] = {&st->observer};
    struct tt_run_opts o = st->opts;
    enum tt_code rc =
        tt_scenario_parse(&st->scenario, "test.json", "/", json, strlen(json),
                          st->over, &st->log, &st->err);

    if (rc != TT_OK)
        return rc;
    o.log = &st->log;
    if (!o.kind_cb)
        o.kind_cb = st_kind_of_mocks;
    if (!st->unseen) {
        o.observer = observer;
        o.n_observer = 1;
    }
    return tt_run_new(&st->run, st->scenario, &o, &st->err);
}

enum tt_code st_play(struct stage *st, const char *json)
{
    enum tt_code rc = st_load(st, json);

    return rc == TT_OK ? tt_run_perform(st->run, &st->err) : rc;
}

void st_begin_unseen(struct stage *st, const char *json)
{
    enum tt_code rc;

    st->unseen = 1;
    st->opts.kind_cb = tt_kind_for;
    rc = st_load(st, json);
    if (rc == TT_OK)
        rc = tt_run_start(st->run, &st->err);
    if (rc != TT_OK)
        (void)fprintf(stderr, "%s\n", st->err.msg);
    TT_ASSERT(rc == TT_OK);
}

struct stage *st_played(const char *json)
{
    struct stage *st = st_new();
    enum tt_code rc;

    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    rc = st_play(st, json);
    if (rc != TT_OK)
        (void)fprintf(stderr, "%s\n", st->err.msg);
    TT_ASSERT(rc == TT_OK);
    return st;
}

/* What was called in macro step n (1 is the first): between the tape's
 * marks, found by playing step by step. */
char *st_step_tape(struct stage *st, const char *json, int n)
{
    TT_ASSERT(st_load(st, json) == TT_OK);
    TT_ASSERT(tt_run_start(st->run, &st->err) == TT_OK);
    for (int i = 0; i < n; i++) {
        tt_buf_clear(&st->tape);
        TT_ASSERT(tt_run_step(st->run, &st->err) == TT_OK);
    }
    return st->tape.data;
}

uint64_t st_allocations(struct stage *st)
{
    uint64_t before;

    TT_ASSERT(tt_run_start(st->run, &st->err) == TT_OK);
    TT_ASSERT(tt_run_step(st->run, &st->err) == TT_OK);
    TT_ASSERT(!tt_run_done(st->run));
    before = tt_mem_count();
    while (!tt_run_done(st->run))
        TT_ASSERT(tt_run_step(st->run, &st->err) == TT_OK);
    return tt_mem_count() - before;
}

void st_torture(st_torture_fn play)
{
    struct stage *st = st_new();
    uint64_t before = tt_mem_count(), n_alloc, refused = 0;

    TT_ASSERT(play(st, 0) == TT_OK);
    n_alloc = tt_mem_count() - before;
    st_free(st);
    for (uint64_t n = 1; n <= n_alloc; n++) {
        enum tt_code rc;

        st = st_new();
        rc = play(st, n);
        TT_ASSERT(rc == TT_OK || rc == TT_ENOMEM);
        refused += rc == TT_ENOMEM;
        st_free(st);
    }
    TT_ASSERT(refused > n_alloc / 2);
}
