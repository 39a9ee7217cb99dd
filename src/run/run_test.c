/* SPDX-License-Identifier: MIT */
/* Whole runs on mocks: what is called in which order, and how runs end. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/testing.h"
#include "score/testing.h"

/* --- specs ------------------------------------------------------------- */

static struct tt_mock_spec with_tape(const struct tt_mock_spec *s,
                                     struct stage *st)
{
    struct tt_mock_spec copy = *s;

    copy.tape = &st->tape;
    return copy;
}

#define FIXED    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}"
#define UNTIL(t) ", \"endTime\": " #t "}"

/* --- order of calls ---------------------------------------------------- */

static void a_unit_with_partial_feed_through_is_read_twice(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec p = with_tape(&tt_testing_pair, st),
                        g = with_tape(&tt_mock_gain, st);

    (void)state;
    tt_mock_register("p", &p);
    tt_mock_register("g", &g);
    /* p.y -> g -> p.u, and p.z (which needs u) is recorded */
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{p}\": \"p\", \"{g}\": \"g\"},"
                     "\"connections\": {\"{p}.p.y\": [\"{g}.g.u\"],"
                     "\"{g}.g.y\": [\"{p}.p.u\"]},"
                     "\"logVariables\": {\"{p}.p\": [\"z\"]}" FIXED UNTIL(3),
                     1),
        "p.step 1; g.step 1; p.get y; g.set u; g.get y; "
        "p.set u; p.get z");
    st_free(st);
}

static void fan_out_reads_once_and_sets_each(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec i = with_tape(&tt_mock_integrator, st);
    struct tt_mock_spec g = with_tape(&tt_mock_gain, st);

    (void)state;
    tt_mock_register("i", &i);
    tt_mock_register("g", &g);
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"},"
                     "\"connections\": {\"{i}.i.y\": [\"{g}.a.u\","
                     "\"{g}.b.u\", \"{g}.c.u\"]}" FIXED UNTIL(3),
                     1),
        "i.step 1; a.step 1; b.step 1; c.step 1; "
        "i.get y; a.set u; b.set u; c.set u");
    st_free(st);
}

static void two_outputs_into_one_unit_are_set_in_one_call(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec i = with_tape(&tt_mock_integrator, st);
    struct tt_mock_spec s = with_tape(&tt_testing_sum, st);

    (void)state;
    tt_mock_register("i", &i);
    tt_mock_register("s", &s);
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{i}\": \"i\", \"{s}\": \"s\"},"
                     "\"connections\": {\"{i}.i1.y\": [\"{s}.s.a\"],"
                     "\"{i}.i2.y\": [\"{s}.s.b\"], \"{s}.s.w\": "
                     "[\"{i}.i1.u\"]}" FIXED UNTIL(3),
                     1),
        "i1.step 1; s.step 1; i2.step 1; i1.get y; "
        "i2.get y; s.set a,b; s.get w; i1.set u");
    st_free(st);
}

static void a_unit_that_forbids_it_is_never_read_after_setting(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec p = with_tape(&tt_testing_pair, st),
                        g = with_tape(&tt_mock_gain, st);

    (void)state;
    p.caps.evaluates = TT_EVAL_NEVER;
    tt_mock_register("p", &p);
    tt_mock_register("g", &g);
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{p}\": \"p\", \"{g}\": \"g\"},"
                     "\"connections\": {\"{p}.p.y\": [\"{g}.g.u\"],"
                     "\"{g}.g.y\": [\"{p}.p.u\"]},"
                     "\"logVariables\": {\"{p}.p\": [\"z\"]}" FIXED UNTIL(3),
                     1),
        "p.step 1; g.step 1; p.get y,z; g.set u; "
        "g.get y; p.set u");
    st_free(st);
}

static void gauss_seidel_passes_new_values_on_before_stepping(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec i = with_tape(&tt_mock_integrator, st);

    (void)state;
    tt_mock_register("i", &i);
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": "
                     "{\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                     "[\"{i}.a.u\"]}, \"master\": \"gauss-seidel\", "
                     "\"order\": [\"b\", \"a\"]" FIXED UNTIL(3),
                     2),
        "b.step 2; b.get y; a.set u; a.step 2; a.get y; "
        "b.set u");
    st_free(st);
}

static void a_reactive_input_gets_the_new_value_even_in_jacobi(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec i = with_tape(&tt_mock_integrator, st);

    (void)state;
    tt_mock_register("i", &i);
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": "
                     "{\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                     "[\"{i}.a.u\"]}, \"reactivity\": {\"{i}.a.u\": "
                     "\"reactive\"}" FIXED UNTIL(3),
                     1),
        "b.step 1; b.get y; a.set u; a.step 1; a.get y; "
        "b.set u");
    st_free(st);
}

static void a_delayed_input_keeps_the_old_value_even_in_gauss_seidel(void **s)
{
    struct stage *st = st_new();
    struct tt_mock_spec i = with_tape(&tt_mock_integrator, st);

    (void)s;
    tt_mock_register("i", &i);
    assert_string_equal(
        st_step_tape(st,
                     "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": "
                     "{\"{i}.a.y\": [\"{i}.b.u\"]}, \"master\": "
                     "\"gauss-seidel\", \"reactivity\": {\"{i}.b.u\": "
                     "\"delayed\"}" FIXED UNTIL(3),
                     1),
        "a.step 1; b.step 1; a.get y; b.set u");
    st_free(st);
}

/* --- loops -----------------------------------------------------------------
 */

static void unknown_dependencies_are_solved_and_cut_with_notes(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("b", &tt_testing_blurred);
    assert_int_equal(st_play(st,
                             "{\"fmus\": {\"{b}\": \"b\"}, \"connections\": "
                             "{\"{b}.a.y\": [\"{b}.b.u\"], \"{b}.b.y\": "
                             "[\"{b}.a.u\"]}" FIXED UNTIL(2)),
                     TT_OK);
    assert_non_null(strstr(
        st->logged.data,
        "note: initialisation: loop through {b}.a.y: solved for 1 unknown, "
        "fixed point, then newton (their instances declare no "
        "dependencies)\n"));
    assert_non_null(
        strstr(st->logged.data,
               "note: loop: cut at {b}.a.y: it is read before the inputs it "
               "may depend on are of the same instant\n"));
    st_free(st);
}

/* --- how runs end ------------------------------------------------------------
 */

#define ALONE                                                                  \
    "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\"]},"          \
    "\"connections\": {}"

static enum tt_code play_with_cue(struct stage *st, struct tt_mock_spec *spec,
                                  const struct tt_mock_cue *cue)
{
    *spec = tt_mock_integrator;
    spec->caps.save = 0; /* else the run would be rolled back */
    spec->cue = cue;
    spec->n_cue = 1;
    tt_mock_register("i", spec);
    return st_play(st, ALONE FIXED UNTIL(5));
}

static void a_unit_that_terminates_is_a_normal_end(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_TERMINATE};
    struct stage *st = st_new();
    struct tt_mock_spec spec;

    (void)state;
    assert_int_equal(play_with_cue(st, &spec, &cue), TT_OK);
    assert_int_equal(tt_run_why(st->run), TT_RUN_TERMINATED);
    assert_string_equal(tt_run_sentence(st->run),
                        "ended by instance '{i}.a' at t=3 s");
    assert_int_equal(st->n_row, 4); /* 0, 1, 2, 3 */
    st_free(st);
}

/* b would have had to step after a: there is no row for half a step. */
static void a_unit_that_ends_at_an_event_has_made_its_step(void **state)
{
    const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_TERMINATE},
        {.at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_EVENT}};
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.cue = cue;
    spec.n_cue = 2;
    spec.caps.event_mode = 1;
    tt_mock_register("i", &spec);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(
        st_play(st,
                "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, "
                "\"connections\": {\"{i}.a.y\": [\"{g}.b.u\"]}" FIXED UNTIL(5)),
        TT_OK);
    assert_int_equal(tt_run_why(st->run), TT_RUN_TERMINATED);
    assert_int_equal(st->n_row, 4); /* 0, 1, 2, 3 */
    assert_true(tt_run_time(st->run) == 3);
    st_free(st);
}

/* A wish to end does not hide that the step was not made. */
static void a_rejected_step_beats_a_wish_to_end(void **state)
{
    const struct tt_mock_cue ends = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_TERMINATE};
    const struct tt_mock_cue rejects = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_REJECT, .value = 1.5};
    struct stage *st = st_new();
    struct tt_mock_spec a = tt_mock_integrator, b = tt_mock_integrator;

    (void)state;
    a.cue = &ends;
    b.cue = &rejects;
    a.n_cue = b.n_cue = 1;
    b.caps.save = 0;
    tt_mock_register("a", &a);
    tt_mock_register("b", &b);
    assert_int_equal(
        st_play(st,
                "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, "
                "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"]}" FIXED UNTIL(5)),
        TT_EUNIT);
    assert_memory_equal(st->err.msg,
                        "instance '{b}.b' (mock) rejected the step", 37);
    assert_int_equal(st->n_row, 2);
    st_free(st);
}

static void a_rejected_step_reports_it_and_keeps_the_rows(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_REJECT, .value = 1.5};
    struct stage *st = st_new();
    struct tt_mock_spec spec;

    (void)state;
    assert_int_equal(play_with_cue(st, &spec, &cue), TT_EUNIT);
    assert_string_equal(
        st->err.msg,
        "instance '{i}.a' (mock) rejected the step to t=2: it could "
        "reach t=1.5 only, and the step cannot be rolled back; a "
        "smaller step may help, or --rollback");
    assert_int_equal(st->n_row, 2);
    assert_string_equal(tt_run_sentence(st->run), "failed: 1 step to t=1 s");
    st_free(st);
}

/* With nothing to go back to it goes on by itself, and that is reported. */
static void an_early_unit_goes_on_alone(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1.5};
    struct stage *st = st_new();
    struct tt_mock_spec spec;

    (void)state;
    assert_int_equal(play_with_cue(st, &spec, &cue), TT_OK);
    assert_non_null(strstr(
        st->logged.data,
        "warning: instance '{i}.a' (mock) returned early at t=1.5, and the "
        "step cannot be rolled back: it goes on alone, with the inputs "
        "it has (reported once)\n"));
    assert_int_equal(st->n_row, 6);
    assert_int_equal(tt_run_unit(st->run, 0).steps, 6);
    st_free(st);
}

static void an_event_that_cannot_be_handled_is_named(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT};
    struct stage *st = st_new();
    struct tt_mock_spec spec;

    (void)state;
    assert_int_equal(play_with_cue(st, &spec, &cue), TT_EUNIT);
    assert_string_equal(
        st->err.msg, "instance '{i}.a' (mock): step at t=1: it asks for event "
                     "mode, which it does not have");
    st_free(st);
}

static void an_error_names_unit_call_and_time(void **state)
{
    const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                    .nth = 3,
                                    .act = TT_MOCK_ERROR,
                                    .text = "the pump is dry"};
    struct stage *st = st_new();
    struct tt_mock_spec spec;

    (void)state;
    assert_int_equal(play_with_cue(st, &spec, &cue), TT_EUNIT);
    assert_string_equal(
        st->err.msg, "instance '{i}.a' (mock): step at t=2: the pump is dry");
    assert_int_equal(st->n_row, 3);
    st_free(st);
}

static void nan_does_not_pass_from_unit_to_unit(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_GET, .nth = 4, .act = TT_MOCK_NAN};
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.cue = &cue;
    spec.n_cue = 1;
    tt_mock_register("i", &spec);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(
        st_play(st,
                "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, "
                "\"connections\": {\"{i}.a.y\": [\"{g}.g.u\"]}" FIXED UNTIL(5)),
        TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "instance '{i}.a' (mock) gave NaN for its output "
                        "'{i}.a.y' at t=2");
    assert_int_equal(st->n_row, 2);
    st_free(st);
}

static void a_nan_that_is_only_recorded_is_reported_once(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_GET, .nth = 4, .act = TT_MOCK_NAN};
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.cue = &cue;
    spec.n_cue = 1;
    tt_mock_register("i", &spec);
    assert_int_equal(st_play(st, ALONE FIXED UNTIL(5)), TT_OK);
    assert_string_equal(st->logged.data,
                        "note: exchange: {i}.a: consistent (declares that it "
                        "evaluates without a step)\n"
                        "warning: instance '{i}.a' gave NaN for '{i}.a.y' at "
                        "t=2; it is recorded "
                        "as it is\n");
    assert_int_equal(st->n_row, 6);
    assert_true(isnan(st->row_v[2][0]) && !isnan(st->row_v[1][0]));
    st_free(st);
}

static void an_observer_can_stop_the_run(void **state)
{
    struct stage *st = st_new();

    (void)state;
    st->stop_at = 2;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(st_play(st, ALONE FIXED UNTIL(5)), TT_OK);
    assert_int_equal(tt_run_why(st->run), TT_RUN_STOPPED);
    assert_string_equal(tt_run_sentence(st->run), "stopped: 2 steps to t=2 s");
    st_free(st);
}

static void a_unit_that_cannot_vary_its_step_skips_the_short_one(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec spec = tt_mock_integrator;

    (void)state;
    spec.caps.variable_step = 0;
    tt_mock_register("i", &spec);
    assert_int_equal(st_play(st, ALONE FIXED UNTIL(2.5)), TT_OK);
    assert_non_null(
        strstr(st->logged.data,
               "warning: the step 1 s does not divide the span and instance "
               "'{i}.a' cannot vary its step: the last, shorter step to t=2.5 "
               "is left out\n"));
    assert_true(tt_run_time(st->run) == 2);
    st_free(st);
}

static void the_last_step_is_shortened_to_end_exactly(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    assert_int_equal(st_play(st, ALONE FIXED UNTIL(2.5)), TT_OK);
    assert_true(st->row_t[st->n_row - 1] == 2.5);
    st_free(st);
}

/* --- numbers ---------------------------------------------------------------
 */

#define CIRCLE(extra)                                                          \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.x.y\": [\"{i}.v.u\"], \"{i}.v.y\": [\"{g}.m.u\"], \"{g}.m.y\": "   \
    "[\"{i}.x.u\"]}, \"parameters\": {\"{g}.m.k\": -1, \"{i}.x.y0\": 1}" extra \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.25}, "            \
    "\"endTime\": 1}"

/* x' = -v, v' = x by hand, Jacobi with hold: Euler's method. */
static void jacobi_with_hold_on_integrators_is_eulers_method(void **state)
{
    struct stage *st = st_new();
    double x = 1, v = 0;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_play(st, CIRCLE("")), TT_OK);
    for (int n = 0; n < 4; n++) {
        double dx = -v, dv = x;

        x += 0.25 * dx;
        v += 0.25 * dv;
        assert_true(fabs(st->row_v[n + 1][0] - x) < 1e-14);
        assert_true(fabs(st->row_v[n + 1][1] - v) < 1e-14);
    }
    st_free(st);
}

/* Linear extrapolation: two-step Adams-Bashforth after a first Euler step. */
static void jacobi_with_linear_courses_is_adams_bashforth(void **state)
{
    struct stage *st = st_new();
    double x = 1, v = 0, px = 1, pv = 0, h = 0.25;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_play(st, CIRCLE(", \"approximation\": \"linear\"")),
                     TT_OK);
    for (int n = 0; n < 4; n++) {
        double nx = x + h * (n ? 1.5 * -v - 0.5 * -pv : -v);
        double nv = v + h * (n ? 1.5 * x - 0.5 * px : x);

        px = x;
        pv = v;
        x = nx;
        v = nv;
        assert_true(fabs(st->row_v[n + 1][0] - x) < 1e-13);
        assert_true(fabs(st->row_v[n + 1][1] - v) < 1e-13);
    }
    st_free(st);
}

static void playing_allocates_nothing(void **state)
{
    struct stage *st = st_new();

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_load(st, CIRCLE("")), TT_OK);
    assert_int_equal(st_allocations(st), 0);
    st_free(st);
}

static enum tt_code torture(struct stage *st, uint64_t n)
{
    enum tt_code rc;

    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    tt_mem_fail_after(n);
    rc = st_play(st, CIRCLE(", \"approximation\": \"linear\""));
    tt_mem_fail_after(0);
    return rc;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    st_torture(torture);
}

static void *play_circle(void *arg)
{
    struct stage *st = arg;

    return st_play(st, CIRCLE("")) == TT_OK ? arg : NULL;
}

static void two_runs_play_in_two_threads(void **state)
{
    struct stage *a = st_new(), *b = st_new();
    pthread_t one, two;
    void *ra, *rb;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(pthread_create(&one, NULL, play_circle, a), 0);
    assert_int_equal(pthread_create(&two, NULL, play_circle, b), 0);
    pthread_join(one, &ra);
    pthread_join(two, &rb);
    assert_non_null(ra);
    assert_non_null(rb);
    assert_int_equal(memcmp(a->row_v, b->row_v, sizeof(a->row_v)), 0);
    assert_int_equal(a->n_row, 5);
    st_free(a);
    st_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_with_partial_feed_through_is_read_twice),
        cmocka_unit_test(fan_out_reads_once_and_sets_each),
        cmocka_unit_test(two_outputs_into_one_unit_are_set_in_one_call),
        cmocka_unit_test(a_unit_that_forbids_it_is_never_read_after_setting),
        cmocka_unit_test(gauss_seidel_passes_new_values_on_before_stepping),
        cmocka_unit_test(a_reactive_input_gets_the_new_value_even_in_jacobi),
        cmocka_unit_test(
            a_delayed_input_keeps_the_old_value_even_in_gauss_seidel),
        cmocka_unit_test(unknown_dependencies_are_solved_and_cut_with_notes),
        cmocka_unit_test(a_unit_that_terminates_is_a_normal_end),
        cmocka_unit_test(a_unit_that_ends_at_an_event_has_made_its_step),
        cmocka_unit_test(a_rejected_step_beats_a_wish_to_end),
        cmocka_unit_test(a_rejected_step_reports_it_and_keeps_the_rows),
        cmocka_unit_test(an_early_unit_goes_on_alone),
        cmocka_unit_test(an_event_that_cannot_be_handled_is_named),
        cmocka_unit_test(an_error_names_unit_call_and_time),
        cmocka_unit_test(nan_does_not_pass_from_unit_to_unit),
        cmocka_unit_test(a_nan_that_is_only_recorded_is_reported_once),
        cmocka_unit_test(an_observer_can_stop_the_run),
        cmocka_unit_test(a_unit_that_cannot_vary_its_step_skips_the_short_one),
        cmocka_unit_test(the_last_step_is_shortened_to_end_exactly),
        cmocka_unit_test(jacobi_with_hold_on_integrators_is_eulers_method),
        cmocka_unit_test(jacobi_with_linear_courses_is_adams_bashforth),
        cmocka_unit_test(playing_allocates_nothing),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(two_runs_play_in_two_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
