/* SPDX-License-Identifier: MIT */
/* Unit kind fmi1me, on an FMU written by hand that notes its calls. */
#include "kinds/test_help.h"

#define RAW UNITS "raw1me.fmu"

struct desk {
    tt_unit_type *type;
    tt_unit *u;
    struct logged log;
};

static void set_up(struct desk *d, int what)
{
    logged_init(&d->log);
    d->type = open_type(RAW);
    d->u = make_unit(d->type, &d->log.log);
    set_i32(d->u, "what", what);
    set_i32(d->u, "step", 1);
}

static void tear_down(struct desk *d)
{
    tt_unit_free(d->u);
    close_type(d->type);
}

static const char *calls(tt_unit *u)
{
    static struct tt_text t;

    get_port(u, "calls", &t);
    return t.s;
}

static void it_is_taken_without_being_asked_for(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d, 0);
    assert_string_equal(d.type->kind->name, "fmi1me");
    assert_true(d.u->desc->caps.no_init_mode);
    assert_true(d.u->desc->caps.variable_step);
    assert_int_equal(d.u->desc->caps.course_order, TT_POLY_MAX);
    assert_string_equal(d.log.text, "info {k}.u -: made u\n");
    tear_down(&d);
}

static void its_states_are_integrated(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d, 0);
    get_ready(d.u, 0);
    for (int i = 1; i <= 25; i++) {
        struct tt_stepped r = step_to(d.u, i * 0.1);

        assert_near(r.reached, i * 0.1, 0);
        assert_near(get_f64(d.u, "x"), exp(-i * 0.1), 1e-6);
        assert_near(get_f64(d.u, "minus_x"), -get_f64(d.u, "x"), 0);
        assert_int_equal(get_i32(d.u, "ticks"), (int)(i * 0.1));
    }
    assert_string_equal(calls(d.u), "initialize(0,0,0) nominals update(0.693) "
                                    "update(1) update(2)");
    tear_down(&d);
}

/* x' = u - x, u = t: x = t - 1 + 2 exp(-t). */
static void inputs_follow_their_courses(void **state)
{
    struct tt_poly ramp = {.order = 1, .c = {0, 1}};
    struct desk d;

    (void)state;
    set_up(&d, 0);
    get_ready(d.u, 0);
    for (int i = 0; i < 10; i++) {
        uint32_t port = port_of(d.u, "u");
        struct tt_span s = {&port, 1, NULL};
        double t = (i + 1) * 0.1;

        ramp.t0 = d.u->now;
        ramp.c[0] = d.u->now;
        assert_ok(tt_unit_course(d.u, &s, &ramp, err));
        (void)step_to(d.u, t);
        assert_near(get_f64(d.u, "x"), t - 1 + 2 * exp(-t), 1e-6);
    }
    tear_down(&d);
}

/* An input that leaps, and a discrete one that changes, is an event. */
static void what_is_set_anew_is_an_event(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d, 0);
    get_ready(d.u, 0);
    (void)step_to(d.u, 0.1);
    set_f64(d.u, "minus_u", -3);
    (void)step_to(d.u, 0.2);
    set_f64(d.u, "minus_u", -3);
    (void)step_to(d.u, 0.25);
    set_i32(d.u, "step", 5);
    (void)step_to(d.u, 1.5);
    assert_near(get_f64(d.u, "u"), 3, 0);
    assert_int_equal(get_i32(d.u, "ticks"), 5);
    assert_string_equal(calls(d.u),
                        "initialize(0,0,0) nominals update(0.1) update(0.25) "
                        "update(1)");
    tear_down(&d);
}

static void events_change_states_and_are_repeated(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d, 2);
    get_ready(d.u, 0);
    (void)step_to(d.u, 1.5);
    assert_near(get_f64(d.u, "x"), (exp(-1) + 1) * exp(-0.5), 1e-6);
    tear_down(&d);
    set_up(&d, 5);
    get_ready(d.u, 0);
    (void)step_to(d.u, 1.5);
    assert_int_equal(get_i32(d.u, "ticks"), 1);
    assert_string_equal(calls(d.u), "initialize(0,0,0) nominals update(0) "
                                    "update(0.693) update(0.693) update(1) "
                                    "update(1)");
    tear_down(&d);
}

static void a_completed_step_may_ask_for_an_event(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d, 4);
    get_ready(d.u, 0);
    (void)step_to(d.u, 0.2);
    assert_string_equal(calls(d.u), "initialize(0,0,0) nominals");
    (void)step_to(d.u, 0.4);
    assert_string_equal(calls(d.u), "initialize(0,0,0) nominals update(0.4)");
    tear_down(&d);
}

static void the_simulation_may_end(void **state)
{
    struct tt_stepped r;
    struct desk d;

    (void)state;
    set_up(&d, 3);
    get_ready(d.u, 0);
    r = step_to(d.u, 5);
    assert_true(r.flags & TT_STEP_TERMINATE);
    assert_near(r.reached, 2, 0);
    tear_down(&d);
}

static void failures_are_named(void **state)
{
    struct tt_stepped r;
    const struct tt_experiment e = {.start = 0, .end = 10};
    struct desk d;

    (void)state;
    set_up(&d, 1);
    assert_ok(tt_unit_configure(d.u, err));
    assert_ok(tt_unit_enter_init(d.u, &e, err));
    assert_fails(TT_EUNIT, tt_unit_exit_init(d.u, err),
                 "instance '{k}.u' (fmi1me): exit_init: fmiInitialize returned "
                 "fmiError: last message: \"no licence\"");
    tear_down(&d);
    set_up(&d, 6);
    get_ready(d.u, 0);
    assert_fails(TT_EUNIT,
                 tt_unit_step(d.u, &(struct tt_step){.to = 1}, &r, err),
                 "instance '{k}.u' (fmi1me): step at t=0: integration stops at "
                 "t=0.49999999999999944: the derivative of 'x' has no finite "
                 "value, or the FMU "
                 "discards states near it");
    tear_down(&d);
    set_up(&d, 7);
    assert_ok(tt_unit_configure(d.u, err));
    assert_ok(tt_unit_enter_init(d.u, &e, err));
    assert_fails(
        TT_EUNIT, tt_unit_exit_init(d.u, err),
        "instance '{k}.u' (fmi1me): exit_init: fmiEventUpdate asked for "
        "more after 100 rounds at t=0");
    tear_down(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_taken_without_being_asked_for),
        cmocka_unit_test(its_states_are_integrated),
        cmocka_unit_test(inputs_follow_their_courses),
        cmocka_unit_test(what_is_set_anew_is_an_event),
        cmocka_unit_test(events_change_states_and_are_repeated),
        cmocka_unit_test(a_completed_step_may_ask_for_an_event),
        cmocka_unit_test(the_simulation_may_end),
        cmocka_unit_test(failures_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
