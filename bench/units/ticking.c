/* SPDX-License-Identifier: MIT */
/* Asks for an event at the end of every step, in which its output changes. */
#include "tutti_kit.h"

#ifndef TICKS
#define TICKS true
#endif

struct ticking {
    double u, y;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct ticking, u, .variability = TUTTI_DISCRETE),
    TUTTI_REAL_OUTPUT(struct ticking, y, .variability = TUTTI_DISCRETE,
                      .depends = ""),
};

static void step(void *model, struct tutti_step *s)
{
    (void)model;
    s->event = TICKS;
}

static void event(void *model, struct tutti_event *e)
{
    struct ticking *m = model;

    m->y = 0.7 * m->u + e->time;
}

const struct tutti_model tutti_model = {
    .name = "ticking",
    .size = sizeof(struct ticking),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .step = step,
    .event = event,
    .stop_time = 1,
    .step_size = 0.01,
};
