/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* syscall */
#include "sys/crash.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N_CRASH (sizeof(crash) / sizeof(*crash))
static const int crash[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                            SIGABRT, SIGTRAP, SIGSYS};

/* Handlers have no argument of ours, hence these globals; ctx changes only
 * while fn is NULL. */
typedef void (*crash_fn)(void *ctx);
static _Atomic(crash_fn) crash_cb;
static void *crash_ctx;

static void report(void)
{
    crash_fn fn = atomic_exchange(&crash_cb, NULL);

    if (fn)
        fn(crash_ctx);
}

/* The default action is back when we return: the failing instruction fails
 * again, abort() raises again. A signal from outside, raise() too, does not
 * come by itself a second time. */
static void on_crash(int sig, siginfo_t *info, void *where)
{
    int saved = errno;

    (void)where;
    report();
    if (info->si_code <= 0)
        (void)raise(sig);
    errno = saved;
}

static void on_exit_called(void)
{
    report();
}

static void watch_signal(int sig)
{
    struct sigaction old;
    struct sigaction sa = {.sa_sigaction = on_crash,
                           .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};

    sigemptyset(&sa.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
        old.sa_handler == SIG_DFL)
        (void)sigaction(sig, &sa, NULL);
}

void tt_crash_watch(void (*fn)(void *ctx), void *ctx)
{
    static int hooked; /* exit handlers cannot be taken back */

    atomic_store(&crash_cb, NULL);
    crash_ctx = ctx;
    atomic_store(&crash_cb, fn);
    if (!fn)
        return;
    if (!hooked)
        hooked = atexit(on_exit_called) == 0;
    for (size_t i = 0; i < N_CRASH; i++)
        watch_signal(crash[i]);
}

void tt_crash_heed(void)
{
    sigset_t own;

    sigemptyset(&own);
    for (size_t i = 0; i < N_CRASH; i++)
        sigaddset(&own, crash[i]);
    (void)pthread_sigmask(SIG_UNBLOCK, &own, NULL);
}

int32_t tt_thread_id(void)
{
    return (int32_t)syscall(SYS_gettid);
}
