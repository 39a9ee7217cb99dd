/* SPDX-License-Identifier: MIT */
/* Consistent first values where units depend on each other at one instant. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "run/testing.h"

/* y = f(u): what f is comes with the spec. */
typedef double (*curve)(double u);

static double expands(double u)
{
    return 5 - 3 * u; /* with itself: u = 5/4 */
}

static double cosine(double u)
{
    return cos(u);
}

static double root(double u)
{
    return 3 - sqrt(u); /* NaN for what Newton would try below zero */
}

static double no_solution(double u)
{
    return u + 1;
}

static double never_a_number(double u)
{
    return u * (double)NAN;
}

struct shape {
    curve f;
};

static void outputs(const struct tt_mock_view *v)
{
    const struct shape *s = v->ctx;

    *tt_mock_f64(v, 1) = s->f(*tt_mock_f64(v, 0));
}

static const struct tt_mock_port declared[] = {
    {.name = "u", .causality = TT_CAUS_INPUT},
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = "u"},
};
static const struct tt_mock_port silent[] = {
    {.name = "u", .causality = TT_CAUS_INPUT},
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = NULL},
};

static struct tt_mock_spec unit(const struct tt_mock_port *port,
                                const struct shape *s, int directional)
{
    return (struct tt_mock_spec){
        .model = "curve",
        .port = port,
        .n_port = 2,
        .ctx = s,
        .caps = {.evaluates = TT_EVAL_ALWAYS, .directional = directional},
        .behaviour = {.outputs = outputs}};
}

#define FIXED                                                                  \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "  \
    "1}"
#define ITSELF(more)                                                           \
    "{\"fmus\": {\"{c}\": \"c\"}, \"connections\": {\"{c}.a.y\": "             \
    "[\"{c}.a.u\"]}" more FIXED
#define EACH_OTHER(more)                                                       \
    "{\"fmus\": {\"{c}\": \"c\"}, \"connections\": {\"{c}.a.y\": "             \
    "[\"{c}.b.u\"], \"{c}.b.y\": [\"{c}.a.u\"]}" more FIXED
#define TIGHT                                                                  \
    ", \"iteration\": {\"absoluteTolerance\": 1e-12, "                         \
    "\"relativeTolerance\": 1e-12}"

/* The first row's first value: the output fed back to itself. */
static double first_value(curve f, const struct tt_mock_port *port,
                          int directional, int *derivatives)
{
    const struct shape shape = {f};
    struct stage *st = st_new();
    struct tt_mock_spec c = unit(port, &shape, directional);
    double y;

    c.tape = &st->tape;
    tt_mock_register("c", &c);
    if (st_play(st, ITSELF(TIGHT)) != TT_OK)
        fail_msg("%s", st->err.msg);
    y = st->row_v[0][0];
    if (derivatives)
        *derivatives = strstr(st->tape.data, "jvp") != NULL;
    st_free(st);
    return y;
}

static void an_expanding_loop_is_solved_by_newton(void **state)
{
    int derivatives;

    (void)state;
    assert_true(fabs(first_value(expands, declared, 1, &derivatives) - 1.25) <
                1e-12);
    assert_true(derivatives);
    assert_true(fabs(first_value(expands, declared, 0, &derivatives) - 1.25) <
                1e-12);
    assert_false(derivatives);
}

static void curved_loops_are_solved(void **state)
{
    (void)state;
    assert_true(fabs(first_value(cosine, declared, 1, NULL) -
                     0.73908513321516064) < 1e-12);
    assert_true(fabs(first_value(cosine, declared, 0, NULL) -
                     0.73908513321516064) < 1e-12);
    /* u = 3 - sqrt(u): sqrt(u) = (sqrt(13) - 1) / 2 */
    assert_true(fabs(first_value(root, declared, 0, NULL) -
                     pow((sqrt(13) - 1) / 2, 2)) < 1e-11);
}

/* The loop is not declared; it is found and solved all the same. */
static void silent_units_are_solved_too(void **state)
{
    (void)state;
    assert_true(fabs(first_value(expands, silent, 0, NULL) - 1.25) < 1e-12);
}

static void a_declared_loop_without_solution_is_named(void **state)
{
    const struct shape shape = {no_solution};
    struct tt_mock_spec c = unit(declared, &shape, 1);
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("c", &c);
    assert_int_equal(st_play(st, EACH_OTHER("")), TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "initialisation: the loop of {c}.a.y (off by 2) did "
                        "not converge in 108 evaluations (fixed point, then "
                        "newton) at t=0");
    assert_int_equal(st->n_row, 0);
    st_free(st);
}

static void a_loop_of_nan_is_named(void **state)
{
    const struct shape shape = {never_a_number};
    struct tt_mock_spec c = unit(declared, &shape, 0);
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("c", &c);
    assert_int_equal(st_play(st, ITSELF("")), TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "initialisation: the loop of {c}.a.y (off by nan) gave "
                        "NaN after 4 evaluations (fixed point, then newton) "
                        "at t=0");
    st_free(st);
}

/* Where no unit declares a loop, what does not settle is taken as it is. */
static void silent_units_that_never_settle_are_taken_as_they_are(void **state)
{
    const struct shape shape = {no_solution};
    struct tt_mock_spec c = unit(silent, &shape, 0);
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("c", &c);
    assert_int_equal(st_play(st, EACH_OTHER("")), TT_OK);
    assert_non_null(strstr(st->logged.data,
                           "warning: initialisation: values that may depend on "
                           "each other did not settle; the last ones are "
                           "taken\n"));
    assert_int_equal(tt_run_stats(st->run).unconverged, 0);
    st_free(st);
}

static void a_derivative_that_fails_is_reported(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_JVP, .nth = 1, .act = TT_MOCK_ERROR, .text = "no"}};
    const struct shape shape = {expands};
    struct tt_mock_spec c = unit(declared, &shape, 1);
    struct stage *st = st_new();

    (void)state;
    c.cue = cue;
    c.n_cue = 1;
    tt_mock_register("c", &c);
    assert_int_equal(st_play(st, ITSELF("")), TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "initialisation: instance '{c}.a' (mock): jvp: no");
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expanding_loop_is_solved_by_newton),
        cmocka_unit_test(curved_loops_are_solved),
        cmocka_unit_test(silent_units_are_solved_too),
        cmocka_unit_test(a_declared_loop_without_solution_is_named),
        cmocka_unit_test(a_loop_of_nan_is_named),
        cmocka_unit_test(silent_units_that_never_settle_are_taken_as_they_are),
        cmocka_unit_test(a_derivative_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
