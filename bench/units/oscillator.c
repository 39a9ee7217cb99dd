/* SPDX-License-Identifier: MIT */
/* A harmonic oscillator: two states and next to nothing to calculate, so that
 * what an engine does around the calls of model exchange shows, and every step
 * of an integrator is like the one before. */
#include "tutti_kit.h"

struct oscillator {
    double x, v, dx, dv;
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct oscillator, x, .start = 2),
    TUTTI_REAL_LOCAL(struct oscillator, v, .state = true),
    TUTTI_REAL_LOCAL(struct oscillator, dx, .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct oscillator, dv, .derivative_of = "v",
                     .depends = "x"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct oscillator *m = model;

    (void)t;
    dx[0] = m->v;
    dx[1] = -m->x;
}

const struct tutti_model tutti_model = {
    .name = "oscillator",
    .size = sizeof(struct oscillator),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .stop_time = 20,
    .step_size = 0.01,
};
