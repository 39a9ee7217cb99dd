/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sys/crash.h"
#include "sys/proc.h"
#include "sys/sync.h"
#include "sys/thread.h"

struct look {
    int32_t id;
    sigset_t mask;
};

static void look(void *ctx)
{
    struct look *l = ctx;

    tt_crash_heed();
    l->id = tt_thread_id();
    (void)pthread_sigmask(SIG_SETMASK, NULL, &l->mask);
}

static void a_thread_catches_only_its_own_crashes(void **state)
{
    struct look l = {0};
    struct tt_thread t;
    sigset_t mine;

    (void)state;
    assert_int_equal(tt_thread_start(&t, look, &l, NULL), TT_OK);
    tt_thread_join(&t);
    assert_true(l.id > 0 && l.id != tt_thread_id());
    assert_true(sigismember(&l.mask, SIGINT) && sigismember(&l.mask, SIGTERM) &&
                sigismember(&l.mask, SIGALRM));
    assert_true(!sigismember(&l.mask, SIGSEGV) &&
                !sigismember(&l.mask, SIGABRT));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mine);
    assert_false(sigismember(&mine, SIGINT));
}

struct shared {
    volatile int done;
    volatile int32_t main_id, thread_id, culprit;
    volatile int calls;
};

static void note(void *ctx)
{
    struct shared *s = ctx;

    s->culprit = tt_thread_id();
    s->calls++;
}

static void abort_here(void *ctx)
{
    struct shared *s = ctx;

    tt_crash_heed();
    s->thread_id = tt_thread_id();
    abort();
}

static void exit_here(void *ctx)
{
    struct shared *s = ctx;

    s->thread_id = tt_thread_id();
    exit(7);
}

static int in_thread(struct shared *s, void (*main_cb)(void *ctx))
{
    struct tt_thread t;

    s->main_id = tt_thread_id();
    tt_crash_watch(note, s);
    if (tt_thread_start(&t, main_cb, s, NULL) != TT_OK)
        return 1;
    for (;;)
        tt_sleep_ns(1000000);
}

static int main_of_abort(void *ctx)
{
    return in_thread(ctx, abort_here);
}

static int main_of_exit(void *ctx)
{
    return in_thread(ctx, exit_here);
}

static int main_of_raise(void *ctx)
{
    struct shared *s = ctx;

    s->thread_id = tt_thread_id();
    (void)signal(SIGILL, SIG_DFL); /* cmocka has a handler */
    tt_crash_watch(note, s);
    (void)raise(SIGILL);
    return 1; /* not reached */
}

static int main_of_peace(void *ctx)
{
    tt_crash_watch(note, ctx);
    tt_crash_watch(NULL, NULL);
    exit(3);
}

static void check(int (*main_cb)(void *ctx), enum tt_proc_end how, int value,
                  int calls)
{
    struct shared *s = tt_shared_alloc(sizeof(*s));
    struct tt_proc_result res;

    assert_non_null(s);
    assert_int_equal(tt_proc_run(main_cb, s, &s->done, &res, NULL), TT_OK);
    assert_int_equal(res.how, how);
    assert_int_equal(res.value, value);
    assert_int_equal(s->calls, calls);
    assert_int_equal(s->culprit, calls ? s->thread_id : 0);
    assert_int_not_equal(s->culprit, s->main_id ? s->main_id : -1);
    tt_shared_free(s, sizeof(*s));
}

static void the_thread_that_crashes_is_reported_and_dies_of_it(void **state)
{
    (void)state;
    check(main_of_abort, TT_PROC_KILLED, SIGABRT, 1);
    check(main_of_raise, TT_PROC_KILLED, SIGILL, 1);
}

static void the_thread_that_exits_is_reported(void **state)
{
    (void)state;
    check(main_of_exit, TT_PROC_EXITED, 7, 1);
}

static void after_the_watch_nothing_is_reported(void **state)
{
    (void)state;
    check(main_of_peace, TT_PROC_EXITED, 3, 0);
}

static void a_foreign_handler_stays(void **state)
{
    struct sigaction foreign = {.sa_handler = SIG_IGN}, now;

    (void)state;
    sigemptyset(&foreign.sa_mask);
    assert_int_equal(sigaction(SIGTRAP, &foreign, NULL), 0);
    tt_crash_watch(note, NULL);
    tt_crash_watch(NULL, NULL);
    assert_int_equal(sigaction(SIGTRAP, NULL, &now), 0);
    assert_true(now.sa_handler == SIG_IGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_catches_only_its_own_crashes),
        cmocka_unit_test(the_thread_that_crashes_is_reported_and_dies_of_it),
        cmocka_unit_test(the_thread_that_exits_is_reported),
        cmocka_unit_test(after_the_watch_nothing_is_reported),
        cmocka_unit_test(a_foreign_handler_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
