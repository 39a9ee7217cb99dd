/* SPDX-License-Identifier: MIT */
/* Iterated masters on mocks, against the methods they are on paper. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/testing.h"

/* x' = -v, v' = x, by integrators x and v and a gain m of k */
#define CIRCLE(extra, k)                                                       \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.x.y\": [\"{i}.v.u\"], \"{i}.v.y\": [\"{g}.m.u\"], \"{g}.m.y\": "   \
    "[\"{i}.x.u\"]}, \"parameters\": {\"{g}.m.k\": " k                         \
    ", \"{i}.x.y0\": 1}" extra                                                 \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.25}, "            \
    "\"endTime\": 1}"

static struct stage *circle(void)
{
    struct stage *st = st_new();

    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    return st;
}

/* Backward Euler: x' = x + h (-v'), v' = v + h x'. */
static void converged_hold_is_backward_euler(void **state)
{
    struct stage *st = circle();
    double x = 1, v = 0, h = 0.25;

    (void)state;
    assert_int_equal(st_play(st, CIRCLE(", \"iterate\": \"converged\"", "-1")),
                     TT_OK);
    for (int n = 0; n < 4; n++) {
        x = (x - h * v) / (1 + h * h);
        v += h * x;
        assert_true(fabs(st->row_v[n + 1][0] - x) < 1e-9);
        assert_true(fabs(st->row_v[n + 1][1] - v) < 1e-9);
    }
    st_free(st);
}

/* Trapezoidal rule. */
static void converged_linear_is_the_trapezoidal_rule(void **state)
{
    struct stage *st = circle();
    double x = 1, v = 0, a = 0.125;

    (void)state;
    assert_int_equal(st_play(st, CIRCLE(", \"iterate\": \"converged\", "
                                        "\"approximation\": \"linear\"",
                                        "-1")),
                     TT_OK);
    for (int n = 0; n < 4; n++) {
        double nx = ((1 - a * a) * x - 2 * a * v) / (1 + a * a);

        v += a * (x + nx);
        x = nx;
        assert_true(fabs(st->row_v[n + 1][0] - x) < 1e-9);
        assert_true(fabs(st->row_v[n + 1][1] - v) < 1e-9);
    }
    st_free(st);
}

static void every_master_and_acceleration_finds_the_same(void **state)
{
    static const char *const accel[] = {"none", "relax", "aitken", "anderson",
                                        "newton"};
    static const char *const master[] = {"jacobi", "gauss-seidel"};
    double first = 0;

    (void)state;
    for (int i = 0; i < 10; i++) {
        struct stage *st = circle();
        char extra[256], json[1024];

        snprintf(extra, sizeof(extra),
                 ", \"iterate\": \"converged\", \"acceleration\": \"%s\", "
                 "\"master\": \"%s\"",
                 accel[i / 2], master[i % 2]);
        snprintf(json, sizeof(json), CIRCLE("%s", "-1"), extra);
        assert_int_equal(st_play(st, json), TT_OK);
        if (i == 0)
            first = st->row_v[4][0];
        assert_true(fabs(st->row_v[4][0] - first) < 1e-8);
        st_free(st);
    }
}

/* The trapezoidal rule once, then Adams and Bashforth of two steps, which has
 * two points then. */
static void only_the_first_step_is_repeated(void **state)
{
    struct stage *st = circle();
    double x[5] = {1}, v[5] = {0}, h = 0.25, a = h / 2;

    (void)state;
    assert_int_equal(
        st_play(st, CIRCLE(", \"start\": \"iterate\", \"approximation\": "
                           "\"linear\", \"iteration\": "
                           "{\"absoluteTolerance\": 1e-14, "
                           "\"relativeTolerance\": 0}",
                           "-1")),
        TT_OK);
    x[1] = ((1 - a * a) * x[0] - h * v[0]) / (1 + a * a);
    v[1] = v[0] + a * (x[0] + x[1]);
    for (int n = 1; n < 4; n++) {
        x[n + 1] = x[n] - h * (1.5 * v[n] - 0.5 * v[n - 1]);
        v[n + 1] = v[n] + h * (1.5 * x[n] - 0.5 * x[n - 1]);
    }
    for (int n = 1; n <= 4; n++) {
        assert_true(fabs(st->row_v[n][0] - x[n]) < 1e-12);
        assert_true(fabs(st->row_v[n][1] - v[n]) < 1e-12);
    }
    assert_true(tt_run_stats(st->run).evaluations > 2);
    st_free(st);
}

/* "iterate" is about every step. */
static void iterate_wins_over_start(void **state)
{
    struct stage *a = circle(), *b;

    (void)state;
    assert_int_equal(st_play(a, CIRCLE(", \"start\": \"iterate\", "
                                       "\"iterate\": \"converged\"",
                                       "-1")),
                     TT_OK);
    b = circle();
    assert_int_equal(st_play(b, CIRCLE(", \"iterate\": \"converged\"", "-1")),
                     TT_OK);
    for (int n = 0; n <= 4; n++)
        assert_true(a->row_v[n][0] == b->row_v[n][0]);
    st_free(a);
    st_free(b);
}

static void one_turn_is_no_iteration(void **state)
{
    struct stage *a = circle(), *b;

    (void)state;
    assert_int_equal(st_play(a, CIRCLE("", "-1")), TT_OK);
    b = circle();
    assert_int_equal(st_play(b, CIRCLE(", \"iterate\": 1", "-1")), TT_OK);
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
    st_free(a);
    st_free(b);
}

/* Two turns: the second uses the end values of the first. */
static void two_turns_correct_once(void **state)
{
    struct stage *st = circle();
    double h = 0.25;

    (void)state;
    assert_int_equal(st_play(st, CIRCLE(", \"iterate\": 2", "-1")), TT_OK);
    /* first turn: x = 1, v = 0.25; second: x = 1 - h 0.25, v = h 1 */
    assert_true(fabs(st->row_v[1][0] - (1 - h * 0.25)) < 1e-14);
    assert_true(fabs(st->row_v[1][1] - h) < 1e-14);
    st_free(st);
}

static void a_loop_that_expands_is_named(void **state)
{
    struct stage *st = circle();

    (void)state;
    assert_int_equal(
        st_play(st, CIRCLE(", \"iterate\": \"converged\", \"iteration\": "
                           "{\"maximum\": 20}",
                           "-500")),
        TT_EUNIT);
    assert_non_null(strstr(st->err.msg, "the loop of {g}.m.y (off by "));
    assert_non_null(strstr(st->err.msg, "), {i}.x.y (off by "));
    assert_non_null(strstr(st->err.msg, ") did not converge in 20 evaluations "
                                        "(none) at t=0.25"));
    assert_int_equal(st->n_row, 1);
    st_free(st);
}

static void newton_solves_what_substitution_cannot(void **state)
{
    struct stage *st = circle();

    (void)state;
    assert_int_equal(
        st_play(st, CIRCLE(", \"iterate\": \"converged\", \"acceleration\": "
                           "\"newton\"",
                           "-500")),
        TT_OK);
    /* backward Euler of x'' = -500 x: x = 1 / (1 + 500 h^2) */
    assert_true(fabs(st->row_v[1][0] - 1 / (1 + 500 * 0.0625)) < 1e-9);
    st_free(st);
}

static void unconverged_steps_can_be_accepted_and_are_counted(void **state)
{
    struct stage *st = circle();

    (void)state;
    assert_int_equal(
        st_play(st, CIRCLE(", \"iterate\": \"converged\", \"iteration\": "
                           "{\"maximum\": 2, \"unconverged\": \"accept\"}",
                           "-1")),
        TT_OK);
    assert_int_equal(tt_run_stats(st->run).unconverged, 4);
    assert_int_equal(tt_run_stats(st->run).evaluations, 8);
    assert_non_null(
        strstr(st->logged.data,
               "warning: 4 of 4 steps were accepted although the instances did "
               "not agree within the tolerance\n"));
    st_free(st);
}

static void a_unit_that_cannot_go_back_is_not_repeated(void **state)
{
    struct stage *st = circle();
    struct tt_mock_spec stuck = tt_mock_gain;

    (void)state;
    stuck.caps.save = stuck.caps.serialise = 0;
    tt_mock_register("g", &stuck);
    assert_int_equal(st_load(st, CIRCLE(", \"iterate\": \"converged\"", "-1")),
                     TT_EINPUT);
    assert_string_equal(st->err.msg,
                        "a step cannot be repeated: instance '{g}.m' (mock) "
                        "cannot save and restore its state");
    st_free(st);
}

/* a and b feed each other; c only listens, and cannot go back. */
static void only_loops_are_repeated_when_asked(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec i = tt_mock_integrator, once = tt_mock_gain;
    struct tt_mock_spec neg = tt_mock_gain;

    (void)state;
    once.caps.save = once.caps.serialise = 0;
    once.tape = &st->tape;
    tt_mock_register("i", &i);
    tt_mock_register("n", &neg);
    tt_mock_register("c", &once);
    assert_string_equal(
        st_step_tape(
            st,
            "{\"fmus\": {\"{i}\": \"i\", \"{n}\": \"n\", \"{c}\": \"c\"}, "
            "\"connections\": {\"{i}.a.y\": [\"{n}.b.u\", \"{c}.c.u\"], "
            "\"{n}.b.y\": [\"{i}.a.u\"]}, \"parameters\": {\"{n}.b.k\": -1, "
            "\"{i}.a.y0\": 1}, "
            "\"iterate\": \"converged\", \"iteration\": {\"scope\": "
            "\"loops\"}, \"algorithm\": {\"type\": \"fixed-step\", \"size\": "
            "0.5}, \"endTime\": 2}",
            1),
        "c.set u; c.step 0.5");
    assert_true(tt_run_stats(st->run).evaluations > 2);
    st_free(st);
}

/* Symplectic Euler: v' = v + h x from the beginning of the step, and then
 * x' = x + h (-v'). Without v's input there is no circle within the step. */
static void a_delayed_input_is_not_guessed(void **state)
{
    static const char *const scope[] = {"all", "loops"};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct stage *st = circle();
        double x = 1, v = 0, h = 0.25;
        char json[1024];

        snprintf(json, sizeof(json),
                 CIRCLE(", \"iterate\": \"converged\", \"iteration\": "
                        "{\"scope\": \"%s\"}, \"reactivity\": "
                        "{\"{i}.v.u\": \"delayed\"}",
                        "-1"),
                 scope[k]);
        if (st_play(st, json) != TT_OK)
            fail_msg("%s", st->err.msg);
        for (int n = 0; n < 4; n++) {
            v += h * x;
            x -= h * v;
            assert_true(fabs(st->row_v[n + 1][0] - x) < 1e-9);
            assert_true(fabs(st->row_v[n + 1][1] - v) < 1e-9);
        }
        assert_int_equal(tt_run_stats(st->run).evaluations > 0, k == 0);
        st_free(st);
    }
}

static void iterating_allocates_nothing(void **state)
{
    struct stage *st = circle();

    (void)state;
    assert_int_equal(st_load(st, CIRCLE(", \"iterate\": \"converged\", "
                                        "\"acceleration\": \"anderson\"",
                                        "-1")),
                     TT_OK);
    assert_int_equal(st_allocations(st), 0);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converged_hold_is_backward_euler),
        cmocka_unit_test(converged_linear_is_the_trapezoidal_rule),
        cmocka_unit_test(every_master_and_acceleration_finds_the_same),
        cmocka_unit_test(only_the_first_step_is_repeated),
        cmocka_unit_test(iterate_wins_over_start),
        cmocka_unit_test(one_turn_is_no_iteration),
        cmocka_unit_test(two_turns_correct_once),
        cmocka_unit_test(a_loop_that_expands_is_named),
        cmocka_unit_test(newton_solves_what_substitution_cannot),
        cmocka_unit_test(unconverged_steps_can_be_accepted_and_are_counted),
        cmocka_unit_test(a_unit_that_cannot_go_back_is_not_repeated),
        cmocka_unit_test(only_loops_are_repeated_when_asked),
        cmocka_unit_test(a_delayed_input_is_not_guessed),
        cmocka_unit_test(iterating_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
