/* SPDX-License-Identifier: MIT */
/* What FMI 3 units do and what they do wrong. The contract is tested in
 * contract_test.c. */
#include "kinds/test_help.h"

#include <stdbool.h>

/* Modes of tests/units/raw_fmi3.c. */
enum {
    LAG = 1,
    OVERSHOOT,
    EARLY,
    TERMINATE,
    EVENT,
    DISCARD,
    NOT_A_TIME,
    UNASKED,
    FATAL,
    ERROR,
    REPORTS_NOTHING,
    EVENT_FOREVER,
};

static tt_unit *raw_unit(tt_unit_type **t, int32_t mode, struct tt_make m)
{
    tt_unit *u;

    *t = open_type(UNITS "raw3.fmu");
    m.name = "{k}.u";
    m.logging = 1;
    u = make_with(*t, &m);
    set_i32(u, "mode", mode);
    return u;
}

static tt_unit *raw_ready(tt_unit_type **t, int32_t mode)
{
    tt_unit *u = raw_unit(t, mode, (struct tt_make){.early_return = 1});

    get_ready(u, 0);
    return u;
}

static void done(tt_unit_type *t, tt_unit *u)
{
    tt_unit_free(u);
    close_type(t);
}

/* --- values ------------------------------------------------------------- */

static void every_type_goes_in_and_out(void **state)
{
    static const double vector[3] = {4, 5, 6};
    double back[3];
    int8_t i8 = -100;
    uint64_t u64 = UINT64_MAX;
    int64_t mode = 3;
    bool flag = true;
    tt_unit_type *t = open_type(UNITS "alltypes-fmi3.fmu");
    tt_unit *u = make_unit(t, NULL);

    (void)state;
    get_ready(u, 0);
    set_port(u, "i8_in", &i8);
    i8 = 0;
    get_port(u, "i8_out", &i8);
    assert_int_equal(i8, -100);
    set_port(u, "u64_in", &u64);
    u64 = 0;
    get_port(u, "u64_out", &u64);
    assert_true(u64 == UINT64_MAX);
    set_port(u, "mode_in", &mode);
    mode = 0;
    get_port(u, "mode_out", &mode);
    assert_int_equal(mode, 3);
    get_port(u, "bool_out", &flag);
    assert_true(flag);
    set_port(u, "vector_in", vector);
    get_port(u, "vector_out", back);
    assert_memory_equal(back, vector, sizeof(back));
    done(t, u);
}

static void arrays_and_scalars_share_a_call(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, 0);
    uint32_t port[2] = {port_of(u, "array"), port_of(u, "u")};
    double in[4] = {7, 8, 9, 10}, out[4] = {0};
    struct tt_now now = {.pc = 0};
    struct tt_call set, get;

    (void)state;
    assert_int_equal(port[0], port_of(u, "a")); /* an alias */
    assert_ok(tt_unit_bind(u, TT_VERB_SET, &(struct tt_span){port, 2, in}, &set,
                           err));
    assert_ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){port, 2, out},
                           &get, err));
    assert_int_equal(set.what->n_val, 4);
    assert_int_equal(tt_call_make(&set, &now), TT_CALL_OK);
    assert_int_equal(tt_call_make(&get, &now), TT_CALL_OK);
    assert_memory_equal(in, out, sizeof(in));
    done(t, u);
}

static void binaries_and_texts_are_copied(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, 0);
    struct tt_text blob = {.n = 4, .s = {1, 0, 2, 3}}, back = {.n = 9};
    uint32_t port = port_of(u, "blob_in");

    (void)state;
    get_port(u, "text", &back); /* NULL */
    assert_int_equal(back.n, 0);
    get_port(u, "blob_out", &back);
    assert_int_equal(back.n, 0);
    set_port(u, "blob_in", &blob);
    get_port(u, "blob_out", &back);
    assert_int_equal(back.n, 4);
    assert_memory_equal(back.s, blob.s, 4);
    blob.n = 1;
    blob.s[0] = 'L';
    set_port(u, "blob_in", &blob);
    get_port(u, "blob_out", &back); /* without a store it cannot be set */
    assert_int_equal(back.n, 3000);
    assert_true(tt_bytes_is_cut(&back));
    assert_fails(
        TT_EUNSUPPORTED,
        tt_unit_set(u, &(struct tt_span){&port, 1, &back}, err),
        "instance '{k}.u' (fmi3): set at t=0: 'blob_in': of a value of 3000 "
        "bytes only length and SHA-256 are known here");
    u->texts = tt_texts_new();
    get_port(u, "blob_out", &back);
    assert_int_equal(tt_text_data(u->texts, &back, NULL)[2999],
                     tt_text_data(u->texts, &back, NULL)[1]);
    set_port(u, "blob_in", &back);
    tt_texts_free(u->texts);
    done(t, u);
}

static void structural_parameters_are_set_in_their_mode(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, 0, (struct tt_make){.visible = 0});
    uint64_t n = 2;
    double a[] = {7, 8}, is[2] = {0};

    (void)state;
    set_port(u, "n", &n);
    n = 2;
    set_port(u, "n", &n);
    assert_int_equal(u->desc->port[port_of(u, "a")].n, 3); /* as described */
    assert_ok(tt_unit_configure(u, err));
    assert_int_equal(u->desc->port[port_of(u, "a")].n, 2);
    assert_int_equal(u->desc->port[port_of(u, "a")].dim[0], 2);
    assert_null(u->desc->port[port_of(u, "a")].start);
    assert_int_equal(t->desc.port[port_of(u, "a")].n, 3);
    set_port(u, "a", a);
    assert_ok(tt_unit_enter_init(u, &(struct tt_experiment){.end = 9}, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, 0, err));
    assert_int_equal(get_i32(u, "configured"), 1); /* one visit to the mode */
    get_port(u, "a", is);
    assert_memory_equal(is, a, sizeof(a));
    done(t, u);
}

static void clocks_are_read(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, 0, (struct tt_make){.event_mode = 1});
    bool tick = false;

    (void)state;
    get_ready(u, 0); /* ends the event at the start */
    get_port(u, "tick", &tick);
    assert_true(tick);
    done(t, u);
}

/* The FMU has what was set: it answers with it. */
static void intervals_and_shifts_are_set(void **state)
{
    tt_unit_type *t = open_type(UNITS "alarm-fmi3.fmu");
    tt_unit *u = make_with(
        t,
        &(struct tt_make){.name = "{k}.u", .instance = "u", .event_mode = 1});
    struct tt_timing is = {.port = port_of(u, "beat"),
                           .known = TT_KNOWN_CHANGED,
                           .interval = {7, 10},
                           .shift = {2, 5}};

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(
        u, &(struct tt_experiment){.end = (double)INFINITY}, err));
    assert_ok(tt_unit_set_intervals(u, &is, 1, err));
    is = (struct tt_timing){.port = is.port};
    assert_ok(tt_unit_intervals(u, &is, 1, err));
    assert_true(is.interval.num == 7 && is.interval.den == 10);
    assert_true(is.shift.num == 2 && is.shift.den == 5);
    done(t, u);
}

/* --- outcomes ----------------------------------------------------------- */

static void a_lag_is_reported_and_nothing_else(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, LAG);
    struct tt_stepped r = step_to(u, 0.5);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_int_equal(r.flags, TT_STEP_LAG);
    assert_int_equal(r.after, TT_AFTER_AT_REACHED);
    assert_near(r.reached, 0.5, 0);
    assert_near(r.lag, -0.05, 1e-15);
    assert_near(u->max_lag, 0.1, 1e-12);
    assert_int_equal(bound_step_to(u, 1.5, &now, &c), TT_CALL_OK);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_LAG);
    assert_near(tt_unit_last(u).lag, -0.1, 1e-15);
    assert_near(u->now, 1.5, 0);
    assert_near(u->max_lag, 0.1, 1e-12);
    done(t, u);
    u = raw_ready(&t, OVERSHOOT);
    r = step_to(u, 0.5);
    assert_int_equal(r.flags, TT_STEP_LAG);
    assert_near(r.lag, 0.05, 1e-15);
    done(t, u);
}

static void an_early_return_is_where_it_reports(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, EARLY);
    struct tt_stepped r = step_to(u, 0.5);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_int_equal(r.flags, TT_STEP_EARLY);
    assert_near(r.reached, 0.25, 0);
    assert_int_equal(bound_step_to(u, 0.5, &now, &c), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EARLY);
    assert_near(u->now, 0.375, 0);
    assert_int_equal(u->n_step, 2);
    done(t, u);
}

static void an_end_is_where_it_reports(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, TERMINATE);
    struct tt_stepped r = step_to(u, 0.5);

    (void)state;
    assert_int_equal(r.flags, TT_STEP_TERMINATE | TT_STEP_EARLY);
    assert_near(r.reached, 0.25, 0);
    assert_near(u->now, 0.25, 0);
    done(t, u);
}

static void a_discard_leaves_the_unit_as_it_was(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, DISCARD);
    struct tt_stepped r = step_to(u, 0.5);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_UNCHANGED);
    assert_near(r.reached, 0, 0);
    assert_int_equal(bound_step_to(u, 0.5, &now, &c), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_REJECT);
    assert_near(u->now, 0, 0);
    done(t, u);
}

static void a_time_that_is_none_is_overlooked(void **state)
{
    static const int32_t mode[] = {NOT_A_TIME, REPORTS_NOTHING, EVENT};
    tt_unit_type *t;

    (void)state;
    for (int i = 0; i < 3; i++) {
        /* EVENT: event mode was not asked for, so it cannot be handled. */
        tt_unit *u = raw_ready(&t, mode[i]);
        struct tt_stepped r = step_to(u, 0.5);
        struct tt_now now;
        struct tt_call c;

        assert_int_equal(r.flags, 0);
        assert_near(r.reached, 0.5, 0);
        assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_OK);
        assert_near(u->now, 1, 0);
        done(t, u);
    }
}

/* --- events ------------------------------------------------------------- */

static void events_are_entered_and_left(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, EVENT, (struct tt_make){.event_mode = 1});
    const struct tt_experiment e = {.start = 0, .end = 1};
    struct tt_event_result r;
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_int_equal(u->life, TT_LIFE_EVENT);
    assert_ok(tt_unit_event_update(u, &r, err));
    assert_int_equal(r.again, 0);
    assert_int_equal(r.values_changed, 1);
    assert_int_equal(r.next_defined, 1);
    assert_near(r.next, 1, 0);
    assert_ok(tt_unit_event_leave(u, err));
    assert_ok(tt_unit_prepare(u, 0, err));
    assert_int_equal(step_to(u, 0.5).flags, TT_STEP_EVENT);
    assert_near(u->now, 0.5, 0);
    assert_ok(tt_unit_event_enter(u, err));
    assert_ok(tt_unit_event_update(u, &r, err));
    assert_ok(tt_unit_event_leave(u, err));
    assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_EVENT);
    done(t, u);
}

static void endless_events_at_the_start_are_a_failure(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, EVENT_FOREVER, (struct tt_make){.event_mode = 1});
    const struct tt_experiment e = {.start = 0, .end = 1};

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_fails(TT_EUNIT, tt_unit_prepare(u, 0, err),
                 "instance '{k}.u' (fmi3): prepare at t=0: "
                 "fmi3UpdateDiscreteStates asked for more after 100 rounds at "
                 "one instant");
    done(t, u);
}

static void refused_event_mode_is_done_without(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw3.fmu");
    struct logged h;
    struct tt_make m = {.name = "u", .instance = "no events", .event_mode = 1};
    tt_unit *u;

    (void)state;
    logged_init(&h);
    m.log = &h.log;
    u = make_with(t, &m);
    assert_string_equal(
        h.text, "warning - -: instance 'u': declares event mode but cannot "
                "be instantiated with it, so it runs without\n");
    get_ready(u, 0);
    assert_int_equal(step_to(u, 1).flags, 0);
    assert_fails(TT_EUNSUPPORTED, tt_unit_event_enter(u, err),
                 "instance 'u' (fmi3): event_enter at t=1: it was instantiated "
                 "without event mode");
    done(t, u);
}

/* --- failures ----------------------------------------------------------- */

static void an_error_brings_the_last_message(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, ERROR);
    struct tt_stepped r;
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_fails(TT_EUNIT, tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err),
                 "instance '{k}.u' (fmi3): step at t=0: fmi3DoStep returned "
                 "fmi3Error: last message: \"100%s wrong\"");
    u->life = TT_LIFE_READY; /* once more */
    assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_FAILED);
    assert_fails(TT_EUNIT, tt_unit_explain(u, &c, &now, err),
                 "instance '{k}.u' (fmi3): step at t=0: fmi3DoStep returned "
                 "fmi3Error: last message: \"100%s wrong\"");
    done(t, u);
}

static void missing_functions_are_named_when_needed(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, 0, (struct tt_make){.visible = 0});
    uint32_t port = port_of(u, "n");
    uint64_t n;

    (void)state;
    get_ready(u, 1);
    assert_fails(TT_EINPUT, tt_unit_save(u, 0, err),
                 "instance '{k}.u' (fmi3): save at t=0: needs fmi3GetFMUState, "
                 "which the library of the FMU does not export");
    assert_fails(
        TT_EINPUT, tt_unit_get(u, &(struct tt_span){&port, 1, &n}, err),
        "instance '{k}.u' (fmi3): get at t=0: 'n': needs fmi3GetUInt64, "
        "which the library of the FMU does not export");
    assert_fails(
        TT_EINPUT, tt_unit_reset(u, err),
        "instance '{k}.u' (fmi3): reset at t=0: needs fmi3Reset, which "
        "the library of the FMU does not export");
    done(t, u);
}

/* --- courses ------------------------------------------------------------ */

/* raw_fmi3.c integrates u by the trapezoidal rule. */
static void courses_are_given_in_intermediate_update(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, 0, (struct tt_make){.want_course = 1});
    uint32_t port = port_of(u, "u");
    double value = 10;
    const struct tt_span s = {&port, 1, &value};
    const struct tt_poly p = {.t0 = 0, .c = {1, 2}, .order = 1};
    struct tt_now now;
    struct tt_call c;

    (void)state;
    get_ready(u, 0);
    assert_ok(tt_unit_course(u, &s, &p, err));
    step_to(u, 1);
    assert_near(get_f64(u, "y"), 2, 1e-15); /* u from 1 to 3 */
    step_to(u, 2);                          /* the course is used up: holds */
    assert_near(get_f64(u, "y"), 5, 1e-15);
    assert_ok(tt_unit_course(u, &s, &p, err)); /* from 5 to 7 */
    assert_int_equal(bound_step_to(u, 3, &now, &c), TT_CALL_OK);
    assert_near(get_f64(u, "y"), 11, 1e-15);
    assert_int_equal(bound_step_to(u, 4, &now, &c), TT_CALL_OK);
    assert_near(get_f64(u, "y"), 18, 1e-15);
    assert_near(get_f64(u, "held"), 4, 0); /* asked for no early return */
    assert_ok(tt_unit_course(u, &s, &p, err));
    assert_ok(tt_unit_bind(u, TT_VERB_SET, &s, &c, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK); /* ends it */
    step_to(u, 5);
    assert_near(get_f64(u, "y"), 28, 1e-15);
    done(t, u);
}

static void unasked_intermediate_updates_are_harmless(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_ready(&t, UNASKED);

    (void)state;
    set_f64(u, "u", 3);
    assert_int_equal(step_to(u, 1).flags, 0);
    assert_near(get_f64(u, "y"), 3, 1e-15);
    done(t, u);
}

/* x1'' = F / m with F = 6 t: x1 = t^3. */
static void a_kit_unit_follows_a_course(void **state)
{
    tt_unit_type *t = open_type(MSD "msd1-fmi3.fmu");
    const struct tt_make m = {.name = "c", .instance = "c", .want_course = 1};
    tt_unit *u = make_with(t, &m);
    uint32_t port = port_of(u, "F");
    const struct tt_span s = {&port, 1, NULL};
    const struct tt_poly p = {.t0 = 0, .c = {0, 6}, .order = 1};

    (void)state;
    set_f64(u, "x1", 0);
    set_f64(u, "c1", 0);
    set_f64(u, "d1", 0);
    get_ready(u, 0);
    for (int i = 1; i <= 2; i++) {
        assert_ok(tt_unit_course(u, &s, &p, err));
        step_to(u, i * 0.5);
    }
    assert_near(get_f64(u, "x1"), 1, 1e-12);
    done(t, u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_goes_in_and_out),
        cmocka_unit_test(arrays_and_scalars_share_a_call),
        cmocka_unit_test(binaries_and_texts_are_copied),
        cmocka_unit_test(structural_parameters_are_set_in_their_mode),
        cmocka_unit_test(clocks_are_read),
        cmocka_unit_test(intervals_and_shifts_are_set),
        cmocka_unit_test(a_lag_is_reported_and_nothing_else),
        cmocka_unit_test(an_early_return_is_where_it_reports),
        cmocka_unit_test(an_end_is_where_it_reports),
        cmocka_unit_test(a_discard_leaves_the_unit_as_it_was),
        cmocka_unit_test(a_time_that_is_none_is_overlooked),
        cmocka_unit_test(events_are_entered_and_left),
        cmocka_unit_test(endless_events_at_the_start_are_a_failure),
        cmocka_unit_test(refused_event_mode_is_done_without),
        cmocka_unit_test(an_error_brings_the_last_message),
        cmocka_unit_test(missing_functions_are_named_when_needed),
        cmocka_unit_test(courses_are_given_in_intermediate_update),
        cmocka_unit_test(unasked_intermediate_updates_are_harmless),
        cmocka_unit_test(a_kit_unit_follows_a_course),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
