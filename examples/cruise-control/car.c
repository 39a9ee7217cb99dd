/* SPDX-License-Identifier: MIT */
/*
 * A car on a straight level road, pushed by the force F, braked by friction
 * proportional to its speed:
 *     m v' = F - cf v
 */
#include <math.h>

#include "tutti_kit.h"

struct car {
    double F, v, m, cf, dv;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct car, F, .unit = "N", .nominal = 1e4,
                     .description = "driving force"),
    TUTTI_STATE(struct car, v, .unit = "m/s", .nominal = 40,
                .description = "speed"),
    TUTTI_REAL_PARAMETER(struct car, m, .unit = "kg", .start = 1576, .min = 1,
                         .max = HUGE_VAL, .description = "mass"),
    TUTTI_REAL_PARAMETER(struct car, cf, .unit = "N.s/m", .start = 0.5,
                         .max = HUGE_VAL,
                         .description = "friction coefficient"),
    TUTTI_REAL_LOCAL(struct car, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "v F m cf"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct car *m = model;

    sys->a[0][0] = -m->cf / m->m;
    sys->b[0][0] = 1 / m->m;
}

const struct tutti_model tutti_model = {
    .name = "car",
    .description = "Car on a straight level road",
    .size = sizeof(struct car),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 10,
    .step_size = 0.2,
};
