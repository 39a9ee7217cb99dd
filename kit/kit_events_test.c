/* SPDX-License-Identifier: MIT */
/* Discrete events of a unit of the kit: examples/traffic-light/signal.c, red
 * 60 s, green 50 s, yellow 10 s. Through FMI 2, where its clocks are counters,
 * with its own events inside steps and driven; through FMI 3 event mode. */
#include "kit_test_fmi2.h"
#include "tutti_kit_fmi3.h"

enum { INTERNAL = 1, NEXT, DRIVEN, COMMAND, COMMAND_CLOCK };
enum { COLOUR = 6, COLOUR_CLOCK, STATE, RED_LASTS, GREEN_LASTS, YELLOW_LASTS };
enum { RED = 1, YELLOW, GREEN, OFF };
enum { TO_AUTO = 1, TO_OFF };

static void drive(struct unit *u)
{
    const fmi2ValueReference vr = DRIVEN;
    const fmi2Boolean yes = 1;

    assert_int_equal(u->SetBoolean(u->c, &vr, 1, &yes), fmi2OK);
}

static void order(struct unit *u, int command, int count)
{
    set_int(u, COMMAND, command);
    set_int(u, COMMAND_CLOCK, count);
}

static void own_events_happen_inside_steps(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "signal");
    start(&u);
    assert_true(get(&u, NEXT) == 60);
    step(&u, 0, 50);
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 0);
    step(&u, 50, 10); /* at its end, too */
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 1);
    assert_int_equal(get_int(&u, COLOUR), GREEN);
    step(&u, 60, 110); /* yellow at 110, red at 120 */
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 3);
    assert_int_equal(get_int(&u, COLOUR), RED);
    assert_true(get(&u, NEXT) == 180);
    close_unit(&u);
}

static void another_number_is_an_event(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "signal");
    set_int(&u, COMMAND_CLOCK, 7); /* where it begins is none */
    start(&u);
    order(&u, TO_OFF, 7);
    step(&u, 0, 10);
    assert_int_equal(get_int(&u, STATE), RED);
    order(&u, TO_AUTO, 8); /* is red: goes on, for as long as it would have */
    step(&u, 10, 10);
    assert_true(get(&u, NEXT) == 60);
    order(&u, TO_OFF, 9);
    step(&u, 20, 100);
    assert_int_equal(get_int(&u, STATE), OFF);
    assert_true(isinf(get(&u, NEXT)));
    order(&u, TO_AUTO, -5);
    step(&u, 120, 1);
    assert_true(get(&u, NEXT) == 180);
    close_unit(&u);
}

static void one_that_is_driven_waits(void **state)
{
    fmi2FMUstate before = NULL;
    struct unit u;

    (void)state;
    open_unit(&u, "signal");
    drive(&u);
    start(&u);
    step(&u, 0, 60);
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 0);
    assert_int_equal(u.GetFMUstate(u.c, &before), fmi2OK);
    set_int(&u, INTERNAL, 1); /* its turn: put out, then the next state */
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 1);
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 1);
    assert_int_equal(get_int(&u, COLOUR), GREEN);
    assert_int_equal(get_int(&u, STATE), RED);
    step(&u, 60, 0);
    assert_int_equal(get_int(&u, STATE), GREEN);
    assert_true(get(&u, NEXT) == 110);
    /* or another goes first: its own event is lost */
    assert_int_equal(u.SetFMUstate(u.c, before), fmi2OK);
    order(&u, TO_OFF, 1);
    step(&u, 60, 0);
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 0);
    assert_int_equal(get_int(&u, STATE), OFF);
    /* or both: it turns green, and is switched off */
    assert_int_equal(u.SetFMUstate(u.c, before), fmi2OK);
    set_int(&u, INTERNAL, 1);
    order(&u, TO_OFF, 1);
    step(&u, 60, 0);
    assert_int_equal(get_int(&u, COLOUR_CLOCK), 1);
    assert_int_equal(get_int(&u, STATE), OFF);
    assert_int_equal(u.FreeFMUstate(u.c, &before), fmi2OK);
    close_unit(&u);
}

static void times_that_are_none_are_refused(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "signal");
    set(&u, RED_LASTS, -1);
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2OK);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2Error);
    assert_string_equal(logged.message, "its state is to last -1 s");
    close_unit(&u);
    open_unit(&u, "signal");
    set(&u, RED_LASTS, (double)NAN);
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2OK);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2Error);
    close_unit(&u);
}

static void events_without_end_are_refused(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "signal");
    for (fmi2ValueReference vr = RED_LASTS; vr <= YELLOW_LASTS; vr++)
        set(&u, vr, 0);
    start(&u);
    assert_int_equal(u.DoStep(u.c, 0, 1, 1), fmi2Error);
    assert_string_equal(logged.message, "its events do not come to an end");
    close_unit(&u);
}

/* --- FMI 3 ---------------------------------------------------------------- */

#define FUNCTIONS(X)                                                           \
    X(InstantiateCoSimulation)                                                 \
    X(FreeInstance)                                                            \
    X(EnterInitializationMode)                                                 \
    X(ExitInitializationMode)                                                  \
    X(EnterEventMode)                                                          \
    X(EnterStepMode)                                                           \
    X(UpdateDiscreteStates)                                                    \
    X(DoStep)                                                                  \
    X(GetInt64)                                                                \
    X(SetInt64)                                                                \
    X(SetFloat64)                                                              \
    X(SetClock)                                                                \
    X(GetClock)

#define MEMBER3(Name) __typeof__(fmi3##Name) *Name;
#define BIND3(Name)   test_bind(u->library, "fmi3" #Name, (void *)&(u->Name));

struct unit3 {
    void *library;
    fmi3Instance c;
    FUNCTIONS(MEMBER3)
};

static void take_log3(fmi3InstanceEnvironment environment, fmi3Status status,
                      fmi3String category, fmi3String message)
{
    (void)environment;
    test_take_log((int)status, category, message);
}

/* In initialisation mode. */
static void open3(struct unit3 *u)
{
    char token[64];

    u->library = test_library("signal");
    FUNCTIONS(BIND3)
    test_token("signal", token);
    u->c = u->InstantiateCoSimulation("signal", token, NULL, false, true, true,
                                      true, NULL, 0, NULL, take_log3, NULL);
    assert_non_null(u->c);
    assert_int_equal(u->EnterInitializationMode(u->c, false, 0, 0, false, 0),
                     fmi3OK);
}

/* Leaves event mode when it has settled; when the next one is. */
static double update3(struct unit3 *u)
{
    bool again = true, end, nominals, states, known = false;
    double next = 0;

    while (again)
        assert_int_equal(u->UpdateDiscreteStates(u->c, &again, &end, &nominals,
                                                 &states, &known, &next),
                         fmi3OK);
    assert_int_equal(u->EnterStepMode(u->c), fmi3OK);
    return known ? next : (double)INFINITY;
}

static double step3(struct unit3 *u, double t, double h, bool *event)
{
    bool end, early;
    double reached = 0;

    assert_int_equal(u->DoStep(u->c, t, h, true, event, &end, &early, &reached),
                     fmi3OK);
    assert_int_equal(early, reached < t + h);
    return reached;
}

static bool ticks3(struct unit3 *u)
{
    const fmi3ValueReference vr = COLOUR_CLOCK;
    bool on = false;

    assert_int_equal(u->GetClock(u->c, &vr, 1, &on), fmi3OK);
    return on;
}

static void importers_with_event_mode_need_know_no_more(void **state)
{
    const fmi3ValueReference colour = COLOUR, command = COMMAND,
                             clock = COMMAND_CLOCK;
    const int64_t to_off = TO_OFF;
    const bool yes = true;
    int64_t is = 0;
    struct unit3 u;
    bool event;

    (void)state;
    open3(&u);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    assert_true(update3(&u) == 60);
    assert_true(step3(&u, 0, 70, &event) == 60 && event);
    assert_int_equal(u.EnterEventMode(u.c), fmi3OK);
    assert_true(ticks3(&u));
    assert_int_equal(u.GetInt64(u.c, &colour, 1, &is, 1), fmi3OK);
    assert_int_equal(is, GREEN);
    assert_true(update3(&u) == 110);
    assert_true(step3(&u, 60, 20, &event) == 80 && !event);
    assert_int_equal(u.EnterEventMode(u.c), fmi3OK);
    assert_false(ticks3(&u));
    assert_int_equal(u.GetInt64(u.c, &colour, 1, &is, 1), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3GetInt64: no clock of 'colour' ticks; FMI 3 "
                        "allows it in event mode while one does");
    assert_int_equal(u.SetClock(u.c, &clock, 1, &yes), fmi3OK);
    assert_int_equal(u.SetInt64(u.c, &command, 1, &to_off, 1), fmi3OK);
    assert_true(isinf(update3(&u)));
    u.FreeInstance(u.c);
    assert_int_equal(dlclose(u.library), 0);
}

/* Red lasts no time: it turns green in the event that begins. */
static void what_lasts_no_time_is_over_in_the_same_event(void **state)
{
    const fmi3ValueReference red = RED_LASTS;
    const double none = 0;
    struct unit3 u;

    (void)state;
    open3(&u);
    assert_int_equal(u.SetFloat64(u.c, &red, 1, &none, 1), fmi3OK);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    assert_true(ticks3(&u));
    assert_true(update3(&u) == 50);
    u.FreeInstance(u.c);
    assert_int_equal(dlclose(u.library), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_events_happen_inside_steps),
        cmocka_unit_test(another_number_is_an_event),
        cmocka_unit_test(one_that_is_driven_waits),
        cmocka_unit_test(times_that_are_none_are_refused),
        cmocka_unit_test(events_without_end_are_refused),
        cmocka_unit_test(importers_with_event_mode_need_know_no_more),
        cmocka_unit_test(what_lasts_no_time_is_over_in_the_same_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
