/* SPDX-License-Identifier: MIT */
#ifndef TT_TESTS_HABITS_H
#define TT_TESTS_HABITS_H

/* A unit with the habits of real FMUs, by itself without FMI: habits_fmi2.c and
 * habits_fmi3.c are its two interfaces.
 *
 * It integrates u: y = k + the integral. What it always does: forgets its
 * parameters when the experiment is set up (FMI 2), shows y only once
 * initialisation mode was left, and refuses a step that ends after the stop
 * time it was told. `habit` says what else. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum habit {
    PLAIN,
    LOG_ONE,   /* logs each step, with an environment of (void *)1 */
    LOG_NULL,  /* ... of NULL */
    LOG_FIRST, /* ... of the first instance there ever was */
    RUN_OUT,   /* goes to the stop time it was told in its first step */
    PRINT,     /* writes to stdout and stderr, without end of line now and
                  then */
    HANG,      /* does not come back from the step at t >= 0.5 */
    HANG_INIT, /* ... from leaving initialisation mode */
    EXACT,     /* discards steps whose length is no multiple of 0.1 to the
                  last bit */
    LOG_LONG,  /* logs each step, in a category of 100,000 letters */
};

enum { VR_HABIT, VR_U, VR_Y, VR_K, VR_STOP, VR_H, VR_END, N_VALUE };

struct habits {
    double value[N_VALUE];
    int ready;
    double integral;
};

static int habit(const struct habits *h)
{
    return (int)h->value[VR_HABIT];
}

static void *strange_environment(const struct habits *h, void *first, void *own)
{
    if (habit(h) == LOG_ONE)
        return (void *)1;
    if (habit(h) == LOG_NULL)
        return NULL;
    return habit(h) == LOG_FIRST ? first : own;
}

static int logs(const struct habits *h)
{
    return (habit(h) >= LOG_ONE && habit(h) <= LOG_FIRST) ||
           habit(h) == LOG_LONG;
}

static const char *log_category(const struct habits *h)
{
    static char letters[100001];

    if (habit(h) != LOG_LONG)
        return "info";
    memset(letters, 'c', sizeof(letters) - 1);
    return letters;
}

static void hang(void)
{
    for (;;)
        (void)pause();
}

static void print_words(const struct habits *h, const char *where)
{
    if (habit(h) != PRINT)
        return;
    (void)printf("out of %s\nand ", where);
    (void)fflush(stdout);
    (void)printf("more\n");
    (void)fprintf(stderr, "err of %s\n", where);
    (void)fflush(stdout);
}

static void habits_setup(struct habits *h, int has_stop, double stop)
{
    h->value[VR_STOP] = has_stop ? stop : -1;
}

static void habits_exit_init(struct habits *h)
{
    print_words(h, "init");
    if (habit(h) == HANG_INIT)
        hang();
    h->ready = 1;
    h->value[VR_Y] = h->value[VR_K];
}

static int is_exact(double h)
{
    for (int i = 1; i <= 1000; i++)
        if (h == i / 10.0)
            return 1;
    return 0;
}

enum outcome { DONE, REFUSED, DISCARDED };

static enum outcome habits_step(struct habits *h, double now, double length)
{
    double *v = h->value;

    print_words(h, "step");
    if (habit(h) == HANG && now >= 0.5)
        hang();
    if (habit(h) == EXACT && !is_exact(length))
        return DISCARDED;
    if (v[VR_STOP] >= 0 && now + length > v[VR_STOP])
        return REFUSED;
    if (habit(h) == RUN_OUT && v[VR_STOP] >= 0 && now < v[VR_STOP])
        length = v[VR_STOP] - now;
    v[VR_H] = length;
    v[VR_END] = now + length;
    h->integral += length * v[VR_U];
    v[VR_Y] = v[VR_K] + h->integral;
    return DONE;
}

#endif
