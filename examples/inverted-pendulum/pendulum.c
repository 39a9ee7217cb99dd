/* SPDX-License-Identifier: MIT */
/*
 * An inverted pendulum on a cart, linearised about the upright position. With
 * J = I + m l^2 and p = I (M + m) + M m l^2:
 *     x'' = (-J b x' + m^2 g l^2 phi + J u) / p
 *     phi'' = (-m l b x' + m g l (M + m) phi + m l u) / p
 * Solved exactly, or with the chosen method in micro-steps.
 */
#include <math.h>

#include "tutti_kit.h"

struct pendulum {
    double u, x, v, phi, omega;
    double dx, dv, dPhi, dOmega;
    double M, m, b, l, I, g;
    int32_t method, microsteps;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct pendulum, u, .unit = "N",
                     .description = "force on the cart"),
    TUTTI_STATE(struct pendulum, x, .unit = "m",
                .description = "position of the cart"),
    TUTTI_STATE(struct pendulum, v, .unit = "m/s",
                .description = "speed of the cart"),
    TUTTI_STATE(struct pendulum, phi, .unit = "rad", .start = 0.1,
                .description = "angle from the upright position"),
    TUTTI_STATE(struct pendulum, omega, .unit = "rad/s",
                .description = "angular speed"),
    TUTTI_REAL_PARAMETER(struct pendulum, M, .unit = "kg", .start = 0.5,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "mass of the cart"),
    TUTTI_REAL_PARAMETER(struct pendulum, m, .unit = "kg", .start = 0.2,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "mass of the pendulum"),
    TUTTI_REAL_PARAMETER(struct pendulum, b, .unit = "N.s/m", .start = 0.1,
                         .max = HUGE_VAL,
                         .description = "friction of the cart"),
    TUTTI_REAL_PARAMETER(struct pendulum, l, .unit = "m", .start = 0.3,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "pivot to centre of mass"),
    TUTTI_REAL_PARAMETER(struct pendulum, I, .unit = "kg.m2", .start = 0.006,
                         .max = HUGE_VAL,
                         .description = "inertia about the centre of mass"),
    TUTTI_REAL_PARAMETER(struct pendulum, g, .unit = "m/s2", .start = 9.8,
                         .description = "acceleration of gravity"),
    TUTTI_INTEGER_PARAMETER(struct pendulum, microsteps, .max = INT32_MAX,
                            .variability = TUTTI_TUNABLE,
                            .description = "per macro step; 0: exact"),
    TUTTI_INTEGER_PARAMETER(struct pendulum, method, .start = TUTTI_EULER,
                            .min = TUTTI_EULER, .max = TUTTI_RK4,
                            .variability = TUTTI_TUNABLE,
                            .description = "of micro-steps, 1: Euler, "
                                           "2: midpoint, 3: Runge-Kutta"),
    TUTTI_REAL_LOCAL(struct pendulum, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct pendulum, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "v phi u M m b l I g"),
    TUTTI_REAL_LOCAL(struct pendulum, dPhi, .unit = "rad/s",
                     .derivative_of = "phi", .depends = "omega"),
    TUTTI_REAL_LOCAL(struct pendulum, dOmega, .unit = "rad/s2",
                     .derivative_of = "omega",
                     .depends = "v phi u M m b l I g"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct pendulum *m = model;
    double ml = m->m * m->l, J = m->I + ml * m->l;
    double p = m->I * (m->M + m->m) + m->M * ml * m->l;

    sys->a[0][1] = 1;
    sys->a[1][1] = -J * m->b / p;
    sys->a[1][2] = ml * ml * m->g / p;
    sys->a[2][3] = 1;
    sys->a[3][1] = -ml * m->b / p;
    sys->a[3][2] = ml * m->g * (m->M + m->m) / p;
    sys->b[1][0] = J / p;
    sys->b[3][0] = ml / p;
}

const struct tutti_model tutti_model = {
    .name = "pendulum",
    .description = "Inverted pendulum on a cart, about the upright position",
    .size = sizeof(struct pendulum),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .method_from = "method",
    .microsteps_from = "microsteps",
    .stop_time = 8,
    .step_size = 0.05,
};
