/* SPDX-License-Identifier: MIT */
/*
 * A bouncing ball with its own step: free flight is solved exactly from bounce
 * to bounce. Also integrates an input with the kit, to show the two together.
 */
#include <math.h>
#include "tutti_kit.h"

struct ball {
    double wind, drift, h, v, e, g;
    int32_t bounces;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct ball, wind, .unit = "m/s"),
    TUTTI_STATE(struct ball, drift, .unit = "m"),
    TUTTI_REAL_OUTPUT(struct ball, h, .unit = "m", .exact = true, .start = 1),
    TUTTI_REAL_OUTPUT(struct ball, v, .unit = "m/s", .exact = true),
    TUTTI_REAL_PARAMETER(struct ball, e, .start = 0.5,
                         .description = "restitution"),
    TUTTI_REAL_PARAMETER(struct ball, g, .unit = "m/s2", .start = 2),
    TUTTI_VAR(struct ball, bounces, TUTTI_INT32, TUTTI_OUTPUT, .exact = true),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct ball *m = model;

    (void)t;
    dx[0] = m->wind;
}

static void step(void *model, struct tutti_step *s)
{
    struct ball *m = model;
    double t = s->from;

    while (t < s->to) {
        double fall = (m->v + sqrt(m->v * m->v + 2 * m->g * m->h)) / m->g;
        double dt = fmin(fall, s->to - t);

        m->h += m->v * dt - m->g / 2 * dt * dt;
        m->v -= m->g * dt;
        if (dt == fall) {
            m->h = 0;
            m->v *= -m->e;
            m->bounces++;
        }
        t = dt == fall ? t + dt : s->to;
    }
    tutti_integrate(m, s->from, s->to);
}

const struct tutti_model tutti_model = {
    .name = "ball",
    .size = sizeof(struct ball),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .step = step,
    .method = TUTTI_RK4,
    .microsteps = 1,
};
