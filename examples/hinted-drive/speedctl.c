/* SPDX-License-Identifier: MIT */
/*
 * Control software: every Ts it reads the speed of the load, and puts out a
 * torque in steps of `quantum`, which it holds until the next time:
 *     i += Ki Ts (ref - w),  u = quantum round((Kp (ref - w) + i) / quantum)
 */
#include <math.h>

#include "tutti_kit.h"

struct speedctl {
    double w, u, ref, Kp, Ki, Ts, quantum, i;
    int32_t ran;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct speedctl, w, .unit = "rad/s",
                     .description = "measured speed"),
    TUTTI_REAL_OUTPUT(struct speedctl, u, .unit = "N.m", .exact = true,
                      .variability = TUTTI_DISCRETE, .description = "torque"),
    TUTTI_REAL_PARAMETER(struct speedctl, ref, .unit = "rad/s", .start = 10,
                         .description = "speed that is wanted"),
    TUTTI_REAL_PARAMETER(struct speedctl, Kp, .start = 0.1,
                         .description = "gain"),
    TUTTI_REAL_PARAMETER(struct speedctl, Ki, .start = 0.05,
                         .description = "gain of the integral"),
    TUTTI_REAL_PARAMETER(struct speedctl, Ts, .unit = "s", .start = 1e-3,
                         .description = "period"),
    TUTTI_REAL_PARAMETER(struct speedctl, quantum, .unit = "N.m", .start = 1e-3,
                         .description = "of the torque"),
    TUTTI_REAL_LOCAL(struct speedctl, i, .unit = "N.m", .exact = true,
                     .description = "integral"),
    TUTTI_VAR(struct speedctl, ran, TUTTI_INT32, TUTTI_LOCAL, .exact = true,
              .description = "how often it ran"),
};

static void step(void *model, struct tutti_step *s)
{
    struct speedctl *m = model;

    for (; m->ran * m->Ts <= s->to + 1e-9 * m->Ts; m->ran++) {
        double e = m->ref - m->w;

        m->i += m->Ki * m->Ts * e;
        m->u = m->quantum * round((m->Kp * e + m->i) / m->quantum);
    }
}

const struct tutti_model tutti_model = {
    .name = "speedctl",
    .description = "Speed controller in software",
    .size = sizeof(struct speedctl),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .step = step,
    .stop_time = 0.5,
    .step_size = 1e-3,
};
