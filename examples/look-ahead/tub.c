/* SPDX-License-Identifier: MIT */
/*
 * A tub that is filled:
 *     area * level' = inflow
 */
#include <math.h>

#include "tutti_kit.h"

struct tub {
    double inflow, level, area, dLevel;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct tub, inflow, .unit = "m3/s", .max = HUGE_VAL,
                     .description = "what comes from the valve"),
    TUTTI_STATE(struct tub, level, .unit = "m", .max = HUGE_VAL,
                .description = "level of the water"),
    TUTTI_REAL_PARAMETER(struct tub, area, .unit = "m2", .start = 0.5,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "cross section"),
    TUTTI_REAL_LOCAL(struct tub, dLevel, .unit = "m/s",
                     .derivative_of = "level", .depends = "inflow area"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct tub *m = model;

    sys->b[0][0] = 1 / m->area;
}

const struct tutti_model tutti_model = {
    .name = "tub",
    .description = "Tub that is filled",
    .size = sizeof(struct tub),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 60,
    .step_size = 0.1,
};
