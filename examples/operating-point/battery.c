/* SPDX-License-Identifier: MIT */
/*
 * A battery: its voltage sinks with the charge that is gone and, at once, with
 * the current it gives:
 *     used' = current
 *     voltage = full - used/capacity - resistance current
 */
#include "tutti_kit.h"

struct battery {
    double current, used, voltage, full, capacity, resistance, dUsed;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct battery, current, .unit = "A",
                     .description = "current it gives"),
    TUTTI_STATE(struct battery, used, .unit = "C",
                .description = "charge that is gone"),
    TUTTI_REAL_OUTPUT(struct battery, voltage, .unit = "V",
                      .depends = "current used full capacity resistance",
                      .description = "voltage between its poles"),
    TUTTI_REAL_PARAMETER(struct battery, full, .unit = "V", .start = 12,
                         .description = "voltage without current, when full"),
    TUTTI_REAL_PARAMETER(struct battery, capacity, .unit = "F", .start = 500,
                         .description = "charge per loss of voltage"),
    TUTTI_REAL_PARAMETER(struct battery, resistance, .unit = "Ohm",
                         .start = 0.2,
                         .description = "loss of voltage per current"),
    TUTTI_REAL_LOCAL(struct battery, dUsed, .unit = "A",
                     .derivative_of = "used", .depends = "current"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    (void)model;
    sys->b[0][0] = 1;
}

static void outputs(void *model, double t)
{
    struct battery *m = model;

    (void)t;
    m->voltage = m->full - m->used / m->capacity - m->resistance * m->current;
}

const struct tutti_model tutti_model = {
    .name = "battery",
    .description = "Battery with an inner resistance",
    .size = sizeof(struct battery),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 60,
    .step_size = 1,
};
