/* SPDX-License-Identifier: MIT */
/* What a run owes to its observers (results/observer.h): begin, rows of
 * increasing time, end, each at its place and the end exactly once, whatever
 * fails: a unit, another observer, or nothing. What observers owe to the run is
 * in results/contract_observer.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "run/testing.h"

#define SEEN 3u

struct witness {
    tt_observer base;
    const struct tt_rows *rows;
    struct tt_buf *calls; /* of all witnesses: "1b 2b 1r 2r ..." */
    uint32_t number, n_row, n_end;
    double t;
    /* What fails, and at which row (from 1) it fails or asks for a stop. */
    int bad_begin, bad_end;
    uint32_t bad_row, stop_row;
};

static enum tt_code no(tt_err *err, const struct witness *w, const char *what)
{
    return tt_fail(err, TT_EIO, "observer %u: no %s", w->number, what);
}

static enum tt_code begin(tt_observer *o, const struct tt_rows *rows,
                          tt_err *err)
{
    struct witness *w = (struct witness *)(void *)o;

    assert_null(w->rows);
    assert_int_equal(w->n_end, 0);
    w->rows = rows;
    tt_buf_fmt(w->calls, "%ub ", w->number);
    return w->bad_begin ? no(err, w, "begin") : TT_OK;
}

static enum tt_code row(tt_observer *o, struct tt_instant at, double h,
                        tt_err *err)
{
    struct witness *w = (struct witness *)(void *)o;

    assert_non_null(w->rows);
    assert_int_equal(w->n_end, 0);
    assert_int_equal(at.n, 0);
    if (w->n_row++ == 0)
        assert_true(at.t == w->rows->start && h == 0);
    else
        assert_true(at.t > w->t && h > 0 && at.t - w->t <= h * (1 + 1e-12) &&
                    at.t - w->t >= h * (1 - 1e-12));
    w->t = at.t;
    tt_buf_fmt(w->calls, "%ur ", w->number);
    if (w->n_row == w->bad_row)
        return no(err, w, "row");
    return w->n_row == w->stop_row ? TT_ESTOPPED : TT_OK;
}

static enum tt_code end(tt_observer *o, tt_err *err)
{
    struct witness *w = (struct witness *)(void *)o;

    assert_non_null(w->rows);
    assert_int_equal(w->n_end++, 0);
    tt_buf_fmt(w->calls, "%ue ", w->number);
    return w->bad_end ? no(err, w, "end") : TT_OK;
}

static const struct tt_observer_ops witness_ops = {
    .begin = begin, .row = row, .end = end, .free = st_observer_free};

struct play {
    struct stage *st;
    struct tt_buf calls;
    struct witness w[SEEN];
    enum tt_code rc;
};

static void init(struct play *p)
{
    *p = (struct play){.st = st_new()};
    tt_buf_init(&p->calls, 1 << 20);
    for (uint32_t i = 0; i < SEEN; i++)
        p->w[i] = (struct witness){
            .base.ops = &witness_ops, .calls = &p->calls, .number = i + 1};
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
}

static const char *played(struct play *p, const char *json)
{
    tt_observer *seen[SEEN];

    for (uint32_t i = 0; i < SEEN; i++)
        seen[i] = &p->w[i].base;
    p->st->opts.observer = seen;
    p->st->opts.n_observer = SEEN;
    p->st->unseen = 1;
    p->rc = st_play(p->st, json);
    tt_buf_char(&p->calls, '\0');
    return p->calls.data;
}

static void fini(struct play *p)
{
    st_free(p->st);
    tt_buf_fini(&p->calls);
}

#define SHORT(n) "\"algorithm\": {\"type\": \"fixed-step\", \"size\": " n "}"

static void calls_are_in_order(void **state)
{
    struct play p;

    (void)state;
    init(&p);
    assert_string_equal(played(&p, ST_RINGS(SHORT("1"))),
                        "1b 2b 3b 1r 2r 3r 1r 2r 3r 1r 2r 3r 1e 2e 3e ");
    assert_int_equal(p.rc, TT_OK);
    assert_true(p.w[0].t == p.w[0].rows->end && p.w[0].rows->end == 2);
    fini(&p);
}

/* A step that is rolled back shows no row: `row` looks at the times. */
static void rows_follow_each_other_with_any_steps(void **state)
{
    static const char *const json[] = {
        ST_RINGS(ST_FIXED), ST_RINGS("\"rollback\": true, " ST_FIXED),
        ST_RINGS(ST_VARIABLE)};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct play p;

        init(&p);
        (void)played(&p, json[i]);
        assert_int_equal(p.rc, TT_OK);
        for (uint32_t k = 0; k < SEEN; k++) {
            assert_int_equal(p.w[k].n_row, p.w[0].n_row);
            assert_int_equal(p.w[k].n_end, 1);
            assert_true(p.w[k].t == 2);
        }
        fini(&p);
    }
}

struct trouble {
    const char *words, *calls;
    uint32_t which;
    struct witness w;
};

/* The message is the run's, those that began are ended, and what they have is
 * what they were given. */
static void an_observer_that_fails_ends_the_run(void **state)
{
    static const struct trouble cases[] = {
        {"observer 2: no begin", "1b 2b 1e 2e ", 1, {.bad_begin = 1}},
        {"observer 1: no row", "1b 2b 3b 1r 1e 2e 3e ", 0, {.bad_row = 1}},
        {"observer 2: no row",
         "1b 2b 3b 1r 2r 3r 1r 2r 1e 2e 3e ",
         1,
         {.bad_row = 2}},
        {"observer 3: no end",
         "1b 2b 3b 1r 2r 3r 1r 2r 3r 1r 2r 3r 1e 2e 3e ",
         2,
         {.bad_end = 1}},
        {"observer 2: no row", /* the first failure is the one to report */
         "1b 2b 3b 1r 2r 3r 1r 2r 1e 2e 3e ",
         1,
         {.bad_row = 2, .bad_end = 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct witness *w;
        struct play p;

        init(&p);
        w = &p.w[cases[i].which];
        w->bad_begin = cases[i].w.bad_begin;
        w->bad_row = cases[i].w.bad_row;
        w->bad_end = cases[i].w.bad_end;
        assert_string_equal(played(&p, ST_RINGS(SHORT("1"))), cases[i].calls);
        assert_int_equal(p.rc, TT_EIO);
        assert_string_equal(p.st->err.msg, cases[i].words);
        fini(&p);
    }
}

static void a_wish_to_stop_is_no_failure(void **state)
{
    struct play p;

    (void)state;
    init(&p);
    p.w[0].stop_row = 2;
    assert_string_equal(played(&p, ST_RINGS(SHORT("0.5"))),
                        "1b 2b 3b 1r 2r 3r 1r 2r 3r 1e 2e 3e ");
    assert_int_equal(p.rc, TT_OK);
    fini(&p);
}

static void a_unit_that_fails_leaves_the_rows_before(void **state)
{
    struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_ERROR, .text = "broke"};
    struct tt_mock_spec broken = tt_mock_integrator;
    struct play p;

    (void)state;
    init(&p);
    broken.cue = &cue;
    broken.n_cue = 1;
    tt_mock_register("i", &broken);
    assert_string_equal(played(&p, ST_RINGS(SHORT("0.5"))),
                        "1b 2b 3b 1r 2r 3r 1r 2r 3r 1r 2r 3r 1e 2e 3e ");
    assert_int_equal(p.rc, TT_EUNIT);
    assert_string_equal(p.st->err.msg,
                        "instance '{i}.a' (mock): step at t=1: broke");
    fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_in_order),
        cmocka_unit_test(rows_follow_each_other_with_any_steps),
        cmocka_unit_test(an_observer_that_fails_ends_the_run),
        cmocka_unit_test(a_wish_to_stop_is_no_failure),
        cmocka_unit_test(a_unit_that_fails_leaves_the_rows_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
