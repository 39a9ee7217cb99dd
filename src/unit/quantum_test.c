/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/contract.h"
#include "unit/quantum.h"
#include "unit/test_unit.h"

static const uint32_t in = TT_MOCK_INTEGRATOR_U, out = TT_MOCK_INTEGRATOR_Y;

static struct tt_buf tape;

static int set_up(void **state)
{
    (void)state;
    tt_buf_init(&tape, 8192);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tt_buf_fini(&tape);
    return 0;
}

static tt_unit *wrap(const struct tt_mock_spec *spec, struct tt_quantum q)
{
    tt_unit *u = NULL;

    ok(tt_quantum_new(&u, make(spec, "a"), q, &(struct tt_make){.name = "a"},
                      &err));
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, spec->caps.save ? 2 : 0, &err));
    return u;
}

/* An integrator whose steps and inputs are on the tape. */
static tt_unit *taped(double quantum, uint32_t most)
{
    static struct tt_mock_spec spec;
    tt_unit *u;

    spec = tt_mock_integrator;
    spec.tape = &tape;
    spec.tape_values = 1;
    spec.tape_verbs = 1 << TT_MOCK_SET | 1 << TT_MOCK_STEP;
    u = wrap(&spec, (struct tt_quantum){quantum, most});
    tt_buf_clear(&tape);
    return u;
}

static void give(tt_unit *u, double v)
{
    ok(tt_unit_set(u, &(struct tt_span){&in, 1, &v}, &err));
}

static double look(tt_unit *u)
{
    double v;

    ok(tt_unit_get(u, &(struct tt_span){&out, 1, &v}, &err));
    return v;
}

/* As a run does: step, read, set. */
static double go(tt_unit *u, double to, double v)
{
    double y;

    ok(step(u, to));
    y = look(u);
    give(u, v);
    return y;
}

static void with_nothing_to_do_it_sleeps_twice_as_long_each_time(void **state)
{
    tt_unit *u = taped(0.1, 4);
    uint64_t asked = 0, made = 0;

    (void)state;
    for (int i = 1; i <= 16; i++) /* 1, 2, 4, 4, ... until it ends at 9 */
        (void)go(u, 1 + i * 0.5, 0);
    assert_string_equal(tape.data,
                        "a.step 1.5; a.set u=0; a.step 2.5; a.set u=0; "
                        "a.step 4.5; a.set u=0; a.step 6.5; a.set u=0; "
                        "a.step 8.5; a.set u=0; a.step 9; a.set u=0");
    assert_true(tt_quantum_steps(u, &asked, &made));
    assert_int_equal(asked, 16);
    assert_int_equal(made, 6);
    assert_true(u->now == 9 && u->inner->now == 9);
    tt_unit_free(u);
}

static void an_input_that_leaves_its_quantum_wakes_it(void **state)
{
    tt_unit *u = taped(0.1, 64);

    (void)state;
    (void)go(u, 1.5, 0);
    (void)go(u, 2, 0.05);  /* asleep: within */
    (void)go(u, 2.5, 0.1); /* ... and its time is up */
    tt_buf_clear(&tape);
    (void)go(u, 3, 0.2); /* asleep, and just within */
    (void)go(u, 3.5, 0.201);
    assert_string_equal(tape.data, "");
    /* to 3.5 with what it had, then with what it is given */
    assert_true(fabs(go(u, 4, 0.201) - (0.1 * 1 + 0.201 * 0.5)) < 1e-15);
    assert_string_equal(tape.data, "a.step 3.5; a.set u=0.201; a.step 4; "
                                   "a.set u=0.201");
    tt_unit_free(u);
}

/* FMI 3 allows negative ones. */
static void the_sign_of_a_nominal_value_does_not_count(void **state)
{
    struct tt_mock_port port[8];
    struct tt_mock_spec spec = tt_mock_integrator;
    uint64_t made[2];

    (void)state;
    assert_true(spec.n_port <= 8);
    memcpy(port, spec.port, spec.n_port * sizeof(*port));
    spec.port = port;
    for (int i = 0; i < 2; i++) {
        uint64_t asked = 0;
        tt_unit *u;

        for (uint32_t k = 0; k < spec.n_port; k++)
            port[k].nominal = i ? -2 : 2;
        u = wrap(&spec, (struct tt_quantum){0.1, 64});
        give(u, 0.036);
        for (int k = 1; k <= 24; k++)
            (void)go(u, 1 + k * 0.25, 0.036);
        assert_true(tt_quantum_steps(u, &asked, &made[i]));
        tt_unit_free(u);
    }
    assert_int_equal(made[0], made[1]);
    assert_true(made[0] < 24);
}

static void how_long_it_sleeps_follows_from_how_its_outputs_move(void **state)
{
    tt_unit *u = taped(0.1, 64);

    (void)state;
    give(u, 0.036); /* in a step of 0.25 its output moves by 0.009 */
    tt_buf_clear(&tape);
    for (int i = 1; i <= 24; i++)
        (void)go(u, 1 + i * 0.25, 0.036);
    /* 1, 2, 4, and then half a quantum is 5.5 steps */
    assert_string_equal(
        tape.data, "a.step 1.25; a.set u=0.036; a.step 1.75; a.set u=0.036; "
                   "a.step 2.75; a.set u=0.036; a.step 4; a.set u=0.036; "
                   "a.step 5.25; a.set u=0.036; a.step 6.5; a.set u=0.036");
    tt_unit_free(u);
}

static void a_value_that_is_no_number_wakes_it(void **state)
{
    tt_unit *u = taped(0.1, 64);

    (void)state;
    (void)go(u, 1.5, 0);
    (void)go(u, 2, (double)NAN);
    tt_buf_clear(&tape);
    ok(step(u, 2.5));
    assert_string_equal(tape.data, "a.step 2; a.set u=nan; a.step 2.5");
    tt_unit_free(u);
}

/* It goes back to where it slept, and what came in the meantime is gone. */
static void a_sleeping_state_is_saved_packed_and_restored(void **state)
{
    tt_unit *u = taped(0.1, 64), *v;
    struct tt_bytes b = {NULL, 0};
    double y, again;

    (void)state;
    give(u, 0.02);
    (void)go(u, 1.5, 0.02);
    (void)go(u, 2, 0.05);
    ok(tt_unit_save(u, 0, &err));
    assert_true(u->inner->now == 1.5);
    (void)go(u, 2.5, 3);
    y = go(u, 3, 3);
    ok(tt_unit_restore(u, 0, &err));
    assert_true(u->now == 2 && u->inner->now == 1.5);
    (void)go(u, 2.5, 3);
    again = go(u, 3, 3);
    assert_true(y == again);

    v = taped(0.1, 64);
    ok(tt_unit_pack(u, 0, &b, &err));
    ok(tt_unit_unpack(v, 1, &b, &err));
    ok(tt_unit_restore(v, 1, &err));
    (void)go(v, 2.5, 3);
    assert_true(go(v, 3, 3) == y);
    b.n = 40;
    refused(tt_unit_unpack(v, 1, &b, &err), TT_EINPUT,
            "instance 'a' (quanta): unpack at t=3: 40 bytes are no packed "
            "state");
    tt_free(b.data);
    tt_unit_free(u);
    tt_unit_free(v);
}

static void it_does_not_sleep_past_the_largest_step_it_states(void **state)
{
    struct tt_mock_spec spec = tt_mock_integrator;
    uint64_t asked, made;
    double h = 0;
    tt_unit *u;

    (void)state;
    spec.caps.max_step = 1;
    spec.max_step = 1;
    u = wrap(&spec, (struct tt_quantum){0.1, 64});
    for (int i = 1; i <= 24; i++) {
        (void)go(u, 1 + i * 0.25, 0);
        ok(tt_unit_max_step(u, &h, &err));
        assert_true(h > 0 && h == u->inner->now + 1 - u->now);
    }
    assert_true(tt_quantum_steps(u, &asked, &made));
    assert_int_equal(made, 7); /* after 1, 3, and then every 4 */
    tt_unit_free(u);
}

static void one_that_returns_early_in_its_sleep_goes_on(void **state)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1.75};
    struct tt_mock_spec spec = cued(&tt_mock_integrator, &cue);
    tt_unit *u;

    (void)state;
    spec.caps.early_return = 1;
    u = wrap(&spec, (struct tt_quantum){0.1, 64});
    (void)go(u, 1.5, 0);
    (void)go(u, 2, 1);
    ok(step(u, 2.5));
    assert_true(u->now == 2.5 && look(u) == 0.5);
    assert_int_equal(tt_unit_last(u).flags, 0);
    tt_unit_free(u);
}

static void
a_step_that_is_rejected_after_it_was_caught_up_needs_a_restore(void **state)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_REJECT, .value = 2.25};
    struct tt_mock_spec spec = cued(&tt_mock_integrator, &cue);
    tt_unit *u = wrap(&spec, (struct tt_quantum){0.1, 64});

    (void)state;
    (void)go(u, 1.5, 0);
    (void)go(u, 2, 1);
    ok(tt_unit_save(u, 0, &err));
    ok(step(u, 2.5));
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_REJECT);
    assert_true(tt_unit_last(u).reached == 2.25);
    assert_int_equal(tt_unit_last(u).after, TT_AFTER_NEEDS_RESTORE);
    ok(tt_unit_restore(u, 0, &err));
    ok(step(u, 2.25));
    assert_true(look(u) == 0.25);
    tt_unit_free(u);
}

/* --- the contract -------------------------------------------------------- */

static enum tt_code make_wrapped(const void *ctx, const char *name,
                                 tt_unit **to, tt_err *e)
{
    tt_unit *inner;
    enum tt_code rc = tt_mock_make(&inner, ctx, name, e);

    return rc == TT_OK
               ? tt_quantum_new(to, inner, (struct tt_quantum){1e-9, 64},
                                &(struct tt_make){.name = name}, e)
               : rc;
}

static void a_wrapped_unit_keeps_the_contract(void **state)
{
    const struct tt_mock_spec *of[] = {&tt_mock_integrator, &tt_mock_gain,
                                       &tt_mock_counter, &tt_mock_recorder};

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(tt_unit_contract_run(&(struct tt_contract_subject){
                             .make = make_wrapped, .ctx = of[i], .start = 0.5}),
                         0);
}

static void every_failing_allocation_frees_both(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 20; n++) {
        tt_unit *u = NULL, *inner = make(&tt_mock_integrator, "a");
        enum tt_code rc;

        tt_mem_fail_after(n);
        rc = tt_quantum_new(&u, inner, (struct tt_quantum){1, 1},
                            &(struct tt_make){.name = "a"}, &err);
        if (rc == TT_OK)
            rc = tt_unit_configure(u, &err);
        tt_mem_fail_after(0);
        assert_true(n > 4 ? rc == TT_OK : rc == TT_ENOMEM);
        tt_unit_free(u);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(with_nothing_to_do_it_sleeps_twice_as_long_each_time),
        TEST(an_input_that_leaves_its_quantum_wakes_it),
        TEST(how_long_it_sleeps_follows_from_how_its_outputs_move),
        TEST(the_sign_of_a_nominal_value_does_not_count),
        TEST(a_value_that_is_no_number_wakes_it),
        TEST(a_sleeping_state_is_saved_packed_and_restored),
        TEST(it_does_not_sleep_past_the_largest_step_it_states),
        TEST(one_that_returns_early_in_its_sleep_goes_on),
        TEST(a_step_that_is_rejected_after_it_was_caught_up_needs_a_restore),
        TEST(a_wrapped_unit_keeps_the_contract),
        TEST(every_failing_allocation_frees_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
