/* SPDX-License-Identifier: MIT */
/*
 * A coil from a node of voltage v to ground:
 *     L i' = v - R i
 */
#include "tutti_kit.h"

struct coil {
    double v, i, R, L, di;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct coil, v, .unit = "V",
                     .description = "voltage of the node"),
    TUTTI_STATE(struct coil, i, .unit = "A",
                .description = "current out of the node"),
    TUTTI_REAL_PARAMETER(struct coil, R, .unit = "Ohm", .start = 1,
                         .description = "resistance"),
    TUTTI_REAL_PARAMETER(struct coil, L, .unit = "H", .start = 0.1, .min = 1e-9,
                         .max = 1e9, .description = "inductance"),
    TUTTI_REAL_LOCAL(struct coil, di, .unit = "A/s", .derivative_of = "i",
                     .depends = "i v R L"),
};

static const struct tutti_unit units[] = {{.name = "A/s", .A = 1, .s = -1}};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct coil *m = model;

    sys->a[0][0] = -m->R / m->L;
    sys->b[0][0] = 1 / m->L;
}

const struct tutti_model tutti_model = {
    .name = "coil",
    .description = "Coil with resistance, to ground",
    .size = sizeof(struct coil),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 0.5,
    .step_size = 0.001,
};
