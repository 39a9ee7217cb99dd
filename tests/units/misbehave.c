/* SPDX-License-Identifier: MIT */
/* A unit that does `what` in the first step that ends at or after `when`:
 * 0 nothing, 1 fail, 2 fail for ever, 3 reject the step, 4 end the simulation,
 * 5 return early, 6 crash, 7 exit(0), 8 sleep for `amount` seconds, 9 log,
 * 10 give NaN, 11 refuse steps longer than `amount`, 12 crash in them, 13 sleep
 * for `amount` seconds and crash. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "tutti_kit.h"

enum what {
    NOTHING,
    FAIL,
    FAIL_FOR_EVER,
    REJECT,
    TERMINATE,
    EARLY,
    CRASH,
    EXIT,
    SLEEP,
    LOG,
    NOT_A_NUMBER,
    MAX_STEP,
    CRASH_IF_LONG,
    SLEEP_AND_CRASH,
};

struct misbehave {
    double u, y, when, amount;
    int32_t what;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct misbehave, u, .start = 0),
    TUTTI_STATE(struct misbehave, y, .start = 0,
                .description = "the integral of u"),
    TUTTI_INTEGER_PARAMETER(struct misbehave, what, .max = SLEEP_AND_CRASH),
    TUTTI_REAL_PARAMETER(struct misbehave, when, .unit = "s", .start = 1),
    TUTTI_REAL_PARAMETER(struct misbehave, amount, .start = 0.05),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct misbehave *m = model;

    (void)t;
    dx[0] = m->u;
}

static void doze(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0)
        ;
}

static void act(struct misbehave *m, struct tutti_step *s)
{
    switch ((enum what)m->what) {
    case FAIL:
        tutti_fail(m, "asked to fail");
        break;
    case FAIL_FOR_EVER:
        tutti_fatal(m, "asked to fail for ever");
        break;
    case REJECT:
        s->outcome = TUTTI_STEP_REJECT;
        break;
    case TERMINATE:
        s->outcome = TUTTI_STEP_TERMINATE;
        break;
    case EARLY:
        s->outcome = TUTTI_STEP_EARLY;
        m->when = 1e300; /* once is enough */
        break;
    case CRASH:
        (void)raise(SIGSEGV);
        break;
    case CRASH_IF_LONG:
        if (s->to - s->from > m->amount)
            (void)raise(SIGSEGV);
        break;
    case SLEEP_AND_CRASH:
        doze(m->amount);
        (void)raise(SIGSEGV);
        break;
    case EXIT:
        exit(0);
    case SLEEP:
        tutti_log(m, "going to sleep");
        doze(m->amount);
        break;
    case LOG:
        tutti_log(m, "100%% sure");
        break;
    case NOT_A_NUMBER:
        m->y = (double)NAN;
        break;
    case NOTHING:
    case MAX_STEP:
        break;
    }
}

static void after_step(void *model, struct tutti_step *s)
{
    struct misbehave *m = model;

    if (s->reached >= m->when - 1e-9)
        act(m, s);
}

static double max_step(void *model, double t)
{
    const struct misbehave *m = model;

    (void)t;
    return m->what == MAX_STEP ? m->amount : (double)INFINITY;
}

const struct tutti_model tutti_model = {
    .name = "misbehave",
    .size = sizeof(struct misbehave),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .after_step = after_step,
    .max_step = max_step,
    .microsteps = 2,
    .stop_time = 10,
    .step_size = 0.1,
};
