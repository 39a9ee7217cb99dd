/* SPDX-License-Identifier: MIT */
/* The unit kit through its functions for scheduled execution. */
#include "kit_test_util.h"
#include "tutti_kit_fmi3.h"

#define FUNCTIONS(X)                                                           \
    X(InstantiateScheduledExecution)                                           \
    X(InstantiateCoSimulation)                                                 \
    X(FreeInstance)                                                            \
    X(EnterInitializationMode)                                                 \
    X(ExitInitializationMode)                                                  \
    X(Reset)                                                                   \
    X(ActivateModelPartition)                                                  \
    X(GetClock)                                                                \
    X(GetIntervalDecimal)                                                      \
    X(GetInt32)                                                                \
    X(GetFloat64)                                                              \
    X(SetFloat64)                                                              \
    X(GetFMUState)                                                             \
    X(SetFMUState)                                                             \
    X(FreeFMUState)

#define MEMBER(Name) __typeof__(fmi3##Name) *Name;
#define BIND(Name)   test_bind(u->library, "fmi3" #Name, (void *)&(u->Name));

enum { BEAT = 1, LATER, RANG, U, Y, RUNS };

struct unit {
    void *library;
    fmi3Instance c;
    char token[64];
    int updates;    /* calls back */
    bool rang[8];   /* what it found in each */
    int changed[8]; /* and of later */
    double interval;
    FUNCTIONS(MEMBER)
};

static void take_log(fmi3InstanceEnvironment environment, fmi3Status status,
                     fmi3String category, fmi3String message)
{
    (void)environment;
    test_take_log((int)status, category, message);
}

static void update(fmi3InstanceEnvironment environment)
{
    struct unit *u = environment;
    const fmi3ValueReference rang = RANG, later = LATER;
    fmi3IntervalQualifier qualifier;

    assert_int_equal(u->GetClock(u->c, &rang, 1, &u->rang[u->updates]), fmi3OK);
    assert_int_equal(
        u->GetIntervalDecimal(u->c, &later, 1, &u->interval, &qualifier),
        fmi3OK);
    u->changed[u->updates++] = (int)qualifier;
}

static void open_unit(struct unit *u)
{
    char *xml = test_description("tasks", 3);

    memset(u, 0, sizeof(*u));
    memset(&logged, 0, sizeof(logged));
    u->library = test_library("tasks");
    FUNCTIONS(BIND)
    (void)snprintf(u->token, sizeof(u->token), "%.*s", 38, strchr(xml, '{'));
    free(xml);
    u->c = u->InstantiateScheduledExecution(
        "tasks", u->token, NULL, false, true, u, take_log, update, NULL, NULL);
    assert_non_null(u->c);
}

static void start(struct unit *u)
{
    assert_int_equal(u->EnterInitializationMode(u->c, false, 0, 0, true, 100),
                     fmi3OK);
    assert_int_equal(u->ExitInitializationMode(u->c), fmi3OK);
}

static void close_unit(struct unit *u)
{
    u->FreeInstance(u->c);
    assert_int_equal(dlclose(u->library), 0);
}

static void activate(struct unit *u, fmi3ValueReference clock, double t)
{
    assert_int_equal(u->ActivateModelPartition(u->c, clock, t), fmi3OK);
}

static void assert_y(struct unit *u, double wanted)
{
    const fmi3ValueReference y = Y;
    double is = -1;

    assert_int_equal(u->GetFloat64(u->c, &y, 1, &is, 1), fmi3OK);
    assert_true(is == wanted);
}

static void set_u(struct unit *u, double value)
{
    const fmi3ValueReference vr = U;

    assert_int_equal(u->SetFloat64(u->c, &vr, 1, &value, 1), fmi3OK);
}

static void the_description_has_clocks(void **state)
{
    char *xml = test_description("tasks", 3);

    (void)state;
    assert_non_null(strstr(
        xml,
        "  <ScheduledExecution modelIdentifier=\"tasks\" "
        "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"/>\n"));
    assert_null(strstr(xml, "CoSimulation"));
    assert_non_null(strstr(
        xml, "<Clock name=\"beat\" valueReference=\"1\" causality=\"input\" "
             "variability=\"discrete\" intervalVariability=\"constant\" "
             "priority=\"1\" intervalDecimal=\"0.3333333333333333\" "
             "shiftDecimal=\"0.6666666666666666\" supportsFraction=\"true\" "
             "resolution=\"3\" intervalCounter=\"1\" shiftCounter=\"2\"/>"));
    assert_non_null(strstr(
        xml, "<Clock name=\"later\" valueReference=\"2\" causality=\"input\" "
             "variability=\"discrete\" intervalVariability=\"countdown\" "
             "priority=\"0\"/>"));
    assert_non_null(strstr(
        xml, "<Clock name=\"rang\" valueReference=\"3\" causality=\"output\" "
             "variability=\"discrete\" clocks=\"1 2\" "
             "intervalVariability=\"triggered\"/>"));
    free(xml);
}

/* Each tick and each countdown is found once. */
static void a_partition_runs_and_lets_clocks_tick(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u);
    start(&u);
    set_u(&u, 3);
    assert_y(&u, 0); /* nothing follows from a set */
    activate(&u, BEAT, 0);
    assert_y(&u, 6);
    assert_int_equal(u.updates, 2);
    assert_int_equal(u.changed[0], fmi3IntervalChanged);
    assert_int_equal(u.changed[1], fmi3IntervalUnchanged);
    assert_false(u.rang[0]);
    assert_true(u.rang[1]);
    assert_true(u.interval == 0.5);
    activate(&u, LATER, 0.5);
    assert_int_equal(u.updates, 2);
    activate(&u, BEAT, 1);
    assert_int_equal(u.changed[2], fmi3IntervalChanged);
    close_unit(&u);
}

static void a_state_has_its_clocks(void **state)
{
    const fmi3ValueReference later = LATER;
    fmi3IntervalQualifier qualifier;
    fmi3FMUState saved = NULL;
    struct unit u;

    (void)state;
    open_unit(&u);
    start(&u);
    assert_int_equal(u.GetFMUState(u.c, &saved), fmi3OK);
    set_u(&u, 3);
    activate(&u, BEAT, 0);
    assert_int_equal(u.SetFMUState(u.c, saved), fmi3OK);
    assert_y(&u, 0);
    assert_int_equal(
        u.GetIntervalDecimal(u.c, &later, 1, &u.interval, &qualifier), fmi3OK);
    assert_int_equal(qualifier, fmi3IntervalNotYetKnown);
    assert_int_equal(u.FreeFMUState(u.c, &saved), fmi3OK);
    close_unit(&u);
}

static void what_is_not_allowed_is_refused(void **state)
{
    const fmi3ValueReference rang = RANG, y = Y;
    fmi3IntervalQualifier qualifier;
    struct unit u;
    bool active;

    (void)state;
    open_unit(&u);
    assert_null(u.InstantiateCoSimulation("a", u.token, NULL, false, true,
                                          false, false, NULL, 0, NULL, take_log,
                                          NULL));
    assert_string_equal(logged.message,
                        "the model is for scheduled execution only");
    assert_int_equal(u.ActivateModelPartition(u.c, BEAT, 0), fmi3Error);
    assert_string_equal(
        logged.message,
        "fmi3ActivateModelPartition: not allowed before initialisation");
    start(&u);
    assert_int_equal(u.ActivateModelPartition(u.c, RANG, 0), fmi3Error);
    assert_string_equal(
        logged.message,
        "fmi3ActivateModelPartition: value reference 3 is no input clock");
    assert_int_equal(u.GetClock(u.c, &rang, 1, &active), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3GetClock: not allowed in step mode");
    assert_int_equal(u.GetIntervalDecimal(u.c, &y, 1, &u.interval, &qualifier),
                     fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3GetIntervalDecimal: variable 'y' is of another "
                        "type");
    assert_int_equal(u.GetIntervalDecimal(u.c, NULL, 1, NULL, NULL), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3GetIntervalDecimal: missing arguments");
    assert_int_equal(u.ActivateModelPartition(u.c, BEAT, -1), fmi3Error);
    assert_string_equal(logged.message, "before its time");
    assert_int_equal(u.ActivateModelPartition(NULL, BEAT, 0), fmi3Error);
    close_unit(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_description_has_clocks),
        cmocka_unit_test(a_partition_runs_and_lets_clocks_tick),
        cmocka_unit_test(a_state_has_its_clocks),
        cmocka_unit_test(what_is_not_allowed_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
