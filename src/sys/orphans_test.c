/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/orphans.h"
#include "sys/proc.h"
#include "sys/shared.h"
#include "sys/sync.h"

#define CHAIN 20

static struct shared {
    volatile int pid[CHAIN];
    volatile int n;
} * shared;

static int is_there(int pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

/* Reports its id, and stays. */
TT_NORETURN static void stay(int i)
{
    shared->pid[i] = getpid();
    __atomic_add_fetch(&shared->n, 1, __ATOMIC_SEQ_CST);
    for (;;)
        (void)pause();
}

static void await(int n)
{
    while (shared->n < n)
        tt_sleep_ns(1000000);
}

/* Fork twice and begin a session: neither parent nor group leads to it. */
static int leave_one(void *ctx)
{
    (void)ctx;
    if (fork() == 0) {
        (void)setsid();
        if (fork() == 0)
            stay(0);
        _exit(0);
    }
    await(1);
    return 7;
}

/* Each is the parent of the next, in a session of its own. */
TT_NORETURN static void go_on(void)
{
    for (int i = 0;; i++) {
        (void)setsid();
        if (i + 1 == CHAIN || fork() > 0)
            stay(i);
    }
}

static int leave_chain(void *ctx)
{
    (void)ctx;
    if (fork() == 0)
        go_on();
    await(CHAIN);
    return 7;
}

static int leave_one_and_die(void *ctx)
{
    (void)leave_one(ctx);
    (void)raise(SIGKILL);
    return 0;
}

static int run(int (*main_cb)(void *))
{
    struct tt_proc_result res;
    tt_err err;

    assert_int_equal(tt_proc_run(main_cb, NULL, NULL, &res, &err), TT_OK);
    return res.value;
}

static void what_a_child_leaves_behind_ends_with_it(void **state)
{
    (void)state;
    assert_int_equal(run(leave_one), 7);
    assert_false(is_there(shared->pid[0]));
}

static void also_when_the_child_is_killed(void **state)
{
    (void)state;
    assert_int_equal(run(leave_one_and_die), SIGKILL);
    assert_false(is_there(shared->pid[0]));
}

static void and_so_do_its_children_and_theirs(void **state)
{
    (void)state;
    assert_int_equal(run(leave_chain), 7);
    for (int i = 0; i < CHAIN; i++)
        assert_false(is_there(shared->pid[i]));
}

static void children_that_were_there_before_stay(void **state)
{
    int mine = fork();

    (void)state;
    if (mine == 0)
        stay(1);
    await(1);
    shared->n = 0;
    assert_int_equal(run(leave_one), 7);
    assert_false(is_there(shared->pid[0]));
    assert_int_equal(waitpid(mine, NULL, WNOHANG), 0);
    assert_int_equal(kill(mine, SIGKILL), 0);
    assert_int_equal(waitpid(mine, NULL, 0), mine);
}

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

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_child_leaves_behind_ends_with_it),
        TEST(also_when_the_child_is_killed),
        TEST(and_so_do_its_children_and_theirs),
        TEST(children_that_were_there_before_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
