/* SPDX-License-Identifier: MIT */
/*
 * A voltage U that is switched on at the start, with a resistance R and an
 * inductance L, into a node of voltage v:
 *     L i' = U - R i - v
 */
#include "tutti_kit.h"

struct supply {
    double v, i, U, R, L, di;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct supply, v, .unit = "V",
                     .description = "voltage of the node"),
    TUTTI_STATE(struct supply, i, .unit = "A",
                .description = "current into the node"),
    TUTTI_REAL_PARAMETER(struct supply, U, .unit = "V", .start = 10,
                         .description = "voltage of the source"),
    TUTTI_REAL_PARAMETER(struct supply, R, .unit = "Ohm", .start = 1,
                         .description = "resistance"),
    TUTTI_REAL_PARAMETER(struct supply, L, .unit = "H", .start = 0.1,
                         .min = 1e-9, .max = 1e9, .description = "inductance"),
    TUTTI_REAL_LOCAL(struct supply, di, .unit = "A/s", .derivative_of = "i",
                     .depends = "i v U R L"),
};

static const struct tutti_unit units[] = {{.name = "A/s", .A = 1, .s = -1}};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct supply *m = model;

    sys->a[0][0] = -m->R / m->L;
    sys->b[0][0] = -1 / m->L;
    sys->e[0] = m->U / m->L;
}

const struct tutti_model tutti_model = {
    .name = "supply",
    .description = "Voltage source with resistance and inductance",
    .size = sizeof(struct supply),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 0.5,
    .step_size = 0.001,
};
