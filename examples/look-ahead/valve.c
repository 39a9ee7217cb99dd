/* SPDX-License-Identifier: MIT */
/*
 * A valve that a motor turns: it follows its command slowly,
 *     tau * opening' = command - opening,   flow = full * opening
 */
#include <math.h>

#include "tutti_kit.h"

struct valve {
    double command, opening, flow, tau, full, dOpening;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct valve, command, .max = 1,
                     .description = "1: open, 0: closed"),
    TUTTI_STATE(struct valve, opening, .max = 1,
                .description = "how far it is open"),
    TUTTI_REAL_OUTPUT(struct valve, flow, .unit = "m3/s", .max = HUGE_VAL,
                      .depends = "opening full",
                      .description = "flow through it"),
    TUTTI_REAL_PARAMETER(struct valve, tau, .unit = "s", .start = 3,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "time constant"),
    TUTTI_REAL_PARAMETER(struct valve, full, .unit = "m3/s", .start = 0.02,
                         .max = HUGE_VAL, .description = "flow when open"),
    TUTTI_REAL_LOCAL(struct valve, dOpening, .unit = "1/s",
                     .derivative_of = "opening",
                     .depends = "command opening tau"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct valve *m = model;

    sys->a[0][0] = -1 / m->tau;
    sys->b[0][0] = 1 / m->tau;
}

static void outputs(void *model, double t)
{
    struct valve *m = model;

    (void)t;
    m->flow = m->full * m->opening;
}

const struct tutti_model tutti_model = {
    .name = "valve",
    .description = "Valve that follows its command slowly",
    .size = sizeof(struct valve),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 60,
    .step_size = 0.1,
};
