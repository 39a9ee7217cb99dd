/* SPDX-License-Identifier: MIT */
/* Error control on mocks: doubled steps, input courses, power bonds. */
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

/* a' = b, b' = a by two integrators: a = e^-t, b = -e^-t. */
#define LOOP(extra, constraint)                                                \
    "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.a.y\": "             \
    "[\"{i}.b.u\"], \"{i}.b.y\": [\"{i}.a.u\"]}, \"parameters\": "             \
    "{\"{i}.a.y0\": 1, \"{i}.b.y0\": -1}" extra                                \
    ", \"algorithm\": {\"type\": \"var-step\", \"size\": [1e-6, 0.5], "        \
    "\"initsize\": 0.1, \"constraints\": {\"c\": {\"type\": \"error\", "       \
    "\"method\": " constraint "}}}, \"endTime\": 2}"
#define TOL(t)     ", \"abstol\": " t ", \"reltol\": 0"
#define LINEAR     ", \"approximation\": \"linear\""
#define RICHARDSON "\"richardson\""

#define BOND(more)                                                             \
    ", \"powerBonds\": {\"p\": {\"a\": {\"input\": \"{i}.a.u\", \"output\": "  \
    "\"{i}.a.y\"}, \"b\": {\"input\": \"{i}.b.u\", \"output\": "               \
    "\"{i}.b.y\"}" more "}}"

static struct stage *loop(void)
{
    struct stage *st = st_new();

    tt_mock_register("i", &tt_mock_integrator);
    return st;
}

/* The largest deviation of a, b from e^-t, -e^-t at the end of a run. */
static double deviation(struct stage *st, const char *json)
{
    double a, b;

    assert_int_equal(st_load(st, json), TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    while (!tt_run_done(st->run))
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_int_equal(tt_run_get(st->run, 0, TT_MOCK_INTEGRATOR_Y, &a, &st->err),
                     TT_OK);
    assert_int_equal(tt_run_get(st->run, 1, TT_MOCK_INTEGRATOR_Y, &b, &st->err),
                     TT_OK);
    return fmax(fabs(a - exp(-2)), fabs(b + exp(-2)));
}

static void errors_follow_the_tolerance(void **state)
{
    static const char *const json[][2] = {
        {LOOP(LINEAR, RICHARDSON TOL("1e-4")),
         LOOP(LINEAR, RICHARDSON TOL("1e-6"))},
        {LOOP(LINEAR, "\"milne\"" TOL("1e-4")),
         LOOP(LINEAR, "\"milne\"" TOL("1e-6"))},
        {LOOP(LINEAR, "\"orders\"" TOL("1e-4")),
         LOOP(LINEAR, "\"orders\"" TOL("1e-6"))},
        {LOOP("", RICHARDSON TOL("1e-2")), LOOP("", RICHARDSON TOL("1e-4"))},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(json) / sizeof(*json); i++) {
        double asked[] = {i == 3 ? 1e-2 : 1e-4, i == 3 ? 1e-4 : 1e-6}, got[2];

        for (int k = 0; k < 2; k++) {
            struct stage *st = loop();

            got[k] = deviation(st, json[i][k]);
            assert_true(got[k] < 20 * asked[k]);
            st_free(st);
        }
        assert_true(got[0] / got[1] > pow(100, 0.8));
        assert_true(got[0] / got[1] < pow(100, 1.2));
    }
}

/* Three steps of each unit per attempt, and one row per step. */
static void a_doubled_step_is_one_step_to_the_world(void **state)
{
    struct stage *st = loop();
    struct tt_run_steps a;
    struct tt_buf text;

    (void)state;
    deviation(st, LOOP("", RICHARDSON TOL("1e-2")));
    a = tt_run_step_account(st->run);
    assert_true(a.doubled == tt_run_steps(st->run) + a.rejected);
    assert_true(tt_run_unit(st->run, 0).steps == 3 * a.doubled);
    assert_true(tt_run_rows(st->run) == tt_run_steps(st->run) + 1);
    assert_true(a.rejected > 0);
    tt_buf_init(&text, 1024);
    tt_run_step_text(st->run, &text);
    assert_non_null(strstr(text.data, " rejected, "));
    assert_non_null(strstr(text.data, " doubled"));
    tt_buf_fini(&text);
    st_free(st);
}

/* y' = 1 into another integrator: whatever is tried and taken back, whole or
 * half, y = t and z = t^2/2 (linear courses are exact). */
static void what_is_taken_back_leaves_no_trace(void **state)
{
    (void)state;
    for (uint32_t nth = 3; nth < 12; nth++) {
        const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                        .nth = nth,
                                        .act = TT_MOCK_REJECT_RESTORE,
                                        .value = 0};
        struct stage *st = st_new();
        struct tt_mock_spec spec = tt_mock_integrator;

        spec.cue = &cue;
        spec.n_cue = 1;
        tt_mock_register("i", &tt_mock_integrator);
        tt_mock_register("j", &spec);
        assert_int_equal(
            st_play(st, "{\"fmus\": {\"{i}\": \"i\", \"{j}\": \"j\"}, "
                        "\"connections\": {\"{j}.a.y\": [\"{i}.b.u\"]}, "
                        "\"logVariables\": {\"{i}.b\": [\"y\"]}, "
                        "\"parameters\": {\"{j}.a.u\": 1}, \"approximation\": "
                        "\"linear\", \"reactivity\": {\"{i}.b.u\": "
                        "\"reactive\"}, \"algorithm\": {\"type\": "
                        "\"var-step\", \"size\": [1e-3, 0.2], \"initsize\": "
                        "0.1, \"constraints\": {\"c\": {\"type\": \"error\", "
                        "\"method\": \"richardson\"}}}, \"endTime\": 1}"),
            TT_OK);
        assert_int_equal(tt_run_step_account(st->run).rejected, 1);
        assert_true(st->n_row < 64);
        for (uint32_t i = 0; i < st->n_row; i++) {
            double t = st->row_t[i];

            assert_true(fabs(st->row_v[i][0] - t) < 1e-14);
            assert_true(fabs(st->row_v[i][1] - t * t / 2) < 1e-14);
        }
        assert_true(st->row_t[st->n_row - 1] == 1);
        st_free(st);
    }
}

/* Converged linear courses are the trapezoidal rule, here for a' = -a, twice
 * with half the step: the turns of the second half begin at the middle, not
 * where the step began. */
static void iterated_loops_double_too(void **state)
{
    struct stage *st = loop();

    (void)state;
    assert_int_equal(st_play(st, LOOP(LINEAR ", \"iterate\": \"converged\"",
                                      RICHARDSON TOL("1e-3"))),
                     TT_OK);
    assert_int_equal(tt_run_score(st->run)->n_state, 2);
    assert_true(st->n_row > 4 && st->n_row < 64);
    for (uint32_t i = 1; i < st->n_row; i++) {
        double h = st->row_t[i] - st->row_t[i - 1];
        double by = pow((1 - h / 4) / (1 + h / 4), 2);

        assert_true(fabs(st->row_v[i][0] - by * st->row_v[i - 1][0]) < 1e-8);
    }
    st_free(st);
}

static void units_that_cannot_go_back_cannot_double(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.caps.save = spec.caps.serialise = 0;
    tt_mock_register("i", &spec);
    assert_int_equal(st_load(st, LOOP("", RICHARDSON)), TT_EINPUT);
    assert_non_null(strstr(
        st->err.msg,
        ": constraint 'c' repeats every step, but instance '{i}.a' (mock) "
        "cannot save its state; methods 'milne', 'orders' and 'energy' "
        "do without"));
    st_free(st);
}

/* The estimate steers the next step, and what is above the tolerance stays. */
static void without_going_back_the_estimate_steers(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;
    struct tt_run_steps a;

    (void)state;
    spec.caps.save = spec.caps.serialise = 0;
    tt_mock_register("i", &spec);
    assert_true(deviation(st, LOOP("", "\"milne\"" TOL("1e-2"))) < 0.1);
    a = tt_run_step_account(st->run);
    assert_int_equal(a.rejected, 0);
    assert_true(a.least < 0.05);
    assert_non_null(strstr(st->logged.data,
                           "warning: error control 'c': step "
                           "from 0 s to 0.1 s: the error is "));
    st_free(st);
}

static void refused(const char *json, const char *words)
{
    struct stage *st = loop();

    assert_int_equal(st_load(st, json), TT_EINPUT);
    if (!strstr(st->err.msg, words))
        fail_msg("'%s' lacks '%s'", st->err.msg, words);
    st_free(st);
}

static void what_cannot_be_watched_is_named(void **state)
{
    (void)state;
    refused(LOOP("", "\"milne\", \"ports\": [\"{i}.a.y\"]"),
            ": constraint 'c' needs connected inputs, but '{i}.a.y' is none");
    refused(LOOP("", "\"energy\""), ": constraint 'c' watches energy, but the "
                                    "scenario has no 'powerBonds'");
    refused("{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\"]}, "
            "\"connections\": {}, \"algorithm\": {\"type\": \"var-step\", "
            "\"size\": [1e-3, 1], \"initsize\": 1, \"constraints\": {\"c\": "
            "{\"type\": \"error\", \"method\": \"richardson\"}}}, "
            "\"endTime\": 1}",
            ": constraint 'c' has nothing to look at: no continuous Float64 "
            "output is connected");
    refused(LOOP(", \"powerBonds\": {\"p\": {\"a\": {\"input\": \"{i}.a.u\", "
                 "\"output\": \"{i}.b.y\"}, \"b\": {\"input\": \"{i}.b.u\", "
                 "\"output\": \"{i}.a.y\"}}}",
                 "\"energy\""),
            ": power bond 'p': '{i}.a.u' is not connected to '{i}.a.y'");
    refused(LOOP(", \"powerBonds\": {\"p\": {\"a\": {\"input\": \"{i}.a.w\", "
                 "\"output\": \"{i}.a.y\"}, \"b\": {\"input\": \"{i}.b.u\", "
                 "\"output\": \"{i}.b.y\"}}}",
                 "\"energy\""),
            ": instance '{i}.a' has no variable 'w'");
}

/* The numbers in the note on bond 'p'. */
static void energy_logged(const struct stage *st, double *net, double *gross)
{
    const char *at = strstr(st->logged.data, "bond 'p': residual ");

    assert_non_null(at);
    assert_int_equal(
        sscanf(at, "bond 'p': residual %lf J, %lf J in amounts", net, gross),
        2);
}

/* Held inputs: in a step from t the residual power is that of the inputs of t
 * and the outputs of then. First step of 0.1: a from 1 to 0.9, b from -1 to
 * -0.9, inputs -1 and 1; at the end -1*0.9 - 1*(-0.9) = 0 by symmetry. With b
 * starting at 0: a stays 1, b goes to 0.1; the end has 0*1 - 1*0.1 = -0.1 W,
 * and the residual is half of that times 0.1 s. */
static void residual_energy_is_what_it_is_on_paper(void **state)
{
    struct stage *st = loop();
    double net, gross;

    (void)state;
    assert_int_equal(
        st_play(st,
                "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": "
                "{\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                "[\"{i}.a.u\"]}, \"parameters\": {\"{i}.a.y0\": 1}" BOND(
                    "") ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                        "0.1}, \"endTime\": 0.1}"),
        TT_OK);
    energy_logged(st, &net, &gross);
    assert_true(fabs(net + 0.005) < 1e-9);
    assert_true(fabs(gross - 0.005) < 1e-9);
    assert_non_null(strstr(st->logged.data,
                           "note: energy: bond 'p': {i}.a.u times y is taken "
                           "for a power, as not both declare a unit\n"));
    st_free(st);
}

/* Once more with a second step, linear. First a stays 1 and b goes to 0.1;
 * then a's input leads from 0.1 to 0.2, b's stays 1: a goes to 1.015, b to 0.2,
 * and the end has 0.2*1.015 - 1*0.2 = 0.003 W. */
static void residual_energy_counts_courses_where_they_led(void **state)
{
    struct stage *st = loop();
    double net, gross;

    (void)state;
    assert_int_equal(
        st_play(st, "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": "
                    "{\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                    "[\"{i}.a.u\"]}, \"parameters\": {\"{i}.a.y0\": "
                    "1}" LINEAR BOND(
                        ", \"correction\": true") ", \"algorithm\": {\"type\": "
                                                  "\"fixed-step\", \"size\": "
                                                  "0.1}, \"endTime\": 0.2}"),
        TT_OK);
    energy_logged(st, &net, &gross);
    assert_true(fabs(net + 0.005 - 0.00015) < 1e-9);
    assert_true(fabs(gross - 0.005 - 0.00015) < 1e-9);
    assert_non_null(strstr(st->logged.data,
                           "note: energy: bond 'p': {i}.a.u is not corrected, "
                           "because it is not held over a step\n"));
    st_free(st);
}

#define HALVES(algorithm)                                                      \
    "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.a.y\": "             \
    "[\"{i}.b.u\"], \"{i}.b.y\": [\"{i}.a.u\"]}, \"parameters\": "             \
    "{\"{i}.a.y0\": 1}" BOND(                                                  \
        ", \"correction\": true") ", \"algorithm\": {" algorithm               \
                                  "}, \"endTime\": 2}"

/* With steps of one length that always stand, the halves are a fixed grid:
 * values and energy, corrected, are the same whatever was played in between. */
static void a_doubled_run_is_a_fixed_run_of_halves(void **state)
{
    struct stage *fixed = loop(), *doubled = loop();
    double net[2], gross[2];

    (void)state;
    assert_int_equal(
        st_play(fixed, HALVES("\"type\": \"fixed-step\", \"size\": 0.125")),
        TT_OK);
    assert_int_equal(
        st_play(doubled,
                HALVES("\"type\": \"var-step\", \"size\": [0.25, 0.25], "
                       "\"initsize\": 0.25, \"constraints\": {\"c\": "
                       "{\"type\": \"error\", \"method\": \"richardson\", "
                       "\"abstol\": 1e9}}")),
        TT_OK);
    assert_int_equal(doubled->n_row, 9);
    assert_int_equal(fixed->n_row, 17);
    for (uint32_t i = 0; i < 9; i++) {
        assert_true(doubled->row_t[i] == fixed->row_t[2 * i]);
        for (int k = 0; k < 2; k++)
            assert_true(doubled->row_v[i][k] == fixed->row_v[2 * i][k]);
    }
    energy_logged(fixed, &net[0], &gross[0]);
    energy_logged(doubled, &net[1], &gross[1]);
    assert_true(net[0] == net[1] && gross[0] == gross[1] && gross[0] > 0);
    st_free(fixed);
    st_free(doubled);
}

/* Several policies: the smallest step wins, and the winner is reported with
 * times. */
static void the_report_states_which_limited_when(void **state)
{
    struct stage *st = loop();

    (void)state;
    assert_int_equal(
        st_play(st,
                LOOP(LINEAR,
                     "\"milne\"" TOL(
                         "1e-3") "}, \"s\": {\"type\": "
                                 "\"samplingrate\", \"base\": -2, \"rate\": "
                                 "175, \"startTime\": 0")),
        TT_OK);
    assert_non_null(strstr(st->logged.data, "note: steps: c: limited "));
    assert_non_null(
        strstr(st->logged.data, "note: steps: s: limited 1 (t=1.75)\n"));
    assert_non_null(strstr(st->logged.data,
                           "note: steps: end of the run: limited 1 (t=2)\n"));
    st_free(st);
}

#define SWING(more)                                                            \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.x.y\": [\"{g}.m.u\"], \"{g}.m.y\": [\"{i}.v.u\"], "                \
    "\"{i}.v.y\": [\"{i}.x.u\"]}, \"parameters\": {\"{i}.x.y0\": 1, "          \
    "\"{g}.m.k\": 1}, \"algorithm\": {\"type\": \"fixed-step\", "              \
    "\"size\": 0.1}, \"endTime\": 1" more "}"

static void an_input_that_is_not_the_other_sides_is_no_bond(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(
        st_load(st, SWING(", \"powerBonds\": {\"p\": {\"a\": {\"input\": "
                          "\"{i}.x.u\", \"output\": \"{i}.x.y\"}, \"b\": "
                          "{\"input\": \"{i}.v.u\", \"output\": "
                          "\"{i}.v.y\"}}}")),
        TT_EINPUT);
    assert_non_null(strstr(st->err.msg, ": power bond 'p': '{i}.v.u' is not "
                                        "connected to '{i}.x.y'"));
    st_free(st);
}

static void pulse_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 0) = v->t >= 0.1 && v->t < 0.3;
}

/* The length of the step in which the pulse rises or falls. */
static double enclosed(const struct stage *st, int rises)
{
    for (uint32_t i = 1; i < st->n_row; i++)
        if ((int)(st->row_v[i][0] - st->row_v[i - 1][0]) == (rises ? 1 : -1))
            return st->row_t[i] - st->row_t[i - 1];
    return (double)INFINITY;
}

/* A pulse from 0.1 to 0.3 that is over at the end of a step of 0.5, where no
 * unit remembers it: only the middle differs. */
static void what_came_and_went_within_a_step_is_found(void **state)
{
    static const struct tt_mock_port port[] = {
        {"y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
    struct tt_mock_spec spec = {
        .model = "pulse",
        .port = port,
        .n_port = 1,
        .caps = {.variable_step = 1, .save = 1, .evaluates = 1},
        .behaviour = {.outputs = pulse_outputs}};
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("p", &spec);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(
        st_play(st, "{\"fmus\": {\"{p}\": \"p\", \"{g}\": \"g\"}, "
                    "\"connections\": {\"{p}.p.y\": [\"{g}.g.u\"]}, "
                    "\"algorithm\": {\"type\": \"var-step\", \"size\": "
                    "[0.01, 0.5], \"initsize\": 0.5, \"constraints\": {\"c\": "
                    "{\"type\": \"error\", \"method\": \"richardson\"}}}, "
                    "\"endTime\": 1}"),
        TT_OK);
    assert_true(enclosed(st, 1) < 0.25);
    assert_true(enclosed(st, 0) < 0.25);
    st_free(st);
}

static void controlling_allocates_nothing(void **state)
{
    struct stage *st = loop();

    (void)state;
    assert_int_equal(st_load(st, LOOP(BOND(", \"correction\": true"),
                                      RICHARDSON TOL("1e-2"))),
                     TT_OK);
    assert_int_equal(st_allocations(st), 0);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(a_doubled_step_is_one_step_to_the_world),
        cmocka_unit_test(what_is_taken_back_leaves_no_trace),
        cmocka_unit_test(iterated_loops_double_too),
        cmocka_unit_test(units_that_cannot_go_back_cannot_double),
        cmocka_unit_test(without_going_back_the_estimate_steers),
        cmocka_unit_test(what_cannot_be_watched_is_named),
        cmocka_unit_test(residual_energy_is_what_it_is_on_paper),
        cmocka_unit_test(residual_energy_counts_courses_where_they_led),
        cmocka_unit_test(a_doubled_run_is_a_fixed_run_of_halves),
        cmocka_unit_test(the_report_states_which_limited_when),
        cmocka_unit_test(an_input_that_is_not_the_other_sides_is_no_bond),
        cmocka_unit_test(what_came_and_went_within_a_step_is_found),
        cmocka_unit_test(controlling_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
