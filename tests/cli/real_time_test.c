/* SPDX-License-Identifier: MIT */
/* Runs that keep to the clock, and runs that cannot. Lengths of time are only
 * compared from below: a machine may always be slower. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "desk.h"
#include "sys/clock.h"
#include "sys/sync.h"

#define FMU  UNITS "misbehave.fmu"
#define S    UINT64_C(1000000000)
#define NAME "{misbehave}.misbehave"

/* --- it takes its time --------------------------------------------------- */

static void takes_at_least(uint64_t ns, const char *const argv[])
{
    uint64_t began = tt_clock_ns();
    struct output s;

    tutti(&s, argv);
    assert_true(tt_clock_ns() - began >= ns);
    assert_int_equal(s.code, 0);
    output_fini(&s);
}
#define TAKES(ns, ...)                                                         \
    takes_at_least((ns), (const char *const[]){__VA_ARGS__, NULL})

static void a_paced_run_takes_as_long_as_it_simulates(void **state)
{
    const char *csv = at("paced.csv");

    (void)state;
    TAKES(S / 2, "run", FMU, "--until", "0.5", "-o", csv, "--real-time");
    assert_int_equal(count_lines("paced.csv"), 7);
    TAKES(S / 4, "run", "--real-time", "2", FMU, "--until", "0.5", "-o", csv);
    TAKES(S / 4, "run", "--real-time=2", FMU, "--until", "0.5", "-o", csv);
    /* a word that is no number is not the factor */
    TAKES(S / 10, "run", "--real-time", FMU, "--until", "0.1", "-o", csv);
}

/* The same bytes, paced or not. */
static void pacing_changes_no_result(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "u=1", "--until", "0.5", "-o",
          at("plain.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", FMU, "--set", "u=1", "--until", "0.5", "-o",
          at("paced.csv"), "--real-time=20");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_same_file("plain.csv", "paced.csv");
}

static void maestros_flag_paces(void **state)
{
    char text[1024];

    (void)state;
    (void)snprintf(text, sizeof(text),
                   "{\"fmus\":{\"{m}\":\"%s\"},\"instances\":{\"{m}\":[\"m\"]},"
                   "\"algorithm\":{\"type\":\"fixed-step\",\"size\":0.1},"
                   "\"endTime\":0.3,\"simulationProgramDelay\":true}",
                   FMU);
    put_text("delay.json", text);
    TAKES(S * 3 / 10, "run", at("delay.json"), "-o", at("delay.csv"));
}

/* --- it is late ----------------------------------------------------------- */

static double number_at(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(json_object_get(j, "real_time"), key);

    assert_true(json_is_number(v));
    return json_number_value(v);
}

/* Each step is due 10 ms after the other; from the third on each sleeps 30. */
static void overruns_are_counted(void **state)
{
    struct output s;
    json_t *j;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "what=8", "--set", "when=0.3", "--set",
          "amount=0.03", "--until", "0.5", "--real-time=10", "--json", "-o",
          at("late.csv"), "--report", at("late.html"));
    assert_int_equal(s.code, 0);
    j = json_loads(s.out.data, 0, NULL);
    assert_non_null(j);
    assert_true(number_at(j, "factor") == 10);
    assert_true(number_at(j, "tolerance") == 0);
    assert_true(number_at(j, "steps") == 5);
    assert_true(number_at(j, "overruns") >= 3);
    assert_true(number_at(j, "worst_lateness") >= 0.06);
    assert_true(number_at(j, "worst_t") == 0.5);
    assert_true(number_at(j, "mean_lateness") > 0);
    json_decref(j);
    assert_memory_equal(s.err.data, "tutti: warning: not in real time: ", 34);
    assert_non_null(strstr(s.err.data, " of 5 steps late, by "));
    output_fini(&s);
}

static void the_summary_and_the_report_state_how_late(void **state)
{
    struct output s;
    char *page;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "what=8", "--set", "when=0", "--set",
          "amount=0.02", "--until", "0.1", "--real-time=100", "-o",
          at("late.csv"), "--report", at("late.html"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "  real time      factor 100: 1 of 1 "
                                       "step late, by "));
    assert_non_null(strstr(s.out.data, " s at worst, at t=0.1\n"));
    page = read_text("late.html");
    assert_non_null(strstr(page, "<dt>real time</dt>"));
    assert_non_null(strstr(page, "factor 100: 1 of 1 step late, by "));
    tt_free(page);
    output_fini(&s);
}

/* The whole message; only how late it was is the machine's. */
static void expect_stop(const struct output *s, double least)
{
    static const char front[] = "tutti: overrun: step 1, to t=0.1, was ready ";
    const char *number = s->err.data + strlen(front);
    const char *end = strchr(number, ' ');
    char late[32] = "";
    double v = 0;

    assert_memory_equal(s->err.data, front, strlen(front));
    assert_true(end && end - number < 31);
    memcpy(late, number, (size_t)(end - number));
    assert_int_equal(tt_num_parse(late, &v), 0);
    assert_true(v >= least);
    expect_err(
        s,
        "tutti: overrun: step 1, to t=0.1, was ready %s s after it was "
        "due (real time, factor 1); most of its time was spent in instance "
        "'" NAME "'; results so far: %s (2 rows to t=0.1)\n",
        late, at("stop.csv"));
    assert_int_equal(s->code, 1);
    assert_int_equal(count_lines("stop.csv"), 3);
}

static void an_overrun_can_stop_the_run(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "what=8", "--set", "when=0", "--set",
          "amount=0.3", "--real-time", "--overrun", "stop", "-o",
          at("stop.csv"));
    expect_stop(&s, 0.199);
    assert_int_equal(s.out.len, 0);
    output_fini(&s);
}

/* --- stopping --------------------------------------------------------------
 */

/* A step lasts a thousand seconds: without a stop in the sleep this test
 * never ends, and after two seconds the program would say more than this. */
static void an_interrupt_ends_a_long_sleep(void **state)
{
    const char *const argv[] = {"run", FMU,           "--real-time=1e-4",
                                "-o",  at("int.csv"), NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int err = open(at("int.err"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    pid_t pid = tutti_start(argv, null, err);
    char want[512], *text;
    int status;

    (void)state;
    close(null);
    close(err);
    while (!exists("int.csv") || count_lines("int.csv") < 3)
        tt_sleep_ns(1000000); /* the step is made; now it waits for its time */
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    (void)snprintf(want, sizeof(want),
                   "tutti: stopped at t=0.1; results so far: %s (2 rows to "
                   "t=0.1)\n",
                   at("int.csv"));
    text = read_text("int.err");
    assert_string_equal(text, want);
    tt_free(text);
}

/* What it did about the clock died with it: nothing is claimed. */
static void a_crash_of_a_paced_run_is_reported_as_ever(void **state)
{
    struct output s;
    char *page;

    (void)state;
    TUTTI(&s, "run", FMU, "--set", "what=6", "--real-time=50", "-o",
          at("crash.csv"), "--report", at("crash.html"));
    assert_int_equal(s.code, 1);
    expect_err(&s,
               "tutti: instance '" NAME
               "': crashed in step (SIGSEGV) at t=0.9; "
               "results so far: %s (10 rows to t=0.9)\n",
               at("crash.csv"));
    page = read_text("crash.html");
    assert_non_null(strstr(page, "<dd>factor 50</dd>"));
    tt_free(page);
    output_fini(&s);
}

/* --- bad input ---------------------------------------------------------------
 */

static void usage(const char *message, const char *const argv[])
{
    struct output s;

    tutti(&s, argv);
    expect_err(&s, "tutti: %s\n", message);
    assert_int_equal(s.code, 2);
    assert_int_equal(s.out.len, 0);
    output_fini(&s);
}
#define USAGE(message, ...)                                                    \
    usage(message, (const char *const[]){__VA_ARGS__, NULL})

static void bad_options_are_refused(void **state)
{
    (void)state;
    USAGE("--real-time needs a positive number, not '0'", "run", FMU,
          "--real-time=0");
    USAGE("--real-time needs a positive number, not '-1'", "run", FMU,
          "--real-time", "-1");
    USAGE("--real-time needs a positive number, not 'fast'", "run", FMU,
          "--real-time=fast");
    USAGE("--real-time needs a value: --real-time [FACTOR]", "run", FMU,
          "--real-time=");
    USAGE("command line: --overrun goes with --real-time, or with 'realTime' "
          "in the scenario",
          "run", FMU, "--overrun", "stop");
    USAGE("command line: --overrun must be 'continue' or 'stop', not 'wait'",
          "run", FMU, "--real-time", "--overrun", "wait");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paced_run_takes_as_long_as_it_simulates),
        cmocka_unit_test(pacing_changes_no_result),
        cmocka_unit_test(maestros_flag_paces),
        cmocka_unit_test(overruns_are_counted),
        cmocka_unit_test(the_summary_and_the_report_state_how_late),
        cmocka_unit_test(an_overrun_can_stop_the_run),
        cmocka_unit_test(an_interrupt_ends_a_long_sleep),
        cmocka_unit_test(a_crash_of_a_paced_run_is_reported_as_ever),
        cmocka_unit_test(bad_options_are_refused),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
