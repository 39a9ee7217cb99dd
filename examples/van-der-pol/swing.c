/* SPDX-License-Identifier: MIT */
/*
 * Van der Pol's oscillator, which a force pushes:
 *     x'' = mu (1 - x^2) x' - x + F
 * Alone it swings on a limit cycle, whatever it starts from.
 */
#include <math.h>

#include "tutti_kit.h"

struct swing {
    double F, x, v, dx, dv, mu;
    int32_t microsteps;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct swing, F, .description = "force"),
    TUTTI_STATE(struct swing, x, .start = 2, .description = "position"),
    TUTTI_STATE(struct swing, v, .description = "velocity"),
    TUTTI_REAL_PARAMETER(struct swing, mu, .start = 1, .max = HUGE_VAL,
                         .description = "damping far out, drive near 0"),
    TUTTI_INTEGER_PARAMETER(struct swing, microsteps, .start = 10, .min = 1,
                            .max = INT32_MAX,
                            .description = "Runge-Kutta steps per macro step"),
    TUTTI_REAL_LOCAL(struct swing, dx, .derivative_of = "x", .depends = "v"),
    TUTTI_REAL_LOCAL(struct swing, dv, .derivative_of = "v",
                     .depends = "x v F mu"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct swing *m = model;

    (void)t;
    dx[0] = m->v;
    dx[1] = m->mu * (1 - m->x * m->x) * m->v - m->x + m->F;
}

const struct tutti_model tutti_model = {
    .name = "swing",
    .description = "Van der Pol's oscillator",
    .size = sizeof(struct swing),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .method = TUTTI_RK4,
    .microsteps_from = "microsteps",
    .stop_time = 20,
    .step_size = 0.05,
};
