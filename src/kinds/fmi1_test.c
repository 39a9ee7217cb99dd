/* SPDX-License-Identifier: MIT */
/* Unit kind fmi1, on an FMU written by hand that notes its calls. */
#include "kinds/test_help.h"

#include <stdbool.h>
#include <stdlib.h>

#include "kinds/fmi_common.h"
#include "sys/file.h"

#define RAW UNITS "raw1-raw_fmi1.fmu"

static const struct tt_experiment experiment = {.start = 0.5, .end = 10};

struct desk {
    tt_unit_type *type;
    tt_unit *u;
    struct logged log;
};

static void set_up(struct desk *d)
{
    logged_init(&d->log);
    d->type = open_type(RAW);
    d->u = make_unit(d->type, &d->log.log);
}

static void tear_down(struct desk *d)
{
    tt_unit_free(d->u);
    close_type(d->type);
}

static void enter(tt_unit *u)
{
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &experiment, err));
}

static void leave(tt_unit *u)
{
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, 0, err));
}

static const char *get_text(tt_unit *u, const char *name)
{
    static struct tt_text t;

    get_port(u, name, &t);
    return t.s;
}

static void it_declares_what_it_cannot(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d);
    assert_string_equal(d.type->kind->name, "fmi1");
    assert_true(d.u->desc->caps.no_init_mode);
    assert_false(d.u->desc->caps.save);
    assert_int_equal(d.u->desc->caps.threads, TT_THREADS_ONE);
    enter(d.u);
    assert_ok(tt_unit_exit_init(d.u, err));
    assert_fails(TT_EUNSUPPORTED, tt_unit_prepare(d.u, 1, err),
                 "instance '{k}.u' (fmi1): cannot save its state");
    assert_string_equal(d.log.text, "info {k}.u -: made u\n");
    tear_down(&d);
}

/* In initialisation nothing shows when all inputs are there but a get. */
static void the_first_get_initialises_after_all_that_was_set(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d);
    set_f64(d.u, "u", 1);
    enter(d.u);
    set_f64(d.u, "u", 2);
    assert_near(get_f64(d.u, "begun"), 2, 0);
    set_f64(d.u, "u", 3);
    assert_near(get_f64(d.u, "begun"), 2, 0);
    leave(d.u);
    assert_string_equal(get_text(d.u, "calls"),
                        "set set initialize(0.5,1,10) get set get");
    tear_down(&d);
}

static void what_is_not_read_is_initialised_at_the_end(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d);
    enter(d.u);
    set_f64(d.u, "u", 4);
    leave(d.u);
    assert_near(get_f64(d.u, "begun"), 4, 0);
    assert_string_equal(get_text(d.u, "calls"), "set initialize(0.5,1,10) get");
    tear_down(&d);
}

/* A player reads with bound calls, also during initialisation. */
static void a_bound_get_initialises_too(void **state)
{
    uint32_t port;
    double value = -1;
    struct tt_span s = {&port, 1, &value};
    struct tt_call c;
    struct tt_now now = {.status = 0};
    struct desk d;

    (void)state;
    set_up(&d);
    enter(d.u);
    port = port_of(d.u, "begun");
    assert_ok(tt_unit_bind(d.u, TT_VERB_GET, &s, &c, err));
    set_f64(d.u, "u", 5);
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_near(value, 5, 0);
    leave(d.u);
    assert_string_equal(get_text(d.u, "calls"), "set initialize(0.5,1,10) get");
    tear_down(&d);
}

static void a_failure_to_initialise_is_named(void **state)
{
    uint32_t port;
    double value;
    struct tt_span s = {&port, 1, &value};
    struct tt_call c;
    struct tt_now now = {.status = 0};
    struct desk d;

    (void)state;
    set_up(&d);
    set_i32(d.u, "what", 1);
    enter(d.u);
    assert_fails(TT_EUNIT, tt_unit_exit_init(d.u, err),
                 "instance '{k}.u' (fmi1): exit_init: fmiInitializeSlave "
                 "returned fmiError: last message: \"no licence\"");
    tear_down(&d);
    set_up(&d);
    set_i32(d.u, "what", 1);
    enter(d.u);
    port = port_of(d.u, "begun");
    assert_ok(tt_unit_bind(d.u, TT_VERB_GET, &s, &c, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_FAILED);
    assert_fails(TT_EUNIT, tt_unit_explain(d.u, &c, &now, err),
                 "instance '{k}.u' (fmi1): get: fmiInitializeSlave returned "
                 "fmiError: last message: \"no licence\"");
    tear_down(&d);
}

static void a_fatal_one_is_not_even_freed(void **state)
{
    struct desk d;
    void *left;

    (void)state;
    set_up(&d);
    set_i32(d.u, "what", 2);
    enter(d.u);
    assert_fails(TT_EUNIT, tt_unit_exit_init(d.u, err),
                 "instance '{k}.u' (fmi1): exit_init: fmiInitializeSlave "
                 "returned fmiFatal");
    assert_fails(TT_ESTATE, tt_unit_reset(d.u, err),
                 "instance '{k}.u' (fmi1): reset at t=0.5: the FMU returned "
                 "fmiFatal earlier: only a new instance helps");
    left = tt_kfmi_unit(d.u)->comp;
    tear_down(&d);
    free(left); /* it came from us, and the FMU was not to free it */
}

static void negated_aliases_are_negated_both_ways(void **state)
{
    uint32_t port[2];
    double both[2] = {0, 0};
    struct tt_span s = {port, 2, both};
    bool yes = true, no = false, is;
    struct tt_call c;
    struct tt_now now = {.status = 0};
    struct desk d;

    (void)state;
    set_up(&d);
    enter(d.u);
    set_f64(d.u, "minus_u", 3);
    assert_near(get_f64(d.u, "u"), -3, 0);
    assert_near(get_f64(d.u, "minus_u"), 3, 0);
    assert_near(get_f64(d.u, "begun"), -3, 0);
    assert_near(get_f64(d.u, "minus_begun"), 3, 0);
    set_port(d.u, "on", &yes);
    get_port(d.u, "off", &is);
    assert_false(is);
    get_port(d.u, "not_off", &is);
    assert_true(is);
    set_port(d.u, "on", &no);
    get_port(d.u, "not_off", &is);
    assert_false(is);
    leave(d.u);
    port[0] = port_of(d.u, "begun");
    port[1] = port_of(d.u, "minus_begun");
    assert_ok(tt_unit_bind(d.u, TT_VERB_GET, &s, &c, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_near(both[0], -3, 0);
    assert_near(both[1], 3, 0);
    port[0] = port_of(d.u, "minus_u");
    s.n = 1;
    both[0] = 7;
    assert_ok(tt_unit_bind(d.u, TT_VERB_SET, &s, &c, err));
    assert_int_equal(tt_call_make(&c, &now), TT_CALL_OK);
    assert_near(both[0], 7, 0); /* as it was */
    assert_near(get_f64(d.u, "u"), -7, 0);
    (void)step_to(d.u, 1);
    assert_int_equal(get_i32(d.u, "steps"), 1);
    assert_int_equal(get_i32(d.u, "minus_steps"), -1);
    tear_down(&d);
}

static void pending_steps_are_waited_for(void **state)
{
    struct tt_call c;
    struct tt_now now;
    struct desk d;

    (void)state;
    set_up(&d);
    set_i32(d.u, "what", 3);
    enter(d.u);
    leave(d.u);
    assert_near(step_to(d.u, 1).reached, 1, 0);
    assert_int_equal(bound_step_to(d.u, 1.5, &now, &c), TT_CALL_OK);
    assert_near(get_f64(d.u, "time"), 1.5, 0);
    tear_down(&d);
}

static void a_discarded_step_is_rejected_with_its_last_time(void **state)
{
    const struct tt_experiment from_0 = {.start = 0, .end = 10};
    struct tt_call c;
    struct tt_now now;
    struct tt_stepped r;
    struct desk d;

    (void)state;
    set_up(&d);
    set_i32(d.u, "what", 4);
    assert_ok(tt_unit_configure(d.u, err));
    assert_ok(tt_unit_enter_init(d.u, &from_0, err));
    leave(d.u);
    assert_int_equal(bound_step_to(d.u, 0.5, &now, &c), TT_CALL_OUTCOME);
    r = tt_unit_last(d.u);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_NEEDS_RESTORE);
    assert_near(r.reached, 0.25, 0);
    assert_int_equal(bound_step_to(d.u, 0.2, &now, &c), TT_CALL_FAILED);
    assert_fails(TT_ESTATE, tt_unit_explain(d.u, &c, &now, err),
                 "instance '{k}.u' (fmi1): step at t=0: it rejected its last "
                 "step and needs a restore first");
    tear_down(&d);
}

static void a_reset_begins_anew(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d);
    enter(d.u);
    leave(d.u);
    (void)step_to(d.u, 1);
    assert_ok(tt_unit_reset(d.u, err));
    enter(d.u);
    leave(d.u);
    assert_string_equal(get_text(d.u, "calls"), "reset initialize(0.5,1,10)");
    assert_int_equal(get_i32(d.u, "steps"), 0);
    tear_down(&d);
}

static void it_is_given_the_place_of_its_files(void **state)
{
    struct tt_buf path;
    const char *location;
    struct desk d;

    (void)state;
    set_up(&d);
    enter(d.u);
    leave(d.u);
    location = get_text(d.u, "location");
    assert_int_equal(strncmp(location, "file:///", 8), 0);
    tt_buf_init(&path, 4096);
    tt_buf_fmt(&path, "%s/modelDescription.xml", location + 7);
    assert_true(tt_file_exists(path.data));
    tt_buf_fini(&path);
    assert_string_equal(get_text(d.u, "nothing"), ""); /* NULL */
    tear_down(&d);
}

static void a_logger_may_be_called_with_anything(void **state)
{
    struct desk d;

    (void)state;
    set_up(&d);
    set_i32(d.u, "what", 5);
    enter(d.u);
    leave(d.u);
    (void)step_to(d.u, 1);
    assert_string_equal(d.log.text, "info {k}.u -: made u\n"
                                    "warning {k}.u -: %s %n\n");
    tear_down(&d);
}

static void functions_of_another_model_are_not_taken(void **state)
{
    const struct tt_make m = {.name = "{k}.u", .instance = "u", .logging = 1};
    tt_unit_type *t = open_type(UNITS "raw1-another.fmu");
    tt_unit *u;

    (void)state;
    assert_fails(TT_EINPUT, t->kind->make(&u, t, &m, err),
                 "instance '{k}.u' (fmi1): the library does not export what "
                 "every FMU must: raw_fmi1_fmiInstantiateSlave, "
                 "raw_fmi1_fmiInitializeSlave, raw_fmi1_fmiFreeSlaveInstance, "
                 "raw_fmi1_fmiTerminateSlave, raw_fmi1_fmiDoStep");
    close_type(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_declares_what_it_cannot),
        cmocka_unit_test(the_first_get_initialises_after_all_that_was_set),
        cmocka_unit_test(what_is_not_read_is_initialised_at_the_end),
        cmocka_unit_test(a_bound_get_initialises_too),
        cmocka_unit_test(a_failure_to_initialise_is_named),
        cmocka_unit_test(a_fatal_one_is_not_even_freed),
        cmocka_unit_test(negated_aliases_are_negated_both_ways),
        cmocka_unit_test(pending_steps_are_waited_for),
        cmocka_unit_test(a_discarded_step_is_rejected_with_its_last_time),
        cmocka_unit_test(a_reset_begins_anew),
        cmocka_unit_test(it_is_given_the_place_of_its_files),
        cmocka_unit_test(a_logger_may_be_called_with_anything),
        cmocka_unit_test(functions_of_another_model_are_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
