/* SPDX-License-Identifier: MIT */
/*
 * Detects contact, late: `delay` after the gap has closed the output turns
 * true, unless it has opened again by then. When the gap opens it turns false,
 * `release` later.
 */
#include <math.h>

#include "tutti_kit.h"

struct contact {
    double delay, release, next;
    bool above, contact;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct contact, above, TUTTI_BOOLEAN, TUTTI_INPUT, .start = 1,
              .description = "true: the gap is open"),
    TUTTI_VAR(struct contact, contact, TUTTI_BOOLEAN, TUTTI_OUTPUT,
              .exact = true, .description = "true: contact was detected"),
    TUTTI_REAL_PARAMETER(struct contact, delay, .unit = "s", .start = 0.0016,
                         .max = HUGE_VAL,
                         .description = "how late contact is detected"),
    TUTTI_REAL_PARAMETER(struct contact, release, .unit = "s", .max = HUGE_VAL,
                         .description = "how late its end is"),
    TUTTI_REAL_LOCAL(struct contact, next, .unit = "s", .exact = true,
                     .variability = TUTTI_DISCRETE, .max = HUGE_VAL,
                     .description = "when the output changes next"),
};

static void init(void *model, double t)
{
    struct contact *m = model;

    (void)t;
    m->next = HUGE_VAL;
}

/* A change is due where the input calls for another output; it is planned
 * once, and dropped when they agree again. */
static void event(void *model, struct tutti_event *e)
{
    struct contact *m = model;

    if (m->contact != m->above)
        m->next = HUGE_VAL;
    else if (!(m->next < HUGE_VAL))
        m->next = e->time + (m->contact ? m->release : m->delay);
    if (e->time >= m->next) {
        m->contact = !m->contact;
        m->next = HUGE_VAL;
    }
    e->next_known = m->next < HUGE_VAL;
    e->next = m->next;
}

/* Without event mode it acts at the end of steps. */
static void after_step(void *model, struct tutti_step *s)
{
    const struct contact *m = model;

    s->event = m->contact == m->above;
}

const struct tutti_model tutti_model = {
    .name = "contact",
    .description = "Detects contact, late",
    .size = sizeof(struct contact),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .after_step = after_step,
    .event = event,
    .stop_time = 8,
    .step_size = 0.001,
};
