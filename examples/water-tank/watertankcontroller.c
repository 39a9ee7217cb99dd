/* SPDX-License-Identifier: MIT */
/*
 * A two-point controller with hysteresis. It opens the valve at maxLevel,
 * closes it at minLevel, and leaves it as it is in between. The valve follows
 * the level at the same instant; what was decided at the beginning of a step
 * is remembered at its end.
 */
#include <math.h>

#include "tutti_kit.h"

struct controller {
    double level, minLevel, maxLevel;
    bool valve, open;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct controller, level, .unit = "m", .start = 2,
                     .description = "measured level"),
    TUTTI_VAR(struct controller, valve, TUTTI_BOOLEAN, TUTTI_OUTPUT,
              .depends = "level open minLevel maxLevel",
              .description = "true: open the valve"),
    TUTTI_VAR(struct controller, open, TUTTI_BOOLEAN, TUTTI_LOCAL,
              .exact = true, .description = "the decision before this one"),
    TUTTI_REAL_PARAMETER(struct controller, minLevel, .unit = "m", .start = 2,
                         .max = HUGE_VAL,
                         .description = "the valve closes here"),
    TUTTI_REAL_PARAMETER(struct controller, maxLevel, .unit = "m", .start = 8,
                         .max = HUGE_VAL,
                         .description = "the valve opens here"),
};

static void init(void *model, double t)
{
    const struct controller *m = model;

    (void)t;
    if (!(m->minLevel < m->maxLevel))
        tutti_fail(model, "minLevel must be less than maxLevel");
}

static void outputs(void *model, double t)
{
    struct controller *m = model;

    (void)t;
    m->valve = m->level >= m->maxLevel || (m->open && m->level > m->minLevel);
}

/* Looks at the level as it is when the step begins, so that a predicted level
 * can never switch the valve. */
static void step(void *model, struct tutti_step *s)
{
    struct controller *m = model;

    outputs(m, s->from);
    m->open = m->valve;
}

const struct tutti_model tutti_model = {
    .name = "watertankcontroller",
    .description = "Two-point level controller with hysteresis",
    .size = sizeof(struct controller),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .outputs = outputs,
    .step = step,
    .stop_time = 100,
    .step_size = 0.1,
};
