/* SPDX-License-Identifier: MIT */
/*
 * The people in the car. Each has a button to raise the window and one to lower
 * it; a button is down from one time until another. Letting go means stop.
 */
#include <math.h>

#include "tutti_kit.h"

struct environment {
    bool driverUp, driverDown, passengerUp, passengerDown;
    double driverUpFrom, driverUpUntil, driverDownFrom, driverDownUntil;
    double passengerUpFrom, passengerUpUntil;
    double passengerDownFrom, passengerDownUntil;
};

#define BUTTON(button, what)                                                   \
    TUTTI_VAR(struct environment, button, TUTTI_BOOLEAN, TUTTI_OUTPUT,         \
              .depends = "time " #button "From " #button "Until",              \
              .description = "true while the " what " button is pressed")
/* Pressed from the time `at` on, until the time `off`. */
#define PRESSED(button, at, off, what)                                         \
    TUTTI_REAL_PARAMETER(struct environment, button##From, .unit = "s",        \
                         .start = (at), .min = 0, .max = HUGE_VAL,             \
                         .description = "the " what " button is pressed"),     \
        TUTTI_REAL_PARAMETER(struct environment, button##Until, .unit = "s",   \
                             .start = (off), .min = 0, .max = HUGE_VAL,        \
                             .description = "the " what " button is let go")

static const struct tutti_var vars[] = {
    BUTTON(driverUp, "driver's up"),
    BUTTON(driverDown, "driver's down"),
    BUTTON(passengerUp, "passenger's up"),
    BUTTON(passengerDown, "passenger's down"),
    PRESSED(driverUp, 0, 4, "driver's up"),
    PRESSED(driverDown, 4.5, 5.5, "driver's down"),
    PRESSED(passengerUp, 0, 0, "passenger's up"),
    PRESSED(passengerDown, 0, 0, "passenger's down"),
};

static void outputs(void *model, double t)
{
    struct environment *m = model;

    m->driverUp = m->driverUpFrom <= t && t < m->driverUpUntil;
    m->driverDown = m->driverDownFrom <= t && t < m->driverDownUntil;
    m->passengerUp = m->passengerUpFrom <= t && t < m->passengerUpUntil;
    m->passengerDown = m->passengerDownFrom <= t && t < m->passengerDownUntil;
}

const struct tutti_model tutti_model = {
    .name = "environment",
    .description = "Driver and passenger with their window buttons",
    .size = sizeof(struct environment),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 6,
    .step_size = 0.01,
};
