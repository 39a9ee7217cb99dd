/* SPDX-License-Identifier: MIT */
/*
 * The right mass of the double mass-spring-damper, with the spring cc and the
 * damper dc that couple it to the left one:
 *     F = cc (x2 - x1) + dc (v2 - v1)
 *     m2 x2'' = -c2 x2 - d2 x2' - F
 * F follows x1 and v1 without delay, and continuously along a step.
 */
#include "tutti_kit.h"

struct msd2 {
    double x1, v1, x2, v2, F, m2, c2, d2, cc, dc, dx2, dv2;
    int32_t microsteps, method;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct msd2, x1, .unit = "m",
                     .description = "position of the left mass"),
    TUTTI_REAL_INPUT(struct msd2, v1, .unit = "m/s",
                     .description = "velocity of the left mass"),
    TUTTI_STATE(struct msd2, x2, .unit = "m", .description = "position"),
    TUTTI_STATE(struct msd2, v2, .unit = "m/s", .description = "velocity"),
    TUTTI_REAL_OUTPUT(struct msd2, F, .unit = "N",
                      .depends = "x1 v1 x2 v2 cc dc",
                      .description = "coupling force on the left mass"),
    TUTTI_REAL_PARAMETER(struct msd2, m2, .unit = "kg", .start = 1,
                         .description = "mass"),
    TUTTI_REAL_PARAMETER(struct msd2, c2, .unit = "N/m", .start = 0.1,
                         .description = "stiffness of the wall spring"),
    TUTTI_REAL_PARAMETER(struct msd2, d2, .unit = "N.s/m",
                         .description = "damping of the wall damper"),
    TUTTI_REAL_PARAMETER(struct msd2, cc, .unit = "N/m", .start = 1,
                         .description = "stiffness of the coupling"),
    TUTTI_REAL_PARAMETER(struct msd2, dc, .unit = "N.s/m", .start = 1,
                         .description = "damping of the coupling"),
    TUTTI_INTEGER_PARAMETER(struct msd2, microsteps, .max = INT32_MAX,
                            .variability = TUTTI_TUNABLE,
                            .description = "0: exact solution, n: n steps "
                                           "of the method per macro step"),
    TUTTI_REAL_LOCAL(struct msd2, dx2, .unit = "m/s", .derivative_of = "x2",
                     .depends = "v2"),
    TUTTI_REAL_LOCAL(struct msd2, dv2, .unit = "m/s2", .derivative_of = "v2",
                     .depends = "x1 v1 x2 v2 m2 c2 d2 cc dc"),
    TUTTI_INTEGER_PARAMETER(struct msd2, method, .start = TUTTI_EULER,
                            .min = TUTTI_EULER, .max = TUTTI_RK4,
                            .variability = TUTTI_TUNABLE,
                            .description = "of micro-steps, 1: Euler, "
                                           "2: midpoint, 3: Runge-Kutta"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct msd2 *m = model;

    sys->a[0][1] = 1;
    sys->a[1][0] = -(m->c2 + m->cc) / m->m2;
    sys->a[1][1] = -(m->d2 + m->dc) / m->m2;
    sys->b[1][0] = m->cc / m->m2;
    sys->b[1][1] = m->dc / m->m2;
}

static void outputs(void *model, double t)
{
    struct msd2 *m = model;

    (void)t;
    m->F = m->cc * (m->x2 - m->x1) + m->dc * (m->v2 - m->v1);
}

const struct tutti_model tutti_model = {
    .name = "msd2",
    .description = "Right half of the double mass-spring-damper",
    .size = sizeof(struct msd2),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .affine_outputs = true,
    .method_from = "method",
    .microsteps_from = "microsteps",
    .stop_time = 10,
    .step_size = 0.2,
};
