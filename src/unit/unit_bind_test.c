/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/test_fwd.h"
#include "unit/test_unit.h"

static void set(tt_unit *u, uint32_t port, double v)
{
    ok(tt_unit_set(u, &(struct tt_span){&port, 1, &v}, &err));
}

/* --- binding ----------------------------------------------------------- */

static void a_kind_without_bind_can_be_played(void **state)
{
    tt_unit *u = ready(&tt_mock_integrator, "a");
    uint32_t in = TT_MOCK_INTEGRATOR_U, out = TT_MOCK_INTEGRATOR_Y;
    double value[2] = {2, -1};
    struct tt_now now = {.t = {1, 1.5}, .h = {0, 0.5}};
    struct tt_call call[3];

    (void)state;
    ok(tt_unit_bind(u, TT_VERB_SET, &(struct tt_span){&in, 1, &value[0]},
                    &call[0], &err));
    ok(tt_unit_bind(u, TT_VERB_STEP, NULL, &call[1], &err));
    ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){&out, 1, &value[1]},
                    &call[2], &err));
    call[1].from = TT_T0;
    call[1].to = TT_T1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(tt_call_make(&call[i], &now), TT_CALL_OK);
    assert_true(value[1] == 1);
    assert_true(u->now == 1.5 && u->n_step == 1);
    assert_int_equal(call[2].what->n, 1);
    assert_int_equal(call[2].what->n_val, 1);
    assert_int_equal(call[2].what->type, TT_F64);
    assert_int_equal(call[2].what->verb, TT_VERB_GET);
    tt_unit_free(u);
}

static enum tt_call_result play_step(const struct tt_mock_cue *cue, tt_unit **u,
                                     struct tt_call *c, struct tt_now *now)
{
    static struct tt_mock_spec spec; /* outlives the unit */

    spec = cued(&tt_mock_counter, cue);
    *u = ready(&spec, "a");
    *now = (struct tt_now){.t = {1, 1.5}, .h = {0, 0.5}};
    ok(tt_unit_bind(*u, TT_VERB_STEP, NULL, c, &err));
    c->from = TT_T0;
    c->to = TT_T1;
    return tt_call_make(c, now);
}

static void a_bound_step_reports_outcomes_but_not_a_mere_lag(void **state)
{
    struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_EARLY, .value = 1.25};
    struct tt_call c;
    struct tt_now now;
    tt_unit *u;

    (void)state;
    assert_int_equal(play_step(&cue, &u, &c, &now), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EARLY);
    assert_true(u->now == 1.25);
    /* the rest of the step, from where it stands */
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_true(u->now == 1.5);
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK); /* already there */
    assert_int_equal(u->n_step, 2);
    tt_unit_free(u);
    cue.act = TT_MOCK_LAG;
    assert_int_equal(play_step(&cue, &u, &c, &now), TT_CALL_OK);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_LAG);
    tt_unit_free(u);
}

static void a_failed_bound_call_is_explained_and_breaks_the_unit(void **state)
{
    struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_ERROR, .text = "it burst"};
    struct tt_call c;
    struct tt_now now;
    tt_unit *u;

    (void)state;
    assert_int_equal(play_step(&cue, &u, &c, &now), TT_CALL_FAILED);
    assert_int_equal(now.status, TT_EUNIT);
    refused(tt_unit_explain(u, &c, &now, &err), TT_EUNIT,
            "instance 'a' (mock): step at t=1: it burst");
    assert_int_equal(u->life, TT_LIFE_BROKEN);
    tt_unit_free(u);
}

static void a_bound_step_after_a_rejection_needs_the_restore_too(void **state)
{
    struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                              .nth = 1,
                              .act = TT_MOCK_REJECT_RESTORE,
                              .value = 1.25};
    struct tt_call c;
    struct tt_now now;
    tt_unit *u;

    (void)state;
    assert_int_equal(play_step(&cue, &u, &c, &now), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).after, TT_AFTER_NEEDS_RESTORE);
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_FAILED);
    refused(
        tt_unit_explain(u, &c, &now, &err), TT_ESTATE,
        "instance 'a' (mock): step at t=1: it rejected its last step and needs "
        "a restore first");
    tt_unit_free(u);
}

static void a_failed_bound_get_names_its_ports(void **state)
{
    struct tt_mock_spec spec = cued(
        &tt_mock_gain, &(struct tt_mock_cue){
                           .at = TT_MOCK_GET, .nth = 1, .act = TT_MOCK_ERROR});
    static const uint32_t port[] = {0, 1, 2};
    double v[3];
    struct tt_now now = {.pc = 0};
    struct tt_call c;
    tt_unit *u = ready(&spec, "a");

    (void)state;
    ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){port, 3, v}, &c, &err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_FAILED);
    refused(
        tt_unit_explain(u, &c, &now, &err), TT_EUNIT,
        "instance 'a' (mock): get at t=1: 'u', 'y' and 1 more: asked to fail");
    tt_unit_free(u);
}

static enum tt_call_result always_fails(const struct tt_call *c,
                                        struct tt_now *now)
{
    (void)c;
    now->status = 3;
    return TT_CALL_FAILED;
}

static void a_kind_with_bind_but_no_words_still_gets_a_sentence(void **state)
{
    const struct tt_what what = {.fn = always_fails, .verb = TT_VERB_SET};
    struct tt_call c = {.what = &what};
    struct tt_now now = {.pc = 0};
    tt_unit *u = ready(&tt_mock_gain, "a");

    (void)state;
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_FAILED);
    refused(tt_unit_explain(u, &c, &now, &err), TT_EUNIT,
            "instance 'a' (mock): set at t=1: it answered with status 3");
    tt_unit_free(u);
}

static void what_cannot_be_bound_is_refused(void **state)
{
    tt_unit *u = make(&tt_mock_gain, "a");
    struct tt_call c;

    (void)state;
    refused(tt_unit_bind(u, TT_VERB_STEP, NULL, &c, &err), TT_ESTATE,
            "instance 'a' (mock): bind: not allowed when just made");
    ok(tt_unit_configure(u, &err));
    refused(tt_unit_bind(u, TT_VERB_OTHER, NULL, &c, &err), TT_EINPUT,
            "instance 'a' (mock): bind: only get, set and step can be bound");
    tt_unit_free(u);
}

/* --- forwarding -------------------------------------------------------- */

static tt_unit *wrapped(const struct tt_unit_ops *ops,
                        const struct tt_mock_spec *spec)
{
    tt_unit *inner = make(spec, "in"), *u;

    assert_non_null(TT_NEW(u));
    ok(tt_unit_init(u, ops, inner->desc, &(struct tt_make){.name = "out"},
                    &err));
    u->inner = inner;
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 0, &err));
    return u;
}

static void a_forwarder_binds_values_straight_to_the_inner_unit(void **state)
{
    tt_unit *u = wrapped(&fwd_ops, &tt_mock_gain);
    uint32_t port = TT_MOCK_GAIN_Y;
    struct tt_span s = {&port, 1, &(double){0}};
    struct tt_call c;

    (void)state;
    ok(tt_unit_bind(u, TT_VERB_GET, &s, &c, &err));
    assert_ptr_equal(c.unit, u->inner);
    ok(tt_unit_bind(u, TT_VERB_STEP, NULL, &c, &err));
    assert_ptr_equal(c.unit, u); /* its own time follows */
    tt_unit_free(u);
}

static enum tt_code twice(tt_unit *u, const struct tt_span *s, tt_err *e)
{
    enum tt_code rc = fwd_ops.get(u, s, e);

    *(double *)s->value *= 2;
    return rc;
}

static void a_wrapper_that_overrides_get_is_not_bypassed(void **state)
{
    struct tt_unit_ops ops = fwd_ops;
    uint32_t port = TT_MOCK_GAIN_Y;
    double v = 0;
    struct tt_now now = {.pc = 0};
    struct tt_call c;
    tt_unit *u;

    (void)state;
    ops.get = twice;
    u = wrapped(&ops, &tt_mock_gain);
    set(u, TT_MOCK_GAIN_U, 5);
    ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){&port, 1, &v}, &c, &err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_true(v == 10);
    tt_unit_free(u);
}

static void a_failure_inside_names_both_units_and_breaks_both(void **state)
{
    struct tt_mock_spec spec = cued(
        &tt_mock_gain,
        &(struct tt_mock_cue){
            .at = TT_MOCK_GET, .nth = 1, .act = TT_MOCK_ERROR, .text = "no"});
    tt_unit *u = wrapped(&fwd_ops, &spec);
    uint32_t port = TT_MOCK_GAIN_Y;
    struct tt_now now = {.pc = 0};
    struct tt_call c;

    (void)state;
    ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){&port, 1, &(double){0}},
                    &c, &err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_FAILED);
    refused(
        tt_unit_explain(u, &c, &now, &err), TT_EUNIT,
        "instance 'out' (mock): get at t=1: instance 'in' (mock): get at t=1: "
        "'y': no");
    assert_int_equal(u->life, TT_LIFE_BROKEN);
    assert_int_equal(u->inner->life, TT_LIFE_BROKEN);
    tt_unit_free(u);
}

static void a_forwarder_keeps_time_with_the_inner_unit(void **state)
{
    struct tt_mock_spec spec = cued(
        &tt_mock_counter,
        &(struct tt_mock_cue){
            .at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_EARLY, .value = 1.25});
    tt_unit *u = wrapped(&fwd_ops, &spec);

    (void)state;
    ok(step(u, 2));
    assert_true(u->now == 1.25 && u->inner->now == 1.25);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EARLY);
    ok(step(u, 2));
    assert_true(u->now == 2 && u->inner->now == 2);
    assert_int_equal(u->n_step, 2);
    tt_unit_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_without_bind_can_be_played),
        cmocka_unit_test(a_bound_step_reports_outcomes_but_not_a_mere_lag),
        cmocka_unit_test(a_failed_bound_call_is_explained_and_breaks_the_unit),
        cmocka_unit_test(a_bound_step_after_a_rejection_needs_the_restore_too),
        cmocka_unit_test(a_failed_bound_get_names_its_ports),
        cmocka_unit_test(a_kind_with_bind_but_no_words_still_gets_a_sentence),
        cmocka_unit_test(what_cannot_be_bound_is_refused),
        cmocka_unit_test(a_forwarder_binds_values_straight_to_the_inner_unit),
        cmocka_unit_test(a_wrapper_that_overrides_get_is_not_bypassed),
        cmocka_unit_test(a_failure_inside_names_both_units_and_breaks_both),
        cmocka_unit_test(a_forwarder_keeps_time_with_the_inner_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
