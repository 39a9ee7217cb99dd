/* SPDX-License-Identifier: MIT */
/*
 * The rotor of a drive: driven by the torque u, held back by friction and the
 * torque f of the shaft:
 *     J1 v' = u - d1 v - f
 */
#include "tutti_kit.h"

struct rotor {
    double u, f, v, J1, d1, dv;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct rotor, u, .unit = "N.m",
                     .description = "torque of the field"),
    TUTTI_REAL_INPUT(struct rotor, f, .unit = "N.m",
                     .description = "torque of the shaft"),
    TUTTI_STATE(struct rotor, v, .unit = "rad/s", .description = "speed"),
    TUTTI_REAL_PARAMETER(struct rotor, J1, .unit = "kg.m2", .start = 1e-3,
                         .description = "inertia of the rotor"),
    TUTTI_REAL_PARAMETER(struct rotor, d1, .unit = "N.m.s/rad", .start = 1e-3,
                         .description = "friction"),
    TUTTI_REAL_LOCAL(struct rotor, dv, .unit = "rad/s2", .derivative_of = "v",
                     .depends = "v u f J1 d1"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct rotor *m = model;

    sys->a[0][0] = -m->d1 / m->J1;
    sys->b[0][0] = 1 / m->J1;
    sys->b[0][1] = -1 / m->J1;
}

const struct tutti_model tutti_model = {
    .name = "rotor",
    .description = "Rotor of a drive",
    .size = sizeof(struct rotor),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 0.5,
    .step_size = 1e-3,
};
