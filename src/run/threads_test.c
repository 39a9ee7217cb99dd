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
#include "run/run_impl.h"
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

/* --- discrete events -------------------------------------------------------
 */

#define LINES 4

/* Lines that are not connected: times of the first two are equal but for
 * rounding at every third event of one, those of the others are drawn. */
static struct stage *lines(const char *more)
{
    struct stage *st = st_new();
    struct tt_buf json;

    tt_buf_init(&json, 1 << 16);
    tt_buf_str(&json, "{\"fmus\": {\"{g}\": \"tutti:generator\", \"{s}\": "
                      "\"tutti:server\", \"{c}\": \"tutti:delay\"}, "
                      "\"instances\": {\"{g}\": [\"0\", \"1\", \"2\", "
                      "\"3\"], \"{s}\": [\"0\", \"1\", \"2\", \"3\"], "
                      "\"{c}\": [\"0\", \"1\", \"2\", \"3\"]}, "
                      "\"parameters\": {\"{g}.0.distribution\": "
                      "\"constant\", \"{g}.0.mean\": 0.1, "
                      "\"{g}.1.distribution\": \"constant\", "
                      "\"{g}.1.mean\": 0.3}, \"connections\": {");
    for (int i = 0; i < LINES; i++)
        tt_buf_fmt(&json,
                   "%s\"{g}.%d.out\": [\"{s}.%d.in\"], \"{s}.%d.out\": "
                   "[\"{c}.%d.in\"]",
                   i ? ", " : "", i, i, i, i);
    tt_buf_fmt(&json, "}, \"record\": [\"{c}.0.out\"], \"endTime\": 40%s}",
               more);
    st_begin_unseen(st, json.data);
    tt_buf_fini(&json);
    return st;
}

static void same_values(struct stage *a, struct stage *b, uint32_t unit)
{
    const struct tt_desc *d = a->run->plan->unit[unit].desc;
    double x = 0, y = 0;

    for (uint32_t i = 0; i < d->n_port; i++) {
        if (d->port[i].type != TT_F64)
            continue;
        assert_int_equal(tt_run_get(a->run, unit, i, &x, &a->err), TT_OK);
        assert_int_equal(tt_run_get(b->run, unit, i, &y, &b->err), TT_OK);
        if (x != y)
            fail_msg("%s.%s: %g, not %g", a->run->plan->unit[unit].name,
                     d->port[i].name, y, x);
    }
    assert_true(a->run->unit[unit]->now == b->run->unit[unit]->now);
}

/* Looked at after so many steps each time, units are where they are when one
 * thread plays, although some had events ahead. */
static void same_events(const char *more, int steps)
{
    struct stage *a = lines(""), *b = lines(more);

    for (int k = 0; k < 300; k++) {
        assert_int_equal(tt_run_step(a->run, &a->err), TT_OK);
        assert_int_equal(tt_run_step(b->run, &b->err), TT_OK);
        assert_true(a->run->agenda->t == b->run->agenda->t);
        for (uint32_t u = 0; u < 3 * LINES && k % steps == 0; u++)
            same_values(a, b, u);
    }
    assert_int_equal(tt_run_threads(b->run).team.used, 2);
    assert_true(tt_run_threads(b->run).team.ahead > 0);
    assert_int_equal(tt_run_threads(a->run).team.ahead, 0);
    st_free(a);
    st_free(b);
}

static void discrete_events_are_the_same(void **state)
{
    (void)state;
    same_events(TWO, 1);
    same_events(TWO, 7);
    same_events(TWO, 100);
    same_events(TWO ", \"events\": {\"ties\": \"sequential\"}", 100);
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
        cmocka_unit_test(discrete_events_are_the_same),
        cmocka_unit_test(one_thread_plays_unless_more_are_asked_for),
        cmocka_unit_test(there_are_no_more_threads_than_units_could_use),
        cmocka_unit_test(a_run_that_fails_joins_its_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
