/* SPDX-License-Identifier: MIT */
/*
 * x' = -x with a time event at t = 0.25, and one lie, chosen by `what`:
 *     1  the derivative is no number after 0.5
 *     2  from 0.25 on events always ask for one more
 *     3  from 0.25 on the indicator is positive right after every event
 *     4  from 0.25 on the next event is in the past
 *     5  the simulation is over at 0.25
 *     6  from 0.25 on there is one more state (FMI 3, which has a function to
 *        state it)
 */
#include <math.h>

#include "tutti_kit.h"

struct liar {
    double x, dx, z, last;
    int32_t what, n;
    bool armed;
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct liar, x, .start = 1),
    TUTTI_REAL_LOCAL(struct liar, dx, .derivative_of = "x", .depends = "x"),
    TUTTI_REAL_LOCAL(struct liar, z, .indicator = true),
    TUTTI_INTEGER_PARAMETER(struct liar, what, .start = 0),
    TUTTI_VAR(struct liar, n, TUTTI_INT32, TUTTI_OUTPUT, .exact = true,
              .description = "events so far"),
};

#ifdef LIAR_COUNTS
static int more; /* states than there are */

#undef fmi3GetNumberOfContinuousStates
#include "tutti_kit_fmi3.h"

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n)
{
    *n = (instance ? 1u : 0u) + (unsigned)more;
    return fmi3OK;
}
#endif

static void derivatives(void *model, double t, double *dx)
{
    const struct liar *m = model;

    dx[0] = m->what == 1 && t > 0.5 ? (double)NAN : -m->x;
}

static void outputs(void *model, double t)
{
    struct liar *m = model;

    m->z = m->what == 3 && m->armed ? t - m->last : 1;
}

static void event(void *model, struct tutti_event *e)
{
    struct liar *m = model;

    m->n += e->time > 0;
    m->armed = e->time >= 0.25;
    m->last = e->time;
#ifdef LIAR_COUNTS
    more = m->what == 6 && m->armed;
#endif
    e->again = m->what == 2 && m->armed;
    e->terminate = m->what == 5 && m->armed;
    e->next_known = !m->armed || m->what == 4;
    e->next = m->armed ? 0.1 : 0.25;
}

const struct tutti_model tutti_model = {
    .name = "liar",
    .size = sizeof(struct liar),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .outputs = outputs,
    .event = event,
    .stop_time = 1,
    .step_size = 0.1,
};
