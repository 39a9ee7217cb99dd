/* SPDX-License-Identifier: MIT */
/*
 * A device that takes the same power whatever the voltage, at once:
 *     current = power / voltage
 */
#include "tutti_kit.h"

struct device {
    double voltage, current, power;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct device, voltage, .unit = "V", .start = 12,
                     .description = "voltage it gets"),
    TUTTI_REAL_OUTPUT(struct device, current, .unit = "A",
                      .depends = "voltage power",
                      .description = "current it takes"),
    TUTTI_REAL_PARAMETER(struct device, power, .unit = "W", .start = 100,
                         .description = "power it takes"),
};

static void outputs(void *model, double t)
{
    struct device *m = model;

    (void)t;
    m->current = m->power / m->voltage;
}

const struct tutti_model tutti_model = {
    .name = "device",
    .description = "Device of constant power",
    .size = sizeof(struct device),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 60,
    .step_size = 1,
};
