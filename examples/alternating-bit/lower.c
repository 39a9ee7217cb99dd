/* SPDX-License-Identifier: MIT */
/* A tank whose level follows what it is given: y' = (u - y)/tau. */
#include <math.h>

#include "tutti_kit.h"

struct lower {
    double u, y, dy, tau;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct lower, u, .unit = "m", .start = 0,
                     .description = "the level it is to have"),
    TUTTI_STATE(struct lower, y, .unit = "m", .description = "level"),
    TUTTI_REAL_PARAMETER(struct lower, tau, .unit = "s", .start = 4,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "how slowly it follows"),
    TUTTI_REAL_LOCAL(struct lower, dy, .unit = "m/s", .derivative_of = "y",
                     .depends = "u y tau"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct lower *m = model;

    sys->a[0][0] = -1 / m->tau;
    sys->b[0][0] = 1 / m->tau;
}

const struct tutti_model tutti_model = {
    .name = "lower",
    .description = "Tank whose level follows",
    .size = sizeof(struct lower),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .stop_time = 100,
    .step_size = 0.5,
};
