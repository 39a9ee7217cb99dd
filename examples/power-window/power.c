/* SPDX-License-Identifier: MIT */
/*
 * A direct current motor and the switches that give it the battery's voltage,
 * forwards, backwards or not at all:
 *     displacement' = speed
 *     J speed' = K current - b speed - reactionTorque
 *     L current' = U - R current - K speed
 *     U = V if up, -V if down, 0 if neither or both (the motor brakes)
 * The switches take a moment: what they are given counts from the beginning of
 * the next step.
 */
#include <math.h>

#include "tutti_kit.h"

struct power {
    bool up, down;
    double reactionTorque;
    double displacement, speed, armatureCurrent;
    double J, b, K, R, L, V;
    double dDisplacement, dSpeed, dCurrent;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct power, up, TUTTI_BOOLEAN, TUTTI_INPUT,
              .reactivity = TUTTI_DELAYED,
              .description = "true: turn forwards"),
    TUTTI_VAR(struct power, down, TUTTI_BOOLEAN, TUTTI_INPUT,
              .reactivity = TUTTI_DELAYED,
              .description = "true: turn backwards"),
    TUTTI_REAL_INPUT(struct power, reactionTorque, .unit = "N.m",
                     .description = "torque of the load, against the motor"),
    TUTTI_STATE(struct power, displacement, .unit = "rad",
                .description = "angle of the shaft"),
    TUTTI_STATE(struct power, speed, .unit = "rad/s",
                .description = "angular speed of the shaft"),
    TUTTI_STATE(struct power, armatureCurrent, .unit = "A",
                .description = "current through the motor"),
    TUTTI_REAL_PARAMETER(struct power, J, .unit = "kg.m2", .start = 0.085,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "inertia of motor and window"),
    TUTTI_REAL_PARAMETER(struct power, b, .unit = "N.m.s/rad", .start = 5,
                         .max = HUGE_VAL,
                         .description = "friction of the motor"),
    TUTTI_REAL_PARAMETER(struct power, K, .unit = "N.m/A", .start = 7.45,
                         .max = HUGE_VAL,
                         .description = "torque per current, and voltage per "
                                        "speed"),
    TUTTI_REAL_PARAMETER(struct power, R, .unit = "Ohm", .start = 0.15,
                         .max = HUGE_VAL, .description = "resistance"),
    TUTTI_REAL_PARAMETER(struct power, L, .unit = "H", .start = 0.036,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "inductance"),
    TUTTI_REAL_PARAMETER(struct power, V, .unit = "V", .start = 12,
                         .max = HUGE_VAL,
                         .description = "voltage of the battery"),
    TUTTI_REAL_LOCAL(struct power, dDisplacement, .unit = "rad/s",
                     .derivative_of = "displacement", .depends = "speed"),
    TUTTI_REAL_LOCAL(struct power, dSpeed, .unit = "rad/s2",
                     .derivative_of = "speed",
                     .depends = "speed armatureCurrent reactionTorque J b K"),
    TUTTI_REAL_LOCAL(struct power, dCurrent, .unit = "A/s",
                     .derivative_of = "armatureCurrent",
                     .depends = "speed armatureCurrent up down K R L V"),
};

static const struct tutti_unit units[] = {{.name = "A/s", .A = 1, .s = -1}};

/* The states are displacement, speed, armatureCurrent. */
static void linear(void *model, struct tutti_linear *sys)
{
    const struct power *m = model;

    sys->a[0][1] = 1;
    sys->a[1][1] = -m->b / m->J;
    sys->a[1][2] = m->K / m->J;
    sys->b[1][0] = -1 / m->J;
    sys->a[2][1] = -m->K / m->L;
    sys->a[2][2] = -m->R / m->L;
    sys->e[2] = (m->up - m->down) * m->V / m->L;
}

const struct tutti_model tutti_model = {
    .name = "power",
    .description = "Direct current motor with its switches",
    .size = sizeof(struct power),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 6,
    .step_size = 0.01,
};
