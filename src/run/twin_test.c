/* SPDX-License-Identifier: MIT */
/* An embedded pair of methods by two threads: rows, attempts and words are
 * those of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/testing.h"
#include "run/twin.h"

/* a' = b, b' = a by two integrators, with gains in between. */
#define PAIR(more)                                                             \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.a.y\": [\"{g}.c.u\"], \"{g}.c.y\": [\"{i}.b.u\"], \"{i}.b.y\": "   \
    "[\"{g}.d.u\"], \"{g}.d.y\": [\"{i}.a.u\"]}, \"parameters\": "             \
    "{\"{i}.a.y0\": 1, \"{i}.b.y0\": -1}, \"algorithm\": {\"type\": "          \
    "\"var-step\", \"size\": [1e-6, 0.5], \"initsize\": 0.3, "                 \
    "\"constraints\": {\"c\": {\"type\": \"error\", \"method\": "              \
    "\"embedded\", \"abstol\": 1e-3, \"reltol\": 1e-3}}}, \"endTime\": 2" more \
    "}"
#define TWO ", \"threads\": 2"

static void take_attempt(void *ctx, const struct tt_run_attempt *a)
{
    tt_buf_fmt(ctx, "%llu %.17g %.17g %s %s %s %s %.17g\n",
               (unsigned long long)a->step, a->t0, a->h, a->outcome,
               a->limited_by, a->objector, a->reason, a->reached);
}

/* Both at the same time in every attempt, where there is a twin. */
static enum tt_code play(struct stage *st, const char *json)
{
    enum tt_code rc;

    st->opts.attempt_cb = take_attempt;
    st->opts.attempt_ctx = &st->tape;
    rc = st_load(st, json);
    if (rc == TT_OK)
        rc = tt_run_start(st->run, &st->err);
    if (rc == TT_OK && st->run->twin)
        st->run->twin->always = 1;
    while (rc == TT_OK && !tt_run_done(st->run))
        rc = tt_run_step(st->run, &st->err);
    return rc;
}

static struct stage *stage_with(const struct tt_mock_spec *integrator)
{
    struct stage *st = st_new();

    tt_mock_register("i", integrator);
    tt_mock_register("g", &tt_mock_gain);
    return st;
}

static void same_units(const tt_run *a, const tt_run *b)
{
    for (uint32_t u = 0; u < a->plan->n_unit; u++) {
        assert_int_equal(a->unit[u]->n_step, b->unit[u]->n_step);
        assert_true(a->unit[u]->max_lag == b->unit[u]->max_lag);
        assert_true(a->unit[u]->now == b->unit[u]->now);
    }
}

/* Returns the attempts that were made at the same time. */
static uint64_t same(const struct tt_mock_spec *integrator, const char *one,
                     const char *two)
{
    struct stage *a = stage_with(integrator), *b = stage_with(integrator);
    enum tt_code rc = play(a, one);
    uint64_t n;

    assert_int_equal(play(b, two), rc);
    assert_null(a->run->twin);
    assert_non_null(b->run->twin);
    n = b->run->twin->n[1];
    assert_int_equal(b->run->twin->n[0], 0);
    assert_string_equal(a->err.msg, b->err.msg);
    assert_string_equal(a->tape.data, b->tape.data);
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, sizeof(a->row_t));
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
    assert_int_equal(tt_run_step_account(a->run).rejected,
                     tt_run_step_account(b->run).rejected);
    assert_int_equal(tt_run_step_account(a->run).doubled,
                     tt_run_step_account(b->run).doubled);
    same_units(a->run, b->run);
    st_free(a);
    st_free(b);
    return n;
}

#define SAME(integrator, more) same(integrator, PAIR(more), PAIR(more TWO))
#define SEIDEL                 ", \"master\": \"gauss-seidel\""
#define LINEAR                 ", \"approximation\": \"linear\""

static void both_at_the_same_time_are_the_same(void **state)
{
    struct stage *st = stage_with(&tt_mock_integrator);

    (void)state;
    assert_int_equal(play(st, PAIR(TWO SEIDEL)), TT_OK);
    assert_true(tt_run_step_account(st->run).rejected > 0);
    assert_true(st->run->twin->n[1] > 8);
    assert_non_null(strstr(st->logged.data,
                           "embedded: both methods at the same time, by "
                           "instances made twice, if a step takes longer than "
                           "to pack states\n"));
    st_free(st);
    assert_true(SAME(&tt_mock_integrator, "") > 8);
    assert_true(SAME(&tt_mock_integrator, LINEAR) > 8);
    assert_true(SAME(&tt_mock_integrator, SEIDEL) > 8);
    assert_true(SAME(&tt_mock_integrator, SEIDEL LINEAR) > 8);
}

/* What units have to report in the step or in the trial is as if one thread
 * had played one after the other. */
static void what_units_report_is_the_same(void **state)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_STEP,
                                              .time = 0.7,
                                              .every = 1,
                                              .act = TT_MOCK_EARLY,
                                              .value = 0.7},
                                             {.at = TT_MOCK_STEP,
                                              .time = 1.3,
                                              .every = 1,
                                              .act = TT_MOCK_TERMINATE}};
    struct tt_mock_spec is = tt_mock_integrator;

    (void)state;
    is.max_step = 0.07;
    assert_true(SAME(&is, SEIDEL LINEAR) > 8);
    is = tt_mock_integrator;
    is.caps.early_return = 1;
    is.cue = cue;
    is.n_cue = 1;
    assert_true(SAME(&is, SEIDEL) > 8);
    is.n_cue = 2;
    assert_true(SAME(&is, SEIDEL LINEAR) > 8);
}

/* From an instant on every step fails: the trial is the first to. */
static void a_failure_is_reported_as_by_one_thread(void **state)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_STEP,
                                              .time = 0.9,
                                              .every = 1,
                                              .act = TT_MOCK_ERROR,
                                              .text = "no"}};
    struct tt_mock_spec bad = tt_mock_integrator;
    struct stage *st;

    (void)state;
    bad.cue = cue;
    bad.n_cue = 1;
    assert_true(SAME(&bad, SEIDEL) > 2);
    assert_true(SAME(&bad, LINEAR) > 2);
    st = stage_with(&bad);
    assert_int_equal(play(st, PAIR(TWO)), TT_EUNIT);
    assert_non_null(strstr(st->err.msg, "instance '{i}.a' (mock): step at t="));
    st_free(st);
}

/* A twin whose state cannot be had any more is done without. */
static void a_twin_that_fails_is_given_up(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_UNPACK, .nth = 3, .act = TT_MOCK_ERROR, .text = "full"}};
    struct tt_mock_spec is = tt_mock_integrator;
    struct stage *a = stage_with(&is), *b;

    (void)state;
    is.cue = cue;
    is.n_cue = 1;
    b = stage_with(&is);
    assert_int_equal(play(a, PAIR("")), TT_OK);
    tt_mock_register("i", &is);
    assert_int_equal(play(b, PAIR(TWO)), TT_OK);
    assert_null(b->run->twin);
    assert_non_null(strstr(b->logged.data, " s on one method after the other: "
                                           "instance '{i}.a' (mock): unpack"));
    assert_string_equal(a->tape.data, b->tape.data);
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
    st_free(a);
    st_free(b);
}

static void without(const struct tt_mock_spec *integrator, const char *json,
                    const char *why)
{
    struct stage *st = stage_with(integrator);
    char words[256];

    assert_int_equal(play(st, json), TT_OK);
    assert_null(st->run->twin);
    (void)snprintf(words, sizeof(words),
                   "embedded: one method after the other: %s\n", why);
    if (!strstr(st->logged.data, words))
        fail_msg("no '%s' in '%s'", words, st->logged.data);
    st_free(st);
}

static void what_hinders_it_is_stated(void **state)
{
    struct tt_mock_spec is = tt_mock_integrator;

    (void)state;
    without(&is, PAIR(TWO ", \"iterate\": \"converged\""),
            "steps are repeated");
    without(&is, PAIR(TWO ", \"loggingOn\": true"),
            "what instances log is to be seen");
    is.caps.serialise = 0;
    without(&is, PAIR(TWO), "{i}.a cannot turn its state into bytes");
    is = tt_mock_integrator;
    is.caps.threads = TT_THREADS_MAIN;
    without(&is, PAIR(TWO), "{i}.a can be called by one thread at a time only");
    is.caps.threads = TT_THREADS_ONE;
    without(&is, PAIR(TWO), "{i}.a can be called by one thread at a time only");
}

/* Two attempts of either way, then the faster one. */
static void the_faster_way_is_chosen(void **state)
{
    struct stage *st = stage_with(&tt_mock_integrator);
    struct tt_twin *t;

    (void)state;
    assert_int_equal(st_load(st, PAIR(TWO)), TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    t = st->run->twin;
    while (t->n[0] < 2 && !tt_run_done(st->run))
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_true(t->n[1] >= 2);
    for (int faster = 0; faster < 2; faster++) {
        uint64_t was = t->n[1 - faster];

        t->ns[faster] = 1;
        t->ns[1 - faster] = 1e12;
        assert_int_equal(run_twin_joins(st->run), faster);
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
        assert_int_equal(t->n[1 - faster], was);
    }
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_at_the_same_time_are_the_same),
        cmocka_unit_test(what_units_report_is_the_same),
        cmocka_unit_test(a_failure_is_reported_as_by_one_thread),
        cmocka_unit_test(a_twin_that_fails_is_given_up),
        cmocka_unit_test(what_hinders_it_is_stated),
        cmocka_unit_test(the_faster_way_is_chosen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
