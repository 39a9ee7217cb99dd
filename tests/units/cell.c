/* SPDX-License-Identifier: MIT */
/*
 * Something to be integrated together with others of its kind:
 *     x' = k (u - x) + (on ? push : 0),  y = a x + b u
 * `high` becomes true where x reaches the level, `relay` follows `on`, both at
 * events; tHigh and tOn are when they did.
 */
#include "tutti_kit.h"

struct cell {
    double u, x, y, k, a, b, push, level, dx, gap, tHigh, tOn;
    bool on, high, relay;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct cell, u, .start = 0),
    TUTTI_VAR(struct cell, on, TUTTI_BOOLEAN, TUTTI_INPUT, .start = 0),
    TUTTI_STATE(struct cell, x, .start = 0),
    TUTTI_REAL_OUTPUT(struct cell, y, .depends = "x u a b"),
    TUTTI_VAR(struct cell, high, TUTTI_BOOLEAN, TUTTI_OUTPUT, .exact = true),
    TUTTI_VAR(struct cell, relay, TUTTI_BOOLEAN, TUTTI_OUTPUT, .exact = true),
    TUTTI_REAL_OUTPUT(struct cell, tHigh, .exact = true, .start = -1,
                      .variability = TUTTI_DISCRETE),
    TUTTI_REAL_OUTPUT(struct cell, tOn, .exact = true, .start = -1,
                      .variability = TUTTI_DISCRETE),
    TUTTI_REAL_PARAMETER(struct cell, k, .start = 1),
    TUTTI_REAL_PARAMETER(struct cell, a, .start = 1),
    TUTTI_REAL_PARAMETER(struct cell, b, .start = 0),
    TUTTI_REAL_PARAMETER(struct cell, push, .start = 1),
    TUTTI_REAL_PARAMETER(struct cell, level, .start = 1e9),
    TUTTI_REAL_LOCAL(struct cell, dx, .derivative_of = "x",
                     .depends = "x u on k push"),
    TUTTI_REAL_LOCAL(struct cell, gap, .indicator = true, .depends = "x level"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct cell *m = model;

    (void)t;
    dx[0] = m->k * (m->u - m->x) + (m->relay ? m->push : 0);
}

static void outputs(void *model, double t)
{
    struct cell *m = model;

    (void)t;
    m->y = m->a * m->x + m->b * m->u;
    m->gap = m->level - m->x;
}

static void event(void *model, struct tutti_event *e)
{
    struct cell *m = model;

    if (!m->high && m->x >= m->level) {
        m->high = true;
        m->tHigh = e->time;
    }
    if (m->relay != m->on) {
        m->relay = m->on;
        m->tOn = e->time;
    }
}

const struct tutti_model tutti_model = {
    .name = "cell",
    .size = sizeof(struct cell),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .outputs = outputs,
    .event = event,
    .method = TUTTI_RK4,
    .stop_time = 2,
    .step_size = 0.1,
};
