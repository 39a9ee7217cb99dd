/* SPDX-License-Identifier: MIT */
/*
 * A room with a radiator. Its temperature tends to that of the radiator while
 * it is on, to that outside while it is off:
 *     T' = -alpha (T - Ton)   if on,   T' = -alpha (T - Toff)   if off
 */
#include <math.h>

#include "tutti_kit.h"

struct room {
    bool on;
    double T, alpha, Ton, Toff, dT;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct room, on, TUTTI_BOOLEAN, TUTTI_INPUT,
              .description = "true: the radiator is on"),
    TUTTI_STATE(struct room, T, .unit = "degC", .start = 15, .min = -273.15,
                .max = HUGE_VAL, .nominal = 20,
                .description = "temperature of the room"),
    TUTTI_REAL_PARAMETER(struct room, alpha, .unit = "1/s", .start = 0.001,
                         .max = HUGE_VAL,
                         .description = "how fast the room follows"),
    TUTTI_REAL_PARAMETER(struct room, Ton, .unit = "degC", .start = 30,
                         .min = -273.15, .max = HUGE_VAL,
                         .description = "where it tends to, radiator on"),
    TUTTI_REAL_PARAMETER(struct room, Toff, .unit = "degC", .min = -273.15,
                         .max = HUGE_VAL,
                         .description = "where it tends to, radiator off"),
    TUTTI_REAL_LOCAL(struct room, dT, .unit = "K/s", .derivative_of = "T",
                     .depends = "T on alpha Ton Toff"),
};

static const struct tutti_unit units[] = {{.name = "K/s", .K = 1, .s = -1}};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct room *m = model;

    sys->a[0][0] = -m->alpha;
    sys->e[0] = m->alpha * (m->on ? m->Ton : m->Toff);
}

const struct tutti_model tutti_model = {
    .name = "room",
    .description = "Room with a radiator",
    .size = sizeof(struct room),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .stop_time = 1800,
    .step_size = 1,
};
