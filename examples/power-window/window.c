/* SPDX-License-Identifier: MIT */
/*
 * The mechanism between motor and glass: a drum of radius r winds the cable
 * that lifts the glass. It has no state; what comes in goes out at once:
 *     height = r displacement                        (published in cm)
 *     reactionTorque = r (reactionForce + friction r speed)
 * Two switches show that the glass is at an end of its travel. The height does
 * not depend on the force, nor the torque on the displacement: that is what
 * keeps the circle with an obstacle open at one instant.
 */
#include <math.h>

#include "tutti_kit.h"

struct window {
    double displacement, speed, reactionForce;
    double height, reactionTorque;
    bool closed, open;
    double r, friction, travel;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct window, displacement, .unit = "rad",
                     .description = "angle of the drum"),
    TUTTI_REAL_INPUT(struct window, speed, .unit = "rad/s",
                     .description = "angular speed of the drum"),
    TUTTI_REAL_INPUT(struct window, reactionForce, .unit = "N",
                     .description = "force on the upper edge of the glass"),
    TUTTI_REAL_OUTPUT(struct window, height, .unit = "cm",
                      .depends = "displacement r",
                      .description = "height of the upper edge"),
    TUTTI_REAL_OUTPUT(struct window, reactionTorque, .unit = "N.m",
                      .depends = "speed reactionForce r friction",
                      .description = "torque of the load, against the motor"),
    TUTTI_VAR(struct window, closed, TUTTI_BOOLEAN, TUTTI_OUTPUT,
              .depends = "displacement r travel",
              .description = "true: the glass is at the top"),
    TUTTI_VAR(struct window, open, TUTTI_BOOLEAN, TUTTI_OUTPUT,
              .depends = "displacement",
              .description = "true: the glass is at the bottom"),
    TUTTI_REAL_PARAMETER(struct window, r, .unit = "m", .start = 0.11,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "radius of the drum"),
    TUTTI_REAL_PARAMETER(struct window, friction, .unit = "N.s/m", .start = 10,
                         .max = HUGE_VAL,
                         .description = "of the glass in its guides"),
    TUTTI_REAL_PARAMETER(struct window, travel, .unit = "m", .start = 0.6,
                         .max = HUGE_VAL,
                         .description = "height of the closed window"),
};

static void outputs(void *model, double t)
{
    struct window *m = model;
    double height = m->r * m->displacement;

    (void)t;
    m->height = 100 * height;
    m->reactionTorque =
        m->r * (m->reactionForce + m->friction * m->r * m->speed);
    m->closed = height >= m->travel;
    m->open = height <= 0;
}

const struct tutti_model tutti_model = {
    .name = "window",
    .description = "Lift mechanism and glass of a power window",
    .size = sizeof(struct window),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 6,
    .step_size = 0.01,
};
