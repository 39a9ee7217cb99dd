/* SPDX-License-Identifier: MIT */
/*
 * A thermostat with hysteresis: a state machine with the states on and off. It
 * goes off when the room is too hot (T >= Tmax) and on when it is too cold
 * (T <= Tmin). The radiator follows the temperature at the same instant; what
 * was decided at the beginning of a step is remembered at its end.
 */
#include <math.h>

#include "tutti_kit.h"

struct thermostat {
    double T, Tmin, Tmax;
    bool on, heating;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct thermostat, T, .unit = "degC", .start = 20,
                     .description = "measured temperature"),
    TUTTI_VAR(struct thermostat, on, TUTTI_BOOLEAN, TUTTI_OUTPUT,
              .depends = "T heating Tmin Tmax",
              .description = "true: turn the radiator on"),
    TUTTI_VAR(struct thermostat, heating, TUTTI_BOOLEAN, TUTTI_LOCAL,
              .exact = true, .description = "the decision before this one"),
    TUTTI_REAL_PARAMETER(struct thermostat, Tmin, .unit = "degC", .start = 19,
                         .min = -273.15, .max = HUGE_VAL,
                         .description = "too cold from here down"),
    TUTTI_REAL_PARAMETER(struct thermostat, Tmax, .unit = "degC", .start = 21,
                         .min = -273.15, .max = HUGE_VAL,
                         .description = "too hot from here up"),
};

static void init(void *model, double t)
{
    const struct thermostat *m = model;

    (void)t;
    if (!(m->Tmin < m->Tmax))
        tutti_fail(model, "Tmin must be less than Tmax");
}

static void outputs(void *model, double t)
{
    struct thermostat *m = model;

    (void)t;
    m->on = m->T <= m->Tmin || (m->heating && m->T < m->Tmax);
}

/* Looks at the temperature as it is when the step begins, so that a predicted
 * one can never switch the radiator. */
static void step(void *model, struct tutti_step *s)
{
    struct thermostat *m = model;

    outputs(m, s->from);
    m->heating = m->on;
}

const struct tutti_model tutti_model = {
    .name = "thermostat",
    .description = "Thermostat with hysteresis",
    .size = sizeof(struct thermostat),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .outputs = outputs,
    .step = step,
    .stop_time = 1800,
    .step_size = 1,
};
