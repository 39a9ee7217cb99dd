/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/contract.h"
#include "unit/substep.h"
#include "unit/test_unit.h"

static const uint32_t in = TT_MOCK_INTEGRATOR_U, out = TT_MOCK_INTEGRATOR_Y;

static struct tt_mock_spec without_courses(const struct tt_mock_spec *of)
{
    struct tt_mock_spec spec = *of;

    spec.caps.course_order = 0;
    return spec;
}

static tt_unit *wrap_in(const struct tt_mock_spec *spec, struct tt_substeps n)
{
    tt_unit *u = NULL;

    ok(tt_substep_new(&u, make(spec, "a"), n, &(struct tt_make){.name = "a"},
                      &err));
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, spec->caps.save ? 2 : 0, &err));
    return u;
}

static tt_unit *wrap(const struct tt_mock_spec *spec, uint32_t n)
{
    return wrap_in(spec, (struct tt_substeps){n, n});
}

static void follow(tt_unit *u, const struct tt_poly *p)
{
    ok(tt_unit_course(u, &(struct tt_span){&in, 1, NULL}, p, &err));
}

static double get(tt_unit *u, uint32_t port)
{
    double v;

    ok(tt_unit_get(u, &(struct tt_span){&port, 1, &v}, &err));
    return v;
}

/* --- the contract -------------------------------------------------------- */

static enum tt_code make_wrapped(const void *ctx, const char *name,
                                 tt_unit **to, tt_err *e)
{
    tt_unit *inner;
    enum tt_code rc = tt_mock_make(&inner, ctx, name, e);

    return rc == TT_OK ? tt_substep_new(to, inner, (struct tt_substeps){3, 3},
                                        &(struct tt_make){.name = name}, e)
                       : rc;
}

static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **to, tt_err *e)
{
    static const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                           .nth = 2,
                                           .act = TT_MOCK_ERROR,
                                           .text = "no",
                                           .stays = 1};
    static struct tt_mock_spec spec;

    spec = cued(ctx, &cue);
    return make_wrapped(&spec, name, to, e);
}

static void a_wrapped_unit_keeps_the_contract(void **state)
{
    const struct tt_mock_spec *of[] = {&tt_mock_integrator, &tt_mock_gain,
                                       &tt_mock_counter, &tt_mock_recorder};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tt_mock_spec spec = without_courses(of[i]);
        struct tt_contract_subject s = {.make = make_wrapped,
                                        .make_failing = make_failing,
                                        .ctx = &spec,
                                        .start = 0.5};

        assert_int_equal(tt_unit_contract_run(&s), 0);
    }
}

/* --- courses ------------------------------------------------------------- */

static void each_sub_step_has_the_mean_of_the_course(void **state)
{
    struct tt_buf tape;
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);
    struct tt_poly line = {.t0 = 1, .c = {10, 1}, .order = 1};
    tt_unit *u;

    (void)state;
    tt_buf_init(&tape, 4096);
    spec.tape = &tape;
    spec.tape_values = 1;
    u = wrap(&spec, 4);
    tt_buf_clear(&tape);
    follow(u, &line);
    ok(step(u, 3));
    assert_string_equal(tape.data, "a.set u=10.25; a.step 1.5; a.set u=10.75; "
                                   "a.step 2; a.set u=11.25; a.step 2.5; "
                                   "a.set u=11.75; a.step 3; a.set u=12");
    tt_buf_clear(&tape);
    ok(step(u, 4)); /* a course is for one step */
    assert_string_equal(tape.data, "a.step 4");
    assert_int_equal(u->n_step, 2);
    tt_unit_free(u);
    tt_buf_fini(&tape);
}

static void an_integrator_gets_the_whole_area_of_a_cubic(void **state)
{
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);
    struct tt_poly cubic = {.t0 = 1, .c = {1, -2, 3, 4}, .order = 3};
    tt_unit *u = wrap(&spec, 3);

    (void)state;
    follow(u, &cubic);
    ok(step(u, 2));
    assert_true(fabs(get(u, out) - (1 - 1 + 1 + 1)) < 1e-14);
    assert_true(get(u, in) == tt_poly_at(&cubic, 2));
    tt_unit_free(u);
}

/* x' = u - x, by Runge-Kutta's steps so short that only sampling counts. */
static void lag_derivative(const struct tt_mock_view *v, double *dx)
{
    dx[0] = *tt_mock_f64(v, TT_MOCK_INTEGRATOR_U) - v->x[0];
}

/* With s = t - 1 and u = s: x = s - 1 + exp(-s). */
static double lag_error(uint32_t n)
{
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);
    struct tt_poly line = {.t0 = 1, .c = {0, 1}, .order = 1};
    tt_unit *u;
    double x;

    spec.behaviour.derivative = lag_derivative;
    spec.sub_steps = 64;
    u = wrap(&spec, n);
    follow(u, &line);
    ok(step(u, 2));
    x = get(u, out);
    tt_unit_free(u);
    return fabs(x - exp(-1));
}

static void halving_the_sub_steps_divides_the_error_by_four(void **state)
{
    double e8 = lag_error(8), e16 = lag_error(16), e32 = lag_error(32);

    (void)state;
    assert_true(fabs(log2(e8 / e16) - 2) < 0.01);
    assert_true(fabs(log2(e16 / e32) - 2) < 0.01);
    assert_true(e32 < 1e-4);
}

/* Steps that the unit inside makes, for a course of each order. */
static void lines_take_few_sub_steps_and_constants_one(void **state)
{
    static const uint64_t few[] = {1, 2, 10, 10}, given[] = {6, 6, 6, 6};
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);

    (void)state;
    for (uint32_t order = 0; order < 4; order++) {
        struct tt_poly p = {.c = {1, 1, 1, 1}, .order = order};

        for (int i = 0; i < 2; i++) {
            tt_unit *u = wrap_in(&spec, i ? (struct tt_substeps){6, 6}
                                          : (struct tt_substeps){10, 2});
            struct tt_stepped r = {0};

            follow(u, &p);
            ok(tt_unit_step(u, &(struct tt_step){.to = u->now + 1, .h = 1}, &r,
                            &err));
            assert_true(u->inner->n_step == (i ? given : few)[order]);
            tt_unit_free(u);
        }
    }
}

static void a_set_input_follows_its_course_no_more(void **state)
{
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);
    struct tt_poly line = {.t0 = 1, .c = {10, 1}, .order = 1};
    tt_unit *u = wrap(&spec, 4);

    (void)state;
    follow(u, &line);
    ok(tt_unit_set(u, &(struct tt_span){&in, 1, &(double){7}}, &err));
    ok(step(u, 2));
    assert_true(get(u, out) == 7);
    tt_unit_free(u);
}

static void a_constant_input_that_is_no_float_takes_no_course(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "k", .type = TT_I32, .causality = TT_CAUS_INPUT}};
    struct tt_mock_spec spec = {
        .model = "m", .port = port, .n_port = 1, .caps = {.variable_step = 1}};
    struct tt_poly p = {.order = 0};
    uint32_t k = 0;
    tt_unit *u = wrap(&spec, 4);

    (void)state;
    refused(tt_unit_course(u, &(struct tt_span){&k, 1, NULL}, &p, &err),
            TT_EINPUT,
            "instance 'a' (sub-steps): course at t=1: 'k' takes no course");
    tt_unit_free(u);
}

/* --- outcomes ------------------------------------------------------------ */

static const struct tt_poly rising = {.t0 = 1, .c = {0, 2}, .order = 1};

/* One step from 1 to 2 in four, with this happening. */
static tt_unit *stepped(const struct tt_mock_cue *cue)
{
    struct tt_mock_spec plain = without_courses(&tt_mock_integrator);
    static struct tt_mock_spec spec;
    tt_unit *u;

    spec = cued(&plain, cue);
    spec.caps.event_mode = 1;
    u = wrap(&spec, 4);
    ok(tt_unit_save(u, 0, &err));
    follow(u, &rising);
    ok(step(u, 2));
    return u;
}

static void an_early_return_ends_the_step_there(void **state)
{
    tt_unit *u = stepped(&(struct tt_mock_cue){
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_EARLY, .value = 1.6});

    (void)state;
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EARLY);
    assert_true(u->now == 1.6 && u->inner->now == 1.6);
    assert_true(fabs(get(u, in) - 1.2) < 1e-15);
    tt_unit_free(u);
}

static void an_event_or_the_end_on_the_way_ends_the_step_there(void **state)
{
    tt_unit *u = stepped(&(struct tt_mock_cue){
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT});

    (void)state;
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EARLY | TT_STEP_EVENT);
    assert_true(u->now == 1.5);
    tt_unit_free(u);
    u = stepped(&(struct tt_mock_cue){
        .at = TT_MOCK_STEP, .nth = 4, .act = TT_MOCK_TERMINATE});
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_TERMINATE);
    assert_true(u->now == 2);
    tt_unit_free(u);
}

static void a_rejected_first_sub_step_changes_nothing(void **state)
{
    tt_unit *u = stepped(&(struct tt_mock_cue){
        .at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_REJECT, .value = 1.1});

    (void)state;
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_REJECT);
    assert_int_equal(tt_unit_last(u).after, TT_AFTER_UNCHANGED);
    assert_true(u->now == 1 && tt_unit_last(u).reached == 1.1);
    follow(u, &rising);
    ok(step(u, 2));
    assert_true(fabs(get(u, out) - 1) < 1e-15);
    tt_unit_free(u);
}

static void a_rejected_later_sub_step_needs_a_restore(void **state)
{
    tt_unit *u = stepped(&(struct tt_mock_cue){
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_REJECT, .value = 1.6});

    (void)state;
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_REJECT);
    assert_int_equal(tt_unit_last(u).after, TT_AFTER_NEEDS_RESTORE);
    assert_true(tt_unit_last(u).reached == 1.6);
    refused(
        step(u, 2), TT_ESTATE,
        "instance 'a' (sub-steps): step at t=1: it rejected its last step and "
        "needs a restore first");
    ok(tt_unit_restore(u, 0, &err));
    assert_true(u->now == 1 && u->inner->now == 1 && get(u, out) == 0);
    follow(u, &rising);
    ok(step(u, 1.5));
    assert_true(fabs(get(u, out) - 0.25) < 1e-15);
    tt_unit_free(u);
}

static void a_restore_ends_the_courses(void **state)
{
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);
    tt_unit *u = wrap(&spec, 4);

    (void)state;
    ok(tt_unit_save(u, 0, &err));
    follow(u, &rising);
    ok(tt_unit_restore(u, 0, &err));
    ok(step(u, 2));
    assert_true(get(u, out) == 0); /* held at its start value */
    tt_unit_free(u);
}

static void a_failure_names_the_sub_step(void **state)
{
    struct tt_mock_spec plain = without_courses(&tt_mock_integrator);
    struct tt_mock_spec spec = cued(
        &plain,
        &(struct tt_mock_cue){
            .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_ERROR, .text = "no"});
    tt_unit *u = wrap(&spec, 4);

    (void)state;
    follow(u, &rising);
    refused(
        step(u, 2), TT_EUNIT,
        "instance 'a' (sub-steps): step at t=1: instance 'a' (mock): step at "
        "t=1.25: no");
    tt_unit_free(u);
}

static void every_failing_allocation_frees_both(void **state)
{
    struct tt_mock_spec spec = without_courses(&tt_mock_integrator);

    (void)state;
    for (uint64_t n = 1; n < 20; n++) {
        tt_unit *u = NULL, *inner = make(&spec, "a");
        enum tt_code rc;

        tt_mem_fail_after(n);
        rc = tt_substep_new(&u, inner, (struct tt_substeps){4, 4},
                            &(struct tt_make){.name = "a"}, &err);
        if (rc == TT_OK)
            rc = tt_unit_configure(u, &err);
        tt_mem_fail_after(0);
        assert_true(n > 7 ? rc == TT_OK : rc == TT_ENOMEM);
        tt_unit_free(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrapped_unit_keeps_the_contract),
        cmocka_unit_test(each_sub_step_has_the_mean_of_the_course),
        cmocka_unit_test(an_integrator_gets_the_whole_area_of_a_cubic),
        cmocka_unit_test(halving_the_sub_steps_divides_the_error_by_four),
        cmocka_unit_test(lines_take_few_sub_steps_and_constants_one),
        cmocka_unit_test(a_set_input_follows_its_course_no_more),
        cmocka_unit_test(a_constant_input_that_is_no_float_takes_no_course),
        cmocka_unit_test(an_early_return_ends_the_step_there),
        cmocka_unit_test(an_event_or_the_end_on_the_way_ends_the_step_there),
        cmocka_unit_test(a_rejected_first_sub_step_changes_nothing),
        cmocka_unit_test(a_rejected_later_sub_step_needs_a_restore),
        cmocka_unit_test(a_restore_ends_the_courses),
        cmocka_unit_test(a_failure_names_the_sub_step),
        cmocka_unit_test(every_failing_allocation_frees_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
