/* SPDX-License-Identifier: MIT */
/*
 * A robot with two driven wheels on one axle. Each motor brings its wheel to
 * the speed it is given with a time constant of its own,
 *     motor * v' = command - v
 * and the wheels roll without slipping, so that the middle of the axle moves as
 *     x' = (vLeft + vRight)/2 cos(theta)
 *     y' = (vLeft + vRight)/2 sin(theta)
 *     theta' = (vRight - vLeft)/axle
 */
#include <math.h>

#include "tutti_kit.h"

struct body {
    double leftWheel, rightWheel;
    double x, y, theta, vLeft, vRight;
    double axle, motor;
    double dx, dy, dTheta, dvLeft, dvRight;
    int32_t microsteps;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct body, leftWheel, .unit = "m/s",
                     .description = "speed the left wheel should have"),
    TUTTI_REAL_INPUT(struct body, rightWheel, .unit = "m/s",
                     .description = "speed the right wheel should have"),
    TUTTI_STATE(struct body, x, .unit = "m",
                .description = "middle of the axle"),
    TUTTI_STATE(struct body, y, .unit = "m", .start = -0.125,
                .description = "middle of the axle"),
    TUTTI_STATE(struct body, theta, .unit = "rad", .start = 0.2,
                .description = "heading, from the x axis to the left"),
    TUTTI_STATE(struct body, vLeft, .unit = "m/s",
                .description = "speed of the left wheel"),
    TUTTI_STATE(struct body, vRight, .unit = "m/s",
                .description = "speed of the right wheel"),
    TUTTI_REAL_PARAMETER(struct body, axle, .unit = "m", .start = 0.12,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "from wheel to wheel"),
    TUTTI_REAL_PARAMETER(struct body, motor, .unit = "s", .start = 0.1,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "time constant of a motor"),
    TUTTI_INTEGER_PARAMETER(struct body, microsteps, .start = 10, .min = 1,
                            .max = INT32_MAX,
                            .description = "of Runge and Kutta's method per "
                                           "macro step"),
    TUTTI_REAL_LOCAL(struct body, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "theta vLeft vRight"),
    TUTTI_REAL_LOCAL(struct body, dy, .unit = "m/s", .derivative_of = "y",
                     .depends = "theta vLeft vRight"),
    TUTTI_REAL_LOCAL(struct body, dTheta, .unit = "rad/s",
                     .derivative_of = "theta", .depends = "vLeft vRight axle"),
    TUTTI_REAL_LOCAL(struct body, dvLeft, .unit = "m/s2",
                     .derivative_of = "vLeft",
                     .depends = "leftWheel vLeft motor"),
    TUTTI_REAL_LOCAL(struct body, dvRight, .unit = "m/s2",
                     .derivative_of = "vRight",
                     .depends = "rightWheel vRight motor"),
};

/* The states are x, y, theta, vLeft, vRight. */
static void derivatives(void *model, double t, double *dx)
{
    const struct body *m = model;
    double v = (m->vLeft + m->vRight) / 2;

    (void)t;
    dx[0] = v * cos(m->theta);
    dx[1] = v * sin(m->theta);
    dx[2] = (m->vRight - m->vLeft) / m->axle;
    dx[3] = (m->leftWheel - m->vLeft) / m->motor;
    dx[4] = (m->rightWheel - m->vRight) / m->motor;
}

const struct tutti_model tutti_model = {
    .name = "robotbody",
    .description = "Robot with two driven wheels on one axle",
    .size = sizeof(struct body),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .method = TUTTI_RK4,
    .microsteps_from = "microsteps",
    .stop_time = 20,
    .step_size = 0.05,
};
