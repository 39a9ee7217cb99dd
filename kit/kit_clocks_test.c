/* SPDX-License-Identifier: MIT */
/* Clocks of a unit of the kit, through the FMI 3.0 functions. */
#include "kit_test_util.h"
#include "tutti_kit_fmi3.h"

#define FUNCTIONS(X)                                                           \
    X(InstantiateCoSimulation)                                                 \
    X(InstantiateModelExchange)                                                \
    X(FreeInstance)                                                            \
    X(EnterInitializationMode)                                                 \
    X(ExitInitializationMode)                                                  \
    X(EnterEventMode)                                                          \
    X(EnterStepMode)                                                           \
    X(EnterContinuousTimeMode)                                                 \
    X(UpdateDiscreteStates)                                                    \
    X(GetInt32)                                                                \
    X(SetClock)                                                                \
    X(GetClock)                                                                \
    X(GetIntervalDecimal)                                                      \
    X(GetIntervalFraction)                                                     \
    X(GetShiftDecimal)                                                         \
    X(GetShiftFraction)                                                        \
    X(SetIntervalDecimal)                                                      \
    X(SetIntervalFraction)                                                     \
    X(SetShiftDecimal)                                                         \
    X(SetShiftFraction)

#define MEMBER(Name) __typeof__(fmi3##Name) *Name;
#define BIND(Name)   test_bind(u->library, "fmi3" #Name, (void *)&(u->Name));

/* References of tests/units/alarm.c. */
enum { BEAT = 1, BELL, WATCH, RING, BEATS, RINGS, N_WATCH };

struct unit {
    void *library;
    fmi3Instance c;
    FUNCTIONS(MEMBER)
};

static void take_log(fmi3InstanceEnvironment environment, fmi3Status status,
                     fmi3String category, fmi3String message)
{
    (void)environment;
    test_take_log((int)status, category, message);
}

/* In initialisation mode. */
static void open_as(struct unit *u, bool exchange)
{
    char *xml = test_description("alarm", 3), token[64] = "";

    memset(&logged, 0, sizeof(logged));
    (void)sscanf(strstr(xml, "instantiationToken=\""),
                 "instantiationToken=\"%63[^\"]", token);
    free(xml);
    u->library = test_library("alarm");
    FUNCTIONS(BIND)
    u->c = exchange ? u->InstantiateModelExchange("alarm", token, NULL, false,
                                                  true, NULL, take_log)
                    : u->InstantiateCoSimulation("alarm", token, NULL, false,
                                                 true, true, false, NULL, 0,
                                                 NULL, take_log, NULL);
    assert_non_null(u->c);
    assert_int_equal(u->EnterInitializationMode(u->c, false, 0, 0, false, 0),
                     fmi3OK);
}

static void open_unit(struct unit *u)
{
    open_as(u, false);
}

static void close_unit(struct unit *u)
{
    u->FreeInstance(u->c);
    assert_int_equal(dlclose(u->library), 0);
}

static void fails(fmi3Status status, const char *words)
{
    assert_int_equal(status, fmi3Error);
    assert_string_equal(logged.message, words);
}

static fmi3Status set_clock(struct unit *u, fmi3ValueReference vr, bool on)
{
    return u->SetClock(u->c, &vr, 1, &on);
}

static bool get_clock(struct unit *u, fmi3ValueReference vr)
{
    bool on = false;

    assert_int_equal(u->GetClock(u->c, &vr, 1, &on), fmi3OK);
    return on;
}

static fmi3Status try_int(struct unit *u, fmi3ValueReference vr, int32_t *x)
{
    return u->GetInt32(u->c, &vr, 1, x, 1);
}

static void update(struct unit *u)
{
    bool b[5];
    double next;

    assert_int_equal(
        u->UpdateDiscreteStates(u->c, &b[0], &b[1], &b[2], &b[3], &b[4], &next),
        fmi3OK);
    assert_false(b[0] || b[1]);
}

static fmi3IntervalQualifier bell(struct unit *u, double *interval)
{
    const fmi3ValueReference vr = BELL;
    fmi3IntervalQualifier q = fmi3IntervalChanged;

    assert_int_equal(u->GetIntervalDecimal(u->c, &vr, 1, interval, &q), fmi3OK);
    return q;
}

/* Three beats, the first of the run; the countdown that the third begins. */
static double arm(struct unit *u)
{
    double s = 0;

    assert_int_equal(u->ExitInitializationMode(u->c), fmi3OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(set_clock(u, BEAT, true), fmi3OK);
        update(u);
    }
    assert_int_equal(bell(u, &s), fmi3IntervalChanged);
    return s;
}

/* --- what is declared ---------------------------------------------------- */

static void the_description_has_every_kind(void **state)
{
    static const char *const has[] = {
        "<Clock name=\"beat\" valueReference=\"1\" causality=\"input\" "
        "variability=\"discrete\" intervalVariability=\"fixed\" "
        "intervalDecimal=\"0.3\" shiftDecimal=\"0.1\" "
        "supportsFraction=\"true\" resolution=\"10\" intervalCounter=\"3\" "
        "shiftCounter=\"1\"/>",
        "<Clock name=\"bell\" valueReference=\"2\" causality=\"input\" "
        "variability=\"discrete\" intervalVariability=\"countdown\"/>",
        "causality=\"output\" variability=\"discrete\" "
        "intervalVariability=\"triggered\"/>",
        "<Int32 name=\"rings\" valueReference=\"6\" causality=\"output\" "
        "variability=\"discrete\" initial=\"calculated\" clocks=\"4\"/>",
        "hasEventMode=\"true\"",
        "<Output valueReference=\"4\" dependencies=\"2\"/>"};
    char *xml = test_description("alarm", 3);

    (void)state;
    for (size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++)
        if (!strstr(xml, has[i]))
            fail_msg("the description does not contain: %s", has[i]);
    assert_null(strstr(xml, "<InitialUnknown valueReference=\"6\""));
    free(xml);
}

static void fmi_2_has_no_clocks(void **state)
{
    char text[256] = "";
    FILE *pipe = popen(KIT_TEST_DIR "/kit_describe_alarm 2 2>&1", "r");

    (void)state;
    assert_non_null(pipe);
    (void)fread(text, 1, sizeof(text) - 1, pipe);
    assert_int_not_equal(pclose(pipe), 0);
    assert_string_equal(text, "alarm: clocks need FMI 3\n");
}

/* --- ticks --------------------------------------------------------------- */

#define NO_BEAT                                                                \
    "fmi3GetInt32: no clock of 'beats' ticks; FMI 3 allows it in event mode "  \
    "while one does"

static void what_belongs_to_a_clock_is_there_while_it_ticks(void **state)
{
    struct unit u;
    int32_t n = -1;

    (void)state;
    open_unit(&u);
    assert_int_equal(try_int(&u, BEATS, &n), fmi3OK); /* when initialising */
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    fails(try_int(&u, BEATS, &n), NO_BEAT);
    assert_int_equal(set_clock(&u, BEAT, true), fmi3OK);
    assert_int_equal(try_int(&u, BEATS, &n), fmi3OK);
    assert_int_equal(n, 1);
    update(&u);
    assert_false(get_clock(&u, BEAT));
    fails(try_int(&u, BEATS, &n), NO_BEAT);
    close_unit(&u);
}

/* FMI 3.0.2, 2.2.7.2: only in event mode and when initialising. What belongs to
 * none is there as ever. */
static void between_events_what_belongs_to_a_clock_is_refused(void **state)
{
    struct unit u;
    int32_t n = -1;

    (void)state;
    for (int exchange = 0; exchange < 2; exchange++) {
        open_as(&u, exchange);
        assert_int_equal(try_int(&u, BEATS, &n), fmi3OK);
        assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
        assert_int_equal(set_clock(&u, BEAT, true), fmi3OK);
        update(&u);
        assert_int_equal(exchange ? u.EnterContinuousTimeMode(u.c)
                                  : u.EnterStepMode(u.c),
                         fmi3OK);
        assert_int_equal(try_int(&u, N_WATCH, &n), fmi3OK);
        fails(try_int(&u, BEATS, &n), NO_BEAT);
        close_unit(&u);
    }
}

static void an_output_clock_is_what_the_model_makes_it(void **state)
{
    struct unit u;
    int32_t n = -1;

    (void)state;
    open_unit(&u);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    assert_false(get_clock(&u, RING));
    assert_int_equal(set_clock(&u, BELL, true), fmi3OK);
    assert_true(get_clock(&u, RING));
    assert_int_equal(try_int(&u, RINGS, &n), fmi3OK);
    assert_int_equal(n, 1);
    update(&u);
    assert_false(get_clock(&u, RING));
    close_unit(&u);
}

static void clocks_tick_in_event_mode_only(void **state)
{
    struct unit u;
    const fmi3ValueReference n = N_WATCH;
    bool on;

    (void)state;
    open_unit(&u);
    fails(set_clock(&u, BEAT, true),
          "fmi3SetClock: not allowed in initialisation mode");
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    fails(set_clock(&u, RING, true), "fmi3SetClock: 'ring' is no input clock");
    fails(set_clock(&u, BEAT, false),
          "fmi3SetClock: 'beat' cannot be deactivated");
    fails(u.GetClock(u.c, &n, 1, &on),
          "fmi3GetClock: variable 'n_watch' is of another type");
    fails(u.GetClock(u.c, NULL, 1, &on), "fmi3GetClock: missing arguments");
    assert_int_equal(u.EnterStepMode(u.c), fmi3OK);
    fails(set_clock(&u, BEAT, true), "fmi3SetClock: not allowed in step mode");
    close_unit(&u);
}

/* --- intervals ----------------------------------------------------------- */

static void a_countdown_is_armed_by_an_event(void **state)
{
    struct unit u;
    double s = 0;

    (void)state;
    open_unit(&u);
    assert_int_equal(bell(&u, &s), fmi3IntervalNotYetKnown);
    test_close(arm(&u), 0.45, 1e-15);
    update(&u);
    assert_int_equal(bell(&u, &s), fmi3IntervalUnchanged);
    assert_int_equal(set_clock(&u, BELL, true), fmi3OK);
    update(&u);
    assert_int_equal(bell(&u, &s), fmi3IntervalNotYetKnown);
    close_unit(&u);
}

static void intervals_are_fractions_where_they_are_declared(void **state)
{
    const fmi3ValueReference beat = BEAT, down = BELL, watch = WATCH;
    const uint64_t five = 5, ten = 10, none = 0;
    const double half = 0.5;
    fmi3IntervalQualifier q;
    uint64_t n = 0, of = 0;
    double s = 0;
    struct unit u;

    (void)state;
    open_unit(&u);
    assert_int_equal(u.GetIntervalFraction(u.c, &beat, 1, &n, &of, &q), fmi3OK);
    assert_true(n == 3 && of == 10 && q == fmi3IntervalChanged);
    assert_int_equal(u.GetShiftFraction(u.c, &beat, 1, &n, &of), fmi3OK);
    assert_true(n == 1 && of == 10);
    assert_int_equal(u.GetShiftDecimal(u.c, &beat, 1, &s), fmi3OK);
    test_close(s, 0.1, 0);
    fails(u.GetIntervalFraction(u.c, &down, 1, &n, &of, &q),
          "fmi3GetIntervalFraction: 'bell' has no fraction");
    fails(u.GetIntervalDecimal(u.c, &watch, 1, &s, &q),
          "fmi3GetIntervalDecimal: 'watch' is triggered");
    assert_int_equal(u.SetIntervalFraction(u.c, &beat, 1, &five, &ten), fmi3OK);
    assert_int_equal(u.GetIntervalFraction(u.c, &beat, 1, &n, &of, &q), fmi3OK);
    assert_true(n == 5 && of == 10);
    fails(u.SetIntervalFraction(u.c, &beat, 1, &five, &none),
          "fmi3SetIntervalFraction: the interval of 'beat' must be positive");
    fails(u.SetIntervalDecimal(u.c, &down, 1, &half),
          "fmi3SetIntervalDecimal: the interval of 'bell' cannot be set in "
          "initialisation mode");
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    fails(u.SetIntervalDecimal(u.c, &beat, 1, &half),
          "fmi3SetIntervalDecimal: the interval of 'beat' cannot be set in "
          "event mode");
    close_unit(&u);
}

static void shifts_are_set_before_the_first_step(void **state)
{
    const fmi3ValueReference beat = BEAT, down = BELL;
    const uint64_t five = 5, ten = 10, none = 0;
    const double half = 0.5, zero = 0, before = -0.5;
    uint64_t n = 0, of = 0;
    double s = 0;
    struct unit u;

    (void)state;
    open_unit(&u);
    assert_int_equal(u.SetShiftFraction(u.c, &beat, 1, &five, &ten), fmi3OK);
    assert_int_equal(u.GetShiftFraction(u.c, &beat, 1, &n, &of), fmi3OK);
    assert_true(n == 5 && of == 10);
    assert_int_equal(u.SetShiftDecimal(u.c, &beat, 1, &zero), fmi3OK);
    assert_int_equal(u.GetShiftDecimal(u.c, &beat, 1, &s), fmi3OK);
    test_close(s, 0, 0);
    fails(u.SetShiftDecimal(u.c, &beat, 1, &before),
          "fmi3SetShiftDecimal: the shift of 'beat' must not be negative");
    fails(u.SetShiftFraction(u.c, &beat, 1, &five, &none),
          "fmi3SetShiftFraction: the shift of 'beat' must not be negative");
    fails(u.SetShiftDecimal(u.c, &down, 1, &half),
          "fmi3SetShiftDecimal: the shift of 'bell' cannot be set in "
          "initialisation mode");
    assert_int_equal(u.ExitInitializationMode(u.c), fmi3OK);
    fails(u.SetShiftDecimal(u.c, &beat, 1, &half),
          "fmi3SetShiftDecimal: not allowed in event mode");
    close_unit(&u);
}

/* The model has the interval that the importer set, if it is a fraction or not.
 */
static void an_interval_that_is_set_counts(void **state)
{
    const fmi3ValueReference beat = BEAT;
    const double third = 1.0 / 3, large = 1e300;
    fmi3IntervalQualifier q;
    uint64_t n = 0, of = 0;
    double s = 0;
    struct unit u;

    (void)state;
    open_unit(&u);
    assert_int_equal(u.SetIntervalDecimal(u.c, &beat, 1, &large), fmi3OK);
    fails(u.GetIntervalFraction(u.c, &beat, 1, &n, &of, &q),
          "fmi3GetIntervalFraction: 'beat' has no fraction");
    assert_int_equal(u.SetIntervalDecimal(u.c, &beat, 1, &third), fmi3OK);
    fails(u.GetIntervalFraction(u.c, &beat, 1, &n, &of, &q),
          "fmi3GetIntervalFraction: 'beat' has no fraction");
    assert_int_equal(u.GetIntervalDecimal(u.c, &beat, 1, &s, &q), fmi3OK);
    test_close(s, third, 0);
    test_close(arm(&u), 0.5, 1e-15);
    close_unit(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_description_has_every_kind),
        cmocka_unit_test(fmi_2_has_no_clocks),
        cmocka_unit_test(what_belongs_to_a_clock_is_there_while_it_ticks),
        cmocka_unit_test(between_events_what_belongs_to_a_clock_is_refused),
        cmocka_unit_test(an_output_clock_is_what_the_model_makes_it),
        cmocka_unit_test(clocks_tick_in_event_mode_only),
        cmocka_unit_test(a_countdown_is_armed_by_an_event),
        cmocka_unit_test(intervals_are_fractions_where_they_are_declared),
        cmocka_unit_test(shifts_are_set_before_the_first_step),
        cmocka_unit_test(an_interval_that_is_set_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
