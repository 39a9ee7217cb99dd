/* SPDX-License-Identifier: MIT */
/*
 * A controller with a bug. It does its work well,
 *     I' = Tset - T,   P = Kp (Tset - T) + Ki I,   P >= 0
 * but now and then, for no known reason, it writes where it should not: in each
 * step with the probability `chance`.
 */
#define _DEFAULT_SOURCE /* getentropy */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "tutti_kit.h"

struct flaky {
    double T, P, I, Tset, Kp, Ki, chance;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct flaky, T, .unit = "K",
                     .description = "measured temperature"),
    TUTTI_REAL_OUTPUT(struct flaky, P, .unit = "W", .depends = "T I Tset Kp Ki",
                      .description = "power"),
    TUTTI_VAR(struct flaky, I, TUTTI_FLOAT64, TUTTI_LOCAL, .exact = true,
              .description = "what was missing so far"),
    TUTTI_REAL_PARAMETER(struct flaky, Tset, .unit = "K", .start = 10,
                         .max = HUGE_VAL, .description = "what is wanted"),
    TUTTI_REAL_PARAMETER(struct flaky, Kp, .start = 4, .max = HUGE_VAL),
    TUTTI_REAL_PARAMETER(struct flaky, Ki, .start = 3, .max = HUGE_VAL),
    TUTTI_REAL_PARAMETER(struct flaky, chance, .start = 0.004, .max = 1,
                         .description = "of a crash, per step"),
};

static void outputs(void *model, double t)
{
    struct flaky *m = model;

    (void)t;
    m->P = fmax(0, m->Kp * (m->Tset - m->T) + m->Ki * m->I);
}

static void step(void *model, struct tutti_step *s)
{
    struct flaky *m = model;
    unsigned dice = 0;

    if (getentropy(&dice, sizeof(dice)) == 0 && dice < m->chance * 4294967295.0)
        raise(SIGSEGV);
    m->I += (m->Tset - m->T) * (s->to - s->from);
    outputs(m, s->to);
}

const struct tutti_model tutti_model = {
    .name = "flaky",
    .description = "Controller that crashes now and then",
    .size = sizeof(struct flaky),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .step = step,
    .stop_time = 10,
    .step_size = 0.02,
};
