/* SPDX-License-Identifier: MIT */
/*
 * A unit that does on command what a hook can do. x' = 1, so x shows how far it
 * came; it takes ten micro-steps, and commands act at or after time `when`.
 */
#include <math.h>
#include "tutti_kit.h"

enum command {
    NOTHING,
    REJECT,
    STOP_EARLY,
    TERMINATE,
    FAIL,
    FAIL_FATALLY,
    LOG,
    EVENT,
    FAIL_IN_OUTPUTS,
};

struct hooks {
    int32_t command;
    double when, x, y, limit, period;
    int32_t events;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct hooks, command, TUTTI_INT32, TUTTI_INPUT, .start = 0),
    TUTTI_REAL_INPUT(struct hooks, when, .unit = "s",
                     .variability = TUTTI_DISCRETE),
    TUTTI_STATE(struct hooks, x, .start = 0),
    TUTTI_REAL_OUTPUT(struct hooks, y, .depends = "x"),
    TUTTI_REAL_PARAMETER(struct hooks, limit, .unit = "s", .start = 1e9),
    TUTTI_REAL_PARAMETER(struct hooks, period, .unit = "s", .start = 0,
                         .description = "of time events, if not 0"),
    TUTTI_VAR(struct hooks, events, TUTTI_INT32, TUTTI_OUTPUT, .exact = true),
};

static void derivatives(void *model, double t, double *dx)
{
    (void)model;
    (void)t;
    dx[0] = 1;
}

static void outputs(void *model, double t)
{
    struct hooks *m = model;

    (void)t;
    m->y = 2 * m->x;
    if (m->command == FAIL_IN_OUTPUTS)
        tutti_fail(m, "no output for #%d", 7);
}

static void after_step(void *model, struct tutti_step *s)
{
    struct hooks *m = model;

    if (s->reached < m->when)
        return;
    if (m->command == REJECT)
        s->outcome = TUTTI_STEP_REJECT;
    if (m->command == STOP_EARLY)
        s->outcome = TUTTI_STEP_EARLY;
    if (m->command == TERMINATE)
        s->outcome = TUTTI_STEP_TERMINATE;
    if (m->command == FAIL)
        tutti_fail(m, "asked to fail");
    if (m->command == FAIL_FATALLY)
        tutti_fatal(m, "asked to die");
    if (m->command == LOG)
        tutti_log(m, "100%% of %s", tutti_resources(m));
    if (m->command == EVENT) {
        s->event = true;
        m->command = NOTHING;
    }
}

static void event(void *model, struct tutti_event *e)
{
    struct hooks *m = model;

    m->events++;
    e->next_known = m->period > 0;
    e->next = e->time + m->period;
}

static double max_step(void *model, double t)
{
    const struct hooks *m = model;

    (void)t;
    return m->limit;
}

const struct tutti_model tutti_model = {
    .name = "hooks",
    .size = sizeof(struct hooks),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .outputs = outputs,
    .after_step = after_step,
    .event = event,
    .max_step = max_step,
    .microsteps = 10,
};
