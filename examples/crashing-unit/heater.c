/* SPDX-License-Identifier: MIT */
/*
 * A heater of first order: its temperature follows the power,
 *     tau T' = gain P - T
 */
#include <math.h>

#include "tutti_kit.h"

struct heater {
    double P, T, tau, gain, dT;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct heater, P, .unit = "W", .description = "power"),
    TUTTI_STATE(struct heater, T, .unit = "K", .max = HUGE_VAL,
                .description = "temperature above that of the room"),
    TUTTI_REAL_PARAMETER(struct heater, tau, .unit = "s", .start = 2,
                         .max = HUGE_VAL, .description = "how slow it is"),
    TUTTI_REAL_PARAMETER(struct heater, gain, .start = 0.5, .max = HUGE_VAL,
                         .description = "how hot it gets"),
    TUTTI_REAL_LOCAL(struct heater, dT, .unit = "K/s", .derivative_of = "T",
                     .depends = "P T tau gain"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct heater *m = model;

    sys->a[0][0] = -1 / m->tau;
    sys->e[0] = m->gain * m->P / m->tau;
}

const struct tutti_model tutti_model = {
    .name = "heater",
    .description = "Heater of first order",
    .size = sizeof(struct heater),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .stop_time = 10,
    .step_size = 0.02,
};
