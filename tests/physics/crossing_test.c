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
#include "numerics.h"
#include "support/run_tutti.h"

static const double tolerance = 1e-3, hot = 21, cold = 19, alpha = 0.001;

/* FMI 2 writes "state", FMI 3 "State". */
static int forget_state(char *name, struct tt_buf *data)
{
    int two;

    if (strcmp(name, "modelDescription.xml") != 0)
        return 1;
    tt_buf_char(data, '\0'); /* for strstr */
    two = strstr(data->data, "fmiVersion=\"2.0\"") != NULL;
    data->len--;
    replace(data,
            two ? "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
                : "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"",
            "");
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
    assert_non_null(strstr(
        s.out.data, "instance '{room}.room' (fmi2) cannot save its state"));
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
        cmocka_unit_test(the_example_is_that_scenario),
        cmocka_unit_test(the_first_bounce_is_foreseen),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
