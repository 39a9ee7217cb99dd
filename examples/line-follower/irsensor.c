/* SPDX-License-Identifier: MIT */
/*
 * An infrared sensor below the robot, `forward` of the middle of the axle and
 * `lateral` to its left. It gives where on the floor it looks,
 *     px = x + forward cos(theta) - lateral sin(theta)
 *     py = y + forward sin(theta) + lateral cos(theta)
 * gets how much light comes back from there, and makes a voltage of it:
 *     value = gain reflectance
 * No state. The position depends on the pose alone and the voltage on the light
 * alone; so what answers with the light may need the position at the same
 * instant, and that is no loop.
 */
#include <math.h>

#include "tutti_kit.h"

struct sensor {
    double x, y, theta, reflectance;
    double px, py, value;
    double forward, lateral, gain;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct sensor, x, .unit = "m",
                     .description = "middle of the axle"),
    TUTTI_REAL_INPUT(struct sensor, y, .unit = "m",
                     .description = "middle of the axle"),
    TUTTI_REAL_INPUT(struct sensor, theta, .unit = "rad",
                     .description = "heading of the robot"),
    TUTTI_REAL_INPUT(struct sensor, reflectance, .unit = "1",
                     .description = "of the floor below, from 0 to 1"),
    TUTTI_REAL_OUTPUT(struct sensor, px, .unit = "m",
                      .depends = "x theta forward lateral",
                      .description = "place on the floor"),
    TUTTI_REAL_OUTPUT(struct sensor, py, .unit = "m",
                      .depends = "y theta forward lateral",
                      .description = "place on the floor"),
    TUTTI_REAL_OUTPUT(struct sensor, value, .unit = "V",
                      .depends = "reflectance gain",
                      .description = "what the controller reads"),
    TUTTI_REAL_PARAMETER(struct sensor, forward, .unit = "m", .start = 0.04,
                         .description = "before the axle"),
    TUTTI_REAL_PARAMETER(struct sensor, lateral, .unit = "m",
                         .description = "left of the middle"),
    TUTTI_REAL_PARAMETER(struct sensor, gain, .unit = "V", .start = 5,
                         .description = "voltage if all light comes back"),
};

static void outputs(void *model, double t)
{
    struct sensor *m = model;
    double ahead = cos(m->theta), aside = sin(m->theta);

    (void)t;
    m->px = m->x + m->forward * ahead - m->lateral * aside;
    m->py = m->y + m->forward * aside + m->lateral * ahead;
    m->value = m->gain * m->reflectance;
}

const struct tutti_model tutti_model = {
    .name = "irsensor",
    .description = "Infrared sensor that looks at the floor",
    .size = sizeof(struct sensor),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 20,
    .step_size = 0.05,
};
