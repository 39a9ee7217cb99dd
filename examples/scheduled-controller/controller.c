/* SPDX-License-Identifier: MIT */
/* A controller as it runs on a small computer: three tasks, each a partition
 * with a clock. */
#include <math.h>

#include "tutti_kit.h"

struct controller {
    struct tutti_clock speed, position, settled, arrived;
    double w, phi, target; /* in */
    double u, demand;      /* out */
    bool waiting;          /* near the target: settled is on its way */
    double gain_w, gain_phi, band, dwell;
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct controller, speed, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 0.01, .priority = 0,
                      .description = "from speed and demand to voltage"),
    TUTTI_INPUT_CLOCK(struct controller, position,
                      .ticks = TUTTI_TICKS_PERIODIC, .interval = 0.05,
                      .priority = 1,
                      .description = "from angle and target to demand"),
    TUTTI_INPUT_CLOCK(struct controller, settled,
                      .ticks = TUTTI_TICKS_COUNTDOWN, .priority = 2,
                      .clocks = "position",
                      .description = "it was near the target for a while"),
    TUTTI_OUTPUT_CLOCK(struct controller, arrived, .clocks = "settled"),
    TUTTI_REAL_INPUT(struct controller, w, .unit = "rad/s",
                     .variability = TUTTI_DISCRETE, .clocks = "speed"),
    TUTTI_REAL_INPUT(struct controller, phi, .unit = "rad",
                     .variability = TUTTI_DISCRETE, .clocks = "position"),
    TUTTI_REAL_INPUT(struct controller, target, .unit = "rad",
                     .variability = TUTTI_DISCRETE, .clocks = "position"),
    TUTTI_REAL_OUTPUT(struct controller, u, .unit = "V",
                      .variability = TUTTI_DISCRETE, .clocks = "speed",
                      .depends = "w"),
    TUTTI_REAL_OUTPUT(struct controller, demand, .unit = "rad/s",
                      .variability = TUTTI_DISCRETE, .clocks = "position",
                      .depends = "phi target"),
    TUTTI_REAL_PARAMETER(struct controller, gain_w, .start = 2,
                         .description = "voltage per speed, V s/rad"),
    TUTTI_REAL_PARAMETER(struct controller, gain_phi, .start = 4,
                         .unit = "1/s"),
    TUTTI_REAL_PARAMETER(struct controller, band, .start = 0.02, .unit = "rad"),
    TUTTI_REAL_PARAMETER(struct controller, dwell, .start = 0.12, .unit = "s"),
};

static void find_demand(struct controller *m)
{
    double rest = m->target - m->phi;

    m->demand = m->gain_phi * rest;
    if (fabs(rest) < m->band && !m->waiting)
        tutti_countdown(m, &m->settled, m->dwell);
    m->waiting = fabs(rest) < m->band;
}

static void partition(void *model, const struct tutti_clock *clock, double t)
{
    struct controller *m = model;

    (void)t;
    if (clock == &m->speed)
        m->u = m->gain_w * (m->demand - m->w);
    else if (clock == &m->position)
        find_demand(m);
    else if (m->waiting)
        tutti_tick(m, &m->arrived);
}

const struct tutti_model tutti_model = {
    .name = "controller",
    .description = "Angle and speed of a motor, in tasks of their own rates",
    .size = sizeof(struct controller),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .partition = partition,
};
