/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/proc.h"

struct shared {
    volatile int done, flag, number;
};

static struct shared *shared; /* fresh for each test */

static int enter(void **state)
{
    (void)state;
    shared = tt_shared_alloc(sizeof(*shared));
    return shared ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    tt_shared_free(shared, sizeof(*shared));
    return 0;
}

static struct tt_proc_result run(int (*main_cb)(void *ctx), void *ctx)
{
    struct tt_proc_result res = {.value = -1};
    tt_err err = {0};

    if (tt_proc_run(main_cb, ctx, &shared->done, &res, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return res;
}

static void check_end(struct tt_proc_result res, enum tt_proc_end how,
                      int value, int done)
{
    assert_int_equal(res.how, how);
    assert_int_equal(res.value, value);
    assert_int_equal(shared->done, done);
}

/* --- ends -------------------------------------------------------------- */

static int answer(void *ctx)
{
    shared->number = *(int *)ctx;
    return 3;
}

static void what_main_returns_comes_back(void **state)
{
    int number = 42;

    (void)state;
    assert_int_equal(shared->number, 0);
    check_end(run(answer, &number), TT_PROC_EXITED, 3, 1);
    assert_int_equal(shared->number, 42); /* seen through shared memory */
}

static void done_need_not_be_asked_for(void **state)
{
    struct tt_proc_result res = {.how = TT_PROC_KILLED};
    int number = 1;

    (void)state;
    assert_int_equal(tt_proc_run(answer, &number, NULL, &res, NULL), TT_OK);
    check_end(res, TT_PROC_EXITED, 3, 0);
}

static int leave_from_inside(void *ctx)
{
    (void)ctx;
    fclose(stderr); /* whatever a sanitizer prints about this exit */
    exit(0);
}

static void an_exit_from_inside_leaves_done_unset(void **state)
{
    (void)state;
    check_end(run(leave_from_inside, NULL), TT_PROC_EXITED, 0, 0);
}

static int crash(void *ctx)
{
    char *p = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)ctx;
    signal(SIGSEGV, SIG_DFL); /* cmocka and sanitizers catch it */
    *(volatile char *)p = 1;
    return 0;
}

static void a_crash_is_reported_by_its_signal(void **state)
{
    (void)state;
    check_end(run(crash, NULL), TT_PROC_KILLED, SIGSEGV, 0);
}

static int kill_me(void *ctx)
{
    kill(getpid(), *(int *)ctx);
    return pause();
}

static void a_killed_child_is_reported_by_its_signal(void **state)
{
    (void)state;
    check_end(run(kill_me, &(int){SIGKILL}), TT_PROC_KILLED, SIGKILL, 0);
    check_end(run(kill_me, &(int){SIGTERM}), TT_PROC_KILLED, SIGTERM, 0);
}

static void at_exit(void)
{
    shared->number = 1;
}

static int print_unflushed(void *ctx)
{
    FILE *f = fdopen(*(int *)ctx, "w");

    atexit(at_exit);
    fprintf(f, "buffered");
    return 0;
}

static void output_is_flushed_but_exit_handlers_do_not_run(void **state)
{
    char text[16] = "";
    int fd[2];

    (void)state;
    assert_int_equal(pipe(fd), 0);
    check_end(run(print_unflushed, &fd[1]), TT_PROC_EXITED, 0, 1);
    close(fd[1]);
    assert_int_equal(read(fd[0], text, sizeof(text)), 8);
    assert_string_equal(text, "buffered");
    assert_int_equal(shared->number, 0);
    close(fd[0]);
}

static void endings_are_known_even_where_they_are_ignored(void **state)
{
    struct sigaction sa;

    (void)state;
    signal(SIGCHLD, SIG_IGN);
    check_end(run(answer, &(int){0}), TT_PROC_EXITED, 3, 1);
    sigaction(SIGCHLD, NULL, &sa);
    assert_true(sa.sa_handler == SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
}

/* --- signals ----------------------------------------------------------- */

/* Wait for the flag without missing the signal that sets it. */
static void wait_for_flag(void)
{
    sigset_t block, before;

    sigemptyset(&block);
    sigaddset(&block, SIGTERM);
    sigaddset(&block, SIGINT);
    sigprocmask(SIG_BLOCK, &block, &before);
    while (!shared->flag)
        sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static int stop_when_asked(void *ctx)
{
    tt_signal_watch(&shared->flag);
    kill(getppid(), *(int *)ctx);
    wait_for_flag();
    return 7;
}

static void signals_to_the_parent_reach_the_child(void **state)
{
    (void)state;
    check_end(run(stop_when_asked, &(int){SIGTERM}), TT_PROC_EXITED, 7, 1);
    assert_int_equal(shared->flag, 1);
    shared->flag = shared->done = 0;
    assert_int_equal(tt_signal_interrupted(), 0);
    check_end(run(stop_when_asked, &(int){SIGINT}), TT_PROC_EXITED, 7, 1);
    assert_int_equal(tt_signal_interrupted(), 1);
    shared->flag = shared->done = 0;
    check_end(run(stop_when_asked, &(int){SIGHUP}), TT_PROC_EXITED, 7, 1);
    assert_int_equal(tt_signal_interrupted(), 0);
}

static int kill_parent_and_wait(void *ctx)
{
    (void)ctx;
    kill(getppid(), SIGTERM);
    return pause();
}

static void a_child_that_does_not_watch_dies_of_the_signal(void **state)
{
    (void)state;
    check_end(run(kill_parent_and_wait, NULL), TT_PROC_KILLED, SIGTERM, 0);
}

/* --- patience ---------------------------------------------------------- */

struct nerves {
    int notices, asked;
};

static void count_notices(void *ctx)
{
    ((struct nerves *)ctx)->notices++;
}

/* It may go on the first time. */
static int end_the_second_time(void *ctx)
{
    return ++((struct nerves *)ctx)->asked == 2;
}

static int hang(void *ctx)
{
    tt_signal_watch(&shared->flag);
    kill(getppid(), *(int *)ctx);
    for (;;)
        pause();
    return 0;
}

static void a_child_that_does_not_stop_is_reported_and_ended(void **state)
{
    struct nerves n = {0};
    const struct tt_proc_patience patience = {
        .notice = {1, count_notices},
        .end = {2, end_the_second_time},
        .ctx = &n,
    };
    struct tt_proc_result res;

    (void)state;
    assert_int_equal(tt_proc_run_within(&patience, hang, &(int){SIGINT},
                                        &shared->done, &res, NULL),
                     TT_OK);
    check_end(res, TT_PROC_KILLED, SIGKILL, 0);
    assert_true(res.asked && res.lost_it);
    assert_int_equal(n.notices, 1);
    assert_int_equal(n.asked, 2);
    n = (struct nerves){0};
    assert_int_equal(tt_proc_run_within(&patience, answer, &(int){5},
                                        &shared->done, &res, NULL),
                     TT_OK);
    check_end(res, TT_PROC_EXITED, 3, 1);
    assert_false(res.asked || res.lost_it || n.notices || n.asked);
}

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
    caught = sig;
}

static void the_parents_own_handlers_come_back(void **state)
{
    (void)state;
    signal(SIGTERM, on_signal);
    check_end(run(stop_when_asked, &(int){SIGTERM}), TT_PROC_EXITED, 7, 1);
    assert_int_equal(caught, 0);
    raise(SIGTERM);
    assert_int_equal(caught, SIGTERM);
    signal(SIGTERM, SIG_DFL);
}

static int run_two_levels(void *ctx)
{
    struct tt_proc_result res;

    if (tt_proc_run(answer, ctx, NULL, &res, NULL) != TT_OK)
        return 1;
    return res.value == 3 ? 0 : 2;
}

static void children_may_have_children(void **state)
{
    (void)state;
    check_end(run(run_two_levels, &(int){5}), TT_PROC_EXITED, 0, 1);
    assert_int_equal(shared->number, 5);
}

static int hold_pipe(void *ctx)
{
    const int *fd = ctx;

    close(fd[0]);
    if (write(fd[1], "x", 1) != 1)
        return 1;
    return pause();
}

/* The parent under test is a child of ours. Its child holds the pipe; when
 * that ends too, the pipe does. */
static void the_child_dies_with_its_parent(void **state)
{
    struct tt_proc_result res;
    char byte;
    int fd[2];
    pid_t parent;

    (void)state;
    assert_int_equal(pipe(fd), 0);
    parent = fork();
    if (parent == 0)
        _exit(tt_proc_run(hold_pipe, fd, NULL, &res, NULL) != TT_OK);
    close(fd[1]);
    assert_int_equal(read(fd[0], &byte, 1), 1);
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_int_equal(read(fd[0], &byte, 1), 0);
    close(fd[0]);
}

static void a_watched_signal_asks_but_does_not_end(void **state)
{
    (void)state;
    tt_signal_watch(&shared->flag);
    raise(SIGINT);
    assert_int_equal(shared->flag, 1);
    raise(SIGTERM); /* at once: the same wish, twice */
    assert_int_equal(shared->flag, 1);
    assert_int_equal(tt_signal_interrupted(), 1); /* by the first of them */
    tt_signal_watch(NULL);
}

static int watch_no_longer(void *ctx)
{
    (void)ctx;
    tt_signal_watch(&shared->flag);
    tt_signal_watch(NULL);
    raise(SIGTERM);
    return 0;
}

static void an_ended_watch_brings_back_the_default(void **state)
{
    (void)state;
    check_end(run(watch_no_longer, NULL), TT_PROC_KILLED, SIGTERM, 0);
    assert_int_equal(shared->flag, 0);
}

static int insist(void *ctx)
{
    (void)ctx;
    tt_signal_watch(&shared->flag);
    while (raise(SIGINT) == 0) /* until half a second after the first */
        continue;
    return 0;
}

static void who_insists_ends_a_hanging_child(void **state)
{
    (void)state;
    check_end(run(insist, NULL), TT_PROC_KILLED, SIGINT, 0);
    assert_int_equal(shared->flag, 1);
}

static void ignored_signals_stay_ignored(void **state)
{
    (void)state;
    signal(SIGINT, SIG_IGN);
    tt_signal_watch(&shared->flag);
    raise(SIGINT);
    assert_int_equal(shared->flag, 0);
    tt_signal_watch(NULL);
}

static void signals_have_names(void **state)
{
    (void)state;
    assert_string_equal(tt_signal_name(SIGSEGV), "SIGSEGV");
    assert_string_equal(tt_signal_name(SIGKILL), "SIGKILL");
    assert_string_equal(tt_signal_name(42), "signal 42");
    assert_string_equal(tt_signal_name(64), "signal 64");
    assert_string_equal(tt_signal_name(0), "unknown signal");
    assert_string_equal(tt_signal_name(-5), "unknown signal");
    assert_string_equal(tt_signal_name(1000), "unknown signal");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_main_returns_comes_back),
        TEST(done_need_not_be_asked_for),
        TEST(an_exit_from_inside_leaves_done_unset),
        TEST(a_crash_is_reported_by_its_signal),
        TEST(a_killed_child_is_reported_by_its_signal),
        TEST(output_is_flushed_but_exit_handlers_do_not_run),
        TEST(endings_are_known_even_where_they_are_ignored),
        TEST(signals_to_the_parent_reach_the_child),
        TEST(a_child_that_does_not_watch_dies_of_the_signal),
        TEST(a_child_that_does_not_stop_is_reported_and_ended),
        TEST(the_parents_own_handlers_come_back),
        TEST(children_may_have_children),
        TEST(the_child_dies_with_its_parent),
        TEST(a_watched_signal_asks_but_does_not_end),
        TEST(an_ended_watch_brings_back_the_default),
        TEST(who_insists_ends_a_hanging_child),
        TEST(ignored_signals_stay_ignored),
        TEST(signals_have_names),
    };

    /* Under a shell's "&" SIGINT comes ignored, which these tests are not
     * about. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
