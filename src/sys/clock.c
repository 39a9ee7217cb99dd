/* SPDX-License-Identifier: MIT */
#include "sys/clock.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec t = {0};

    clock_gettime(id, &t); /* cannot fail for the clocks below */
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t tt_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t tt_clock_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void tt_clock_sleep_until(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                         .tv_nsec = (long)(ns % 1000000000u)};

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

void tt_clock_text(char *out, unsigned size)
{
    time_t now = time(NULL);
    struct tm tm;

    if (size == 0)
        return;
    if (!localtime_r(&now, &tm) ||
        strftime(out, size, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        out[0] = '\0';
}

uint64_t tt_clock_wall_ms(void)
{
    return read_clock(CLOCK_REALTIME) / 1000000u;
}

void tt_clock_iso(uint64_t wall_ms, char out[TT_CLOCK_ISO_SIZE])
{
    time_t s = (time_t)(wall_ms / 1000u);
    struct tm tm;
    size_t n;

    out[0] = '\0';
    if (!gmtime_r(&s, &tm))
        return;
    n = strftime(out, TT_CLOCK_ISO_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, TT_CLOCK_ISO_SIZE - n, ".%03uZ",
             (unsigned)(wall_ms % 1000u));
}

int tt_tty_is(int fd)
{
    return isatty(fd);
}

int tt_tty_width(int fd)
{
    struct winsize w = {0};

    return ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}
