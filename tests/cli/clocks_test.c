/* SPDX-License-Identifier: MIT */
/* Clocks of FMUs: a periodic one, a countdown it arms, and one that ticks
 * others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define ALARM UNITS "alarm-fmi3.fmu"

/* x ticks y's clock. */
static void put_scenario(void)
{
    put_text("clocks.json",
             "{\"fmus\": {\"{a}\": \"" ALARM
             "\"}, \"connections\": {\"{a}.x.ring\": [\"{a}.y.watch\"]}, "
             "\"record\": [\"{a}.x.beats\", \"{a}.x.rings\", "
             "\"{a}.y.n_watch\"], \"algorithm\": {\"type\": \"fixed-step\", "
             "\"size\": 1}, \"endTime\": 2.3}");
}

/* Beats from 0.1 on, every 0.3; the third, at 0.7, arms the bell, which rings
 * 0.45 later. What belongs to a clock is there when that has ticked. */
static const char expected[] = "0.0,,,0\n"
                               "0.1,,,0\n"
                               "0.1,1,,0\n"
                               "0.4,,,0\n"
                               "0.4,2,,0\n"
                               "0.7,,,0\n"
                               "0.7,3,,0\n"
                               "1.0,,,0\n"
                               "1.0,4,,0\n"
                               "1.15,,,0\n"
                               "1.15,,1,1\n"
                               "1.3,,,1\n"
                               "1.3,5,,1\n"
                               "1.6,,,1\n"
                               "1.6,6,,1\n"
                               "1.9,,,1\n"
                               "1.9,7,,1\n"
                               "2.0,,,1\n"
                               "2.0500000000000003,,,1\n"
                               "2.0500000000000003,,2,2\n"
                               "2.2,,,2\n"
                               "2.2,8,,2\n"
                               "2.3,,,2\n";

static void expect_rows(const char *file)
{
    char *text = read_text(file);

    assert_non_null(strchr(text, '\n'));
    assert_string_equal(strchr(text, '\n') + 1, expected);
    tt_free(text);
}

static void clocks_tick_where_they_say(void **state)
{
    struct output s;

    (void)state;
    put_scenario();
    TUTTI(&s, "run", at("clocks.json"), "-q", "-o", at("a.csv"));
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_rows("a.csv");
}

static void elsewhere_they_tick_alike(void **state)
{
    static const char *const way[][2] = {
        {"--isolate", "-q"},
        {"--threads", "2"},
        {"--rollback", "-q"},
        {"--interface=me", "-q"}, /* one system */
        {"--interface=me", "--no-together"},
        {"--interface=me", "--isolate"},
        {"--interface=me", "--rollback"}};

    (void)state;
    put_scenario();
    for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
        struct output s;

        TUTTI(&s, "run", at("clocks.json"), "-q", "-o", at("b.csv"), way[i][0],
              way[i][1]);
        assert_string_equal(s.err.data, "");
        assert_int_equal(s.code, 0);
        output_fini(&s);
        expect_rows("b.csv");
    }
}

/* In the middle of a countdown, and between beats. */
static void check_resumed(const char *interface)
{
    struct output s;

    put_scenario();
    TUTTI(&s, "run", at("clocks.json"), "-q", "-o", at("c.csv"), "--interface",
          interface, "--checkpoint", at("check"), "--every", "sim:0.95");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", "--resume", at("check"), "-q");
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_rows("c.csv");
}

static void a_checkpoint_has_when_they_tick(void **state)
{
    (void)state;
    check_resumed("cs");
    check_resumed("me");
}

/* Two instances, ticked at 1/6, 1/2, 5/6, ...: with the grid at 1/2 and 3/2,
 * and no tick is lost or doubled there. Beats and the bell of the instances are
 * in between. */
static void a_clock_of_the_scenario_ticks_several(void **state)
{
    static const char rows[] = "0.0,0,0\n"
                               "0.1,0,0\n"
                               "0.1,0,0\n"
                               "0.16666666666666666,0,0\n"
                               "0.16666666666666666,1,1\n"
                               "0.4,1,1\n"
                               "0.4,1,1\n"
                               "0.5,1,1\n"
                               "0.5,2,2\n"
                               "0.7,2,2\n"
                               "0.7,2,2\n"
                               "0.8333333333333334,2,2\n"
                               "0.8333333333333334,3,3\n"
                               "1.0,3,3\n"
                               "1.0,3,3\n"
                               "1.15,3,3\n"
                               "1.15,3,3\n"
                               "1.1666666666666667,3,3\n"
                               "1.1666666666666667,4,4\n"
                               "1.3,4,4\n"
                               "1.3,4,4\n"
                               "1.5,4,4\n"
                               "1.5,5,5\n";
    static const char *const way[][2] = {
        {"--threads", "1"}, {"--isolate", "-q"}, {"--threads", "2"}};

    (void)state;
    put_text("net.json", "{\"fmus\": {\"{a}\": \"" ALARM
                         "\", \"{c}\": \"tutti:clock: 1/3 from 1/6\"}, "
                         "\"connections\": {\"{c}.c.tick\": [\"{a}.x.watch\", "
                         "\"{a}.y.watch\"]}, \"record\": [\"{a}.*.n_watch\"], "
                         "\"algorithm\": {\"type\": "
                         "\"fixed-step\", \"size\": 0.5}, \"endTime\": 1.5}");
    for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
        struct output s;
        char *text;

        TUTTI(&s, "run", at("net.json"), "-q", "-o", at("e.csv"), way[i][0],
              way[i][1]);
        assert_string_equal(s.err.data, "");
        assert_int_equal(s.code, 0);
        output_fini(&s);
        text = read_text("e.csv");
        assert_string_equal(strchr(text, '\n') + 1, rows);
        tt_free(text);
    }
}

/* Connected clocks are no results: without a choice it is all outputs. */
static void where_only_clocks_are_connected_outputs_are_recorded(void **state)
{
    static const char header[] = "time,{a}.x.beats,{a}.x.rings,{a}.x.n_watch\n";
    struct output s;
    char *text;

    (void)state;
    put_text("net.json", "{\"fmus\": {\"{a}\": \"" ALARM
                         "\", \"{c}\": \"tutti:clock: 1/3\"}, "
                         "\"connections\": {\"{c}.c.tick\": "
                         "[\"{a}.x.watch\"]}, \"endTime\": 1.5}");
    TUTTI(&s, "run", at("net.json"), "-q", "-o", at("e.csv"), "--step", "0.5");
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    text = read_text("e.csv");
    assert_memory_equal(text, header, sizeof(header) - 1);
    tt_free(text);
}

/* Every quarter, from the start on; the third arms the bell, for 3/8. */
static void the_scenario_states_when_an_fmu_ticks(void **state)
{
    static const char rows[] = "0.0,1,,0\n"
                               "0.25,,,0\n"
                               "0.25,2,,0\n"
                               "0.5,,,0\n"
                               "0.5,3,,0\n"
                               "0.75,,,0\n"
                               "0.75,4,,0\n"
                               "0.875,,,0\n"
                               "0.875,,1,0\n"
                               "1.0,,,0\n"
                               "1.0,5,,0\n";
    static const char *const way[] = {"--rollback", "--isolate"};

    (void)state;
    put_text("set.json",
             "{\"fmus\": {\"{a}\": \"" ALARM
             "\"}, \"instances\": {\"{a}\": [\"x\"]}, \"clocks\": "
             "{\"{a}.x.beat\": {\"interval\": \"1/4\", \"shift\": 0}}, "
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
             "\"endTime\": 1}");
    for (size_t i = 0; i < 2; i++) {
        struct output s;
        char *text;

        TUTTI(&s, "run", at("set.json"), "-q", "-o", at("f.csv"), way[i]);
        assert_string_equal(s.err.data, "");
        assert_int_equal(s.code, 0);
        output_fini(&s);
        text = read_text("f.csv");
        assert_string_equal(strchr(text, '\n') + 1, rows);
        tt_free(text);
    }
}

/* Its column is there with either clock. */
static void a_value_of_two_clocks_is_there_with_either(void **state)
{
    static const char *const row[] = {"\n0.1,1,,0,1\n",  "\n0.4,2,,0,2\n",
                                      "\n0.7,3,,0,3\n",  "\n1.0,4,,0,4\n",
                                      "\n1.15,,1,0,5\n", "\n1.15,,,0,\n"};
    struct output s;
    char *text;

    (void)state;
    put_text("both.json",
             "{\"fmus\": {\"{a}\": \"" ALARM
             "\"}, \"instances\": {\"{a}\": [\"x\"]}, \"record\": "
             "[\"{a}.x.*s\", \"{a}.x.n_watch\"], \"algorithm\": {\"type\": "
             "\"fixed-step\", \"size\": 1}, \"endTime\": 1.2}");
    TUTTI(&s, "run", at("both.json"), "-q", "-o", at("g.csv"));
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    text = read_text("g.csv");
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (!strstr(text, row[i]))
            fail_msg("no row '%s' in\n%s", row[i] + 1, text);
    tt_free(text);
}

static void a_score_with_clocks_is_a_file(void **state)
{
    struct output s;

    (void)state;
    put_scenario();
    TUTTI(&s, "score", at("clocks.json"));
    assert_non_null(strstr(s.out.data, "  tick    x     beat\n"));
    assert_non_null(strstr(s.out.data, "  interval x\n"));
    output_fini(&s);
    TUTTI(&s, "score", at("clocks.json"), "--json");
    assert_int_equal(s.code, 0);
    put_text("score.json", s.out.data);
    output_fini(&s);
    TUTTI(&s, "run", at("clocks.json"), "-q", "-o", at("d.csv"), "--score",
          at("score.json"));
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_rows("d.csv");
}

static void info_shows_when_clocks_tick(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "info", ALARM);
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "every 0.3 s from 0.1 s on"));
    assert_non_null(strstr(s.out.data, "countdown"));
    output_fini(&s);
    TUTTI(&s, "info", ALARM, "--json");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data,
                           "\"intervalVariability\": \"fixed\", "
                           "\"intervalDecimal\": 0.3, \"shiftDecimal\": 0.1"));
    assert_non_null(strstr(s.out.data, "\"clocks\": [\"ring\"]"));
    output_fini(&s);
}

/* An output clock ticks others, and nothing ticks one that ticks by time. */
static void a_clock_that_ticks_by_time_is_no_target(void **state)
{
    struct output s;

    (void)state;
    put_text("wrong.json",
             "{\"fmus\": {\"{a}\": \"" ALARM
             "\"},\n \"connections\": {\"{a}.x.ring\": [\"{a}.y.beat\"]}}");
    TUTTI(&s, "run", at("wrong.json"), "--step", "1", "--until", "1");
    assert_non_null(strstr(s.err.data,
                           "'{a}.y.beat' is a clock that ticks by time "
                           "(fixed): a connection ends at one that is "
                           "triggered\n"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_tick_where_they_say),
        cmocka_unit_test(elsewhere_they_tick_alike),
        cmocka_unit_test(a_checkpoint_has_when_they_tick),
        cmocka_unit_test(a_clock_of_the_scenario_ticks_several),
        cmocka_unit_test(where_only_clocks_are_connected_outputs_are_recorded),
        cmocka_unit_test(the_scenario_states_when_an_fmu_ticks),
        cmocka_unit_test(a_value_of_two_clocks_is_there_with_either),
        cmocka_unit_test(a_score_with_clocks_is_a_file),
        cmocka_unit_test(info_shows_when_clocks_tick),
        cmocka_unit_test(a_clock_that_ticks_by_time_is_no_target),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
