/* SPDX-License-Identifier: MIT */
/* What real FMUs do, though the standard does not expect it (tests/units/
 * habits.h): it neither harms the run nor goes wrong in silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define H2 UNITS "habits2.fmu"
#define H3 UNITS "habits3.fmu"

/* Two units of an FMU, of which b has this habit, two steps. */
static void put_pair(const char *fmu, int habit, const char *more)
{
    char text[2000];

    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{h}\": \"%s\"}, \"connections\": "
                   "{\"{h}.a.y\": [\"{h}.b.u\"]}, \"parameters\": "
                   "{\"{h}.a.k\": 3, \"{h}.b.k\": 10, \"{h}.b.habit\": %d}, "
                   "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}, "
                   "\"endTime\": 1%s}",
                   fmu, habit, more);
    put_text("pair.json", text);
}

/* --- environments -----------------------------------------------------------
 */

static void expect_logged(const char *fmu, int habit, const char *more)
{
    struct said s;

    put_pair(fmu, habit, more);
    TUTTI(&s, "run", at("pair.json"), "-o", at("pair.csv"));
    expect_err(&s, "%s",
               "tutti: warning: unit '{h}.b' [info]: step at 0\n"
               "tutti: warning: unit '{h}.b' [info]: step at 0.5\n");
    assert_int_equal(s.code, 0);
    said_fini(&s);
}

static void a_message_with_a_strange_environment_is_the_callers(void **state)
{
    static const char *const where[] = {
        "", ", \"isolate\": true", ", \"threads\": 2",
        ", \"approximation\": \"linear\", \"substeps\": 1"};

    (void)state;
    for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++)
        for (int habit = 1; habit <= 3; habit++) {
            expect_logged(H2, habit, where[i]);
            expect_logged(H3, habit, where[i]);
        }
}

/* --- the start
 * ---------------------------------------------------------------- */

static void expect_file(const char *name, const char *text)
{
    char *is = read_text(name);

    assert_string_equal(is, text);
    tt_free(is);
}

static void run_pair(const char *record)
{
    struct said s;

    TUTTI(&s, "run", at("pair.json"), "--record", record, "-o", at("pair.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    said_fini(&s);
}

/* a: 3 all the time. b: 10 at the start, then 3 more a second. Both have that
 * from parameters, which the FMU forgets when it is set up, and show it only
 * after initialisation mode. */
#define RIGHT "time,{h}.a.y,{h}.b.y\n0.0,3.0,10.0\n0.5,3.0,11.5\n1.0,3.0,13.0\n"

static void parameters_survive_and_the_first_step_knows_its_inputs(void **state)
{
    static const char *const how[] = {
        "",
        ", \"isolate\": true",
        ", \"threads\": 2",
        ", \"evaluates\": {\"{h}.a\": \"always\", \"{h}.b\": \"always\"}",
        ", \"approximation\": \"linear\"",
        ", \"master\": \"gauss-seidel\", \"order\": [\"{h}.b\", "
        "\"{h}.a\"]",
        ", \"rates\": {\"{h}.b\": 2}",
        ", \"iterate\": 2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
        if (strstr(how[i], "iterate") == NULL) { /* it cannot go back */
            put_pair(H3, 0, how[i]);
            run_pair("*.y");
            expect_file("pair.csv", RIGHT);
        }
        put_pair(H2, 0, how[i]);
        run_pair("*.y");
        expect_file("pair.csv", RIGHT);
    }
}

/* As a unit of another scenario, with a consumer outside. */
static void inside_another_scenario_too(void **state)
{
    struct said s;

    (void)state;
    put_text("inner.json", "{\"fmus\": {\"{h}\": \"" H2 "\"}, \"connections\": "
                           "{\"{h}.a.y\": [\"{h}.b.u\"]}, \"parameters\": "
                           "{\"{h}.a.k\": 3, \"{h}.b.k\": 10}, \"ports\": "
                           "{\"outputs\": {\"y\": \"{h}.b.y\"}}}");
    put_text("outer.json",
             "{\"fmus\": {\"{in}\": \"inner.json\", \"{h}\": \"" H2
             "\"}, \"connections\": {\"{in}.i.y\": [\"{h}.c.u\"]}, "
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}, "
             "\"endTime\": 1}");
    TUTTI(&s, "run", at("outer.json"), "--record", "c.y", "-o",
          at("outer.csv"));
    expect_err(&s, "%s", "");
    said_fini(&s);
    expect_file("outer.csv", "time,{in}.i.y,{h}.c.y\n0.0,10.0,1.0\n"
                             "0.5,11.5,6.0\n1.0,13.0,11.75\n");
}

static void what_changed_is_told(void **state)
{
    struct said s;

    (void)state;
    put_pair(H2, 0, "");
    TUTTI(&s, "run", at("pair.json"), "-o", at("pair.csv"));
    if (!strstr(s.out.data, "{h}.a.y got its value when initialisation mode "
                            "was left: values were exchanged once more"))
        fail_msg("%s", s.out.data);
    said_fini(&s);
}

/* --- time
 * ----------------------------------------------------------------------- */

static void run_one(struct said *s, const char *fmu, const char *const more[])
{
    const char *argv[16] = {"run", fmu, "-o", at("one.csv"), NULL};

    for (size_t i = 0; more[i]; i++)
        argv[4 + i] = more[i];
    tutti(s, argv);
    expect_err(s, "%s", "");
    assert_int_equal(s->code, 0);
    said_fini(s);
}

static void no_step_ends_after_the_stop_time(void **state)
{
    static const char *const end[] = {"0.3", "0.6", "0.7", "1.1", "1.9", "2.3"};
    static const char *const way[][3] = {
        {"--quiet"}, {"--isolate"}, {"--rollback"}};
    struct said s;

    (void)state;
    for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++)
        for (size_t k = 0; k < sizeof(way) / sizeof(*way); k++) {
            run_one(&s, H2,
                    (const char *const[]){"--until", end[i], "--step", "0.1",
                                          way[k][0], NULL});
            if (k < 2) /* it cannot go back */
                run_one(&s, H3,
                        (const char *const[]){"--until", end[i], "--step",
                                              "0.1", way[k][0], NULL});
        }
}

/* 0.1 + 0.1 + 0.1, 0.8 + 0.2: the FMU discards any other length. */
static void variable_steps_tell_the_length_that_was_chosen(void **state)
{
    struct said s;

    (void)state;
    put_text("vary.json",
             "{\"fmus\": {\"{h}\": \"" H2 "\"}, \"connections\": "
             "{\"{h}.a.y\": [\"{h}.b.u\"]}, \"parameters\": "
             "{\"{h}.b.habit\": 8}, \"algorithm\": {\"type\": "
             "\"var-step\", \"size\": [0.1, 0.2], \"initsize\": 0.2, "
             "\"constraints\": {}}, \"endTime\": 2}");
    TUTTI(&s, "run", at("vary.json"), "--record", "*.h", "-o", at("v.csv"));
    expect_err(&s, "%s", "");
    said_fini(&s);
    assert_int_equal(count_lines("v.csv"), 12);
}

/* One that runs to the stop time in its first step, if it is told one. */
static void a_unit_can_be_told_no_stop_time(void **state)
{
    struct said s;

    (void)state;
    put_pair(H2, 4, "");
    run_pair("b.y");
    expect_file(
        "pair.csv",
        "time,{h}.a.y,{h}.b.y\n0.0,3.0,10.0\n0.5,3.0,13.0\n1.0,3.0,14.5\n");
    TUTTI(&s, "run", at("pair.json"), "--no-stop-time", "--record", "b.y", "-o",
          at("pair.csv"));
    assert_int_equal(s.code, 0);
    said_fini(&s);
    expect_file("pair.csv", RIGHT);
    put_pair(H3, 4, ", \"noStopTime\": true");
    run_pair("b.y");
    expect_file("pair.csv", RIGHT);
    put_pair(H2, 0, ", \"noStopTime\": [\"{h}.b\"]");
    run_pair("*.stop");
    expect_file("pair.csv",
                "time,{h}.a.y,{h}.a.stop,{h}.b.stop\n0.0,3.0,1.0,-1.0\n"
                "0.5,3.0,1.0,-1.0\n1.0,3.0,1.0,-1.0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_with_a_strange_environment_is_the_callers),
        cmocka_unit_test(
            parameters_survive_and_the_first_step_knows_its_inputs),
        cmocka_unit_test(inside_another_scenario_too),
        cmocka_unit_test(what_changed_is_told),
        cmocka_unit_test(no_step_ends_after_the_stop_time),
        cmocka_unit_test(variable_steps_tell_the_length_that_was_chosen),
        cmocka_unit_test(a_unit_can_be_told_no_stop_time),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
