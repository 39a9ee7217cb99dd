/* SPDX-License-Identifier: MIT */
/*
 * The software of a power window: a state machine. The window follows the
 * buttons, the driver's before the passenger's and down before up, and stops
 * where it is open or closed. A motor that draws more than `threshold` on the
 * way up has met something: the window retreats for the time `retreat`, and
 * nothing moves again before the buttons were let go.
 *
 * The motor is switched at the instant of the decision. What was decided at
 * the beginning of a step is remembered at its end; the inputs are declared
 * delayed, so that a guessed current can never switch the motor.
 */
#include <math.h>

#include "tutti_kit.h"

enum mode { IDLE = 1, UP, DOWN, RETREAT, WAIT };

struct controller {
    bool driverUp, driverDown, passengerUp, passengerDown, closed, open;
    double armatureCurrent;
    bool up, down;
    int32_t mode;
    double since; /* when the retreat began */
    double left;
    double threshold, retreat;
};

static const char *const mode_names[] = {"idle",    "up",   "down",
                                         "retreat", "wait", NULL};

#define SIGNAL(signal, text)                                                   \
    TUTTI_VAR(struct controller, signal, TUTTI_BOOLEAN, TUTTI_INPUT,           \
              .reactivity = TUTTI_DELAYED, .description = (text))
#define DECIDED                                                                \
    .depends = "driverUp driverDown passengerUp passengerDown closed open "    \
               "armatureCurrent mode since time threshold retreat"

static const struct tutti_var vars[] = {
    SIGNAL(driverUp, "true while the driver's up button is pressed"),
    SIGNAL(driverDown, "true while the driver's down button is pressed"),
    SIGNAL(passengerUp, "true while the passenger's up button is pressed"),
    SIGNAL(passengerDown, "true while the passenger's down button is pressed"),
    SIGNAL(closed, "true: the window is closed"),
    SIGNAL(open, "true: the window is open"),
    TUTTI_REAL_INPUT(struct controller, armatureCurrent, .unit = "A",
                     .reactivity = TUTTI_DELAYED,
                     .description = "measured current of the motor"),
    TUTTI_VAR(struct controller, up, TUTTI_BOOLEAN, TUTTI_OUTPUT, DECIDED,
              .description = "true: raise the window"),
    TUTTI_VAR(struct controller, down, TUTTI_BOOLEAN, TUTTI_OUTPUT, DECIDED,
              .description = "true: lower the window"),
    TUTTI_VAR(struct controller, mode, TUTTI_ENUM, TUTTI_LOCAL, .exact = true,
              .type_name = "Mode", .start = IDLE, .items = mode_names,
              .description = "the decision before this one"),
    TUTTI_REAL_LOCAL(struct controller, since, .unit = "s", .exact = true,
                     .variability = TUTTI_DISCRETE,
                     .description = "when the last retreat began"),
    TUTTI_REAL_LOCAL(struct controller, left, .unit = "s", DECIDED,
                     .description = "of the retreat; all of it when there is "
                                    "none"),
    TUTTI_REAL_PARAMETER(struct controller, threshold, .unit = "A", .start = 5,
                         .max = HUGE_VAL,
                         .description = "more current than this is an "
                                        "obstacle"),
    TUTTI_REAL_PARAMETER(struct controller, retreat, .unit = "s", .start = 1,
                         .max = HUGE_VAL,
                         .description = "how long the window retreats"),
};

static enum mode wanted_by(bool up, bool down)
{
    return down ? DOWN : up ? UP : IDLE;
}

static enum mode wanted(const struct controller *m)
{
    if (m->driverUp || m->driverDown)
        return wanted_by(m->driverUp, m->driverDown);
    return wanted_by(m->passengerUp, m->passengerDown);
}

static enum mode follow(const struct controller *m, enum mode wish)
{
    if (m->mode == UP && wish == UP && fabs(m->armatureCurrent) > m->threshold)
        return RETREAT;
    if ((wish == UP && m->closed) || (wish == DOWN && m->open))
        return IDLE;
    return wish;
}

static enum mode decide(const struct controller *m, double t)
{
    enum mode wish = wanted(m);

    if (m->mode == RETREAT && t < m->since + m->retreat && !m->open)
        return RETREAT;
    if (m->mode == RETREAT || m->mode == WAIT)
        return wish == IDLE ? IDLE : WAIT;
    return follow(m, wish);
}

static void outputs(void *model, double t)
{
    struct controller *m = model;
    enum mode mode = decide(m, t);

    m->up = mode == UP;
    m->down = mode == DOWN || mode == RETREAT;
    m->left = m->retreat;
    if (mode == RETREAT && m->mode == RETREAT)
        m->left -= t - m->since;
}

static void step(void *model, struct tutti_step *s)
{
    struct controller *m = model;
    enum mode mode = decide(m, s->from);

    if (mode == RETREAT && m->mode != RETREAT)
        m->since = s->from;
    m->mode = mode;
}

const struct tutti_model tutti_model = {
    .name = "windowcontroller",
    .description = "Controller of a power window that retreats from obstacles",
    .size = sizeof(struct controller),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .step = step,
    .stop_time = 6,
    .step_size = 0.01,
};
