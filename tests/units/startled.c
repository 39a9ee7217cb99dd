/* SPDX-License-Identifier: MIT */
/* Has an event at t=0.5 where `ask` is set, in which its output leaps, and
 * crashes in the first event it takes part in where `crash` is. */
#include <signal.h>

#include "tutti_kit.h"

struct startled {
    double u, y;
    bool ask, crash;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct startled, ask, TUTTI_BOOLEAN, TUTTI_PARAMETER, .start = 0),
    TUTTI_VAR(struct startled, crash, TUTTI_BOOLEAN, TUTTI_PARAMETER,
              .start = 0),
    TUTTI_REAL_INPUT(struct startled, u, .variability = TUTTI_DISCRETE),
    TUTTI_REAL_OUTPUT(struct startled, y, .variability = TUTTI_DISCRETE,
                      .depends = ""),
};

static void step(void *model, struct tutti_step *s)
{
    const struct startled *m = model;

    s->event = m->ask && s->to > 0.49;
}

static void event(void *model, struct tutti_event *e)
{
    struct startled *m = model;

    if (m->crash && e->time > 0)
        (void)raise(SIGSEGV);
    m->y = e->time;
}

const struct tutti_model tutti_model = {
    .name = "startled",
    .size = sizeof(struct startled),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .step = step,
    .event = event,
    .stop_time = 1,
    .step_size = 0.1,
};
