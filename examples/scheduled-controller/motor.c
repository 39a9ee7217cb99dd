/* SPDX-License-Identifier: MIT */
/* A motor: w' = (K u - w)/tau, phi' = w. */
#include "tutti_kit.h"

struct motor {
    double u, w, phi;
    double gain, tau;
    double dw, dphi;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct motor, u, .unit = "V"),
    TUTTI_STATE(struct motor, w, .unit = "rad/s", .description = "speed"),
    TUTTI_STATE(struct motor, phi, .unit = "rad", .description = "angle"),
    TUTTI_REAL_PARAMETER(struct motor, gain, .start = 2,
                         .description = "speed per voltage, rad/(V s)"),
    TUTTI_REAL_PARAMETER(struct motor, tau, .start = 0.1, .unit = "s"),
    TUTTI_REAL_LOCAL(struct motor, dw, .unit = "rad/s2", .derivative_of = "w",
                     .depends = "u w gain tau"),
    TUTTI_REAL_LOCAL(struct motor, dphi, .unit = "rad/s",
                     .derivative_of = "phi", .depends = "w"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct motor *m = model;

    sys->a[0][0] = -1 / m->tau;
    sys->b[0][0] = m->gain / m->tau;
    sys->a[1][0] = 1;
}

const struct tutti_model tutti_model = {
    .name = "motor",
    .description = "A motor that turns with its voltage, after a while",
    .size = sizeof(struct motor),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
};
