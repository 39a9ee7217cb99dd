/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/test_fwd.h"
#include "unit/test_unit.h"

static double get(tt_unit *u, uint32_t port)
{
    double v = -1;

    ok(tt_unit_get(u, &(struct tt_span){&port, 1, &v}, &err));
    return v;
}

/* --- tables ------------------------------------------------------------ */

static void a_table_without_a_required_op_is_refused_by_name(void **state)
{
    struct tt_unit_ops ops = fwd_ops;
    struct tt_desc desc = {.kind = "x"};
    struct tt_make mk = {.name = "a"};
    tt_unit u;

    (void)state;
    ops.step = NULL;
    refused(tt_unit_init(&u, &ops, &desc, &mk, &err), TT_EUNSUPPORTED,
            "instance kind 'x' has no step");
    tt_unit_fini(&u); /* takes what a failed init left */
}

static void a_claim_without_its_op_is_refused_by_name(void **state)
{
    struct tt_unit_ops ops = fwd_ops;
    struct tt_desc desc = {.kind = "x", .caps = {.save = 1}};
    struct tt_make mk = {.name = "a"};
    tt_unit u;

    (void)state;
    ops.restore = NULL;
    refused(tt_unit_init(&u, &ops, &desc, &mk, &err), TT_EUNSUPPORTED,
            "instance kind 'x' has no restore, but claims it");
    tt_unit_fini(&u);
    desc.caps = (struct tt_caps){.event_mode = 1};
    ops.event_update = NULL;
    refused(tt_unit_init(&u, &ops, &desc, &mk, &err), TT_EUNSUPPORTED,
            "instance kind 'x' has no event_update, but claims it");
    tt_unit_fini(&u);
}

static void no_memory_for_the_name_is_an_error(void **state)
{
    struct tt_desc desc = {.kind = "x"};
    tt_unit u;

    (void)state;
    tt_mem_fail_after(1);
    refused(
        tt_unit_init(&u, &fwd_ops, &desc, &(struct tt_make){.name = "a"}, &err),
        TT_ENOMEM, "instance 'a' (x): out of memory");
    tt_mem_fail_after(0);
    tt_unit_fini(&u);
}

/* --- words ------------------------------------------------------------- */

static void a_failing_step_names_unit_kind_call_and_time(void **state)
{
    struct tt_mock_spec spec =
        cued(&tt_mock_counter, &(struct tt_mock_cue){.at = TT_MOCK_STEP,
                                                     .nth = 2,
                                                     .act = TT_MOCK_ERROR,
                                                     .text = "it burst"});
    tt_unit *u = ready(&spec, "{t}.tank");

    (void)state;
    ok(step(u, 1.25));
    refused(step(u, 1.5), TT_EUNIT,
            "instance '{t}.tank' (mock): step at t=1.25: it burst");
    tt_unit_free(u);
}

static void a_failing_get_names_its_ports(void **state)
{
    struct tt_mock_spec spec = cued(
        &tt_mock_gain,
        &(struct tt_mock_cue){
            .at = TT_MOCK_GET, .nth = 1, .every = 1, .act = TT_MOCK_ERROR});
    static const uint32_t port[] = {1, 0, 2};
    double v[3];

    (void)state;
    for (size_t n = 1; n <= 3; n++) {
        static const char *const words[] = {
            "instance 'a' (mock): get: 'y': asked to fail",
            "instance 'a' (mock): get: 'y', 'u': asked to fail",
            "instance 'a' (mock): get: 'y', 'u' and 1 more: asked to fail"};
        tt_unit *u = make(&spec, "a");

        enter_init(u);
        refused(tt_unit_get(u, &(struct tt_span){port, n, v}, &err), TT_EUNIT,
                words[n - 1]);
        tt_unit_free(u);
    }
}

static void a_call_out_of_order_states_why(void **state)
{
    tt_unit *u = make(&tt_mock_counter, "a");
    struct tt_span none = {NULL, 0, NULL};

    (void)state;
    refused(step(u, 1), TT_ESTATE,
            "instance 'a' (mock): step: not allowed when just made");
    ok(tt_unit_configure(u, &err));
    refused(tt_unit_exit_init(u, &err), TT_ESTATE,
            "instance 'a' (mock): exit_init: not allowed when only configured");
    ok(tt_unit_enter_init(u, &(struct tt_experiment){.start = 1}, &err));
    refused(tt_unit_end(u, &err), TT_ESTATE,
            "instance 'a' (mock): end: not allowed during initialisation");
    ok(tt_unit_exit_init(u, &err));
    refused(step(u, 2), TT_ESTATE,
            "instance 'a' (mock): step at t=1: not allowed before prepare");
    refused(tt_unit_configure(u, &err), TT_ESTATE,
            "instance 'a' (mock): configure at t=1: not allowed after "
            "initialisation");
    ok(tt_unit_prepare(u, 0, &err));
    refused(tt_unit_prepare(u, 0, &err), TT_ESTATE,
            "instance 'a' (mock): prepare at t=1: not allowed twice");
    ok(tt_unit_end(u, &err));
    refused(tt_unit_set(u, &none, &err), TT_ESTATE,
            "instance 'a' (mock): set at t=1: not allowed after its end");
    ok(tt_unit_get(u, &none, &err));
    ok(tt_unit_end(u, &err));
    tt_unit_free(u);
}

static void what_a_unit_cannot_do_is_reported_in_so_many_words(void **state)
{
    static const struct tt_mock_port port[] = {{.name = "x"}};
    struct tt_mock_spec spec = {.model = "m", .port = port, .n_port = 1};
    struct tt_span s = {(uint32_t[]){0}, 1, &(double){0}};
    struct tt_bytes b = {NULL, 0};
    struct tt_jvp j = {.n_unknown = 0};
    double h = 0;
    tt_unit *u = ready(&spec, "a");

    (void)state;
    refused(tt_unit_save(u, 0, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot save its state");
    refused(tt_unit_restore(u, 0, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot restore a state");
    refused(tt_unit_pack(u, 0, &b, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot turn a state into bytes");
    refused(tt_unit_unpack(u, 0, &b, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot take a state from bytes");
    refused(tt_unit_course(u, &s, NULL, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot take courses of its inputs");
    refused(tt_unit_rates(u, &s, 1, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot give derivatives of its outputs");
    refused(tt_unit_jvp(u, &j, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot give directional derivatives");
    refused(tt_unit_event_enter(u, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot handle events");
    ok(tt_unit_max_step(u, &h, &err));
    assert_true(isnan(h));
    assert_int_equal(u->life, TT_LIFE_READY); /* a refusal breaks nothing */
    tt_unit_free(u);
}

static void registers_are_promised_by_prepare(void **state)
{
    tt_unit *u = make(&tt_mock_counter, "a");
    struct tt_mock_spec spec = tt_mock_counter;

    (void)state;
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    refused(tt_unit_prepare(u, 65, &err), TT_EINPUT,
            "instance 'a' (mock): prepare at t=1: 65 state registers asked "
            "for, at most 64 are there");
    ok(tt_unit_prepare(u, 64, &err));
    ok(tt_unit_save(u, 63, &err));
    refused(tt_unit_restore(u, 62, &err), TT_ESTATE,
            "instance 'a' (mock): restore at t=1: state register 62 is empty");
    refused(
        tt_unit_save(u, 64, &err), TT_EINPUT,
        "instance 'a' (mock): save at t=1: there is no state register 64, 64 "
        "were prepared");
    ok(tt_unit_restore(u, 63, &err));
    tt_unit_free(u);
    spec.caps.save = spec.caps.serialise = 0;
    u = make(&spec, "a");
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    refused(tt_unit_prepare(u, 1, &err), TT_EUNSUPPORTED,
            "instance 'a' (mock): cannot save its state");
    ok(tt_unit_prepare(u, 0, &err));
    tt_unit_free(u);
}

/* --- values ------------------------------------------------------------ */

static void a_span_of_two_types_or_of_no_port_is_refused(void **state)
{
    static const struct tt_mock_port port[] = {{.name = "x"},
                                               {.name = "i", .type = TT_I32}};
    struct tt_mock_spec spec = {.model = "m", .port = port, .n_port = 2};
    static const uint32_t mixed[] = {0, 1}, beyond[] = {2};
    double v[2];
    tt_unit *u = ready(&spec, "a");

    (void)state;
    refused(
        tt_unit_get(u, &(struct tt_span){mixed, 2, v}, &err), TT_EINPUT,
        "instance 'a' (mock): get at t=1: 'x' is Float64 and 'i' is Int32, one "
        "call moves one type");
    refused(tt_unit_set(u, &(struct tt_span){beyond, 1, v}, &err), TT_EINPUT,
            "instance 'a' (mock): set at t=1: there is no port 2, it has 2");
    tt_unit_free(u);
}

static void a_structural_parameter_is_final_after_configure(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "n", .type = TT_U64, .causality = TT_CAUS_STRUCTURAL}};
    struct tt_mock_spec spec = {.model = "m", .port = port, .n_port = 1};
    struct tt_span s = {(uint32_t[]){0}, 1, &(uint64_t){4}};
    tt_unit *u = make(&spec, "a");

    (void)state;
    ok(tt_unit_set(u, &s, &err));
    ok(tt_unit_configure(u, &err));
    refused(
        tt_unit_set(u, &s, &err), TT_ESTATE,
        "instance 'a' (mock): set: structural parameter 'n' can only be set "
        "before configure");
    tt_unit_free(u);
}

static void courses_and_rates_beyond_the_claim_are_refused(void **state)
{
    struct tt_mock_spec spec = tt_mock_integrator;
    struct tt_poly p = {.order = 2};
    uint32_t in = TT_MOCK_INTEGRATOR_U, out = TT_MOCK_INTEGRATOR_Y;
    double v;
    tt_unit *u;

    (void)state;
    spec.caps.course_order = 1;
    u = ready(&spec, "a");
    refused(
        tt_unit_course(u, &(struct tt_span){&in, 1, NULL}, &p, &err), TT_EINPUT,
        "instance 'a' (mock): course at t=1: a course of order 2 for 'u', it "
        "takes at most order 1");
    refused(tt_unit_course(u, &(struct tt_span){&out, 1, NULL}, &p, &err),
            TT_EINPUT,
            "instance 'a' (mock): course at t=1: 'y' takes no course");
    refused(tt_unit_rates(u, &(struct tt_span){&out, 1, &v}, 4, &err),
            TT_EINPUT,
            "instance 'a' (mock): rates at t=1: derivative 4 asked for, it "
            "gives 1 to "
            "3");
    tt_unit_free(u);
}

static void only_floats_have_derivatives(void **state)
{
    static const struct tt_mock_port port[] = {{.name = "i", .type = TT_I32}};
    struct tt_mock_spec spec = {
        .model = "m", .port = port, .n_port = 1, .caps = {.directional = 1}};
    uint32_t i = 0;
    struct tt_jvp j = {.unknown = &i, .n_unknown = 1};
    tt_unit *u = ready(&spec, "a");

    (void)state;
    refused(tt_unit_jvp(u, &j, &err), TT_EINPUT,
            "instance 'a' (mock): jvp at t=1: 'i' is not a float, it has no "
            "derivative");
    tt_unit_free(u);
}

/* --- steps ------------------------------------------------------------- */

static void stepping_from_the_past_is_refused(void **state)
{
    tt_unit *u = ready(&tt_mock_counter, "a");

    (void)state;
    ok(step(u, 1.25));
    refused(
        step(u, 1.0), TT_ESTATE,
        "instance 'a' (mock): step at t=1.25: stepping back to t=1 is refused, "
        "only a restore does that");
    ok(step(u, 1.5));
    tt_unit_free(u);
}

static void stepping_to_where_it_stands_does_nothing(void **state)
{
    struct tt_mock_spec spec = tt_mock_counter;
    struct tt_buf tape;
    tt_unit *u;

    (void)state;
    tt_buf_init(&tape, 4096);
    spec.tape = &tape;
    u = ready(&spec, "a");
    ok(step(u, 1));
    assert_int_equal(tape.len, 0);
    assert_int_equal(u->n_step, 0);
    tt_unit_free(u);
    tt_buf_fini(&tape);
}

static void see_h(const struct tt_mock_view *v, double h)
{
    *tt_mock_f64(v, 0) = h;
}

static void the_unit_gets_the_exact_length_it_was_given(void **state)
{
    static const struct tt_mock_port port[] = {{.name = "h"}};
    struct tt_mock_spec spec = {.model = "m",
                                .port = port,
                                .n_port = 1,
                                .behaviour = {.update = see_h}};
    tt_unit *u = ready(&spec, "a");
    double t = 1 + 3 * 0.1, next = 1 + 4 * 0.1;
    struct tt_stepped r;

    (void)state;
    ok(step(u, t));
    assert_true(next - t != 0.1); /* which is why h is given */
    ok(tt_unit_step(u, &(struct tt_step){.to = next, .h = 0.1}, &r, &err));
    assert_true(get(u, 0) == 0.1);
    assert_true(u->now == next);
    tt_unit_free(u);
}

static void impossible_requests_are_refused(void **state)
{
    tt_unit *u = ready(&tt_mock_counter, "a");
    struct tt_stepped r;

    (void)state;
    refused(step(u, (double)NAN), TT_EINPUT,
            "instance 'a' (mock): step at t=1: there is no time nan");
    refused(step(u, HUGE_VAL), TT_EINPUT,
            "instance 'a' (mock): step at t=1: there is no time inf");
    refused(tt_unit_step(u, &(struct tt_step){.to = 2, .h = -1}, &r, &err),
            TT_EINPUT, "instance 'a' (mock): step at t=1: a step of length -1");
    assert_int_equal(u->life, TT_LIFE_READY);
    tt_unit_free(u);
}

/* What step 1 to t=2 gives when it claims to have reached `value`. */
static void claims(double value, const char *msg)
{
    struct tt_mock_spec spec =
        cued(&tt_mock_counter, &(struct tt_mock_cue){.at = TT_MOCK_STEP,
                                                     .nth = 1,
                                                     .act = TT_MOCK_REACHED,
                                                     .value = value});
    tt_unit *u = ready(&spec, "a");

    refused(step(u, 2), TT_EUNIT, msg);
    assert_int_equal(u->life, TT_LIFE_BROKEN);
    assert_true(u->now == 1);
    tt_unit_free(u);
}

static void an_impossible_time_reached_is_an_error(void **state)
{
    (void)state;
    claims((double)NAN,
           "instance 'a' (mock): step at t=1: it reports to have reached nan");
    claims(2.5,
           "instance 'a' (mock): step at t=1: it went beyond the end of the "
           "step, to 2.5");
    claims(0.5, "instance 'a' (mock): step at t=1: it went back to 0.5");
}

static void stopping_short_without_a_word_counts_as_early(void **state)
{
    struct tt_mock_spec spec =
        cued(&tt_mock_counter, &(struct tt_mock_cue){.at = TT_MOCK_STEP,
                                                     .nth = 1,
                                                     .act = TT_MOCK_REACHED,
                                                     .value = 1.5});
    tt_unit *u = ready(&spec, "a");

    (void)state;
    ok(step(u, 2));
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EARLY);
    assert_true(u->now == 1.5);
    tt_unit_free(u);
}

static void the_largest_lag_relative_to_the_step_is_kept(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_LAG, .value = -0.25},
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_LAG, .value = 0.125}};
    struct tt_mock_spec spec = cued(&tt_mock_counter, cue);
    tt_unit *u;

    (void)state;
    spec.n_cue = 2;
    u = ready(&spec, "a");
    ok(step(u, 2));
    assert_true(u->now == 2); /* a lag is not fatal */
    assert_true(tt_unit_last(u).lag == -0.25);
    ok(step(u, 2.25));
    assert_true(u->max_lag == 0.5);
    tt_unit_free(u);
}

static void after_a_rejection_that_needs_a_restore_only_that_helps(void **state)
{
    struct tt_mock_spec spec =
        cued(&tt_mock_integrator,
             &(struct tt_mock_cue){.at = TT_MOCK_STEP,
                                   .nth = 1,
                                   .act = TT_MOCK_REJECT_RESTORE,
                                   .value = 1.5});
    tt_unit *u = ready(&spec, "a");

    (void)state;
    ok(tt_unit_save(u, 0, &err));
    ok(step(u, 2));
    assert_true(u->now == 1);
    assert_int_equal(u->n_step, 1);
    refused(
        step(u, 1.5), TT_ESTATE,
        "instance 'a' (mock): step at t=1: it rejected its last step and needs "
        "a restore first");
    refused(
        tt_unit_save(u, 0, &err), TT_ESTATE,
        "instance 'a' (mock): save at t=1: it rejected its last step and needs "
        "a restore first");
    ok(tt_unit_restore(u, 0, &err));
    ok(step(u, 1.5));
    assert_true(u->now == 1.5);
    tt_unit_free(u);
}

/* --- failure ----------------------------------------------------------- */

static tt_unit *broken(struct tt_mock_spec *spec)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_ERROR, .stays = 1};
    tt_unit *u;

    *spec = cued(&tt_mock_counter, &cue);
    u = ready(spec, "a");
    ok(step(u, 2));
    ok(tt_unit_save(u, 1, &err));
    assert_int_equal(step(u, 3), TT_EUNIT);
    return u;
}

static void a_broken_unit_refuses_all_but_restore_reset_and_free(void **state)
{
    struct tt_mock_spec spec;
    tt_unit *u = broken(&spec);
    struct tt_bytes b;

    (void)state;
    refused(step(u, 3), TT_ESTATE,
            "instance 'a' (mock): step at t=2: not allowed because it failed "
            "earlier");
    refused(tt_unit_end(u, &err), TT_ESTATE,
            "instance 'a' (mock): end at t=2: not allowed because it failed "
            "earlier");
    refused(tt_unit_pack(u, 1, &b, &err), TT_ESTATE,
            "instance 'a' (mock): pack at t=2: not allowed because it failed "
            "earlier");
    refused(tt_unit_restore(u, 0, &err), TT_ESTATE,
            "instance 'a' (mock): restore at t=2: state register 0 is empty");
    tt_unit_free(u);
}

static void restore_clears_a_failure(void **state)
{
    struct tt_mock_spec spec;
    tt_unit *u = broken(&spec);

    (void)state;
    ok(tt_unit_restore(u, 1, &err));
    assert_true(u->now == 2);
    assert_int_equal(u->life, TT_LIFE_READY);
    ok(step(u, 3));
    tt_unit_free(u);
}

static void reset_clears_a_failure_and_forgets_registers(void **state)
{
    struct tt_mock_spec spec;
    tt_unit *u = broken(&spec);

    (void)state;
    ok(tt_unit_reset(u, &err));
    assert_int_equal(u->life, TT_LIFE_MADE);
    assert_int_equal(u->n_step, 0);
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 2, &err));
    refused(tt_unit_restore(u, 1, &err), TT_ESTATE,
            "instance 'a' (mock): restore at t=1: state register 1 is empty");
    ok(step(u, 3));
    tt_unit_free(u);
}

/* --- states ------------------------------------------------------------ */

static void a_state_of_another_model_or_a_damaged_one_is_refused(void **state)
{
    tt_unit *a = ready(&tt_mock_counter, "a");
    tt_unit *b = ready(&tt_mock_gain, "b");
    struct tt_bytes bytes = {NULL, 0};

    (void)state;
    ok(tt_unit_save(a, 0, &err));
    ok(tt_unit_pack(a, 0, &bytes, &err));
    refused(
        tt_unit_unpack(b, 0, &bytes, &err), TT_EINPUT,
        "instance 'b' (mock): unpack at t=1: the state is of another model");
    ((char *)bytes.data)[bytes.n - 32] ^= 1;
    assert_int_equal(tt_unit_unpack(a, 1, &bytes, &err), TT_EINPUT);
    assert_non_null(strstr(err.msg, " bytes are no packed state"));
    refused(tt_unit_restore(a, 1, &err), TT_ESTATE,
            "instance 'a' (mock): restore at t=1: state register 1 is empty");
    tt_free(bytes.data);
    tt_unit_free(a);
    tt_unit_free(b);
}

/* Within so many wrappers that pass everything on, where it is at t = 1. */
static tt_unit *within(uint32_t n)
{
    tt_unit *u = make(&tt_mock_counter, "a");

    while (n--) {
        tt_unit *around;

        assert_non_null(TT_NEW(around));
        ok(tt_unit_init(around, &fwd_ops, u->desc,
                        &(struct tt_make){.name = "a"}, &err));
        around->inner = u;
        u = around;
    }
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 2, &err));
    return u;
}

static struct tt_bytes packed(tt_unit *u)
{
    struct tt_bytes bytes = {NULL, 0};

    ok(tt_unit_save(u, 0, &err));
    ok(tt_unit_pack(u, 0, &bytes, &err));
    return bytes;
}

static void wrappers_that_pass_states_on_leave_no_trace(void **state)
{
    tt_unit *u[] = {within(0), within(1), within(2)};
    struct tt_bytes alone = packed(u[0]);

    (void)state;
    for (int i = 1; i < 3; i++) {
        struct tt_bytes bytes = packed(u[i]);

        assert_int_equal(bytes.n, alone.n);
        assert_memory_equal(bytes.data, alone.data, alone.n);
        tt_free(bytes.data);
    }
    tt_free(alone.data);
    for (int i = 0; i < 3; i++)
        tt_unit_free(u[i]);
}

/* It was put there (run_put); the unit inside was not. */
static void a_wrapper_stands_where_it_stood(void **state)
{
    tt_unit *from = within(2);
    struct tt_bytes bytes;

    (void)state;
    ok(step(from, 2));
    from->now = 3;
    bytes = packed(from);
    for (uint32_t n = 0; n < 3; n++) {
        tt_unit *to = within(n);

        ok(tt_unit_unpack(to, 1, &bytes, &err));
        ok(tt_unit_restore(to, 1, &err));
        assert_true(to->now == 3);
        for (const tt_unit *in = to->inner; in; in = in->inner)
            assert_true(in->now == 2);
        tt_unit_free(to);
    }
    tt_free(bytes.data);
    tt_unit_free(from);
}

static void no_memory_while_packing_loses_nothing(void **state)
{
    tt_unit *u = ready(&tt_mock_counter, "a");
    struct tt_bytes bytes = {NULL, 0};

    (void)state;
    ok(tt_unit_save(u, 0, &err));
    tt_mem_fail_after(2);
    assert_int_equal(tt_unit_pack(u, 0, &bytes, &err), TT_ENOMEM);
    tt_mem_fail_after(0);
    assert_null(bytes.data);
    ok(tt_unit_pack(u, 0, &bytes, &err)); /* not broken by it */
    tt_free(bytes.data);
    tt_unit_free(u);
}

static void a_state_saved_in_event_mode_restores_into_it(void **state)
{
    struct tt_mock_spec spec = tt_mock_counter;
    struct tt_event_result r;
    tt_unit *u;

    (void)state;
    spec.caps.event_mode = 1;
    u = ready(&spec, "a");
    ok(tt_unit_event_enter(u, &err));
    refused(step(u, 2), TT_ESTATE,
            "instance 'a' (mock): step at t=1: not allowed in event mode");
    ok(tt_unit_save(u, 0, &err));
    ok(tt_unit_event_leave(u, &err));
    ok(step(u, 2));
    ok(tt_unit_restore(u, 0, &err));
    assert_int_equal(u->life, TT_LIFE_EVENT);
    ok(tt_unit_event_update(u, &r, &err));
    assert_true(!r.again && !r.next_defined && isinf(r.next));
    tt_unit_free(u);
}

static void nan_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)v;
    r->next_defined = 1;
    r->next = (double)NAN;
}

static void a_next_event_at_nan_is_an_error(void **state)
{
    struct tt_mock_spec spec = tt_mock_counter;
    struct tt_event_result r;
    tt_unit *u;

    (void)state;
    spec.caps.event_mode = 1;
    spec.behaviour.event = nan_event;
    u = ready(&spec, "a");
    ok(tt_unit_event_enter(u, &err));
    refused(
        tt_unit_event_update(u, &r, &err), TT_EUNIT,
        "instance 'a' (mock): event_update at t=1: its next event is at nan");
    tt_unit_free(u);
}

/* --- activity ---------------------------------------------------------- */

static void the_activity_names_every_cold_call_before_it_is_made(void **state)
{
    struct tt_activity activity = {.playing = 1};
    tt_unit *u = ready(&tt_mock_counter, "{t}.tank");

    (void)state;
    u->activity = &activity;
    ok(step(u, 2));
    assert_string_equal(activity.unit, "{t}.tank");
    assert_string_equal(activity.call, "step");
    assert_true(activity.time == 1);
    assert_int_equal(activity.playing, 0);
    ok(tt_unit_save(u, 0, &err));
    assert_string_equal(activity.call, "save");
    assert_true(activity.time == 2);
    tt_unit_free(u);
    assert_string_equal(activity.call, "free");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_without_a_required_op_is_refused_by_name),
        cmocka_unit_test(a_claim_without_its_op_is_refused_by_name),
        cmocka_unit_test(no_memory_for_the_name_is_an_error),
        cmocka_unit_test(a_failing_step_names_unit_kind_call_and_time),
        cmocka_unit_test(a_failing_get_names_its_ports),
        cmocka_unit_test(a_call_out_of_order_states_why),
        cmocka_unit_test(what_a_unit_cannot_do_is_reported_in_so_many_words),
        cmocka_unit_test(registers_are_promised_by_prepare),
        cmocka_unit_test(a_span_of_two_types_or_of_no_port_is_refused),
        cmocka_unit_test(a_structural_parameter_is_final_after_configure),
        cmocka_unit_test(courses_and_rates_beyond_the_claim_are_refused),
        cmocka_unit_test(only_floats_have_derivatives),
        cmocka_unit_test(stepping_from_the_past_is_refused),
        cmocka_unit_test(stepping_to_where_it_stands_does_nothing),
        cmocka_unit_test(the_unit_gets_the_exact_length_it_was_given),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(an_impossible_time_reached_is_an_error),
        cmocka_unit_test(stopping_short_without_a_word_counts_as_early),
        cmocka_unit_test(the_largest_lag_relative_to_the_step_is_kept),
        cmocka_unit_test(
            after_a_rejection_that_needs_a_restore_only_that_helps),
        cmocka_unit_test(a_broken_unit_refuses_all_but_restore_reset_and_free),
        cmocka_unit_test(restore_clears_a_failure),
        cmocka_unit_test(reset_clears_a_failure_and_forgets_registers),
        cmocka_unit_test(a_state_of_another_model_or_a_damaged_one_is_refused),
        cmocka_unit_test(wrappers_that_pass_states_on_leave_no_trace),
        cmocka_unit_test(a_wrapper_stands_where_it_stood),
        cmocka_unit_test(no_memory_while_packing_loses_nothing),
        cmocka_unit_test(a_state_saved_in_event_mode_restores_into_it),
        cmocka_unit_test(a_next_event_at_nan_is_an_error),
        cmocka_unit_test(the_activity_names_every_cold_call_before_it_is_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
