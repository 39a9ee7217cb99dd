/* SPDX-License-Identifier: MIT */
/*
 * A capacitor at a node, which one current flows into and another one out of:
 *     C v' = iIn - iOut
 */
#include "tutti_kit.h"

struct capacitor {
    double iIn, iOut, v, C, dv;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct capacitor, iIn, .unit = "A",
                     .description = "current into the node"),
    TUTTI_REAL_INPUT(struct capacitor, iOut, .unit = "A",
                     .description = "current out of the node"),
    TUTTI_STATE(struct capacitor, v, .unit = "V",
                .description = "voltage of the node"),
    TUTTI_REAL_PARAMETER(struct capacitor, C, .unit = "F", .start = 0.001,
                         .min = 1e-15, .max = 1e9,
                         .description = "capacitance"),
    TUTTI_REAL_LOCAL(struct capacitor, dv, .unit = "V/s", .derivative_of = "v",
                     .depends = "iIn iOut C"),
};

static const struct tutti_unit units[] = {
    {.name = "V/s", .kg = 1, .m = 2, .s = -4, .A = -1}};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct capacitor *m = model;

    sys->b[0][0] = 1 / m->C;
    sys->b[0][1] = -1 / m->C;
}

const struct tutti_model tutti_model = {
    .name = "capacitor",
    .description = "Capacitor at a node",
    .size = sizeof(struct capacitor),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 0.5,
    .step_size = 0.001,
};
