/* SPDX-License-Identifier: MIT */
/*
 * The left mass of the double mass-spring-damper: tied to the wall by a spring
 * c1 and a damper d1, pushed by the coupling force F:
 *     m1 x1'' = -c1 x1 - d1 x1' + F
 */
#include "tutti_kit.h"

struct msd1 {
    double F, x1, v1, m1, c1, d1, dx1, dv1;
    int32_t microsteps, method;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct msd1, F, .unit = "N",
                     .description = "coupling force on the mass"),
    TUTTI_STATE(struct msd1, x1, .unit = "m", .start = 1,
                .description = "position"),
    TUTTI_STATE(struct msd1, v1, .unit = "m/s", .description = "velocity"),
    TUTTI_REAL_PARAMETER(struct msd1, m1, .unit = "kg", .start = 1,
                         .description = "mass"),
    TUTTI_REAL_PARAMETER(struct msd1, c1, .unit = "N/m", .start = 5,
                         .description = "stiffness of the wall spring"),
    TUTTI_REAL_PARAMETER(struct msd1, d1, .unit = "N.s/m", .start = 1,
                         .description = "damping of the wall damper"),
    TUTTI_INTEGER_PARAMETER(struct msd1, microsteps, .max = INT32_MAX,
                            .variability = TUTTI_TUNABLE,
                            .description = "0: exact solution, n: n steps "
                                           "of the method per macro step"),
    TUTTI_REAL_LOCAL(struct msd1, dx1, .unit = "m/s", .derivative_of = "x1",
                     .depends = "v1"),
    TUTTI_REAL_LOCAL(struct msd1, dv1, .unit = "m/s2", .derivative_of = "v1",
                     .depends = "x1 v1 F m1 c1 d1"),
    TUTTI_INTEGER_PARAMETER(struct msd1, method, .start = TUTTI_EULER,
                            .min = TUTTI_EULER, .max = TUTTI_RK4,
                            .variability = TUTTI_TUNABLE,
                            .description = "of micro-steps, 1: Euler, "
                                           "2: midpoint, 3: Runge-Kutta"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct msd1 *m = model;

    sys->a[0][1] = 1;
    sys->a[1][0] = -m->c1 / m->m1;
    sys->a[1][1] = -m->d1 / m->m1;
    sys->b[1][0] = 1 / m->m1;
}

const struct tutti_model tutti_model = {
    .name = "msd1",
    .description = "Left half of the double mass-spring-damper",
    .size = sizeof(struct msd1),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .method_from = "method",
    .microsteps_from = "microsteps",
    .stop_time = 10,
    .step_size = 0.2,
};
