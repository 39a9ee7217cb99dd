/* SPDX-License-Identifier: MIT */
/*
 * Turns to where it is darker, in proportion to the difference:
 *     turn = gain (rightSensor - leftSensor)
 *     leftWheel = speed - turn,  rightWheel = speed + turn
 * No state; the wheels follow the sensors at the same instant.
 */
#include "tutti_kit.h"

struct follower {
    double leftSensor, rightSensor, leftWheel, rightWheel;
    double speed, gain;
};

static const struct tutti_unit units[] = {
    {.name = "m/(s.V)", .kg = -1, .m = -1, .s = 2, .A = 1},
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct follower, leftSensor, .unit = "V",
                     .description = "what the left sensor reads"),
    TUTTI_REAL_INPUT(struct follower, rightSensor, .unit = "V",
                     .description = "what the right sensor reads"),
    TUTTI_REAL_OUTPUT(struct follower, leftWheel, .unit = "m/s",
                      .depends = "leftSensor rightSensor speed gain",
                      .description = "speed the left wheel should have"),
    TUTTI_REAL_OUTPUT(struct follower, rightWheel, .unit = "m/s",
                      .depends = "leftSensor rightSensor speed gain",
                      .description = "speed the right wheel should have"),
    TUTTI_REAL_PARAMETER(struct follower, speed, .unit = "m/s", .start = 0.2,
                         .description = "of both wheels if both sensors read "
                                        "the same"),
    TUTTI_REAL_PARAMETER(struct follower, gain, .unit = "m/(s.V)",
                         .start = 0.03,
                         .description = "speed of a wheel per difference"),
};

static void outputs(void *model, double t)
{
    struct follower *m = model;
    double turn = m->gain * (m->rightSensor - m->leftSensor);

    (void)t;
    m->leftWheel = m->speed - turn;
    m->rightWheel = m->speed + turn;
}

const struct tutti_model tutti_model = {
    .name = "follower",
    .description = "Turns to where it is darker",
    .size = sizeof(struct follower),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 20,
    .step_size = 0.05,
};
