/* SPDX-License-Identifier: MIT */
/* Scheduled execution as a user meets it: order, clocks that are connected,
 * budgets, and FMUs that go wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define FMU  UNITS "partitions-fmi3.fmu"
#define NAME "{p}.a"

/* Instances a and b; `more` are further fields. */
static const char *scenario(const char *name, const char *connections,
                            const char *more)
{
    char text[2048];

    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{p}\": \"%s\"}, \"instances\": "
                   "{\"{p}\": [\"a\", \"b\"]}, \"connections\": {%s}, "
                   "\"loggingOn\": true, \"algorithm\": {\"type\": "
                   "\"fixed-step\", \"size\": 0.1}, \"endTime\": 0.2%s}",
                   FMU, connections, more);
    put_text(name, text);
    return at(name);
}

/* "a slow 0.2, ..." of what instances logged, in the order they ran. */
static void assert_order(const struct output *s, const char *wanted)
{
    char order[4096] = "";
    const char *p = s->err.data;
    size_t n = 0;

    while ((p = strstr(p, "{p}.")) != NULL) {
        char name[16];
        double t;
        const char *at = strstr(p, "logEvents");
        const char *end = strchr(p, '\n');

        if (at && at < end && (at = strchr(at, ' ')) &&
            sscanf(at, " %15s at %lf", name, &t) == 2)
            n += (size_t)snprintf(order + n, sizeof(order) - n, "%s%c %s %.6g",
                                  n ? ", " : "", p[4], name, t);
        p = end;
    }
    assert_string_equal(order, wanted);
}

/* slow of a lets rang tick, which makes rung of a and of b run at that time. In
 * a it goes before fast, which has lower priority; in b it comes a microstep
 * later, when slow has run and fast is still to. */
static void a_clock_that_ticks_makes_others_run(void **state)
{
    static const char connection[] =
        "\"{p}.a.rang\": [\"{p}.a.rung\", \"{p}.b.rung\"]";
    static const char order[] =
        "a slow 0, b slow 0, a rung 0, b rung 0, a fast 0, b fast 0, "
        "a fast 0.1, b fast 0.1, "
        "a slow 0.2, b slow 0.2, a rung 0.2, b rung 0.2, a fast 0.2, b fast "
        "0.2";
    static const char *const way[] = {"-v", "--isolate", "--rollback"};
    const char *file = scenario("rings.json", connection, "");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct output s;

        TUTTI(&s, "run", file, "-v", way[i], "-o", at("rings.csv"), "--record",
              "*runs");
        assert_int_equal(s.code, 0);
        assert_order(&s, order);
        output_fini(&s);
    }
}

/* A row for each partition. */
static void microsteps_show_each_partition(void **state)
{
    const char *file =
        scenario("rows.json", "\"{p}.a.rang\": [\"{p}.a.rung\"]", "");
    struct output s;

    (void)state;
    TUTTI(&s, "run", file, "-q", "-o", "-", "--microsteps", "--record",
          "{p}.a.runs,{p}.a.rung_runs");
    assert_int_equal(s.code, 0);
    assert_string_equal(s.out.data,
                        "time,{p}.a.runs,{p}.a.rung_runs,microstep\n"
                        "0.0,3,1,0\n"
                        "0.1,3,1,0\n"
                        "0.1,4,1,1\n"
                        "0.2,4,1,0\n"
                        "0.2,5,1,1\n"
                        "0.2,6,2,2\n"
                        "0.2,7,2,3\n");
    output_fini(&s);
}

/* --- budgets ----------------------------------------------------------------
 */

#define BUDGET(s)                                                              \
    ", \"realTime\": {\"factor\": 1000, \"tolerance\": 1000, \"budgets\": "    \
    "{\"{p}.a.fast\": " s ", \"{p}.a.slow\": 1000}"

static void runs_over_budget_are_counted(void **state)
{
    const char *file = scenario("over.json", "", BUDGET("1e-12") "}");
    struct output s;

    (void)state;
    TUTTI(&s, "run", file, "-o", at("over.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(
        s.err.data, "the partition of clock 'fast' of instance '{p}.a' was "
                    "over its budget of 1e-12 s in 2 of 2 runs, with "));
    assert_null(strstr(s.err.data, "'slow'"));
    assert_non_null(
        strstr(s.out.data, "; 2 runs of partitions over their budgets\n"));
    output_fini(&s);
}

static void a_run_over_budget_may_stop(void **state)
{
    const char *file =
        scenario("stop.json", "", BUDGET("1e-12") ", \"onOverrun\": \"stop\"}");
    struct output s;

    (void)state;
    TUTTI(&s, "run", file, "-q", "-o", at("stop.csv"));
    assert_int_equal(s.code, 1);
    assert_non_null(strstr(s.err.data, "overrun: the partition of clock 'fast' "
                                       "of instance '{p}.a' ran for "));
    assert_non_null(strstr(s.err.data, " s at t=0.1, its budget is 1e-12 s"));
    output_fini(&s);
}

static void a_budget_is_that_of_a_partition(void **state)
{
    (void)state;
    refuse(scenario("none.json", "",
                    ", \"realTime\": {\"budgets\": {\"{p}.a.y\": 1}}"),
           "tutti: %s:1:%d: 'y' of '{p}.a' is no input clock of scheduled "
           "execution, "
           "and has no budget\n",
           at("none.json"), (int)(strlen(FMU) + 186));
}

/* --- what goes wrong ---------------------------------------------------------
 */

static int no_interval(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0)
        replace(data, "intervalDecimal=\"0.1\"", "intervalDecimal=\"0\"");
    return 1;
}

static void an_interval_of_nothing_is_named(void **state)
{
    struct output s;

    (void)state;
    put_fmu("idle.fmu", FMU, no_interval);
    TUTTI(&s, "run", at("idle.fmu"), "-q", "-o", at("idle.csv"));
    assert_int_equal(s.code, 1);
    expect_err(&s, "tutti: instance '{idle}.idle' (fmi3se): exit_init: "
                   "the interval of 'fast' is no time\n");
    output_fini(&s);
}

static void what_partitions_do_wrong_is_named(void **state)
{
    static const struct {
        const char *what, *words;
    } way[] = {
        {"what=1", "event_update at t=0.1: partition of clock 'fast' at t=0.1: "
                   "fmi3ActivateModelPartition returned fmi3Error; results"},
        {"what=2", "event_update at t=0.1: partition of clock 'fast' at t=0.1: "
                   "the interval of 'late' is no time"},
        {"what=3", "event_update at t=0.1: clock 'late' is to tick again at "
                   "t=0.1, where it has ticked: a partition runs once at one "
                   "time"},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char wanted[512];
        struct output s;

        TUTTI(&s, "run", FMU, "--set", way[i].what, "--set", "when=0.1", "-q",
              "-o", at("wrong.csv"));
        assert_int_equal(s.code, 1);
        (void)snprintf(wanted, sizeof(wanted),
                       "instance '{partitions-fmi3}.partitions-fmi3' (fmi3se): "
                       "%s",
                       way[i].words);
        assert_non_null(strstr(s.err.data, wanted));
        output_fini(&s);
    }
}

/* Of a alone, whose third waits for its third of a second otherwise. */
static void the_scenario_states_when_a_partition_runs(void **state)
{
    static const char order[] =
        "a slow 0, b slow 0, a fast 0, b fast 0, a third 0.025, a third 0.075, "
        "a fast 0.1, b fast 0.1, a third 0.125, a third 0.175, a slow 0.2, "
        "b slow 0.2, a fast 0.2, b fast 0.2";
    static const char *const way[] = {"-v", "--isolate", "--rollback"};
    const char *file =
        scenario("set.json", "",
                 ", \"clocks\": {\"{p}.a.third\": {\"interval\": \"1/20\", "
                 "\"shift\": 0.025}}");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct output s;

        TUTTI(&s, "run", file, "-v", way[i], "-o", at("set.csv"), "--record",
              "*runs");
        assert_int_equal(s.code, 0);
        assert_order(&s, order);
        output_fini(&s);
    }
}

static void a_constant_clock_is_not_set(void **state)
{
    const char *file = scenario(
        "const.json", "", ", \"clocks\": {\"{p}.a.fast\": {\"interval\": 1}}");
    struct output s;

    (void)state;
    TUTTI(&s, "run", file, "-q");
    assert_int_equal(s.code, 2);
    if (!strstr(s.err.data, "when '{p}.a.fast' ticks cannot be set: it is "
                            "constant: its interval is declared and stays"))
        fail_msg("%s", s.err.data);
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_ticks_makes_others_run),
        cmocka_unit_test(the_scenario_states_when_a_partition_runs),
        cmocka_unit_test(a_constant_clock_is_not_set),
        cmocka_unit_test(microsteps_show_each_partition),
        cmocka_unit_test(runs_over_budget_are_counted),
        cmocka_unit_test(a_run_over_budget_may_stop),
        cmocka_unit_test(a_budget_is_that_of_a_partition),
        cmocka_unit_test(an_interval_of_nothing_is_named),
        cmocka_unit_test(what_partitions_do_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
