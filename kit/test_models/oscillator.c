/* SPDX-License-Identifier: MIT */
/*
 * x'' = -c x - d x' + u + g, with every solver to choose from, derivatives
 * published, and a nonlinear copy of the output for difference quotients.
 */
#include <math.h>
#include "tutti_kit.h"

struct oscillator {
    double u, x, v, dx, dv, y, power, c, d, g;
    int32_t method, microsteps;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct oscillator, u, .unit = "m/s2"),
    TUTTI_STATE(struct oscillator, x, .unit = "m", .start = 1),
    TUTTI_REAL_LOCAL(struct oscillator, v, .unit = "m/s", .state = true),
    TUTTI_REAL_LOCAL(struct oscillator, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_OUTPUT(struct oscillator, dv, .unit = "m/s2",
                      .derivative_of = "v", .depends = "u x v c d g"),
    TUTTI_REAL_OUTPUT(struct oscillator, y, .depends = "u x"),
    TUTTI_REAL_OUTPUT(struct oscillator, power,
                      .description = "depends on who knows what"),
    TUTTI_REAL_PARAMETER(struct oscillator, c, .unit = "1/s", .start = 4),
    TUTTI_REAL_PARAMETER(struct oscillator, d, .unit = "1/s", .start = 0),
    TUTTI_REAL_PARAMETER(struct oscillator, g, .unit = "m/s2",
                         .variability = TUTTI_TUNABLE),
    TUTTI_INTEGER_PARAMETER(struct oscillator, method, .max = TUTTI_RK4),
    TUTTI_INTEGER_PARAMETER(struct oscillator, microsteps, .start = 0),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct oscillator *m = model;

    sys->a[0][1] = 1;
    sys->a[1][0] = -m->c;
    sys->a[1][1] = -m->d;
    sys->b[1][0] = 1;
    sys->e[1] = m->g;
}

static void outputs(void *model, double t)
{
    struct oscillator *m = model;

    (void)t;
    m->y = 3 * m->x - 2 * m->u;
#ifdef OSCILLATOR_NONLINEAR
    m->power = sin(m->x) * m->v * m->v + exp(m->u);
#else
    m->power = m->x + m->v;
#endif
}

const struct tutti_model tutti_model = {
    .name = "oscillator",
    .size = sizeof(struct oscillator),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
#ifndef OSCILLATOR_NONLINEAR
    .affine_outputs = true,
#endif
    .method_from = "method",
    .microsteps_from = "microsteps",
};
