/* SPDX-License-Identifier: MIT */
/* Variable steps on mocks: constraints, rejections, going back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/testing.h"

/* One integrator y' = u with u at its start value 1, y(0) = y0. */
#define ALONE(y0, algorithm, end)                                              \
    "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\"]}, "         \
    "\"connections\": {}, \"parameters\": {\"{i}.a.u\": 1, \"{i}.a.y0\": " y0  \
    "}, \"algorithm\": {\"type\": \"var-step\", " algorithm                    \
    "}, \"endTime\": " end "}"
#define CROSSING                                                               \
    "\"size\": [1e-4, 0.5], \"initsize\": 0.1, \"constraints\": {\"c\": "      \
    "{\"type\": \"zerocrossing\", \"ports\": [\"{i}.a.y\"], \"order\": 2, "    \
    "\"abstol\": 1e-3}}"

static void without_constraints_steps_grow_to_the_largest(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(st_play(st, ALONE("0",
                                       "\"size\": [0.01, 0.5], \"initsize\": "
                                       "0.1",
                                       "2")),
                     TT_OK);
    assert_true(st->row_t[1] == 0.1);
    assert_true(fabs(st->row_t[2] - 0.6) < 1e-12);
    assert_true(st->row_t[st->n_row - 1] == 2); /* exactly at the end */
    assert_true(fabs(tt_run_step_account(st->run).most - 0.5) < 1e-12);
    st_free(st);
}

/* y = t - 0.777 crosses zero at 0.777: some row must be within abstol. */
static void a_crossing_is_located_to_its_tolerance(void **state)
{
    struct stage *st = st_new();
    double nearest = 1;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(st_play(st, ALONE("-0.777", CROSSING, "2")), TT_OK);
    for (uint32_t i = 0; i < st->n_row && i < 64; i++) {
        nearest = fmin(nearest, fabs(st->row_v[i][0]));
        assert_true(fabs(st->row_v[i][0] - (st->row_t[i] - 0.777)) < 1e-12);
    }
    assert_true(nearest <= 1e-3);
    st_free(st);
}

static void a_unit_that_rejects_is_tried_again_shorter(void **state)
{
    const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                    .nth = 3,
                                    .act = TT_MOCK_REJECT_RESTORE,
                                    .value = 0.75};
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;
    int at = 0;

    (void)state;
    spec.cue = &cue;
    spec.n_cue = 1;
    tt_mock_register("i", &spec);
    assert_int_equal(st_play(st, ALONE("0",
                                       "\"size\": [0.01, 0.5], \"initsize\": "
                                       "0.1",
                                       "2")),
                     TT_OK);
    for (uint32_t i = 0; i < st->n_row; i++) {
        at |= st->row_t[i] == 0.75; /* where the unit could reach */
        /* no trace of the rejected attempt */
        assert_true(fabs(st->row_v[i][0] - st->row_t[i]) < 1e-12);
    }
    assert_true(at);
    assert_true(st->row_t[st->n_row - 1] == 2);
    assert_int_equal(tt_run_step_account(st->run).rejected, 1);
    st_free(st);
}

static void
units_that_cannot_be_rolled_back_are_reported_and_warned_of(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.caps.save = spec.caps.serialise = 0;
    tt_mock_register("i", &spec);
    assert_int_equal(
        st_play(st, ALONE("-0.05",
                          "\"size\": [1e-4, 0.5], \"initsize\": 0.1, "
                          "\"constraints\": {\"c\": {\"type\": "
                          "\"zerocrossing\", \"ports\": [\"{i}.a.y\"]}}",
                          "1")),
        TT_OK);
    assert_non_null(strstr(
        st->logged.data,
        "note: rollback: instance '{i}.a' (mock) cannot save its state, so "
        "no step can be rolled back: what a constraint rejects is "
        "accepted with a warning\n"));
    assert_non_null(strstr(st->logged.data, "warning: "));
    assert_int_equal(tt_run_step_account(st->run).rejected, 0);
    assert_true(st->row_t[st->n_row - 1] == 1);
    st_free(st);
}

static void a_unit_of_one_step_length_is_refused(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.caps.variable_step = 0;
    tt_mock_register("i", &spec);
    assert_int_equal(st_load(st, ALONE("0", CROSSING, "1")), TT_EINPUT);
    assert_non_null(strstr(
        st->err.msg, ": the step cannot vary: instance '{i}.a' (mock) takes "
                     "steps of one length only"));
    st_free(st);
}

static void constraints_want_numbers_that_exist(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(st_load(st, ALONE("0",
                                       "\"size\": [0.1, 1], \"initsize\": 0.1, "
                                       "\"constraints\": {\"c\": {\"type\": "
                                       "\"zerocrossing\", \"ports\": "
                                       "[\"{i}.a.yy\"]}}",
                                       "1")),
                     TT_EINPUT);
    assert_non_null(strstr(st->err.msg,
                           "instance '{i}.a' has no variable 'yy', "
                           "did you mean 'y'?"));
    st_free(st);
}

static void sampling_instants_are_hit_exactly(void **state)
{
    struct stage *st = st_new();
    int hits = 0;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(
        st_play(st, ALONE("0",
                          "\"size\": [1e-4, 0.3], \"initsize\": 0.1, "
                          "\"constraints\": {\"s\": {\"type\": "
                          "\"samplingrate\", \"base\": -1, \"rate\": 5, "
                          "\"startTime\": 0}}",
                          "2")),
        TT_OK);
    for (uint32_t i = 0; i < st->n_row; i++)
        for (int k = 1; k <= 4; k++)
            hits += st->row_t[i] == k * 0.5;
    assert_int_equal(hits, 4);
    st_free(st);
}

static void varying_allocates_nothing(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(st_load(st, ALONE("-0.777", CROSSING, "2")), TT_OK);
    assert_int_equal(st_allocations(st), 0);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_constraints_steps_grow_to_the_largest),
        cmocka_unit_test(a_crossing_is_located_to_its_tolerance),
        cmocka_unit_test(a_unit_that_rejects_is_tried_again_shorter),
        cmocka_unit_test(
            units_that_cannot_be_rolled_back_are_reported_and_warned_of),
        cmocka_unit_test(a_unit_of_one_step_length_is_refused),
        cmocka_unit_test(constraints_want_numbers_that_exist),
        cmocka_unit_test(sampling_instants_are_hit_exactly),
        cmocka_unit_test(varying_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
