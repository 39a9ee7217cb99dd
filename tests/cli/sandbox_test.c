/* SPDX-License-Identifier: MIT */
/* Units that want more than they may: what they are refused they say
 * themselves, and it has not happened. Units that behave do not notice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "desk.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/sync.h"

#define SKIPPED 77 /* what CTest takes for "not tested here" */
#define FMI2    UNITS "trespass.fmu"
#define FMI3    UNITS "trespass-fmi3.fmu"
#define SOFAR   "; results so far: %s (10 rows to t=0.9)\n"

/* In the step from t=0.9 it does `what` with the file `path` of our folder. */
static void trespass_as(struct output *s, const char *fmu, int what,
                        const char *path, const char *const *more)
{
    const char *argv[24] = {"run", fmu, "-o", at("far.csv")};
    char set[32], file[4096];
    size_t n = 4;

    (void)snprintf(set, sizeof(set), "what=%d", what);
    (void)snprintf(file, sizeof(file), "path=%s", path);
    argv[n++] = "--set";
    argv[n++] = set;
    argv[n++] = "--set";
    argv[n++] = file;
    while (*more)
        argv[n++] = *more++;
    tutti(s, argv);
}
#define TRESPASS(s, what, path, ...)                                           \
    trespass_as((s), FMI2, (what), (path),                                     \
                (const char *const[]){__VA_ARGS__, NULL})

static void expect_refused(const struct output *s, const char *words)
{
    char want[1024];

    (void)snprintf(
        want, sizeof(want),
        "tutti: instance '{trespass}.trespass' (fmi2): step at t=0.9: "
        "fmi2DoStep returned fmi2Error: last message: \"%s\"; it "
        "played in a sandbox",
        words);
    expect_err(s, "%s" SOFAR, want, at("far.csv"));
    assert_int_equal(s->code, 1);
    assert_int_equal(count_lines("far.csv"), 11);
}

static void expect_fine(const struct output *s)
{
    expect_err(s, "%s", "");
    assert_int_equal(s->code, 0);
    assert_int_equal(count_lines("far.csv"), 22);
}

/* --- files ------------------------------------------------------------------
 */

static void a_file_outside_is_not_written(void **state)
{
    char words[4200];
    struct output s;

    (void)state;
    TRESPASS(&s, 4, at("evil"), "--sandbox");
    (void)snprintf(words, sizeof(words), "cannot write %s: Permission denied",
                   at("evil"));
    expect_refused(&s, words);
    assert_false(exists("evil"));
    output_fini(&s);
    put_text("kept", "as it was");
    TRESPASS(&s, 4, at("kept"), "--sandbox");
    assert_int_equal(s.code, 1);
    output_fini(&s);
    assert_int_equal(count_lines("kept"), 0);
    /* and without a sandbox it is */
    TRESPASS(&s, 4, at("evil"), "--quiet");
    expect_fine(&s);
    assert_true(exists("evil"));
    output_fini(&s);
}

static void a_folder_can_be_allowed(void **state)
{
    struct output s;

    (void)state;
    assert_int_equal(tt_dir_make(at("logs"), NULL), TT_OK);
    TRESPASS(&s, 4, at("logs/one"), "--sandbox", "--allow-write", at("logs"));
    expect_fine(&s);
    assert_true(exists("logs/one"));
    output_fini(&s);
    TRESPASS(&s, 4, at("beside"), "--sandbox", "--allow-write", at("logs"));
    assert_int_equal(s.code, 1);
    assert_false(exists("beside"));
    output_fini(&s);
}

static void a_program_it_starts_is_in_the_same_sandbox(void **state)
{
    struct output s;

    (void)state;
    TRESPASS(&s, 7, at("shell"), "--sandbox");
    expect_refused(&s, "the shell said 2");
    assert_false(exists("shell"));
    output_fini(&s);
    TRESPASS(&s, 7, at("shell"), "--quiet");
    expect_fine(&s);
    assert_true(exists("shell"));
    output_fini(&s);
}

/* A process in a session of its own, whose parent has ended: it says who it
 * is, and stays. */
static void expect_nothing_left(const char *const *more)
{
    char command[8200], words[32] = "";
    struct output s;
    FILE *f;

    (void)remove(at("left/pid"));
    (void)snprintf(command, sizeof(command),
                   "(setsid sh -c 'echo $$ >%s; while :; do sleep 100; done' "
                   ">/dev/null 2>&1 </dev/null &); until test -s %s; do :; "
                   "done",
                   at("left/pid"), at("left/pid"));
    trespass_as(&s, FMI2, 12, command, more);
    expect_fine(&s);
    output_fini(&s);
    f = fopen(at("left/pid"), "r");
    assert_non_null(f);
    assert_non_null(fgets(words, sizeof(words), f));
    (void)fclose(f);
    assert_int_equal(kill((pid_t)strtol(words, NULL, 10), 0), -1);
}

static void what_a_unit_leaves_running_ends_with_the_run(void **state)
{
    (void)state;
    assert_int_equal(tt_dir_make(at("left"), NULL), TT_OK);
    expect_nothing_left((const char *const[]){
        "--quiet", "--sandbox", "--allow-write", at("left"), NULL});
    expect_nothing_left((const char *const[]){"--quiet", NULL});
}

static void a_file_does_not_grow_beyond_the_limit(void **state)
{
    struct stat st;
    struct output s;

    (void)state;
    assert_int_equal(tt_dir_make(at("disk"), NULL), TT_OK);
    TRESPASS(&s, 5, at("disk/big"), "--sandbox", "--allow-write", at("disk"),
             "--file-limit", "1M");
    expect_refused(&s, "the disk is full at 1048576 bytes: File too large");
    assert_int_equal(stat(at("disk/big"), &st), 0);
    assert_int_equal(st.st_size, 1 << 20);
    output_fini(&s);
}

static void the_limit_is_not_for_results_but_for_unpacking(void **state)
{
    struct stat st;
    struct output s;

    (void)state;
    TRESPASS(&s, 0, "", "--file-limit", "1M", "--step", "2e-5", "--quiet");
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    assert_int_equal(stat(at("far.csv"), &st), 0);
    assert_true(st.st_size > 1 << 20);
    output_fini(&s);
    TRESPASS(&s, 0, "", "--file-limit", "1K");
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.err.data, "trespass.so: File too large; files are "
                                       "limited to 1 KB\n"));
    output_fini(&s);
}

/* --- network and processes ---------------------------------------------------
 */

static int open_door(char *port, size_t size)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    (void)snprintf(port, size, "port=%d", ntohs(a.sin_port));
    return fd;
}

static int a_client_knocked(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

static void no_host_is_called(void **state)
{
    char port[32];
    int fd = open_door(port, sizeof(port));
    struct output s;

    (void)state;
    TRESPASS(&s, 6, "", "--sandbox", "--set", port);
    expect_refused(&s, "cannot connect: Operation not permitted");
    assert_false(a_client_knocked(fd));
    output_fini(&s);
    TRESPASS(&s, 6, "", "--sandbox", "--allow-network", "--set", port);
    expect_fine(&s);
    assert_true(a_client_knocked(fd));
    output_fini(&s);
    close(fd);
}

static void its_parent_is_not_signalled(void **state)
{
    struct output s;

    (void)state;
    if (!(tt_sandbox_can() & TT_GUARD_SIGNALS)) {
        print_message("not tested: Landlock is older than version 6\n");
        skip();
    }
    TRESPASS(&s, 8, "", "--sandbox");
    expect_refused(&s, "cannot signal: Operation not permitted");
    output_fini(&s);
}

static void processor_time_has_an_end(void **state)
{
    struct output s;

    (void)state;
    TRESPASS(&s, 9, "", "--cpu-limit", "1");
    expect_err(
        &s,
        "tutti: instance '{trespass}.trespass': killed in step (SIGXCPU) "
        "at t=0.9; a limit of 1 s of processor time was reached" SOFAR,
        at("far.csv"));
    assert_int_equal(s.code, 1);
    output_fini(&s);
}

/* --- memory ------------------------------------------------------------------
 * Not with sanitizers: they take terabytes for themselves. */

#ifndef __SANITIZE_ADDRESS__
static void memory_has_an_end(void **state)
{
    struct output s;

    (void)state;
    TRESPASS(&s, 1, "", "--memory-limit", "256M");
    expect_err(
        &s,
        "tutti: instance '{trespass}.trespass': crashed in step (SIGSEGV) "
        "at t=0.9; the memory limit of 256 MB was reached" SOFAR,
        at("far.csv"));
    assert_int_equal(s.code, 1);
    output_fini(&s);
    TRESPASS(&s, 2, "", "--sandbox", "--memory-limit", "0.25G");
    expect_err(&s,
               "tutti: instance '{trespass}.trespass' (fmi2): step at t=0.9: "
               "fmi2DoStep returned fmi2Error: last message: \"no memory\"; "
               "the memory limit of 256 MB was reached" SOFAR,
               at("far.csv"));
    output_fini(&s);
}

static void too_much_at_once_is_reported_with_what_was_used(void **state)
{
    const char *tail;
    struct output s;

    (void)state;
    TRESPASS(&s, 3, "", "--sandbox", "--memory-limit", "256MB");
    tail = strstr(s.err.data,
                  "crashed in step (SIGSEGV) at t=0.9; a memory limit of 256 "
                  "MB was in force, and ");
    assert_non_null(tail);
    assert_non_null(strstr(tail, "B were in use; it played in a sandbox; "
                                 "results so far: "));
    output_fini(&s);
}
#endif

static void a_limit_below_our_own_needs_is_refused(void **state)
{
    struct output s;

    (void)state;
    TRESPASS(&s, 0, "", "--memory-limit", "4K");
    assert_int_equal(s.code, 2);
    assert_memory_equal(s.err.data,
                        "tutti: --memory-limit 4 KB is less than the ", 44);
    assert_non_null(strstr(
        s.err.data, "B that are in use before any instance is loaded\n"));
    output_fini(&s);
}

/* --- what goes on as ever ----------------------------------------------------
 */

static void a_unit_that_behaves_does_not_notice(void **state)
{
    static const char *const fmu[] = {FMI2, FMI3};
    const char *const more[] = {"--sandbox", "--quiet", NULL};
    struct output s;

    (void)state;
    put_text("table.csv", "time,u\n0,1\n");
    for (int i = 0; i < 2; i++) {
        trespass_as(&s, fmu[i], 11, at("table.csv"), more);
        expect_fine(&s);
        output_fini(&s);
    }
}

static size_t n_compared;

static void compare_runs(const char *scenario, const char *threads)
{
    struct output s;

    TUTTI(&s, "run", scenario, "-q", "-o", at("free.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", scenario, "-q", "-o", at("box.csv"), "--sandbox",
          "--file-limit", "100M", "--threads", threads);
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_same_file("free.csv", "box.csv");
    n_compared++;
}

static enum tt_code compare_file(void *ctx, const char *name, tt_err *err)
{
    char *path = tt_path_join(ctx, name);

    (void)err;
    assert_non_null(path);
    if (strncmp(name, "scenario", 8) == 0)
        compare_runs(path, n_compared % 2 ? "1" : "2");
    tt_free(path);
    return TT_OK;
}

static enum tt_code compare_folder(void *ctx, const char *name, tt_err *err)
{
    char *path = tt_path_join(ctx, name);

    assert_non_null(path);
    if (tt_file_is_dir(path))
        assert_int_equal(tt_dir_list(path, compare_file, path, err), TT_OK);
    tt_free(path);
    return TT_OK;
}

static void examples_give_the_same_results(void **state)
{
    char folder[] = EXAMPLES;

    (void)state;
    assert_int_equal(tt_dir_list(folder, compare_folder, folder, NULL), TT_OK);
    assert_true(n_compared >= 20);
}

static void every_kind_of_output_is_written(void **state)
{
    struct output s;

    (void)state;
    put_text("report.html", "an old one");
    TUTTI(&s, "run", EXAMPLES "water-tank/scenario-variable.json", "--sandbox",
          "-o", at("w.csv"), "-o", at("w.mat"), "--trace", at("steps.csv"),
          "--report", at("report.html"), "--plot", "--profile");
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data,
                           "  sandbox        no writes outside, no network, no "
                           "calls that reach other processes or the system"));
    assert_true(count_lines("w.csv") > 10 && count_lines("steps.csv") > 10);
    assert_true(exists("w.mat"));
    assert_true(count_lines("report.html") > 10);
    output_fini(&s);
}

/* In a folder for temporary files that is empty afterwards. */
static void a_crash_is_named_and_nothing_is_left(void **state)
{
    const char *tmp = at("tmp");
    struct output s;

    (void)state;
    assert_int_equal(tt_dir_make(tmp, NULL), TT_OK);
    assert_int_equal(setenv("TMPDIR", tmp, 1), 0);
    put_text("two.json", "{\"fmus\": {\"{t}\": \"" FMI2 "\"}, \"parameters\": "
                         "{\"{t}.a.what\": 0, \"{t}.t.what\": 10}, "
                         "\"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                         "0.1}, \"endTime\": 2}");
    TUTTI(&s, "run", at("two.json"), "--sandbox", "--threads", "2", "--report",
          at("crash.html"), "-o", at("far.csv"));
    expect_err(
        &s,
        "tutti: instance '{t}.t': crashed in step (SIGSEGV) at t=0.9; it "
        "played in a sandbox" SOFAR,
        at("far.csv"));
    assert_int_equal(s.code, 1);
    assert_true(exists("crash.html"));
    output_fini(&s);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(rmdir(tmp), 0);
}

/* As a service starts it. */
static void a_sandbox_can_be_in_a_sandbox(void **state)
{
    char *home = NULL, *tmp;
    const char *const argv[] = {TT_BUILD_DIR "/tutti",
                                "run",
                                FMI2,
                                "--sandbox",
                                "-o",
                                "out.csv",
                                "--report",
                                "r.html",
                                NULL};
    struct tt_sandbox box = {.guards = TT_GUARD_FILES | TT_GUARD_NETWORK |
                                       TT_GUARD_CALLS | TT_GUARD_SIGNALS,
                             .limit.file_size = 10 << 20,
                             .n_write = 1};
    struct tt_child_spec spec = {
        .argv = argv, .out = "said", .err = "log", .sandbox = &box};
    struct tt_proc_result res;
    char *report;
    int pid;

    (void)state;
    assert_int_equal(tt_dir_temp(&home, NULL), TT_OK);
    tmp = tt_path_join(home, "tmp");
    report = tt_path_join(home, "r.html");
    assert_int_equal(tt_dir_make(tmp, NULL), TT_OK);
    assert_int_equal(tt_file_write(report, "old", 3, NULL), TT_OK);
    box.write = (const char *const *)&home;
    spec.dir = home;
    spec.temp = tmp;
    /* who looks for leaks traces the process, which is refused */
    assert_int_equal(setenv("LSAN_OPTIONS", "detect_leaks=0", 1), 0);
    assert_int_equal(tt_child_start(&spec, &pid, NULL), TT_OK);
    while (!tt_child_poll(pid, &res))
        tt_sleep_ns(1000000);
    assert_int_equal(unsetenv("LSAN_OPTIONS"), 0);
    assert_int_equal(res.how, TT_PROC_EXITED);
    assert_int_equal(res.value, 0);
    assert_true(tt_file_exists(report));
    assert_int_equal(tt_dir_remove(home, NULL), TT_OK);
    tt_free(home);
    tt_free(tmp);
    tt_free(report);
}

/* --- words -------------------------------------------------------------------
 */

static void expect_usage(const char *words, const char *const *more)
{
    struct output s;

    trespass_as(&s, FMI2, 0, "", more);
    expect_err(&s, "tutti: %s\n", words);
    assert_int_equal(s.code, 2);
    output_fini(&s);
}
#define USAGE(words, ...)                                                      \
    expect_usage((words), (const char *const[]){__VA_ARGS__, NULL})

static void mistakes_are_explained(void **state)
{
    (void)state;
    USAGE(
        "--sandbox confines the process of the instances, and with --no-child "
        "they have none of their own",
        "--sandbox", "--no-child");
    USAGE("--memory-limit confines the process of the instances, and with "
          "--no-child they have none of their own",
          "--memory-limit", "1G", "--no-child");
    USAGE("--allow-write goes with --sandbox", "--allow-write", ".");
    USAGE("--allow-network goes with --sandbox", "--allow-network");
    USAGE("--allow-write needs a value: --allow-write DIR", "--sandbox",
          "--allow-write", "");
    USAGE("cannot allow writing in '/no/such': No such file or directory",
          "--sandbox", "--allow-write", "/no/such");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not '512X'",
          "--memory-limit", "512X");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not '-1'",
          "--memory-limit", "-1");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not '0'",
          "--memory-limit", "0");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not '0.5'",
          "--memory-limit", "0.5");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not 'M'",
          "--memory-limit", "M");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not '1.2.3G'",
          "--memory-limit", "1.2.3G");
    USAGE("--memory-limit needs a size such as 512M or 1.5G, not '99999999T'",
          "--memory-limit", "99999999T");
    USAGE("--file-limit needs a size such as 512M or 1.5G, not '1Mb'",
          "--file-limit", "1Mb");
    USAGE("--cpu-limit needs a positive number, not '0'", "--cpu-limit", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_outside_is_not_written),
        cmocka_unit_test(a_folder_can_be_allowed),
        cmocka_unit_test(a_program_it_starts_is_in_the_same_sandbox),
        cmocka_unit_test(what_a_unit_leaves_running_ends_with_the_run),
        cmocka_unit_test(a_file_does_not_grow_beyond_the_limit),
        cmocka_unit_test(the_limit_is_not_for_results_but_for_unpacking),
        cmocka_unit_test(no_host_is_called),
        cmocka_unit_test(its_parent_is_not_signalled),
        cmocka_unit_test(processor_time_has_an_end),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(memory_has_an_end),
        cmocka_unit_test(too_much_at_once_is_reported_with_what_was_used),
#endif
        cmocka_unit_test(a_limit_below_our_own_needs_is_refused),
        cmocka_unit_test(a_unit_that_behaves_does_not_notice),
        cmocka_unit_test(examples_give_the_same_results),
        cmocka_unit_test(every_kind_of_output_is_written),
        cmocka_unit_test(a_crash_is_named_and_nothing_is_left),
        cmocka_unit_test(a_sandbox_can_be_in_a_sandbox),
        cmocka_unit_test(mistakes_are_explained),
    };
    const unsigned basic = TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS;

    if ((tt_sandbox_can() & basic) != basic) {
        printf("skipped: this system has no Landlock, or no filters of system "
               "calls, or Tutti was built without them\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
