/* SPDX-License-Identifier: MIT */
/*
 * Zero crossings located with and without rollback. What the tolerance bounds
 * is the distance of the nearer end of the step that crosses; with safety the
 * crossing is approached in short steps, and nothing need be taken back.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cli/desk.h"
#include "base/num.h"
#include "numerics.h"
#include "support/run_tutti.h"

static const double tolerance = 1e-3, hot = 21, cold = 19, alpha = 0.001;

static int has(struct tt_buf *data, const char *text)
{
    tt_buf_char(data, '\0'); /* for strstr */
    data->len--;
    return strstr(data->data, text) != NULL;
}

/* Of all interfaces. FMI 2 writes "state", FMI 3 "State". */
static int forget_state(char *name, struct tt_buf *data)
{
    const char *words;

    if (strcmp(name, "modelDescription.xml") != 0)
        return 1;
    words = has(data, "fmiVersion=\"2.0\"")
                ? "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
                : "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"";
    do
        replace(data, words, "");
    while (has(data, words));
    return 1;
}

static void put_thermostat(const char *room, const char *thermostat,
                           const char *safety)
{
    char text[2048];

    (void)snprintf(
        text, sizeof(text),
        "{\"fmus\": {\"{room}\": \"%s\", \"{thermostat}\": \"%s\"},"
        "\"connections\": {\"{room}.room.T\": [\"{thermostat}.thermostat.T\"],"
        "\"{thermostat}.thermostat.on\": [\"{room}.room.on\"]},"
        "\"algorithm\": {\"type\": \"var-step\", \"size\": [0.01, 200],"
        "\"initsize\": 1, \"constraints\": {"
        "\"hot\": {\"type\": \"zerocrossing\", \"order\": 1, \"safety\": %s,"
        "\"ports\": [\"{room}.room.T\", \"{thermostat}.thermostat.Tmax\"]},"
        "\"cold\": {\"type\": \"zerocrossing\", \"order\": 1, \"safety\": %s,"
        "\"ports\": [\"{room}.room.T\", \"{thermostat}.thermostat.Tmin\"]}}},"
        "\"startTime\": 0, \"endTime\": 1800}",
        room, thermostat, safety, safety);
    put_text("thermostat.json", text);
}

/* How far the nearer end of the worst step across a limit is from it. */
static double worst_crossing(const tt_table *t)
{
    const double *T = column(t, "{room}.room.T"), limit[] = {cold, hot};
    double worst = 0;

    for (size_t i = 1; i < tt_table_rows(t); i++)
        for (size_t k = 0; k < 2; k++)
            if ((T[i] < limit[k]) != (T[i - 1] < limit[k]))
                worst = fmax(worst, fmin(fabs(T[i] - limit[k]),
                                         fabs(T[i - 1] - limit[k])));
    return worst;
}

static unsigned count_switches(const tt_table *t)
{
    const double *on = column(t, "{thermostat}.thermostat.on");
    unsigned n = 0;

    for (size_t i = 1; i < tt_table_rows(t); i++)
        n += on[i] != on[i - 1];
    return n;
}

/* From one switch-off to the next; the first is at rest yet. */
static double worst_period(const tt_table *t)
{
    const double *on = column(t, "{thermostat}.thermostat.on");
    double ideal = (log(21.0 / 19) + log(11.0 / 9)) / alpha;
    double last = 0, worst = 0;

    for (size_t i = 1; i < tt_table_rows(t); i++) {
        double now = tt_table_time(t)[i];

        if (on[i - 1] == 0 || on[i] != 0)
            continue;
        if (last > 0)
            worst = fmax(worst, fabs(now - last - ideal));
        last = now;
    }
    return worst;
}

static tt_table *play_thermostat(struct tally *n)
{
    return play_tally(&(struct play){.scenario = at("thermostat.json")}, n);
}

/* At the limits T changes by 9 alpha or 21 alpha, 19 alpha or 11 alpha a
 * second: what is off by the tolerance is late by tolerance / (9 alpha) at
 * most, twice a period, and must come back. */
static void check_located(const char *room, const char *thermostat)
{
    struct tally n;
    tt_table *t;

    put_thermostat(room, thermostat, "0.5");
    t = play_thermostat(&n);
    assert_true(worst_crossing(t) <= tolerance);
    assert_int_equal(count_switches(t), 9);
    assert_true(worst_period(t) <= 4 * tolerance / (9 * alpha));
    assert_int_equal(n.rejected, 0);
    assert_true(n.steps < 1800 / 2); /* a grid as fine would have 180000 */
    tt_table_free(t);
}

#define ROOM       EXAMPLES "thermostat/room.fmu"
#define THERMOSTAT EXAMPLES "thermostat/thermostat.fmu"

static void the_thermostat_is_located_whichever_can_be_rolled_back(void **state)
{
    (void)state;
    put_fmu("room.fmu", ROOM, forget_state);
    put_fmu("thermostat.fmu", THERMOSTAT, forget_state);
    put_fmu("room-fmi3.fmu", EXAMPLES "thermostat/room-fmi3.fmu", forget_state);
    check_located(ROOM, THERMOSTAT);
    check_located("room.fmu", THERMOSTAT);
    check_located(ROOM, "thermostat.fmu");
    check_located("room.fmu", "thermostat.fmu");
    check_located("room-fmi3.fmu", EXAMPLES "thermostat/thermostat-fmi3.fmu");
}

/* Without safety steps are aimed right at the limit, and some go past it: those
 * are taken back where they can be, and told where not. */
static void without_safety_it_takes_rollback(void **state)
{
    struct tally n;
    struct output s;
    tt_table *t;

    (void)state;
    put_thermostat(ROOM, THERMOSTAT, "0");
    t = play_thermostat(&n);
    assert_true(worst_crossing(t) <= tolerance);
    assert_true(n.rejected > 0);
    tt_table_free(t);
    put_fmu("room.fmu", ROOM, forget_state);
    put_thermostat("room.fmu", THERMOSTAT, "0");
    t = play_thermostat(&n);
    assert_true(worst_crossing(t) > tolerance);
    assert_int_equal(n.rejected, 0);
    tt_table_free(t);
    TUTTI(&s, "run", at("thermostat.json"), "-o", at("t.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.err.data, "exceeds the tolerance 0.001; kept, for "
                                       "not all instances can roll back"));
    assert_non_null(
        strstr(s.out.data, "instance 'room' (fmi2) cannot save its state"));
    output_fini(&s);
}

static void the_example_is_that_scenario(void **state)
{
    struct tally n;
    tt_table *t = play_tally(
        &(struct play){.scenario = "thermostat/scenario-variable.json"}, &n);

    (void)state;
    assert_true(worst_crossing(t) <= tolerance);
    assert_int_equal(count_switches(t), 9);
    tt_table_free(t);
}

/* --- located -------------------------------------------------------------- */

static int forget_state_and_lengths(char *name, struct tt_buf *data)
{
    if (forget_state(name, data) && !strcmp(name, "modelDescription.xml"))
        replace(data, "canHandleVariableCommunicationStepSize=\"true\"", "");
    return 1;
}

static void put_located(const char *room)
{
    char text[1024];

    (void)snprintf(
        text, sizeof(text),
        "{\"fmus\": {\"{room}\": \"%s\", \"{thermostat}\": \"" THERMOSTAT
        "\"}, \"connections\": {\"{room}.room.T\": "
        "[\"{thermostat}.thermostat.T\"], \"{thermostat}.thermostat.on\": "
        "[\"{room}.room.on\"]}, \"events\": {\"locate\": [{\"when\": "
        "\"{room}.room.T - 21\", \"direction\": \"up\"}, {\"when\": "
        "\"{room}.room.T - 19\", \"direction\": \"down\"}]}, "
        "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
        "\"endTime\": 60000}",
        room);
    put_text("located.json", text);
}

/* The i-th number of this name in what was printed. */
static double printed(const char *json, const char *name, int i)
{
    const char *at = json;
    double v = (double)NAN;

    for (; at && i >= 0; i--) {
        at = strstr(at, name);
        at = at ? at + strlen(name) : NULL;
    }
    assert_non_null(at);
    assert_int_equal(tt_num_parse_n(at, strspn(at, "0123456789.e-"), &v), 0);
    return v;
}

/* How late a switch is follows from how far T has gone: from 21 towards 30,
 * from 19 towards 0. Mean and largest are what is reported. */
static void check_lateness(double mean, double within, double by)
{
    struct output s;
    tt_table *t = play(&(struct play){.scenario = at("located.json")});
    const double *T = column(t, "{room}.room.T");
    const double *on = column(t, "{thermostat}.thermostat.on");
    double sum[2] = {0, 0}, most[2] = {0, 0};
    unsigned n[2] = {0, 0};

    for (size_t i = 1; i < tt_table_rows(t); i++) {
        int up = on[i] == 0;
        double late = up ? log(9 / (30 - T[i])) : log(19 / T[i]);

        if (on[i] == on[i - 1])
            continue;
        sum[!up] += late / alpha;
        most[!up] = fmax(most[!up], late / alpha);
        n[!up]++;
    }
    tt_table_free(t);
    TUTTI(&s, "run", at("located.json"), "--json", "-o", at("t.csv"));
    assert_int_equal(s.code, 0);
    for (int i = 0; i < 2; i++) {
        assert_true(n[i] > 150);
        assert_int_equal(printed(s.out.data, "\"n\": ", i), n[i]);
        assert_near(printed(s.out.data, "\"late_mean\": ", i), sum[i] / n[i],
                    by);
        assert_near(printed(s.out.data, "\"late_most\": ", i), most[i], by);
        assert_near(sum[i] / n[i], mean, within);
    }
    output_fini(&s);
}

/* Less than a step; how much on average depends on how late the last one was.
 * The line that is estimated by is off by alpha H^2/8 at most. */
static void lateness_of_fixed_steps_is_reported(void **state)
{
    (void)state;
    put_fmu("room.fmu", ROOM, forget_state_and_lengths);
    put_located("room.fmu");
    check_lateness(0.5, 0.5, alpha / 8);
}

/* Steps that may vary end where a crossing is expected. */
static void foretold_crossings_are_hardly_late(void **state)
{
    (void)state;
    put_fmu("room.fmu", ROOM, forget_state);
    put_located("room.fmu");
    check_lateness(0, 1e-6, 1e-9);
}

/* --- the ball ------------------------------------------------------------ */

static void put_ball(const char *fmu)
{
    char text[1024];

    (void)snprintf(
        text, sizeof(text),
        "{\"fmus\": {\"{ball}\": \"%s\"}, \"instances\": {\"{ball}\": "
        "[\"ball\"]}, \"algorithm\": {\"type\": \"var-step\", \"size\": "
        "[0.0001, 0.1], \"initsize\": 0.01, \"constraints\": {\"floor\": "
        "{\"type\": \"zerocrossing\", \"ports\": [\"{ball}.ball.h\"], "
        "\"safety\": 0.5}}}, \"startTime\": 0, \"endTime\": 1}",
        fmu);
    put_text("ball.json", text);
}

/* The first bounce is foreseen, so it needs no rollback: the height of the row
 * before it is within the tolerance. */
static void the_first_bounce_is_foreseen(void **state)
{
    const char *const fmu[] = {EXAMPLES "bouncing-ball/bouncing_ball.fmu",
                               "stuck.fmu"};
    double bounce = sqrt(2 / 9.81);

    (void)state;
    put_fmu("stuck.fmu", fmu[0], forget_state);
    for (size_t k = 0; k < 2; k++) {
        struct tally n;
        tt_table *t;
        const double *h;
        size_t i = 0;

        put_ball(fmu[k]);
        t = play_tally(&(struct play){.scenario = at("ball.json")}, &n);
        h = column(t, "{ball}.ball.h");
        while (tt_table_time(t)[i + 1] <= bounce)
            i++;
        assert_true(h[i] <= tolerance);
        assert_true(n.rejected == 0);
        tt_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            the_thermostat_is_located_whichever_can_be_rolled_back),
        cmocka_unit_test(without_safety_it_takes_rollback),
        cmocka_unit_test(lateness_of_fixed_steps_is_reported),
        cmocka_unit_test(foretold_crossings_are_hardly_late),
        cmocka_unit_test(the_example_is_that_scenario),
        cmocka_unit_test(the_first_bounce_is_foreseen),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
