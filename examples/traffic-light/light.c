/* SPDX-License-Identifier: MIT */
/*
 * A traffic light: red for a time, green for a time, and so on. It changes at
 * events only, and states beforehand when the next one is.
 */
#include <math.h>

#include "tutti_kit.h"

struct light {
    double red, green, next;
    bool go;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_PARAMETER(struct light, red, .unit = "s", .start = 30,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "how long it is red"),
    TUTTI_REAL_PARAMETER(struct light, green, .unit = "s", .start = 20,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "how long it is green"),
    TUTTI_VAR(struct light, go, TUTTI_BOOLEAN, TUTTI_OUTPUT, .exact = true,
              .description = "true: it is green"),
    TUTTI_REAL_LOCAL(struct light, next, .unit = "s", .exact = true,
                     .variability = TUTTI_DISCRETE,
                     .description = "when it changes next"),
};

static void init(void *model, double t)
{
    struct light *m = model;

    m->next = t + m->red;
}

/* Without event mode it changes at the end of the step, late. */
static void event(void *model, struct tutti_event *e)
{
    struct light *m = model;

    if (e->time >= m->next) {
        m->go = !m->go;
        m->next += m->go ? m->green : m->red;
    }
    e->next_known = true;
    e->next = m->next;
}

const struct tutti_model tutti_model = {
    .name = "light",
    .description = "Traffic light",
    .size = sizeof(struct light),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .event = event,
    .stop_time = 120,
    .step_size = 7,
};
