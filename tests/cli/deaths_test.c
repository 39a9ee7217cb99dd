/* SPDX-License-Identifier: MIT */
/* Units that fail, crash, exit or chatter: the run ends with unit, call and
 * time named, exit code 1, and the results so far on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "desk.h"
#include "sys/file.h"
#include "sys/sync.h"

#define FMI2 UNITS "misbehave.fmu"
#define FMI3 UNITS "misbehave-fmi3.fmu"

/* In the step from t=0.9 it does `what`: ten rows are there by then. */
static void misbehave(struct output *s, const char *fmu, const char *what)
{
    char set[32];

    (void)snprintf(set, sizeof(set), "what=%s", what);
    TUTTI(s, "run", fmu, "--set", set, "--set", "u=1", "-o", at("far.csv"));
}

static void expect_ten_rows(const struct output *s)
{
    char *text = read_text("far.csv");
    const char *last = "\n0.9,";

    assert_int_equal(s->code, 1);
    assert_int_equal(s->out.len, 0);
    assert_int_equal(count_lines("far.csv"), 11);
    assert_non_null(strstr(text, last));
    assert_int_equal(text[strlen(text) - 1], '\n');
    tt_free(text);
}

static void a_crash_names_unit_call_and_time(void **state)
{
    struct output s;

    (void)state;
    misbehave(&s, FMI2, "6");
    expect_err(
        &s,
        "tutti: instance '{misbehave}.misbehave': crashed in step (SIGSEGV) "
        "at t=0.9; results so far: %s (10 rows to t=0.9)\n",
        at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
    misbehave(&s, FMI3, "6");
    expect_err(
        &s,
        "tutti: instance '{misbehave-fmi3}.misbehave-fmi3': crashed in step "
        "(SIGSEGV) at t=0.9; results so far: %s (10 rows to t=0.9)\n",
        at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
}

/* Of an instance that asked for the event, and of one whose input leapt. */
static void a_crash_in_an_event_names_the_update(void **state)
{
    struct output s;

    (void)state;
    for (char who = 'a'; who <= 'b'; who++) {
        char scenario[512], words[256];

        (void)snprintf(
            scenario, sizeof(scenario),
            "{\"fmus\": {\"{m}\": \"" UNITS "startled-fmi3.fmu\"}, "
            "\"connections\": {\"{m}.a.y\": [\"{m}.b.u\"]}, "
            "\"parameters\": {\"{m}.a.ask\": true, \"{m}.%c.crash\": true}, "
            "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}, "
            "\"endTime\": 1}",
            who);
        put_text("event.json", scenario);
        TUTTI(&s, "run", at("event.json"), "-o", at("far.csv"));
        (void)snprintf(words, sizeof(words),
                       "tutti: instance '{m}.%c': crashed in event_update "
                       "(SIGSEGV) at t=0.5; results so far: ",
                       who);
        assert_int_equal(s.code, 1);
        assert_memory_equal(s.err.data, words, strlen(words));
        output_fini(&s);
    }
}

/* Cold calls of the score (courses, states) are followed by hot ones. */
static void a_crash_after_a_course_names_the_step(void **state)
{
    struct output s;

    (void)state;
    put_text("course.json",
             "{\"fmus\": {\"{m}\": \"" FMI2 "\"}, \"connections\": "
             "{\"{m}.a.y\": [\"{m}.b.u\"]}, \"parameters\": {\"{m}.b.what\": "
             "6}, \"approximation\": \"linear\", \"algorithm\": {\"type\": "
             "\"fixed-step\", \"size\": 0.1}, \"endTime\": 2}");
    TUTTI(&s, "run", at("course.json"), "-o", at("far.csv"));
    expect_err(&s,
               "tutti: instance '{m}.b': crashed in step (SIGSEGV) at t=0.9; "
               "results so far: %s (10 rows to t=0.9)\n",
               at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
}

static void a_unit_that_exits_is_a_failure(void **state)
{
    struct output s;

    (void)state;
    misbehave(&s, FMI2, "7");
    expect_err(
        &s,
        "tutti: instance '{misbehave}.misbehave': ended the process in step "
        "(exit code 0) at t=0.9; results so far: %s (10 rows to "
        "t=0.9)\n",
        at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
}

static void an_error_quotes_the_unit(void **state)
{
    struct output s;

    (void)state;
    misbehave(&s, FMI2, "1");
    expect_err(
        &s,
        "tutti: instance '{misbehave}.misbehave' (fmi2): step at t=0.9: "
        "fmi2DoStep returned fmi2Error: last message: \"asked to fail\"; "
        "results so far: %s (10 rows to t=0.9)\n",
        at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
    misbehave(&s, FMI2, "2");
    expect_err(&s,
               "tutti: instance '{misbehave}.misbehave' (fmi2): step at t=0.9: "
               "fmi2DoStep returned fmi2Fatal: last message: \"asked to fail "
               "for ever\"; results so far: %s (10 rows to t=0.9)\n",
               at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
}

static void a_rejected_step_is_explained(void **state)
{
    struct output s;

    (void)state;
    misbehave(&s, FMI3, "3");
    expect_err(
        &s,
        "tutti: instance '{misbehave-fmi3}.misbehave-fmi3' (fmi3) rejected "
        "the step to t=1: it could reach t=0.9 only, and the step "
        "cannot be rolled back; a smaller step may help, or --rollback; "
        "results so far: %s (10 rows to t=0.9)\n",
        at("far.csv"));
    expect_ten_rows(&s);
    output_fini(&s);
}

/* However short: what it says in the end has its name. */
static void a_unit_that_rejects_every_step_is_named(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMI3, "--set", "what=3", "--rollback", "-o",
          at("far.csv"));
    assert_int_equal(s.code, 1);
    assert_non_null(strstr(
        s.err.data, "tutti: instance '{misbehave-fmi3}.misbehave-fmi3' (fmi3): "
                    "step from 0.99999"));
    assert_non_null(strstr(s.err.data,
                           " s to 1 s: an instance rejected the step; "
                           "giving up at the smallest step; "
                           "results so far: "));
    output_fini(&s);
}

static void the_report_knows_of_error_control(void **state)
{
    struct output s;
    char *text;

    (void)state;
    TUTTI(&s, "run", EXAMPLES "double-mass-spring-damper/scenario.json",
          "--error-control", "milne", "--report", at("error.html"), "-o",
          at("far.csv"));
    assert_int_equal(s.code, 0);
    text = read_text("error.html");
    assert_non_null(strstr(text, "with an estimate of its error. To see how "
                                 "far to trust"));
    tt_free(text);
    output_fini(&s);
}

static void a_unit_that_ends_the_simulation_is_no_failure(void **state)
{
    struct output s;

    (void)state;
    misbehave(&s, FMI3, "4");
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "ended by instance "
                                       "'misbehave-fmi3' at "
                                       "t=1 s\n"));
    assert_int_equal(count_lines("far.csv"), 12);
    output_fini(&s);
}

static void a_percent_in_a_log_message_is_only_text(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMI2, "--set", "what=9", "--verbose", "-o", at("far.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.err.data, "100% sure"));
    output_fini(&s);
}

static void a_crash_in_json_is_json(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMI2, "--set", "what=6", "--json", "-o", at("far.csv"));
    assert_int_equal(s.code, 1);
    expect_json(&s);
    assert_non_null(strstr(s.out.data, "\"outcome\": \"failed\""));
    assert_non_null(strstr(s.out.data, "crashed in step (SIGSEGV)"));
    output_fini(&s);
}

static void a_crash_still_gives_a_report(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMI2, "--set", "what=6", "--report", at("crash.html"),
          "-o", at("far.csv"));
    assert_int_equal(s.code, 1);
    assert_true(exists("crash.html"));
    output_fini(&s);
}

static void a_crash_with_sampling_keeps_the_last_row(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", FMI2, "--set", "what=6", "--set", "u=1", "--sample", "0.5",
          "-o", at("few.csv"));
    assert_int_equal(s.code, 1);
    assert_int_equal(count_lines("few.csv"), 4); /* 0, 0.5 and 0.9 */
    output_fini(&s);
}

/* --- stopping ---------------------------------------------------------- */

/* The program with its stdout in `out` and its stderr in a file. */
static pid_t start_to(int out, const char *const argv[], const char *err)
{
    int fd = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_t pid = tutti_start(argv, out, fd);

    close(fd);
    return pid;
}

static pid_t start(const char *const argv[], const char *err)
{
    int null = open("/dev/null", O_WRONLY);
    pid_t pid = start_to(null, argv, err);

    close(null);
    return pid;
}

static void wait_for_rows(const char *name)
{
    while (!exists(name) || count_lines(name) < 3)
        tt_sleep_ns(1000000);
}

/* A run that is sent `sig` ends with this exit code, its rows whole and told.
 */
static void expect_stop(int sig, int code)
{
    const char *csv = at("stopped.csv"), *err = at("stopped.err");
    const char *const argv[] = {
        "run",    FMI2,      "--set", "what=8", "--set", "amount=0.01", "--set",
        "when=0", "--until", "1e6",   "-o",     csv,     NULL};
    pid_t pid = start(argv, err);
    int status;
    char *text;

    wait_for_rows("stopped.csv");
    assert_int_equal(kill(pid, sig), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
    text = read_text("stopped.err");
    assert_memory_equal(text, "tutti: stopped at t=", 20);
    assert_non_null(strstr(text, "; results so far: "));
    tt_free(text);
    text = read_text("stopped.csv");
    assert_int_equal(text[strlen(text) - 1], '\n');
    tt_free(text);
    assert_int_equal(unlink(csv), 0);
    assert_int_equal(unlink(err), 0);
}

static void an_interrupt_keeps_the_results(void **state)
{
    (void)state;
    expect_stop(SIGINT, 130); /* as shells count Ctrl-C */
}

static void other_wishes_to_end_keep_them_too(void **state)
{
    (void)state;
    expect_stop(SIGTERM, 1);
    expect_stop(SIGHUP, 1); /* the terminal was closed */
}

/* As under nohup: the run goes on, and ends by itself. */
static void a_hangup_that_is_to_be_ignored_is(void **state)
{
    const char *err = at("nohup.err");
    const char *const argv[] = {
        "run",         FMI2, "--set",         "what=8", "--set",
        "amount=0.05", "-o", at("nohup.csv"), NULL};
    pid_t pid;
    int status;

    (void)state;
    signal(SIGHUP, SIG_IGN);
    pid = start(argv, err);
    signal(SIGHUP, SIG_DFL);
    wait_for_rows("nohup.csv");
    assert_int_equal(kill(pid, SIGHUP), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void wait_for_text(const char *name, const char *what)
{
    int there = 0;

    while (!there) {
        char *text = exists(name) ? read_text(name) : NULL;

        there = text && strstr(text, what);
        tt_free(text);
        tt_sleep_ns(1000000);
    }
}

/* It sleeps in the step from t=0.9, and says so before. */
static pid_t start_sleeper(const char *csv, const char *err)
{
    const char *const argv[] = {"run",   FMI2,          "--set",     "what=8",
                                "--set", "amount=3600", "--verbose", "-o",
                                at(csv), NULL};
    pid_t pid = start(argv, at(err));

    wait_for_text(err, "going to sleep");
    assert_int_equal(kill(pid, SIGINT), 0);
    return pid;
}

static void expect_end(pid_t pid, const char *csv, const char *err,
                       const char *words)
{
    int status;
    char want[1024], *text;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130); /* the first was Ctrl-C */
    (void)snprintf(
        want, sizeof(want),
        "\ntutti: waiting for instance '{misbehave}.misbehave' to return "
        "from step at t=0.9; interrupt again to end it now\n"
        "tutti: %s; results so far: %s (10 rows to t=0.9)\n",
        words, at(csv));
    text = read_text(err);
    assert_non_null(strstr(text, want));
    tt_free(text);
    assert_int_equal(count_lines(csv), 11);
}

/* Both at once, because one waits for the end of our patience. */
static void a_unit_that_hangs_does_not_hold_an_interrupted_run(void **state)
{
    pid_t once, twice;

    (void)state;
    once = start_sleeper("once.csv", "once.err");
    twice = start_sleeper("twice.csv", "twice.err");
    wait_for_text("twice.err", "interrupt again");
    assert_int_equal(kill(twice, SIGTERM), 0);
    expect_end(
        twice, "twice.csv", "twice.err",
        "stopped by you while instance '{misbehave}.misbehave' was in step "
        "at t=0.9");
    expect_end(once, "once.csv", "once.err",
               "asked to stop, the run was ended because instance "
               "'{misbehave}.misbehave' did not return from step at t=0.9 for "
               "10 s");
}

static void a_reader_who_goes_away_ends_the_run_quietly(void **state)
{
    const char *const argv[] = {"run", FMI2, "-o", "-", "--until", "1e7", NULL};
    char some[5];
    pid_t pid;
    int status, fd[2];

    (void)state;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(fcntl(fd[0], F_SETFD, FD_CLOEXEC), 0);
    assert_int_equal(fcntl(fd[1], F_SETFD, FD_CLOEXEC), 0);
    pid = start_to(fd[1], argv, at("pipe.err"));
    close(fd[1]);
    assert_int_equal(read(fd[0], some, sizeof(some)), sizeof(some));
    assert_memory_equal(some, "time,", 5);
    close(fd[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_lines("pipe.err"), 0);
}

/* "tutti info x.fmu | head": whatever is said, to nobody. */
static void a_reader_who_never_read_is_no_failure(void **state)
{
    const char *const argv[] = {"info", FMI2, NULL};
    pid_t pid;
    int status, fd[2];

    (void)state;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(fcntl(fd[0], F_SETFD, FD_CLOEXEC), 0);
    assert_int_equal(fcntl(fd[1], F_SETFD, FD_CLOEXEC), 0);
    close(fd[0]);
    pid = start_to(fd[1], argv, at("info.err"));
    close(fd[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_lines("info.err"), 0);
}

static enum tt_code keep_name(void *ctx, const char *name, tt_err *err)
{
    char *last = ctx;

    (void)err;
    (void)snprintf(last + 1, 255, "%s", name);
    last[0]++; /* how many */
    return TT_OK;
}

/* How many entries; `last` becomes the path of the last one. */
static int look_into(const char *dir, char *last, size_t size)
{
    char found[256] = {0};

    assert_int_equal(tt_dir_list(dir, keep_name, found, NULL), TT_OK);
    (void)snprintf(last, size, "%s/%s", dir, found + 1);
    return found[0];
}

/* Nobody can tidy up after SIGKILL, so the next run does. */
static void the_next_run_removes_what_a_killed_one_left(void **state)
{
    const char *tmp = at("tmp"), *scenario = at("three.json");
    const char *const argv[] = {"run", scenario, "-o", at("three.csv"), NULL};
    char left[600], unpacked[900];
    struct output s;
    pid_t pid;
    int status;

    (void)state;
    put_text("three.json", "{\"fmus\": {\"{m}\": \"" FMI2 "\"},"
                           "\"instances\": {\"{m}\": [\"a\", \"b\", \"c\"]},"
                           "\"connections\": {}, \"endTime\": 1e7,"
                           "\"algorithm\": {\"type\": \"fixed-step\","
                           "\"size\": 0.1}}");
    assert_int_equal(tt_dir_make(tmp, NULL), TT_OK);
    assert_int_equal(setenv("TMPDIR", tmp, 1), 0);
    pid = start(argv, at("three.err"));
    wait_for_rows("three.csv");
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(look_into(tmp, left, sizeof(left)), 1);
    /* three instances, one FMU, unpacked once */
    assert_int_equal(look_into(left, unpacked, sizeof(unpacked)), 1);
    do { /* until the playing process is gone as well */
        TUTTI(&s, "run", FMI2, "--until", "0.1", "-q", "-o", at("next.csv"));
        assert_int_equal(s.code, 0);
        output_fini(&s);
    } while (look_into(tmp, left, sizeof(left)));
    assert_int_equal(unsetenv("TMPDIR"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_names_unit_call_and_time),
        cmocka_unit_test(a_crash_in_an_event_names_the_update),
        cmocka_unit_test(a_crash_after_a_course_names_the_step),
        cmocka_unit_test(a_unit_that_exits_is_a_failure),
        cmocka_unit_test(an_error_quotes_the_unit),
        cmocka_unit_test(a_rejected_step_is_explained),
        cmocka_unit_test(a_unit_that_rejects_every_step_is_named),
        cmocka_unit_test(the_report_knows_of_error_control),
        cmocka_unit_test(a_unit_that_ends_the_simulation_is_no_failure),
        cmocka_unit_test(a_percent_in_a_log_message_is_only_text),
        cmocka_unit_test(a_crash_in_json_is_json),
        cmocka_unit_test(a_crash_still_gives_a_report),
        cmocka_unit_test(a_crash_with_sampling_keeps_the_last_row),
        cmocka_unit_test(an_interrupt_keeps_the_results),
        cmocka_unit_test(other_wishes_to_end_keep_them_too),
        cmocka_unit_test(a_hangup_that_is_to_be_ignored_is),
        cmocka_unit_test(a_reader_who_goes_away_ends_the_run_quietly),
        cmocka_unit_test(a_reader_who_never_read_is_no_failure),
        cmocka_unit_test(a_unit_that_hangs_does_not_hold_an_interrupted_run),
        cmocka_unit_test(the_next_run_removes_what_a_killed_one_left),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
