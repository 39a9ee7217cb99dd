/* SPDX-License-Identifier: MIT */
/* Events of an FMU that has event mode: rows, the score, ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define RAW   UNITS "raw3.fmu"
#define SHORT "--step", "0.5", "--until", "1", "-q", "-o", "-"

static void a_step_is_followed_by_its_event(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", RAW, "--set", "mode=5", "--set", "u=2", "--record",
          "{raw3}.raw3.y", SHORT, "--microsteps");
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, ",microstep\n0.0,"));
    assert_non_null(strstr(s.out.data, ",0\n0.5,"));
    assert_non_null(strstr(s.out.data, ",1\n1.0,"));
    output_fini(&s);
}

/* Also of a process of its own. */
static void both_limits_are_rows(void **state)
{
    char *plain, *apart;
    struct output s;

    (void)state;
    TUTTI(&s, "run", RAW, "--set", "mode=5", "--step", "0.5", "--until", "1",
          "-o", at("a.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(
        strstr(s.out.data,
               "  events         raw3: in event mode, at shared instants\n"));
    output_fini(&s);
    TUTTI(&s, "run", RAW, "--set", "mode=5", "--step", "0.5", "--until", "1",
          "--isolate", "-o", at("b.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    plain = read_text("a.csv");
    apart = read_text("b.csv");
    assert_string_equal(plain, apart);
    assert_non_null(strstr(plain, "\n0.5,0.0,"));
    assert_non_null(strstr(strstr(plain, "\n0.5,") + 1, "\n0.5,"));
    tt_free(plain);
    tt_free(apart);
}

static void events_without_end_end_the_run(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", RAW, "--set", "mode=12", "--step", "0.5", "--until", "1",
          "-o", at("c.csv"));
    expect_err(&s, "tutti: events at t=0 do not come to an end: after 10000 "
                   "microsteps instance '{raw3}.raw3' asks for another\n");
    assert_int_equal(s.code, 1);
    output_fini(&s);
}

static void the_score_shows_events(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "score", RAW, "--step", "0.5", "--until", "1");
    assert_non_null(strstr(s.out.data,
                           "protocol fixed: propose, step, exchange, commit, "
                           "row (event: microstep, row, while there is more, "
                           "leave)\n"));
    assert_non_null(strstr(s.out.data,
                           "\nevent: one microstep, of the instances "
                           "concerned\n    1  enter   raw3\n"));
    output_fini(&s);
}

/* Printed, read back and played: the same rows. */
static void a_score_with_events_is_a_file(void **state)
{
    char *plain, *read;
    struct output s;

    (void)state;
    put_text("s.json", "{\"fmus\": {\"{r}\": \"" RAW
                       "\"}, \"parameters\": {\"{r}.r.mode\": 5}, "
                       "\"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                       "0.5}, \"endTime\": 1}");
    TUTTI(&s, "score", at("s.json"), "--json");
    assert_int_equal(s.code, 0);
    put_text("score.json", s.out.data);
    output_fini(&s);
    TUTTI(&s, "run", at("s.json"), "-q", "-o", at("p.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", at("s.json"), "-q", "-o", at("q.csv"), "--score",
          at("score.json"));
    assert_string_equal(s.err.data, "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    plain = read_text("p.csv");
    read = read_text("q.csv");
    assert_string_equal(plain, read);
    tt_free(plain);
    tt_free(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_followed_by_its_event),
        cmocka_unit_test(both_limits_are_rows),
        cmocka_unit_test(events_without_end_end_the_run),
        cmocka_unit_test(the_score_shows_events),
        cmocka_unit_test(a_score_with_events_is_a_file),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
