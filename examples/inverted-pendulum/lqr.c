/* SPDX-License-Identifier: MIT */
/*
 * State feedback u = -(kx x + kv v + kphi phi + komega omega). The gains are
 * those of the linear quadratic regulator that minimises the integral of
 * x^2 + phi^2 + u^2 for the pendulum beside it (README.md has the equation they
 * solve). No state; u follows the measurements at the same instant.
 */
#include "tutti_kit.h"

struct lqr {
    double x, v, phi, omega, u;
    double kx, kv, kphi, komega;
};

static const struct tutti_unit units[] = {
    {.name = "N/rad", .kg = 1, .m = 1, .s = -2, .rad = -1},
    {.name = "N.s/rad", .kg = 1, .m = 1, .s = -1, .rad = -1},
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct lqr, x, .unit = "m",
                     .description = "measured position"),
    TUTTI_REAL_INPUT(struct lqr, v, .unit = "m/s",
                     .description = "measured speed"),
    TUTTI_REAL_INPUT(struct lqr, phi, .unit = "rad",
                     .description = "measured angle"),
    TUTTI_REAL_INPUT(struct lqr, omega, .unit = "rad/s",
                     .description = "measured angular speed"),
    TUTTI_REAL_OUTPUT(struct lqr, u, .unit = "N",
                      .depends = "x v phi omega kx kv kphi komega",
                      .description = "force on the cart"),
    TUTTI_REAL_PARAMETER(struct lqr, kx, .unit = "N/m", .start = -1,
                         .description = "gain of the position"),
    TUTTI_REAL_PARAMETER(struct lqr, kv, .unit = "N.s/m",
                         .start = -1.6567100251570669,
                         .description = "gain of the speed"),
    TUTTI_REAL_PARAMETER(struct lqr, kphi, .unit = "N/rad",
                         .start = 18.685395901880127,
                         .description = "gain of the angle"),
    TUTTI_REAL_PARAMETER(struct lqr, komega, .unit = "N.s/rad",
                         .start = 3.4594381758000088,
                         .description = "gain of the angular speed"),
};

static void outputs(void *model, double t)
{
    struct lqr *m = model;

    (void)t;
    m->u = -(m->kx * m->x + m->kv * m->v + m->kphi * m->phi +
             m->komega * m->omega);
}

const struct tutti_model tutti_model = {
    .name = "lqr",
    .description = "Linear quadratic regulator of the inverted pendulum",
    .size = sizeof(struct lqr),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 8,
    .step_size = 0.05,
};
