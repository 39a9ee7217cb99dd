/* SPDX-License-Identifier: MIT */
/* An atom of DEVStone: an event makes it active for `rest`, which is no time,
 * then it puts out how many it has had. With `effort` that takes longer to
 * compute. */
#include <math.h>

#include "tutti_kit.h"

struct atom {
    double n, rest, effort, sum;
    bool active;
    TUTTI_EVENT(double) u, y;
    struct tutti_events events;
};

static const struct tutti_var vars[] = {
    TUTTI_EVENTS(struct atom),
    TUTTI_EVENT_INPUT(struct atom, u, .description = "any"),
    TUTTI_EVENT_OUTPUT(struct atom, y, .description = "how many came in"),
    TUTTI_REAL_PARAMETER(struct atom, rest, .unit = "s"),
    TUTTI_REAL_PARAMETER(struct atom, effort, .start = 0),
};

static double ta(void *model)
{
    const struct atom *m = model;

    return m->active ? m->rest : HUGE_VAL;
}

static void output(void *model)
{
    struct atom *m = model;

    TUTTI_EMIT(m, m->y, m->n);
}

static void internal(void *model)
{
    struct atom *m = model;

    for (double i = 0; i < m->effort; i++)
        m->sum += 1 / (i + 1);
    m->active = false;
}

static enum tutti_after external(void *model, double elapsed)
{
    struct atom *m = model;

    (void)elapsed;
    m->n += 1;
    if (m->active)
        return TUTTI_GOES_ON;
    m->active = true;
    return TUTTI_BEGINS;
}

const struct tutti_model tutti_model = {
    .name = "atom",
    .size = sizeof(struct atom),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .ta = ta,
    .output = output,
    .internal = internal,
    .external = external,
};
