/* SPDX-License-Identifier: MIT */
/* A unit that computes for a while: `work` turns of a logistic map in each
 * step, whose last value is its output. What it does is in its results, so
 * nobody can leave it out. */
#include "tutti_kit.h"

struct busy {
    double u, y;
    double x; /* of the map, kept from step to step */
    int32_t work;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct busy, u, .start = 0),
    TUTTI_REAL_OUTPUT(struct busy, y, .start = 0),
    TUTTI_REAL_LOCAL(struct busy, x, .start = 0.3),
    TUTTI_INTEGER_PARAMETER(struct busy, work, .start = 1000),
};

static void after_step(void *model, struct tutti_step *s)
{
    struct busy *m = model;
    double x = m->x + 1e-3 * (m->u - m->x);

    (void)s;
    for (int32_t i = 0; i < m->work; i++)
        x = 3.9 * x * (1 - x);
    m->x = x;
    m->y = x;
}

const struct tutti_model tutti_model = {
    .name = "busy",
    .size = sizeof(struct busy),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .after_step = after_step,
    .stop_time = 1,
    .step_size = 0.01,
};
