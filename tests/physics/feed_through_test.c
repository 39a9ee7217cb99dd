/* SPDX-License-Identifier: MIT */
/*
 * Loops of feed-through: every row holds the solution of its instant, however
 * the units are stepped, and what moves by it converges as ever.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define FOLDER TT_BUILD_DIR "/tests/"
#define AFFINE "\"" FOLDER "units/affine.fmu\""
#define MSD2   "\"" TT_BUILD_DIR "/examples/double-mass-spring-damper/msd2.fmu\""
#define STEPS  "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}, "
#define TO_ONE "\"startTime\": 0, \"endTime\": 1}"

static const char *put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* ya = 2 yb + s, yb = ya + 0.5, s = 1.84 - t. */
#define A_OF(unit) "\"" unit ".g\": 2, \"" unit ".s\": 1.84, \"" unit ".r\": -1"
#define B_OF(unit) "\"" unit ".g\": 1, \"" unit ".s\": 0.5"
#define LOOP(more)                                                             \
    "{\"fmus\": {\"{a}\": " AFFINE ", \"{b}\": " AFFINE "}, "                  \
    "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"], "                           \
    "\"{b}.b.y\": [\"{a}.a.u\"]}, "                                            \
    "\"parameters\": {" A_OF("{a}.a") ", " B_OF("{b}.b") "}, " more TO_ONE

static void expect_solution(const struct play *p, const char *ya,
                            const char *yb)
{
    tt_table *t = play(p);
    const double *time = tt_table_time(t), *a = column(t, ya),
                 *b = column(t, yb);

    assert_true(tt_table_rows(t) >= 6);
    for (size_t k = 0; k < tt_table_rows(t); k++) {
        assert_near(a[k], -(1.84 - time[k] + 1), 1e-9);
        assert_near(b[k], a[k] + 0.5, 1e-9);
    }
    tt_table_free(t);
}

#define VARIABLE                                                               \
    "\"algorithm\": {\"type\": \"var-step\", \"size\": [0.001, 0.3], "         \
    "\"initsize\": 0.01, \"constraints\": {\"bound\": {\"type\": "             \
    "\"boundeddifference\", \"ports\": [\"{a}.a.y\"], \"order\": 1, "          \
    "\"abstol\": 0.2}}}, "

static void every_row_holds_the_solution(void **state)
{
    static const struct {
        const char *text, *options[4];
    } with[] = {
        {LOOP(STEPS), {NULL}},
        {LOOP(STEPS), {"--master", "gauss-seidel"}},
        {LOOP(STEPS), {"--threads", "2"}},
        {LOOP(STEPS), {"--isolate"}},
        {LOOP(STEPS), {"--approximation", "linear"}},
        {LOOP(STEPS), {"--iterate", "2"}},
        {LOOP(STEPS), {"--iterate", "2", "--approximation", "linear"}},
        {LOOP(STEPS), {"--tolerance", "1e-3"}},
        {LOOP(VARIABLE), {NULL}},
        {LOOP(VARIABLE), {"--master", "gauss-seidel"}},
        {LOOP(STEPS "\"rates\": {\"{a}.a\": 3}, "), {NULL}},
        {LOOP(STEPS "\"rates\": {\"{a}.a\": 3, \"{b}.b\": 3}, "), {NULL}},
        {LOOP(STEPS "\"rates\": {\"{a}.a\": 3, \"{b}.b\": 3}, "),
         {"--master", "gauss-seidel", "--threads", "2"}},
        {LOOP(STEPS "\"rates\": {\"{a}.a\": 3, \"{b}.b\": 2}, "), {NULL}},
        {LOOP(STEPS "\"reactivity\": {\"{a}.a.u\": \"reactive\"}, "), {NULL}},
        {LOOP(STEPS "\"reactivity\": {\"{a}.a.u\": \"delayed\"}, "), {NULL}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
        struct play p = {.scenario =
                             put(FOLDER "feed-through.json", with[i].text)};

        for (int k = 0; k < 4; k++)
            p.options[k] = with[i].options[k];
        expect_solution(&p, "{a}.a.y", "{b}.b.y");
    }
}

/* One of the two inside another scenario, and both. */
static void through_composites_and_inside_them(void **state)
{
    (void)state;
    put(FOLDER "feed-inner.json",
        "{\"fmus\": {\"{a}\": " AFFINE "}, \"ports\": {\"inputs\": {\"u\": "
        "\"{a}.a.u\"}, \"outputs\": {\"y\": \"{a}.a.y\"}}, \"connections\": "
        "{}, \"parameters\": {" A_OF(
            "{a}.a") "}, \"algorithm\": {\"type\": "
                     "\"fixed-step\", \"size\": 0.05}, " TO_ONE);
    put(FOLDER "feed-outer.json",
        "{\"fmus\": {\"{c}\": \"feed-inner.json\", \"{b}\": " AFFINE "}, "
        "\"connections\": {\"{c}.c.y\": [\"{b}.b.u\"], \"{b}.b.y\": "
        "[\"{c}.c.u\"]}, \"parameters\": {" B_OF("{b}.b") "}, " STEPS TO_ONE);
    expect_solution(&(struct play){.scenario = FOLDER "feed-outer.json"},
                    "{c}.c.y", "{b}.b.y");
    put(FOLDER "feed-inner.json",
        LOOP("\"ports\": {\"outputs\": {\"ya\": \"{a}.a.y\", \"yb\": "
             "\"{b}.b.y\"}}, \"algorithm\": {\"type\": \"fixed-step\", "
             "\"size\": 0.05}, "));
    put(FOLDER "feed-outer.json",
        "{\"fmus\": {\"{c}\": \"feed-inner.json\"}, \"instances\": {\"{c}\": "
        "[\"c\"]}, \"connections\": {}, " STEPS TO_ONE);
    expect_solution(&(struct play){.scenario = FOLDER "feed-outer.json"},
                    "{c}.c.ya", "{c}.c.yb");
}

/* F = x2 - x1 + v2 - v1, v1 = 3 F, and x1 = t from outside the loop: in one
 * scenario, and with the loop in another one, whose inputs are set after its
 * step. */
#define DAMPED       "\"{m}\": " MSD2 ", \"{g}\": " AFFINE
#define DAMPED_WIRES "\"{m}.m.F\": [\"{g}.g.u\"], \"{g}.g.y\": [\"{m}.m.v1\"]"
#define RAMP         "\"{t}.t.r\": 1"

static void expect_force(const char *scenario, const char *x1, const char *f,
                         const char *x2, const char *v2)
{
    tt_table *t = play(&(struct play){.scenario = scenario});
    const double *at[] = {column(t, x1), column(t, f), column(t, x2),
                          column(t, v2)};

    assert_int_equal(tt_table_rows(t), 11);
    for (size_t k = 0; k < 11; k++) {
        assert_near(at[0][k], 0.1 * (double)k, 1e-12);
        assert_near(4 * at[1][k], at[2][k] - at[0][k] + at[3][k], 1e-9);
    }
    assert_true(fabs(at[1][10]) > 0.01);
    tt_table_free(t);
}

static void a_loop_follows_what_comes_from_outside(void **state)
{
    (void)state;
    put(FOLDER "feed-outer.json",
        "{\"fmus\": {" DAMPED ", \"{t}\": " AFFINE "}, \"connections\": "
        "{" DAMPED_WIRES ", \"{t}.t.y\": [\"{m}.m.x1\"]}, \"parameters\": "
        "{\"{g}.g.g\": 3, " RAMP "}, \"logVariables\": {\"{m}.m\": [\"x2\", "
        "\"v2\"]}, " STEPS TO_ONE);
    expect_force(FOLDER "feed-outer.json", "{t}.t.y", "{m}.m.F", "{m}.m.x2",
                 "{m}.m.v2");
    put(FOLDER "feed-inner.json",
        "{\"fmus\": {" DAMPED "}, \"connections\": {" DAMPED_WIRES
        "}, \"ports\": {\"inputs\": {\"x1\": \"{m}.m.x1\"}, \"outputs\": "
        "{\"F\": \"{m}.m.F\", \"x2\": \"{m}.m.x2\", \"v2\": \"{m}.m.v2\"}}, "
        "\"parameters\": {\"{g}.g.g\": 3}, \"algorithm\": {\"type\": "
        "\"fixed-step\", \"size\": 0.05}, " TO_ONE);
    put(FOLDER "feed-outer.json",
        "{\"fmus\": {\"{c}\": \"feed-inner.json\", \"{t}\": " AFFINE "}, "
        "\"connections\": {\"{t}.t.y\": [\"{c}.c.x1\"]}, \"parameters\": "
        "{" RAMP
        "}, \"logVariables\": {\"{c}.c\": [\"F\", \"x2\", \"v2\"]}, " STEPS
            TO_ONE);
    expect_force(FOLDER "feed-outer.json", "{t}.t.y", "{c}.c.F", "{c}.c.x2",
                 "{c}.c.v2");
}

/* ya = 2 yb + x, yb = ya + 0.5, x' = yb: x' = -(x + 0.5), and with held inputs
 * of order 1. */
static double error_at(double h)
{
    tt_table *t = play(&(struct play){
        .scenario =
            put(FOLDER "feed-through.json",
                "{\"fmus\": {\"{a}\": " AFFINE ", \"{b}\": " AFFINE
                "}, \"connections\": {\"{a}.a.y\": [\"{b}.b.u\"], "
                "\"{b}.b.y\": [\"{a}.a.u\"]}, \"parameters\": "
                "{\"{a}.a.g\": 2, \"{a}.a.b\": 1, \"{a}.a.x\": 1, "
                "\"{b}.b.g\": 1, \"{b}.b.s\": 0.5}, "
                "\"logVariables\": {\"{a}.a\": [\"x\"]}, " STEPS TO_ONE),
        .step = h});
    const double *x = column(t, "{a}.a.x"), *y = column(t, "{a}.a.y");
    size_t last = tt_table_rows(t) - 1;
    double error = fabs(x[last] - (-0.5 + 1.5 * exp(-1)));

    for (size_t k = 0; k <= last; k++)
        assert_near(y[k], -(x[k] + 1), 1e-9);
    tt_table_free(t);
    return error;
}

static void what_moves_by_it_converges_as_ever(void **state)
{
    (void)state;
    assert_near(observed_order(error_at(0.02), error_at(0.01)), 1, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_holds_the_solution),
        cmocka_unit_test(through_composites_and_inside_them),
        cmocka_unit_test(a_loop_follows_what_comes_from_outside),
        cmocka_unit_test(what_moves_by_it_converges_as_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
