/* SPDX-License-Identifier: MIT */
/* Whole runs with approximated inputs: orders, and steps that fail on the
 * way. */
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

/* x' = v, v' = x from x = 1, v = 0: x = cosh t, v = sinh t. Only states are
 * exchanged, so that derivatives are known. */
#define GROWTH                                                                 \
    "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.x.y\": "             \
    "[\"{i}.v.u\"], \"{i}.v.y\": [\"{i}.x.u\"]}, \"parameters\": "             \
    "{\"{i}.x.y0\": 1}, \"approximation\": \"%s\", \"algorithm\": {\"type\": " \
    "\"fixed-step\", \"size\": %s}, \"endTime\": 0.75}"

static double error_at_end(const char *way, const char *size)
{
    struct stage *st = st_new();
    char json[1024];
    double e;

    tt_mock_register("i", &tt_mock_integrator);
    snprintf(json, sizeof(json), GROWTH, way, size);
    if (st_play(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
    e = fabs(st->row_v[st->n_row - 1][0] - cosh(0.75));
    st_free(st);
    return e;
}

static void each_approximation_has_its_order(void **state)
{
    static const struct {
        const char *way;
        double order;
    } of[] = {{"hold", 1},
              {"linear", 2},
              {"hermite", 3}, /* 4, but for the first step's tangent */
              {"extrapolated-interpolation", 1},
              {"linear-extrapolated-interpolation", 2}};

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        double e1 = error_at_end(of[i].way, "0.03125");
        double e2 = error_at_end(of[i].way, "0.015625");

        if (fabs(log2(e1 / e2) - of[i].order) > 0.1)
            fail_msg("%s: order %f", of[i].way, log2(e1 / e2));
    }
}

/* The first step, which is held, leaves H^2; the rest is less than that of
 * lines. The end of the run states how far predictions were off. */
static void a_model_is_no_worse_than_lines(void **state)
{
    struct stage *st = st_new();
    double e1 = error_at_end("model", "0.03125");
    double e2 = error_at_end("model", "0.015625");
    char json[1024];

    (void)state;
    assert_true(log2(e1 / e2) > 1.9);
    assert_true(e2 < error_at_end("linear", "0.015625"));
    tt_mock_register("i", &tt_mock_integrator);
    snprintf(json, sizeof(json), GROWTH, "model", "0.25");
    assert_int_equal(st_play(st, json), TT_OK);
    assert_non_null(strstr(st->logged.data,
                           "note: prediction: {i}.x.u: a line in 67 %, "
                           "held in 33 % of the steps; it missed by "));
    st_free(st);
}

/* x' = v - x / 2 instead: not a mere integral, so that sampling shows. Its
 * growth rate solves (s + 1/2)^2 = 1. */
static void leaky(const struct tt_mock_view *v, double *dx)
{
    dx[0] = *tt_mock_f64(v, TT_MOCK_INTEGRATOR_U) - v->x[0] / 2;
}

/* x = (e^{t/2} + e^{-3t/2}) / 2 */
static double leaky_error(uint32_t course_order, const char *size)
{
    struct tt_mock_spec spec = tt_mock_integrator;
    struct stage *st = st_new();
    char json[1024];
    double e;

    spec.behaviour.derivative = leaky;
    spec.caps.course_order = course_order;
    spec.sub_steps = 4;
    tt_mock_register("i", &spec);
    snprintf(json, sizeof(json), GROWTH, "linear", size);
    if (st_play(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
    assert_non_null(strstr(st->logged.data,
                           course_order
                               ? "note: approximation: {i}.v.u: linear, taken "
                                 "exactly by its instance\n"
                               : "note: approximation: {i}.v.u: linear, by 2 "
                                 "sub-steps\n"));
    e = fabs(st->row_v[st->n_row - 1][0] - (exp(0.375) + exp(-1.125)) / 2);
    st_free(st);
    return e;
}

static void sub_stepped_units_reach_the_order_of_those_that_can(void **state)
{
    double e1 = leaky_error(0, "0.03125"), e2 = leaky_error(0, "0.015625");

    (void)state;
    assert_true(fabs(log2(e1 / e2) - 2) < 0.05);
    assert_true(fabs(e2 / leaky_error(1, "0.015625") - 1) < 0.05);
}

/* --- steps that fail on the way ------------------------------------------ */

/* a: y = t. b sums it linearly: exactly, but for each fresh start, whose step
 * of length h holds y and so misses h^2 / 2. */
#define RAMP                                                                   \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"connections\": "           \
    "{\"{a}.a.y\": [\"{b}.b.u\"]}, \"parameters\": {\"{a}.a.u\": 1}, "         \
    "\"logVariables\": {\"{b}.b\": [\"y\"]}, \"approximation\": \"linear\", "  \
    "\"algorithm\": {\"type\": \"var-step\", \"size\": [0.01, 0.5], "          \
    "\"initsize\": 0.125}, \"endTime\": 3}"

/* Plays it; fresh is the instant besides 0 from which all starts anew, if it
 * is one. */
static void ramp_is_summed(struct stage *st, double fresh)
{
    double missing = 0;
    int met = 0;

    if (st_play(st, RAMP) != TT_OK)
        fail_msg("%s", st->err.msg);
    for (uint32_t n = 0; n + 1 < st->n_row; n++) {
        double t = st->row_t[n], h = st->row_t[n + 1] - t;

        if (n == 0 || t == fresh)
            missing += h * h / 2;
        met |= t == fresh;
        t += h;
        assert_true(fabs(st->row_v[n + 1][1] - (t * t / 2 - missing)) < 1e-12);
    }
    assert_true(met || fresh < 0);
    assert_true(st->row_t[st->n_row - 1] == 3);
}

static void a_sub_step_that_rejects_is_tried_again_shorter(void **state)
{
    const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                    .nth = 5, /* in the third step: 1, 2, 2 */
                                    .act = TT_MOCK_REJECT,
                                    .value = 0.7};
    struct tt_mock_spec spec = tt_mock_integrator;
    struct stage *st = st_new();

    (void)state;
    spec.caps.course_order = 0;
    spec.cue = &cue;
    spec.n_cue = 1;
    tt_mock_register("a", &tt_mock_integrator);
    tt_mock_register("b", &spec);
    ramp_is_summed(st, -1);
    assert_int_equal(tt_run_step_account(st->run).rejected, 1);
    st_free(st);
}

static void where_a_unit_returned_early_the_past_ends(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_EARLY, .value = 0.7};
    struct tt_mock_spec spec = tt_mock_integrator;
    struct stage *st = st_new();

    (void)state;
    spec.cue = &cue;
    spec.n_cue = 1;
    tt_mock_register("a", &spec);
    tt_mock_register("b", &tt_mock_integrator);
    ramp_is_summed(st, 0.7);
    assert_int_equal(tt_run_step_account(st->run).rejected, 1);
    st_free(st);
}

static void a_sub_step_that_rejects_ends_a_run_of_fixed_steps(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_REJECT, .value = 0.375};
    struct tt_mock_spec spec = tt_mock_integrator;
    struct stage *st = st_new();
    char json[1024];

    (void)state;
    spec.caps.course_order = 0;
    spec.caps.save = 0;
    spec.cue = &cue;
    spec.n_cue = 1;
    tt_mock_register("i", &spec);
    snprintf(json, sizeof(json), GROWTH, "linear", "0.25");
    assert_int_equal(st_play(st, json), TT_EUNIT);
    assert_string_equal(
        st->err.msg,
        "instance '{i}.x' (sub-steps) rejected the step to t=0.5: it could "
        "reach "
        "t=0.375 only, and the step cannot be rolled back; a smaller step may "
        "help, or --rollback");
    assert_int_equal(st->n_row, 2);
    st_free(st);
}

/* --- memory -------------------------------------------------------------- */

static enum tt_code torture(struct stage *st, uint64_t n)
{
    static struct tt_mock_spec spec;
    char json[1024];
    enum tt_code rc;

    spec = tt_mock_integrator;
    spec.caps.course_order = 0;
    tt_mock_register("i", &spec);
    snprintf(json, sizeof(json), GROWTH, "hermite", "0.25");
    tt_mem_fail_after(n);
    rc = st_play(st, json);
    tt_mem_fail_after(0);
    return rc;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    st_torture(torture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_approximation_has_its_order),
        cmocka_unit_test(a_model_is_no_worse_than_lines),
        cmocka_unit_test(sub_stepped_units_reach_the_order_of_those_that_can),
        cmocka_unit_test(a_sub_step_that_rejects_is_tried_again_shorter),
        cmocka_unit_test(where_a_unit_returned_early_the_past_ends),
        cmocka_unit_test(a_sub_step_that_rejects_ends_a_run_of_fixed_steps),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
