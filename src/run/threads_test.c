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

static void same_rows(const char *one, const char *many)
{
    struct stage *a = st_played(one), *b = st_played(many);

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
    same_rows(ST_RINGS(ST_FIXED), ST_RINGS(ST_FIXED TWO));
    same_rows(ST_RINGS(ST_FIXED ", \"master\": \"gauss-seidel\""),
              ST_RINGS(ST_FIXED ", \"master\": \"gauss-seidel\"" TWO));
    same_rows(ST_RINGS(ST_FIXED ", \"quanta\": 0.05"),
              ST_RINGS(ST_FIXED ", \"quanta\": 0.05" TWO));
    same_rows(ST_RINGS(ST_FIXED ", \"approximation\": \"quadratic\""),
              ST_RINGS(ST_FIXED ", \"approximation\": \"quadratic\"" TWO));
}

static void repeated_steps_are_the_same(void **state)
{
    (void)state;
    same_rows(ST_RINGS(ST_FIXED ", \"iterate\": \"converged\""),
              ST_RINGS(ST_FIXED ", \"iterate\": \"converged\"" TWO));
    same_rows(
        ST_RINGS(ST_FIXED ", \"iterate\": \"converged\", \"acceleration\": "
                          "\"anderson\", \"approximation\": \"linear\""),
        ST_RINGS(ST_FIXED ", \"iterate\": \"converged\", \"acceleration\": "
                          "\"anderson\", \"approximation\": \"linear\"" TWO));
}

static void variable_steps_are_the_same(void **state)
{
    struct stage *st = st_played(ST_RINGS(ST_VARIABLE TWO));

    (void)state;
    assert_true(tt_run_step_account(st->run).rejected > 0);
    st_free(st);
    same_rows(ST_RINGS(ST_VARIABLE), ST_RINGS(ST_VARIABLE TWO));
}

/* --- how many ---------------------------------------------------------------
 */

static struct tt_run_threads threads_of(const char *json)
{
    struct stage *st = st_played(json);
    struct tt_run_threads t = tt_run_threads(st->run);

    st_free(st);
    return t;
}

static void one_thread_plays_unless_more_are_asked_for(void **state)
{
    struct tt_run_threads t = threads_of(ST_RINGS(ST_FIXED));

    (void)state;
    assert_int_equal(t.wanted, 1);
    assert_int_equal(t.team.threads, 1);
    t = threads_of(ST_RINGS(ST_FIXED ", \"parallelSimulation\": true"));
    assert_true(t.automatic);
    assert_int_equal(t.wanted, t.cores);
    t = threads_of(ST_RINGS(ST_FIXED ", \"threads\": \"auto\""));
    assert_true(t.automatic);
    t = threads_of(
        ST_RINGS(ST_FIXED ", \"parallelSimulation\": true, \"threads\": 1"));
    assert_false(t.automatic);
    assert_int_equal(t.team.threads, 1);
}

static void there_are_no_more_threads_than_units_could_use(void **state)
{
    (void)state;
    assert_int_equal(
        threads_of(ST_RINGS(ST_FIXED ", \"threads\": 64")).team.threads, 4);
    assert_int_equal(
        threads_of(ST_RINGS(ST_FIXED
                            ", \"master\": \"gauss-seidel\", \"threads\": "
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
    assert_int_equal(st_play(st, ST_RINGS(ST_FIXED ", \"threads\": 4")),
                     TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "instance '{i}.a' (mock): step at t=0.2: no");
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
