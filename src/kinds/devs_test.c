/* SPDX-License-Identifier: MIT */
/* Discrete-event units in files: what they do, and what is refused. */
#include "kinds/test_help.h"

#include "kinds/discrete.h"
#include "sys/file.h"

#define PATH TT_BUILD_DIR "/kinds_devs_test.devs.json"

/* Files are easier to read with ' for ". */
static void write_file(const char *text)
{
    char copy[4096];
    size_t n = strlen(text);

    assert_true(n < sizeof(copy));
    for (size_t i = 0; i <= n; i++)
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    assert_ok(tt_file_write(PATH, copy, n, err));
}

static tt_unit_type *type_of(const char *text)
{
    write_file(text);
    return open_type(PATH);
}

static tt_unit *unit_of(tt_unit_type *t)
{
    return make_with(t, &(struct tt_make){
                            .name = "{k}.u", .instance = "u", .event_mode = 1});
}

static void done(tt_unit_type *t, tt_unit *u)
{
    tt_unit_free(u);
    close_type(t);
    (void)remove(PATH);
}

/* --- driving one ---------------------------------------------------------- */

static double update(tt_unit *u)
{
    struct tt_event_result r;

    assert_ok(tt_unit_event_update(u, &r, err));
    assert_int_equal(r.again, 0);
    return r.next;
}

static double start(tt_unit *u)
{
    double next;

    get_ready(u, 1);
    assert_int_equal(u->life, TT_LIFE_EVENT);
    next = update(u);
    assert_ok(tt_unit_event_leave(u, err));
    return next;
}

static void go_to(tt_unit *u, double t)
{
    if (t > u->now)
        (void)step_to(u, t);
    assert_ok(tt_unit_event_enter(u, err));
}

static void tick(tt_unit *u)
{
    uint32_t port = u->desc->internal - 1;
    uint8_t on = 1;

    assert_ok(tt_unit_set(u, &(struct tt_span){&port, 1, &on}, err));
}

static double leave(tt_unit *u)
{
    double next = update(u);

    assert_ok(tt_unit_event_leave(u, err));
    return next;
}

static void give(tt_unit *u, const char *name, const void *value)
{
    uint32_t port = port_of(u, name), clock = u->desc->port[port].clock - 1;
    uint8_t on = 1;

    assert_ok(tt_unit_set(u, &(struct tt_span){&clock, 1, &on}, err));
    set_port(u, name, value);
}

static void give_text(tt_unit *u, const char *name, const char *text)
{
    struct tt_text t;

    assert_int_equal(tt_text_set(&t, text), 0);
    give(u, name, &t);
}

static void give_number(tt_unit *u, const char *name, double v)
{
    give(u, name, &v);
}

static int emits(tt_unit *u, const char *name)
{
    uint32_t clock = u->desc->port[port_of(u, name)].clock - 1;
    uint8_t on = 0;

    assert_ok(tt_unit_get(u, &(struct tt_span){&clock, 1, &on}, err));
    return on;
}

static void assert_text(tt_unit *u, const char *name, const char *text)
{
    struct tt_text t;

    get_port(u, name, &t);
    assert_string_equal(t.s, text);
}

/* --- what they do --------------------------------------------------------- */

static const char light[] =
    "{'name': 'light', 'parameters': {'red': 60},"
    "'inputs': {'order': ['toAuto', 'toOff']},"
    "'outputs': {'colour': ['red', 'green']}, 'start': 'red', 'states': {"
    "'red': {'after': 'red', 'output': {'colour': 'green'}, 'then': 'green',"
    "  'on': {'order': {'toOff': 'off'}}},"
    "'green': {'after': 50, 'output': {'colour': 'red'}, 'then': 'red',"
    "  'on': {'order': {'toOff': 'off'}}},"
    "'off': {'on': {'order': {'toAuto': 'red'}}}}}";

static void a_state_ends_with_an_output_made_before(void **state)
{
    tt_unit_type *t = type_of(light);
    tt_unit *u = unit_of(t);

    (void)state;
    assert_string_equal(t->desc.model, "light");
    assert_near(start(u), 60, 0);
    assert_text(u, "state", "red");
    go_to(u, 60);
    assert_int_equal(emits(u, "colour"), 0);
    tick(u);
    assert_int_equal(emits(u, "colour"), 1);
    assert_text(u, "colour", "green");
    assert_text(u, "state", "red"); /* lambda is of the state before */
    assert_near(leave(u), 110, 0);
    assert_text(u, "state", "green");
    assert_int_equal(emits(u, "colour"), 0);
    done(t, u);
}

static void an_input_leads_elsewhere_and_a_passive_state_lasts(void **state)
{
    tt_unit_type *t = type_of(light);
    tt_unit *u = unit_of(t);
    struct tt_event_result r;

    (void)state;
    (void)start(u);
    go_to(u, 20);
    give_text(u, "order", "toOff");
    assert_ok(tt_unit_event_update(u, &r, err));
    assert_int_equal(r.next_defined, 0);
    assert_ok(tt_unit_event_leave(u, err));
    assert_text(u, "state", "off");
    go_to(u, 30);
    give_text(u, "order", "toAuto");
    assert_near(leave(u), 90, 0);
    done(t, u);
}

/* Time that has elapsed counts on. */
static void what_is_not_provided_for_is_ignored(void **state)
{
    tt_unit_type *t = type_of(light);
    tt_unit *u = unit_of(t);

    (void)state;
    (void)start(u);
    go_to(u, 20);
    give_text(u, "order", "toAuto");
    assert_near(leave(u), 60, 0);
    assert_text(u, "state", "red");
    done(t, u);
}

static void what_is_not_provided_for_may_be_an_error(void **state)
{
    tt_unit_type *t =
        type_of("{'undefined': 'error', 'inputs': {'x': 'number'},"
                "'states': {'a': {}}}");
    tt_unit *u = unit_of(t);
    struct tt_event_result r;

    (void)state;
    (void)start(u);
    go_to(u, 2);
    give_number(u, "x", 1.5);
    assert_fails(TT_EUNIT, tt_unit_event_update(u, &r, err),
                 "instance '{k}.u' (devs): event_update at t=2: " PATH
                 " states nothing for '1.5' at 'x' in state 'a'");
    done(t, u);
}

/* A job that comes while another is served waits; the service goes on. */
static const char server[] =
    "{'parameters': {'T': 5}, 'variables': {'waiting': 0, 'since': 0},"
    "'inputs': {'job': 'number', 'ask': 'boolean'},"
    "'outputs': {'done': 'number', 'last': 'boolean'}, 'states': {"
    "'free': {'on': {'job': 'busy', 'ask': 'free'}},"
    "'busy': {'after': 'T', 'output': {'done': 'waiting',"
    "  'last': {'is': true, 'when': 'waiting == 0'}},"
    "  'then': [{'when': 'waiting > 0', 'set': {'waiting': 'waiting - 1'},"
    "            'next': 'busy'}, 'free'],"
    "  'on': {'job': {'when': 'job > 0',"
    "    'set': {'waiting': 'waiting + job', 'since': 'elapsed'}}}}}}";

static void a_transition_without_next_lets_the_state_go_on(void **state)
{
    tt_unit_type *t = type_of(server);
    tt_unit *u = unit_of(t);

    (void)state;
    assert_true(isinf(start(u)));
    go_to(u, 1);
    give_number(u, "job", 1);
    assert_near(leave(u), 6, 0);
    go_to(u, 3.5);
    give_number(u, "job", 2);
    assert_near(leave(u), 6, 0);
    assert_near(get_f64(u, "waiting"), 2, 0);
    assert_near(get_f64(u, "since"), 2.5, 0);
    go_to(u, 4);
    give_number(u, "job", -1); /* no way: ignored */
    assert_near(leave(u), 6, 0);
    assert_near(get_f64(u, "waiting"), 2, 0);
    go_to(u, 6);
    tick(u);
    assert_int_equal(emits(u, "done"), 1);
    assert_int_equal(emits(u, "last"), 0);
    assert_near(leave(u), 11, 0);
    assert_near(get_f64(u, "waiting"), 1, 0);
    done(t, u);
}

/* At t=5 the service is over, and a job comes: `how` states what counts. */
static void expect_both(const char *how, double next, double waiting,
                        const char *where)
{
    char text[2048];
    tt_unit_type *t;
    tt_unit *u;
    struct tt_event_result r;

    (void)snprintf(text, sizeof(text), "{'confluent': '%s', %s", how,
                   server + 1);
    t = type_of(text);
    u = unit_of(t);
    (void)start(u);
    go_to(u, 0);
    give_number(u, "job", 1);
    assert_near(leave(u), 5, 0);
    go_to(u, 5);
    tick(u);
    give_number(u, "job", 3);
    assert_int_equal(emits(u, "last"), 1); /* of the state before */
    assert_ok(tt_unit_event_update(u, &r, err));
    assert_near(r.next, next, 0);
    assert_near(get_f64(u, "waiting"), waiting, 0);
    assert_text(u, "state", where);
    done(t, u);
}

static void both_at_once_are_as_the_file_states(void **state)
{
    (void)state;
    expect_both("internal-first", 10, 0, "busy"); /* free, then this job */
    expect_both("external-first", 10, 2, "busy"); /* waits, and is taken */
    expect_both("external-only", 5, 3, "busy");   /* still due */
}

/* One after the other, in the order of the file; only the first has elapsed. */
static void several_inputs_at_once_are_taken_in_turn(void **state)
{
    tt_unit_type *t = type_of(
        "{'variables': {'x': 0, 'y': 0, 'n': 0},"
        "'inputs': {'a': 'number', 'b': 'number'}, 'states': {"
        "'s': {'on': {'a': {'set': {'x': 'elapsed'}, 'next': 's'},"
        "'b': {'set': {'y': 'elapsed', 'n': 'present(a) ? 1 : 2'}}}}}}");
    tt_unit *u = unit_of(t);

    (void)state;
    (void)start(u);
    go_to(u, 3);
    give_number(u, "b", 1);
    give_number(u, "a", 1);
    (void)leave(u);
    assert_near(get_f64(u, "x"), 3, 0);
    assert_near(get_f64(u, "y"), 0, 0);
    assert_near(get_f64(u, "n"), 1, 0);
    go_to(u, 4);
    give_number(u, "b", 1);
    (void)leave(u);
    assert_near(get_f64(u, "y"), 1, 0);
    assert_near(get_f64(u, "n"), 2, 0);
    done(t, u);
}

static void a_state_may_have_begun_before_the_start(void **state)
{
    tt_unit_type *t = type_of("{'elapsed': 2, 'states': {"
                              "'a': {'after': 5, 'then': 'a'}}}");
    tt_unit *u = unit_of(t);

    (void)state;
    assert_near(start(u), 3, 0);
    done(t, u);
}

static void times_that_are_none_are_refused_by_name(void **state)
{
    static const char text[] =
        "{'parameters': {'T': 5}, 'states': {"
        "'a': {'after': 1, 'then': 'b'}, 'b': {'after': '%s', 'then': 'a'}}}";
    static const char *const after[] = {"T - 6", "sqrt(-T)"};
    static const char *const is[] = {"-1", "nan"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char copy[512], message[512];
        struct tt_event_result r;
        tt_unit_type *t;
        tt_unit *u;

        (void)snprintf(copy, sizeof(copy), text, after[i]);
        (void)snprintf(message, sizeof(message),
                       "instance '{k}.u' (devs): event_update at t=1: state "
                       "'b' is to last %s s",
                       is[i]);
        t = type_of(copy);
        u = unit_of(t);
        (void)start(u);
        go_to(u, 1);
        tick(u);
        assert_fails(TT_EUNIT, tt_unit_event_update(u, &r, err), message);
        done(t, u);
    }
}

static void the_first_state_may_not_be_over(void **state)
{
    static const struct tt_experiment e = {.start = 0, .end = 10};
    tt_unit_type *t = type_of("{'elapsed': 6, 'states': {"
                              "'a': {'after': 5, 'then': 'a'}}}");
    tt_unit *u = unit_of(t);

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_fails(TT_EINPUT, tt_unit_exit_init(u, err),
                 "instance '{k}.u' (devs): exit_init at t=0: its first state "
                 "is over at the start");
    done(t, u);
}

static void states_go_back_and_travel_as_bytes(void **state)
{
    tt_unit_type *t = type_of(server);
    tt_unit *u = unit_of(t), *v = unit_of(t);
    struct tt_bytes b = {0};

    (void)state;
    (void)start(u);
    (void)start(v);
    go_to(u, 1);
    give_number(u, "job", 1);
    (void)leave(u);
    assert_ok(tt_unit_save(u, 0, err));
    assert_ok(tt_unit_pack(u, 0, &b, err));
    go_to(u, 2);
    give_number(u, "job", 7);
    (void)leave(u);
    assert_ok(tt_unit_restore(u, 0, err));
    assert_near(get_f64(u, "waiting"), 0, 0);
    assert_ok(tt_unit_save(v, 0, err));
    assert_ok(tt_unit_unpack(v, 0, &b, err));
    assert_ok(tt_unit_restore(v, 0, err));
    assert_text(v, "state", "busy");
    ((struct tt_discrete_state *)b.data)->phase = 2; /* there are 0 and 1 */
    assert_fails(TT_EINPUT, tt_unit_unpack(v, 0, &b, err),
                 "instance '{k}.u' (devs): unpack at t=1: the state is of "
                 "something else");
    tt_free(b.data);
    tt_unit_free(v);
    done(t, u);
}

static void values_are_set_from_outside_where_they_may(void **state)
{
    tt_unit_type *t = type_of(server);
    tt_unit *u = unit_of(t);
    uint32_t port = port_of(u, "waiting");
    double v = 1;

    (void)state;
    set_f64(u, "T", 7);
    assert_fails(TT_EINPUT,
                 tt_unit_set(u, &(struct tt_span){&port, 1, &v}, err),
                 "instance '{k}.u' (devs): set: 'waiting': it cannot be set");
    (void)start(u);
    go_to(u, 1);
    give_number(u, "job", 1);
    assert_near(leave(u), 8, 0);
    done(t, u);
}

/* --- what is refused ------------------------------------------------------ */

static void refuse(const char *text, const char *message)
{
    const struct tt_source s = {.path = PATH};
    tt_unit_type *t = NULL;
    char whole[1024];

    write_file(text);
    (void)snprintf(whole, sizeof(whole), PATH ":%s", message);
    assert_fails(TT_EINPUT, tt_kind_devs.open(&t, &s, err), whole);
    (void)remove(PATH);
}

static void mistakes_in_files_are_reported_where_they_are(void **state)
{
    (void)state;
    refuse("[]", "1:1: a discrete-event unit is an object, and this is an "
                 "array");
    refuse("{}", "1:1: there are no 'states'");
    refuse("{'state': {}}",
           "1:2: unknown field 'state'; did you mean 'states'?");
    refuse("{'states': {}}", "1:12: there is no state");
    refuse("{'states': {'a': 3}}",
           "1:18: a state is an object, and this is an integer");
    refuse("{'states': {'ready': {}},\n 'start': 'redy'}",
           "2:11: there is no state 'redy'; did you mean 'ready'?");
    refuse("{'states': {'ready': {'after': 1, 'then': 'redy'}}}",
           "1:43: there is no state 'redy'; did you mean 'ready'?");
    refuse("{'states': {'a': {'after': 1}}}",
           "1:13: state 'a' has 'after' and no 'then': where does it lead?");
    refuse("{'states': {'a': {'then': 'a'}}}",
           "1:13: state 'a' has 'then' and no 'after': it never ends by "
           "itself");
    refuse("{'states': {'a': {'after': -1, 'then': 'a'}}}",
           "1:28: a state cannot last less than 0 s");
    refuse("{'states': {'a': {'after': [], 'then': 'a'}}}",
           "1:28: 'after' is a time or an expression, and this is an array");
    refuse("{'parameters': {'red': 1},\n 'states': {'a': {'after': 'rad',"
           " 'then': 'a'}}}",
           "2:28: expression 'rad', 1:1: there is no variable 'rad'; did you "
           "mean 'red'?");
    refuse("{'states': {'a': {'after': 'true', 'then': 'a'}}}",
           "1:28: expression 'true' is a Boolean and not a number");
    refuse("{'undefined': 'eror', 'states': {'a': {}}}",
           "1:15: 'undefined' is 'ignore' or 'error'");
    refuse("{'elapsed': -1, 'states': {'a': {}}}",
           "1:13: 'elapsed' is a time since the state began");
}

static void mistakes_in_ports_are_reported_where_they_are(void **state)
{
    (void)state;
    refuse("{'inputs': {'u': 'nomber'}, 'states': {'a': {}}}",
           "1:18: 'u' is 'number' or 'boolean' or 'text'");
    refuse("{'inputs': {'u': 'number'}, 'outputs': {'u': 'number'},"
           "'states': {'a': {}}}",
           "1:41: there is a 'u' already");
    refuse("{'variables': {'state': 0}, 'states': {'a': {}}}",
           "1:16: there is a 'state' already");
    refuse("{'variables': {'elapsed': 0}, 'states': {'a': {}}}",
           "1:16: 'elapsed' has a meaning of its own");
    refuse("{'variables': {'x': null}, 'states': {'a': {}}}",
           "1:21: a start value is expected, not null");
    refuse("{'outputs': {'colour': ['red']}, 'states': {'a': {'after': 1,"
           "'output': {'color': 'red'}, 'then': 'a'}}}",
           "1:73: there is no output 'color'; did you mean 'colour'?");
    refuse("{'outputs': {'colour': ['red']}, 'states': {'a': {'after': 1,"
           "'output': {'colour': 'rod'}, 'then': 'a'}}}",
           "1:83: 'rod' is no value of 'colour'; did you mean 'red'?");
    refuse("{'inputs': {'u': ['on', 'off']}, 'states': {'a': {'on': {'u':"
           "{'onn': 'a'}}}}}",
           "1:63: 'onn' is no value of 'u'; did you mean 'on'?");
    refuse("{'inputs': {'u': 'number'}, 'states': {'a': {'on': {'u':"
           "{'set': {'nomber': 1}}}}}, 'variables': {'number': 0}}",
           "1:66: there is no variable 'nomber'; did you mean 'number'?");
    refuse("{'variables': {'x': 1}, 'inputs': {'u': 'number'}, 'states':"
           "{'a': {'on': {'u': {'when': 'present(x)'}}}}}",
           "1:89: 'present' is for inputs, and 'x' is none");
    refuse("{'variables': {'x': 1}, 'inputs': {'u': 'number'}, 'states':"
           "{'a': {'on': {'u': {'when': 'der(x) > 1'}}}}}",
           "1:89: expression 'der(x) > 1', 1:1: 'der' cannot be used here");
    refuse("{'variables': {'x': 1}, 'inputs': {'u': 'number'}, 'states':"
           "{'a': {'on': {'u': {'when': 'pre(x) > 1'}}}}}",
           "1:89: expression 'pre(x) > 1', 1:1: 'pre' cannot be used here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_ends_with_an_output_made_before),
        cmocka_unit_test(an_input_leads_elsewhere_and_a_passive_state_lasts),
        cmocka_unit_test(what_is_not_provided_for_is_ignored),
        cmocka_unit_test(what_is_not_provided_for_may_be_an_error),
        cmocka_unit_test(a_transition_without_next_lets_the_state_go_on),
        cmocka_unit_test(both_at_once_are_as_the_file_states),
        cmocka_unit_test(several_inputs_at_once_are_taken_in_turn),
        cmocka_unit_test(a_state_may_have_begun_before_the_start),
        cmocka_unit_test(times_that_are_none_are_refused_by_name),
        cmocka_unit_test(the_first_state_may_not_be_over),
        cmocka_unit_test(states_go_back_and_travel_as_bytes),
        cmocka_unit_test(values_are_set_from_outside_where_they_may),
        cmocka_unit_test(mistakes_in_files_are_reported_where_they_are),
        cmocka_unit_test(mistakes_in_ports_are_reported_where_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
