/* SPDX-License-Identifier: MIT */
#include "sys/tick.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* Handlers have no argument of ours, hence these globals; they change only
 * while nothing ticks. */
static void (*tick_fn)(void *ctx);
static void *tick_ctx;

static void on_tick(int sig)
{
    int saved = errno;

    (void)sig;
    if (tick_fn)
        tick_fn(tick_ctx);
    errno = saved;
}

static void set_timer(unsigned ms)
{
    struct timeval every = {.tv_sec = (time_t)(ms / 1000),
                            .tv_usec = (suseconds_t)(ms % 1000) * 1000};
    struct itimerval timer = {.it_interval = every, .it_value = every};

    setitimer(ITIMER_REAL, &timer, NULL);
}

void tt_tick_start(unsigned ms, void (*fn)(void *ctx), void *ctx)
{
    struct sigaction sa = {.sa_handler = on_tick, .sa_flags = SA_RESTART};

    sigemptyset(&sa.sa_mask);
    tick_fn = fn;
    tick_ctx = ctx;
    sigaction(SIGALRM, &sa, NULL);
    set_timer(ms);
}

void tt_tick_stop(void)
{
    set_timer(0);
    signal(SIGALRM, SIG_DFL);
    tick_fn = NULL;
}

void tt_tty_write(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t sent = write(fd, data, n);

        if (sent < 0 && errno != EINTR)
            return;
        if (sent > 0) {
            data += sent;
            n -= (size_t)sent;
        }
    }
}
