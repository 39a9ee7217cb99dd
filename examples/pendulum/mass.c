/* SPDX-License-Identifier: MIT */
/*
 * A point mass in one direction, with a weight and a force on it:
 *     m x'' = F - m g
 * It publishes its states and their derivatives.
 */
#include "tutti_kit.h"

struct mass {
    double F, x, v, dx, dv, m, g;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct mass, F, .unit = "N",
                     .description = "force on the mass"),
    TUTTI_STATE(struct mass, x, .unit = "m", .description = "position"),
    TUTTI_STATE(struct mass, v, .unit = "m/s", .description = "velocity"),
    TUTTI_REAL_LOCAL(struct mass, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct mass, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "F m g"),
    TUTTI_REAL_PARAMETER(struct mass, m, .unit = "kg", .start = 1,
                         .description = "mass"),
    TUTTI_REAL_PARAMETER(struct mass, g, .unit = "m/s2",
                         .description = "gravity against this direction"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct mass *m = model;

    sys->a[0][1] = 1;
    sys->b[1][0] = 1 / m->m;
    sys->e[1] = -m->g;
}

const struct tutti_model tutti_model = {
    .name = "mass",
    .description = "A point mass in one direction",
    .size = sizeof(struct mass),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 10,
    .step_size = 0.05,
};
