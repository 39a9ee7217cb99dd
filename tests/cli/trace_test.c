/* SPDX-License-Identifier: MIT */
/* --trace: a log of every attempt at a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"
#include "table/table.h"

#define FMU UNITS "misbehave.fmu"
#define HEADER                                                                 \
    "time,step,h,outcome,limited by,objector,reason,evaluations,reached\n"

static void every_step_has_a_line(void **state)
{
    struct output s;
    char *text;

    (void)state;
    TUTTI(&s, "run", FMU, "--until", "0.25", "--trace", at("steps.csv"), "-o",
          at("out.csv"));
    assert_int_equal(s.code, 0);
    text = read_text("steps.csv");
    assert_string_equal(text, HEADER "0.0,1,0.1,accepted,fixed step,,,0,0.1\n"
                                     "0.1,2,0.1,accepted,fixed step,,,0,0.2\n"
                                     "0.2,3,0.04999999999999999,accepted,end "
                                     "of the run,,,0,0.25\n");
    tt_free(text);
    text = NULL;
    assert_non_null(strstr(s.out.data, "  trace          "));
    assert_non_null(strstr(s.out.data, "steps.csv: 3 attempts\n"));
    output_fini(&s);
}

/* Rejected attempts are as many as the summary counts, and each says why. The
 * table is one that our own tools read. */
static void rejections_are_logged_with_their_reason(void **state)
{
    struct output s;
    char *text;
    tt_table *t = NULL;
    size_t rejected = 0;
    uint32_t c;

    (void)state;
    TUTTI(&s, "run", EXAMPLES "bouncing-ball/scenario-variable.json", "--trace",
          at("steps.csv"), "-o", at("out.csv"), "--report", at("ball.html"));
    assert_int_equal(s.code, 0);
    text = read_text("steps.csv");
    for (const char *p = text; (p = strstr(p, ",rejected,")) != NULL; p++)
        rejected++;
    assert_int_equal(rejected, 41);
    assert_non_null(strstr(s.out.data, ", 41 rejected, "));
    assert_non_null(strstr(text, ",rejected,floor,turn,\"zero crossing 'turn': "
                                 "step from "));
    tt_free(text);
    assert_int_equal(tt_table_load(&t, at("steps.csv"), NULL), TT_OK);
    assert_int_equal(tt_table_get(t, "h", &c, NULL), TT_OK);
    tt_table_free(t);
    text = read_text("ball.html");
    assert_non_null(strstr(text, "<h2>Steps</h2>"));
    assert_non_null(strstr(text, "rejected attempt"));
    tt_free(text);
    output_fini(&s);
}

static void a_fixed_step_has_no_picture(void **state)
{
    struct output s;
    char *text;

    (void)state;
    TUTTI(&s, "run", FMU, "--until", "1", "-o", at("out.csv"), "--report",
          at("fixed.html"), "--trace", at("steps.csv"));
    assert_int_equal(s.code, 0);
    text = read_text("fixed.html");
    assert_null(strstr(text, "<h2>Steps</h2>"));
    tt_free(text);
    output_fini(&s);
}

/* The lines up to the crash are there: nine steps were made. */
static void a_crash_keeps_the_lines(void **state)
{
    struct output s;
    char *text;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "what=6", "--trace", at("crash.csv"), "-o",
          at("out.csv"));
    assert_int_equal(s.code, 1);
    expect_err(
        &s,
        "tutti: instance '{misbehave}.misbehave': crashed in step (SIGSEGV) "
        "at t=0.9; results so far: %s (10 rows to t=0.9)\n",
        at("out.csv"));
    assert_int_equal(count_lines("crash.csv"), 10);
    text = read_text("crash.csv");
    assert_non_null(strstr(text, "\n0.8,9,0.1,accepted,"));
    assert_int_equal(text[strlen(text) - 1], '\n');
    tt_free(text);
    output_fini(&s);
}

static void a_failure_is_the_last_line(void **state)
{
    struct output s;
    char *text;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "what=1", "--trace", at("fail.csv"), "-o",
          at("out.csv"));
    assert_int_equal(s.code, 1);
    text = read_text("fail.csv");
    assert_non_null(strstr(
        text,
        "\n0.9,10,0.1,failed,fixed step,,\"instance '{misbehave}.misbehave' "
        "(fmi2): step at t=0.9: fmi2DoStep returned fmi2Error: last "
        "message: \"\"asked to fail\"\"\",0,0.9\n"));
    tt_free(text);
    output_fini(&s);
}

static void usage(const char *trace, const char *message)
{
    struct output s;

    TUTTI(&s, "run", FMU, "--trace", trace, "-o", at("o.csv"), "--report",
          at("o.html"));
    expect_err(&s, "tutti: %s\n", message);
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void bad_names_are_refused(void **state)
{
    char words[512];

    (void)state;
    usage("-", "--trace needs a file, not '-'");
    (void)snprintf(words, sizeof(words),
                   "--trace and another option name the same file '%s'",
                   at("o.csv"));
    usage(at("o.csv"), words);
    (void)snprintf(words, sizeof(words),
                   "--trace and another option name the same file '%s'",
                   at("o.html"));
    usage(at("o.html"), words);
    (void)snprintf(words, sizeof(words),
                   "cannot write %s: No such file or directory",
                   at("none/steps.csv"));
    usage(at("none/steps.csv"), words);
    usage("/dev/full", "cannot write /dev/full: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_a_line),
        cmocka_unit_test(rejections_are_logged_with_their_reason),
        cmocka_unit_test(a_fixed_step_has_no_picture),
        cmocka_unit_test(a_crash_keeps_the_lines),
        cmocka_unit_test(a_failure_is_the_last_line),
        cmocka_unit_test(bad_names_are_refused),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
