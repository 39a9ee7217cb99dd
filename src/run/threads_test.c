/* SPDX-License-Identifier: MIT */
/* Runs with several threads: rows are those of one thread, whatever the
 * master does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/testing.h"

/* Two rings of an integrator and a gain, apart from each other. */
#define RINGS(more)                                                            \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.a.y\": [\"{g}.c.u\"], \"{g}.c.y\": [\"{i}.a.u\"], \"{i}.b.y\": "   \
    "[\"{g}.d.u\"], \"{g}.d.y\": [\"{i}.b.u\"]}, \"parameters\": "             \
    "{\"{g}.c.k\": -1, \"{g}.d.k\": -0.3, \"{i}.a.y0\": 1, \"{i}.b.y0\": "     \
    "0.7}, \"endTime\": 2, " more "}"
#define FIXED "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}"
#define VARIABLE                                                               \
    "\"algorithm\": {\"type\": \"var-step\", \"size\": [1e-3, 0.3], "          \
    "\"initsize\": 0.1, \"constraints\": {\"c\": {\"type\": "                  \
    "\"boundeddifference\", \"ports\": [\"{i}.a.y\"], \"abstol\": 0.02, "      \
    "\"reltol\": 0.02}}}"

static struct stage *play(const char *json)
{
    struct stage *st = st_new();

    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    if (st_play(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
    return st;
}

static void same_rows(const char *one, const char *many)
{
    struct stage *a = play(one), *b = play(many);

    assert_int_equal(tt_run_threads(a->run).team.threads, 1);
    assert_int_equal(tt_run_threads(b->run).team.used, 2);
    assert_true(a->n_row > 8);
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, sizeof(a->row_t));
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
    assert_int_equal(tt_run_step_account(a->run).rejected,
                     tt_run_step_account(b->run).rejected);
    st_free(a);
    st_free(b);
}

#define TWO ", \"threads\": 2"

static void fixed_steps_are_the_same(void **state)
{
    (void)state;
    same_rows(RINGS(FIXED), RINGS(FIXED TWO));
    same_rows(RINGS(FIXED ", \"master\": \"gauss-seidel\""),
              RINGS(FIXED ", \"master\": \"gauss-seidel\"" TWO));
    same_rows(RINGS(FIXED ", \"approximation\": \"quadratic\""),
              RINGS(FIXED ", \"approximation\": \"quadratic\"" TWO));
}

static void repeated_steps_are_the_same(void **state)
{
    (void)state;
    same_rows(RINGS(FIXED ", \"iterate\": \"converged\""),
              RINGS(FIXED ", \"iterate\": \"converged\"" TWO));
    same_rows(RINGS(FIXED ", \"iterate\": \"converged\", \"acceleration\": "
                          "\"anderson\", \"approximation\": \"linear\""),
              RINGS(FIXED ", \"iterate\": \"converged\", \"acceleration\": "
                          "\"anderson\", \"approximation\": \"linear\"" TWO));
}

static void variable_steps_are_the_same(void **state)
{
    struct stage *st = play(RINGS(VARIABLE TWO));

    (void)state;
    assert_true(tt_run_step_account(st->run).rejected > 0);
    st_free(st);
    same_rows(RINGS(VARIABLE), RINGS(VARIABLE TWO));
}

/* --- how many ---------------------------------------------------------------
 */

static struct tt_run_threads threads_of(const char *json)
{
    struct stage *st = play(json);
    struct tt_run_threads t = tt_run_threads(st->run);

    st_free(st);
    return t;
}

static void one_thread_plays_unless_more_are_asked_for(void **state)
{
    struct tt_run_threads t = threads_of(RINGS(FIXED));

    (void)state;
    assert_int_equal(t.wanted, 1);
    assert_int_equal(t.team.threads, 1);
    t = threads_of(RINGS(FIXED ", \"parallelSimulation\": true"));
    assert_true(t.automatic);
    assert_int_equal(t.wanted, t.cores);
    t = threads_of(RINGS(FIXED ", \"threads\": \"auto\""));
    assert_true(t.automatic);
    t = threads_of(
        RINGS(FIXED ", \"parallelSimulation\": true, \"threads\": 1"));
    assert_false(t.automatic);
    assert_int_equal(t.team.threads, 1);
}

static void there_are_no_more_threads_than_units_could_use(void **state)
{
    (void)state;
    assert_int_equal(threads_of(RINGS(FIXED ", \"threads\": 64")).team.threads,
                     4);
    assert_int_equal(
        threads_of(RINGS(FIXED ", \"master\": \"gauss-seidel\", \"threads\": "
                               "64"))
            .team.threads,
        2);
}

static void a_run_that_fails_joins_its_threads(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_ERROR, .text = "no"}};
    struct tt_mock_spec bad = tt_mock_integrator;
    struct stage *st = st_new();

    (void)state;
    bad.cue = cue;
    bad.n_cue = 1;
    tt_mock_register("i", &bad);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_play(st, RINGS(FIXED ", \"threads\": 4")), TT_EUNIT);
    assert_string_equal(st->err.msg, "unit '{i}.a' (mock): step at t=0.2: no");
    assert_int_equal(st->n_row, 3);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_are_the_same),
        cmocka_unit_test(repeated_steps_are_the_same),
        cmocka_unit_test(variable_steps_are_the_same),
        cmocka_unit_test(one_thread_plays_unless_more_are_asked_for),
        cmocka_unit_test(there_are_no_more_threads_than_units_could_use),
        cmocka_unit_test(a_run_that_fails_joins_its_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
