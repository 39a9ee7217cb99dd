/* SPDX-License-Identifier: MIT */
/* What FMI 2 units do and what they do wrong. The contract is tested in
 * contract_test.c. */
#include "kinds/test_help.h"

#include "sys/lib.h"

/* Modes of tests/units/raw_fmi2.c and misdeeds of misbehave.c. */
enum {
    PENDING = 1,
    NULL_TEXT,
    LONG_TEXT,
    LOG_STRANGE,
    STATUS_9,
    FATAL,
    NO_SETUP,
    BAD_GET,
    WARNING,
    DISCARD_SILENT,
};
enum { FAIL = 1, REJECT = 3, TERMINATE, EARLY, MAX_STEP = 11 };

static tt_unit *raw_unit(tt_unit_type **t, int32_t mode)
{
    tt_unit *u;

    *t = open_type(UNITS "raw2.fmu");
    u = make_unit(*t, NULL);
    set_i32(u, "mode", mode);
    return u;
}

static tt_unit *misbehaving(tt_unit_type **t, int32_t what, uint32_t n_state)
{
    tt_unit *u;

    *t = open_type(UNITS "misbehave.fmu");
    u = make_unit(*t, NULL);
    set_i32(u, "what", what);
    get_ready(u, n_state);
    set_f64(u, "u", 1);
    return u;
}

static void done(tt_unit_type *t, tt_unit *u)
{
    tt_unit_free(u);
    close_type(t);
}

/* --- values ------------------------------------------------------------- */

static void steps_a_mass_on_a_spring(void **state)
{
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_unit(t, NULL);

    (void)state;
    set_f64(u, "c1", 4);
    set_f64(u, "d1", 0);
    set_f64(u, "x1", 2);
    get_ready(u, 0);
    for (int i = 1; i <= 10; i++)
        assert_int_equal(step_to(u, i * 0.1).flags, 0);
    assert_near(get_f64(u, "x1"), 2 * cos(2.0), 1e-12);
    assert_near(get_f64(u, "v1"), -4 * sin(2.0), 1e-12);
    assert_ok(tt_unit_end(u, err));
    done(t, u);
}

static void every_type_goes_in_and_out(void **state)
{
    tt_unit_type *t = open_type(UNITS "alltypes.fmu");
    tt_unit *u = make_unit(t, NULL);
    struct tt_text text;

    (void)state;
    assert_int_equal(t->desc.port[port_of(u, "i64_in")].type, TT_I32);
    assert_int_equal(t->desc.port[port_of(u, "bool_in")].type, TT_BOOL32);
    assert_int_equal(t->desc.port[port_of(u, "mode_in")].type, TT_ENUM32);
    get_ready(u, 0);
    get_port(u, "text_out", &text);
    assert_string_equal(text.s, "start");
    set_i32(u, "mode_in", 3);
    assert_int_equal(get_i32(u, "mode_out"), 3);
    set_i32(u, "bool_in", 0);
    assert_int_equal(get_i32(u, "bool_out"), 0);
    set_f64(u, "vector_in[2]", 7);
    assert_near(get_f64(u, "vector_out[2]"), 7, 0);
    assert_int_equal(get_i32(u, "matrix_out[2,3]"), 6);
    done(t, u);
}

/* More ports than a chunk, not in a row, through one call. */
static void many_texts_go_in_one_span(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    tt_unit *u = make_unit(t, NULL);
    uint32_t port[100];
    static struct tt_text text[100];

    (void)state;
    for (int i = 0; i < 100; i++)
        port[i] = port_of(u, "text");
    get_ready(u, 0);
    assert_ok(tt_unit_get(u, &(struct tt_span){port, 100, text}, err));
    assert_string_equal(text[99].s, "fine");
    done(t, u);
}

static void a_null_text_is_empty(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, NULL_TEXT);
    struct tt_text text = {.n = 5};

    (void)state;
    get_ready(u, 0);
    get_port(u, "text", &text);
    assert_int_equal(text.n, 0);
    assert_string_equal(text.s, "");
    done(t, u);
}

/* Without a store there is only length and SHA-256 of it. */
static void a_long_text_is_whole_where_there_is_a_store(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, LONG_TEXT);
    uint32_t port = port_of(u, "text");
    struct tt_text text, bare;
    struct tt_call c;
    struct tt_now now = {.pc = 0};
    const struct tt_span s = {&port, 1, &text};
    const char *bytes;

    (void)state;
    get_ready(u, 0);
    get_port(u, "text", &bare);
    assert_null(tt_text_data(u->texts, &bare, NULL));
    u->texts = tt_texts_new();
    assert_ok(tt_unit_bind(u, TT_VERB_GET, &s, &c, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_true(tt_text_same(&text, &bare));
    bytes = tt_text_data(u->texts, &text, NULL);
    assert_non_null(bytes);
    assert_int_equal(text.n, 2999);
    assert_int_equal(strlen(bytes), 2999);
    tt_texts_free(u->texts);
    done(t, u);
}

/* --- experiment --------------------------------------------------------- */

static void the_experiment_is_given_as_it_is(void **state)
{
    const struct tt_experiment closed = {
        .start = 1, .end = 7, .tolerance = 0.5};
    const struct tt_experiment open = {.start = 1, .end = (double)INFINITY};
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    tt_unit *u = make_unit(t, NULL), *v = make_unit(t, NULL);

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &closed, err));
    assert_near(get_f64(u, "stop"), 7, 0);
    assert_near(get_f64(u, "tolerance"), 0.5, 0);
    assert_ok(tt_unit_configure(v, err));
    assert_ok(tt_unit_enter_init(v, &open, err));
    assert_near(get_f64(v, "stop"), -1, 0);
    assert_near(get_f64(v, "tolerance"), -1, 0);
    tt_unit_free(u);
    done(t, v);
}

static void no_prior_follows_may_restore(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, 0);
    struct tt_stepped r;
    struct tt_now now;
    struct tt_call c;

    (void)state;
    get_ready(u, 0);
    assert_ok(
        tt_unit_step(u, &(struct tt_step){.to = 1, .may_restore = 1}, &r, err));
    assert_int_equal(get_i32(u, "no_prior"), 0);
    assert_ok(tt_unit_step(u, &(struct tt_step){.to = 2}, &r, err));
    assert_int_equal(get_i32(u, "no_prior"), 1);
    step_to(u, 3);
    /* Bound, and no register was asked for. */
    assert_int_equal(bound_step_to(u, 4, &now, &c), TT_CALL_OK);
    assert_int_equal(get_i32(u, "no_prior"), 1);
    done(t, u);
}

/* A register that is only to be packed undoes no step. */
static void no_prior_overlooks_spare_registers(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2-claims.fmu");
    struct tt_now now;
    struct tt_call c;

    (void)state;
    for (uint32_t spare = 0; spare <= 2; spare++) {
        tt_unit *u = make_unit(t, NULL);

        tt_unit_spare(u, spare);
        get_ready(u, 2);
        assert_int_equal(tt_unit_may_restore(u), spare < 2);
        assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_OK);
        assert_int_equal(get_i32(u, "no_prior"), spare == 2);
        tt_unit_free(u);
    }
    t->kind->close(t);
}

/* --- outcomes ----------------------------------------------------------- */

static void a_discard_is_a_rejection(void **state)
{
    tt_unit_type *t;
    tt_unit *u = misbehaving(&t, REJECT, 1);
    struct tt_stepped r;

    (void)state;
    step_to(u, 0.5);
    assert_ok(tt_unit_save(u, 0, err));
    r = step_to(u, 1);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_NEEDS_RESTORE);
    assert_near(r.reached, 0.5, 0);
    assert_near(u->now, 0.5, 0);
    assert_fails(TT_ESTATE,
                 tt_unit_step(u, &(struct tt_step){.to = 0.75}, &r, err),
                 "instance '{k}.u' (fmi2): step at t=0.5: it rejected its last "
                 "step and needs a restore first");
    assert_ok(tt_unit_restore(u, 0, err));
    assert_int_equal(step_to(u, 0.75).flags, 0);
    done(t, u);
}

static void a_discard_without_a_status_is_a_rejection(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, DISCARD_SILENT);
    struct tt_stepped r;

    (void)state;
    get_ready(u, 0);
    r = step_to(u, 1);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_near(r.reached, 0, 0);
    done(t, u);
}

static void a_discard_of_a_terminated_unit_is_the_end(void **state)
{
    tt_unit_type *t;
    tt_unit *u = misbehaving(&t, TERMINATE, 0);
    struct tt_stepped r;

    (void)state;
    step_to(u, 0.75);
    r = step_to(u, 1.25); /* two micro-steps: it ends at 1 */
    assert_int_equal(r.flags, TT_STEP_TERMINATE | TT_STEP_EARLY);
    assert_int_equal(r.after, TT_AFTER_AT_REACHED);
    assert_near(r.reached, 1, 0);
    assert_near(u->now, 1, 0);
    assert_ok(tt_unit_end(u, err));
    done(t, u);
}

static void bound_steps_have_the_same_outcomes(void **state)
{
    tt_unit_type *t;
    tt_unit *u = misbehaving(&t, TERMINATE, 0);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_int_equal(bound_step_to(u, 0.75, &now, &c), TT_CALL_OK);
    assert_near(tt_unit_last(u).reached, 0.75, 0);
    assert_int_equal(bound_step_to(u, 1.25, &now, &c), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_TERMINATE | TT_STEP_EARLY);
    assert_near(u->now, 1, 0);
    assert_int_equal(u->n_step, 2);
    done(t, u);

    u = misbehaving(&t, REJECT, 1);
    assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_OUTCOME);
    assert_int_equal(tt_unit_last(u).flags, TT_STEP_REJECT);
    assert_near(u->now, 0, 0);
    assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_FAILED);
    assert_fails(
        TT_ESTATE, tt_unit_explain(u, &c, &now, err),
        "instance '{k}.u' (fmi2): step at t=0: it rejected its last step "
        "and needs a restore first");
    done(t, u);
}

static void a_pending_step_is_waited_for(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, PENDING);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    get_ready(u, 0);
    assert_int_equal(step_to(u, 1).flags, 0);
    assert_near(u->now, 1, 0);
    assert_int_equal(bound_step_to(u, 2, &now, &c), TT_CALL_OK);
    assert_near(u->now, 2, 0);
    done(t, u);
}

static void a_warning_is_fine(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, WARNING);

    (void)state;
    get_ready(u, 0);
    assert_int_equal(step_to(u, 1).flags, 0);
    done(t, u);
}

static void the_largest_step_is_reported(void **state)
{
    tt_unit_type *t;
    tt_unit *u = misbehaving(&t, MAX_STEP, 1);
    double h = 0;

    (void)state;
    assert_int_equal(u->desc->caps.max_step, 1);
    assert_ok(tt_unit_max_step(u, &h, err));
    assert_near(h, 0.05, 0);
    assert_int_equal(step_to(u, 0.1).flags, TT_STEP_REJECT);
    done(t, u);
    u = raw_unit(&t, 0);
    assert_int_equal(u->desc->caps.max_step, 0);
    done(t, u);
}

/* --- failures ----------------------------------------------------------- */

static void an_error_brings_the_last_message(void **state)
{
    tt_unit_type *t;
    tt_unit *u = misbehaving(&t, FAIL, 1);
    struct tt_stepped r;

    (void)state;
    assert_ok(tt_unit_save(u, 0, err));
    assert_fails(TT_EUNIT, tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err),
                 "instance '{k}.u' (fmi2): step at t=0: fmi2DoStep returned "
                 "fmi2Error: last message: \"asked to fail\"");
    assert_ok(tt_unit_restore(u, 0, err));
    assert_int_equal(step_to(u, 0.5).flags, 0);
    assert_ok(tt_unit_reset(u, err));
    done(t, u);
}

static void a_bound_error_is_explained(void **state)
{
    tt_unit_type *t;
    tt_unit *u = misbehaving(&t, FAIL, 0);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_FAILED);
    assert_fails(TT_EUNIT, tt_unit_explain(u, &c, &now, err),
                 "instance '{k}.u' (fmi2): step at t=0: fmi2DoStep returned "
                 "fmi2Error: last message: \"asked to fail\"");
    done(t, u);
}

static void a_status_that_is_none_is_a_failure(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, STATUS_9);
    struct tt_stepped r;

    (void)state;
    get_ready(u, 0);
    assert_fails(TT_EUNIT, tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err),
                 "instance '{k}.u' (fmi2): step at t=0: fmi2DoStep returned a "
                 "status unknown to FMI 2");
    done(t, u);
}

static void a_failed_initialisation_names_the_call(void **state)
{
    const struct tt_experiment e = {.start = 0, .end = 1};
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, NO_SETUP);

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_fails(
        TT_EUNIT, tt_unit_enter_init(u, &e, err),
        "instance '{k}.u' (fmi2): enter_init: fmi2EnterInitializationMode "
        "returned fmi2Error");
    done(t, u);
}

static void a_failed_get_names_the_variables(void **state)
{
    tt_unit_type *t;
    tt_unit *u = raw_unit(&t, BAD_GET);
    uint32_t port[3] = {port_of(u, "y"), port_of(u, "u"), port_of(u, "stop")};
    double value[3];
    const struct tt_span one = {port, 1, value}, all = {port, 3, value};
    struct tt_now now = {.pc = 0};
    struct tt_call c, c3;

    (void)state;
    get_ready(u, 0);
    assert_ok(tt_unit_bind(u, TT_VERB_GET, &one, &c, err));
    assert_ok(tt_unit_bind(u, TT_VERB_GET, &all, &c3, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_FAILED);
    assert_fails(
        TT_EUNIT, tt_unit_explain(u, &c, &now, err),
        "instance '{k}.u' (fmi2): get at t=0: 'y': fmi2GetReal returned "
        "fmi2Error");
    u->life = TT_LIFE_READY; /* once more */
    assert_int_equal(tt_call_make(&c3, &now), TT_CALL_FAILED);
    assert_fails(TT_EUNIT, tt_unit_explain(u, &c3, &now, err),
                 "instance '{k}.u' (fmi2): get at t=0: 'y', 'u' and 1 more: "
                 "fmi2GetReal returned fmi2Error");
    u->life = TT_LIFE_READY;
    assert_fails(TT_EUNIT, tt_unit_get(u, &all, err),
                 "instance '{k}.u' (fmi2): get at t=0: 'y', 'u' and 1 more: "
                 "fmi2GetReal returned fmi2Error");
    done(t, u);
}

/* --- what is missing ---------------------------------------------------- */

static void missing_functions_are_named_when_needed(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2-minimal.fmu");
    tt_unit *u = make_unit(t, NULL), *v = NULL;
    uint32_t port = port_of(u, "mode"), y = port_of(u, "y");
    int32_t value = 0;
    double real;
    const struct tt_span s = {&port, 1, &value};
    const struct tt_make m = {.name = "c", .want_course = 1};
    struct tt_call c;

    (void)state;
    get_ready(u, 1);
    step_to(u, 1);
    assert_fails(TT_EINPUT, tt_unit_save(u, 0, err),
                 "instance '{k}.u' (fmi2): save at t=1: needs fmi2GetFMUstate, "
                 "which the library of the FMU does not export");
    assert_fails(TT_EUNSUPPORTED, tt_unit_packable(u, err),
                 "instance '{k}.u' (fmi2): cannot turn a state into bytes");
    t->desc.caps.serialise = 1; /* if its description promised it */
    assert_fails(TT_EINPUT, tt_unit_packable(u, err),
                 "instance '{k}.u' (fmi2): packable at t=1: needs "
                 "fmi2SerializedFMUstateSize, which the library of the FMU "
                 "does not export");
    assert_fails(TT_EINPUT, tt_unit_get(u, &s, err),
                 "instance '{k}.u' (fmi2): get at t=1: 'mode': needs "
                 "fmi2GetInteger, which the library of the FMU does not "
                 "export");
    assert_fails(TT_EINPUT, tt_unit_bind(u, TT_VERB_SET, &s, &c, err),
                 "instance '{k}.u' (fmi2): bind at t=1: needs fmi2SetInteger, "
                 "which the library of the FMU does not export");
    assert_fails(
        TT_EINPUT, tt_unit_reset(u, err),
        "instance '{k}.u' (fmi2): reset at t=1: needs fmi2Reset, which "
        "the library of the FMU does not export");
    assert_ok(tt_unit_get(u, &(struct tt_span){&y, 1, &real}, err));
    assert_fails(
        TT_EINPUT, t->kind->make(&v, t, &m, err),
        "instance 'c' (fmi2): needs fmi2SetRealInputDerivatives, which "
        "the library of the FMU does not export");
    done(t, u);
}

static void a_library_of_another_name_is_found(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2-renamed.fmu");
    tt_unit *u = make_unit(t, NULL);

    (void)state;
    get_ready(u, 0);
    step_to(u, 1);
    done(t, u);
}

static void a_second_instance_of_one_per_process_is_refused(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2-once.fmu");
    tt_unit *u = make_unit(t, NULL), *v = NULL;
    const struct tt_make m = {.name = "{k}.second"};

    (void)state;
    assert_fails(
        TT_EUNSUPPORTED, t->kind->make(&v, t, &m, err),
        "instance '{k}.second' (fmi2): canBeInstantiatedOnlyOncePerProcess"
        "; a second instance needs a process of its own");
    assert_null(v);
    done(t, u);
}

static void a_refused_instance_brings_its_message(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    struct tt_activity activity = {.playing = 1};
    const struct tt_make m = {
        .name = "{k}.no", .instance = "refused", .activity = &activity};
    tt_unit *u = NULL;

    (void)state;
    assert_fails(
        TT_EUNIT, t->kind->make(&u, t, &m, err),
        "instance '{k}.no' (fmi2): fmi2Instantiate returned NULL: it logged "
        "\"no instance called 'refused' (42)\"");
    assert_string_equal(activity.unit, "{k}.no");
    assert_string_equal(activity.call, "fmi2Instantiate");
    assert_int_equal(activity.playing, 0);
    close_type(t);
}

static void floating_point_mode_survives_loading(void **state)
{
    struct tt_fpmode before, after;
    volatile double tiny = 1e-308;
    tt_unit_type *t = open_type(UNITS "raw2-flush.fmu");
    tt_unit *u;

    (void)state;
    tt_fpmode_save(&before);
    u = make_unit(t, NULL);
    tt_fpmode_save(&after);
    assert_true(tiny / 4 > 0); /* denormal, and not flushed to 0 */
    assert_memory_equal(&before, &after, sizeof(before));
    done(t, u);
}

/* --- the log ------------------------------------------------------------ */

static void strange_messages_are_harmless(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    struct logged h;
    struct tt_stepped r;
    tt_unit *u;

    (void)state;
    logged_init(&h);
    u = make_unit(t, &h.log);
    set_i32(u, "mode", LOG_STRANGE);
    get_ready(u, 0);
    for (int i = 1; i <= 6; i++)
        step_to(u, i);
    assert_string_equal(h.text, "info {k}.u info: 3 of four at 12.50%\n"
                                "warning {k}.u info: 100% sure\n"
                                "warning {k}.u -: \n"
                                "warning {k}.u info: write %n here\n"
                                "warning {k}.u info: no text: %s\n"
                                "error {k}.u info: of no category\n");
    assert_fails(TT_EUNIT, tt_unit_step(u, &(struct tt_step){.to = 7}, &r, err),
                 "instance '{k}.u' (fmi2): step at t=6: fmi2DoStep returned "
                 "fmi2Error: last message: \"giving up\"");
    done(t, u);
}

/* --- courses ------------------------------------------------------------ */

static tt_unit *with_course(tt_unit_type *t, uint32_t n_state)
{
    const struct tt_make m = {.name = "c", .instance = "c", .want_course = 1};
    tt_unit *u = make_with(t, &m);

    get_ready(u, n_state);
    return u;
}

static void a_plain_set_takes_derivatives_back(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    tt_unit *u = with_course(t, 0);
    uint32_t port = port_of(u, "u");
    double value = 2;
    const struct tt_span s = {&port, 1, &value};
    const struct tt_poly p = {.t0 = 0, .c = {1, 3}, .order = 1};
    const struct tt_poly flat = {.t0 = 0, .c = {4}, .order = 0};
    struct tt_now now = {.pc = 0};
    struct tt_call c;

    (void)state;
    assert_int_equal(u->desc->caps.course_order, 1); /* not a kit unit */
    assert_ok(tt_unit_course(u, &s, &p, err));
    assert_near(get_f64(u, "rate"), 3, 0);
    assert_near(get_f64(u, "u"), 1, 0);
    assert_ok(tt_unit_set(u, &s, err));
    assert_near(get_f64(u, "rate"), 0, 0);
    assert_near(get_f64(u, "u"), 2, 0);

    assert_ok(tt_unit_course(u, &s, &p, err));
    assert_ok(tt_unit_bind(u, TT_VERB_SET, &s, &c, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_near(get_f64(u, "rate"), 0, 0);

    assert_ok(tt_unit_course(u, &s, &p, err));
    assert_ok(tt_unit_course(u, &s, &flat, err));
    assert_near(get_f64(u, "rate"), 0, 0);
    assert_near(get_f64(u, "u"), 4, 0);
    done(t, u);
}

/* Instances share what their calls do, but not these two. */
static void only_a_unit_with_courses_takes_derivatives_back(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    tt_unit *plain = make_unit(t, NULL), *u = with_course(t, 0);
    uint32_t port = port_of(u, "u");
    double value = 2;
    const struct tt_span s = {&port, 1, &value};
    const struct tt_poly p = {.t0 = 0, .c = {1, 3}, .order = 1};
    struct tt_now now = {.pc = 0};
    struct tt_call c, d;

    (void)state;
    get_ready(plain, 0);
    assert_ok(tt_unit_bind(plain, TT_VERB_SET, &s, &c, err));
    assert_ok(tt_unit_bind(u, TT_VERB_SET, &s, &d, err));
    assert_ok(tt_unit_course(u, &s, &p, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_int_equal(tt_call_make(&d, &now), TT_CALL_OK);
    assert_near(get_f64(plain, "u"), 2, 0);
    assert_near(get_f64(u, "u"), 2, 0);
    assert_near(get_f64(u, "rate"), 0, 0);
    tt_unit_free(plain);
    done(t, u);
}

/* x1'' = F / m with F = 6 t: x1 = t^3, exactly. */
static void a_course_is_followed_exactly(void **state)
{
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    const struct tt_make m = {.name = "c", .instance = "c", .want_course = 1};
    tt_unit *u = make_with(t, &m);
    uint32_t port = port_of(u, "F");
    const struct tt_span s = {&port, 1, NULL};
    const struct tt_poly p = {.t0 = 0, .c = {0, 6}, .order = 1};

    (void)state;
    set_f64(u, "x1", 0);
    set_f64(u, "c1", 0);
    set_f64(u, "d1", 0);
    get_ready(u, 1);
    assert_ok(tt_unit_course(u, &s, &p, err));
    step_to(u, 0.5);
    assert_ok(tt_unit_save(u, 0, err));
    assert_ok(tt_unit_course(u, &s, &p, err));
    step_to(u, 1);
    assert_near(get_f64(u, "x1"), 1, 1e-12);
    assert_ok(tt_unit_restore(u, 0, err));
    set_f64(u, "F", 0); /* coasts from x = 1/8, v = 3/4 */
    step_to(u, 1);
    assert_near(get_f64(u, "x1"), 0.5, 1e-12);
    done(t, u);
}

static void courses_must_be_announced(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    tt_unit *u = make_unit(t, NULL);
    uint32_t port = port_of(u, "u");
    const struct tt_poly p = {.t0 = 0, .c = {1, 3}, .order = 1};

    (void)state;
    get_ready(u, 0);
    assert_fails(TT_EUNSUPPORTED,
                 tt_unit_course(u, &(struct tt_span){&port, 1, NULL}, &p, err),
                 "instance '{k}.u' (fmi2): course at t=0: 'u': it was made "
                 "without courses");
    done(t, u);
}

/* --- binding ------------------------------------------------------------ */

static void references_are_shared_by_instances(void **state)
{
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_unit(t, NULL), *v = make_unit(t, NULL);
    uint32_t port[2] = {port_of(u, "v1"), port_of(u, "x1")};
    double a[2], b[2];
    struct tt_now now = {.pc = 0};
    struct tt_call c, d;

    (void)state;
    get_ready(u, 0);
    get_ready(v, 0);
    assert_ok(
        tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){port, 2, a}, &c, err));
    assert_ok(
        tt_unit_bind(v, TT_VERB_GET, &(struct tt_span){port, 2, b}, &d, err));
    assert_ptr_equal(c.what, d.what);
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_near(a[0], 0, 0);
    assert_near(a[1], 1, 0);
    port[0] = port_of(u, "F");
    assert_ok(
        tt_unit_bind(u, TT_VERB_SET, &(struct tt_span){port, 1, a}, &c, err));
    assert_ok(
        tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){port, 1, a}, &d, err));
    assert_int_equal(c.what->verb, TT_VERB_SET);
    assert_int_equal(d.what->verb, TT_VERB_GET);
    /* what bound calls use of an instance is one cache line */
    assert_int_equal((uintptr_t)&u->now % 64, 0);
    assert_int_equal((uintptr_t)&v->now % 64, 0);
    tt_unit_free(v);
    done(t, u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_a_mass_on_a_spring),
        cmocka_unit_test(every_type_goes_in_and_out),
        cmocka_unit_test(many_texts_go_in_one_span),
        cmocka_unit_test(a_null_text_is_empty),
        cmocka_unit_test(a_long_text_is_whole_where_there_is_a_store),
        cmocka_unit_test(the_experiment_is_given_as_it_is),
        cmocka_unit_test(no_prior_follows_may_restore),
        cmocka_unit_test(no_prior_overlooks_spare_registers),
        cmocka_unit_test(a_discard_is_a_rejection),
        cmocka_unit_test(a_discard_without_a_status_is_a_rejection),
        cmocka_unit_test(a_discard_of_a_terminated_unit_is_the_end),
        cmocka_unit_test(bound_steps_have_the_same_outcomes),
        cmocka_unit_test(a_pending_step_is_waited_for),
        cmocka_unit_test(a_warning_is_fine),
        cmocka_unit_test(the_largest_step_is_reported),
        cmocka_unit_test(an_error_brings_the_last_message),
        cmocka_unit_test(a_bound_error_is_explained),
        cmocka_unit_test(a_status_that_is_none_is_a_failure),
        cmocka_unit_test(a_failed_initialisation_names_the_call),
        cmocka_unit_test(a_failed_get_names_the_variables),
        cmocka_unit_test(missing_functions_are_named_when_needed),
        cmocka_unit_test(a_library_of_another_name_is_found),
        cmocka_unit_test(a_second_instance_of_one_per_process_is_refused),
        cmocka_unit_test(a_refused_instance_brings_its_message),
        cmocka_unit_test(floating_point_mode_survives_loading),
        cmocka_unit_test(strange_messages_are_harmless),
        cmocka_unit_test(a_plain_set_takes_derivatives_back),
        cmocka_unit_test(only_a_unit_with_courses_takes_derivatives_back),
        cmocka_unit_test(a_course_is_followed_exactly),
        cmocka_unit_test(courses_must_be_announced),
        cmocka_unit_test(references_are_shared_by_instances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
