/* SPDX-License-Identifier: MIT */
/* y adds up (c + k u) h, in one go, so that what comes out can be computed
 * elsewhere to the last bit. With `every` it stops at multiples of that:
 * FMI 2 calls it a discarded step. */
#include <math.h>

#include "tutti_kit.h"

struct tally {
    double u, y, z, c, k, every, y0;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct tally, u, .start = 0),
    TUTTI_REAL_OUTPUT(struct tally, y, .depends = ""),
    TUTTI_REAL_OUTPUT(struct tally, z, .depends = ""),
    TUTTI_REAL_PARAMETER(struct tally, c, .start = 0),
    TUTTI_REAL_PARAMETER(struct tally, k, .start = 0),
    TUTTI_REAL_PARAMETER(struct tally, every, .unit = "s"),
    TUTTI_REAL_PARAMETER(struct tally, y0, .start = 0),
};

static void init(void *model, double t)
{
    struct tally *m = model;

    (void)t;
    m->y = m->y0;
    m->z = -m->y;
}

static double next_stop(const struct tally *m, double t)
{
    return m->every * (floor((t + 1e-9) / m->every) + 1);
}

static void step(void *model, struct tutti_step *s)
{
    struct tally *m = model;

    s->reached = s->to;
    if (m->every > 0 && s->to > next_stop(m, s->from) + 1e-9) {
        s->reached = next_stop(m, s->from);
        s->outcome = TUTTI_STEP_EARLY;
    }
    m->y = m->y + (m->c + m->k * m->u) * (s->reached - s->from);
    m->z = -m->y;
}

const struct tutti_model tutti_model = {
    .name = "tally",
    .description = "Adds up what it is given",
    .size = sizeof(struct tally),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .step = step,
    .stop_time = 10,
    .step_size = 0.1,
};
