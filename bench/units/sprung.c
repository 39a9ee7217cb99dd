/* SPDX-License-Identifier: MIT */
/* A mass on a spring under a force, which integrates in steps of its own, as
 * units do: about a microsecond per step. For what is put around units and
 * measured beside them. */
#include "tutti_kit.h"

struct sprung {
    double u, x, v, y;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct sprung, u, .start = 0),
    TUTTI_STATE(struct sprung, x, .start = 1),
    TUTTI_REAL_LOCAL(struct sprung, v, .state = true),
    TUTTI_REAL_OUTPUT(struct sprung, y, .depends = "x"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct sprung *m = model;

    (void)t;
    dx[0] = m->v;
    dx[1] = m->u - m->x - 0.1 * m->v;
}

static void outputs(void *model, double t)
{
    struct sprung *m = model;

    (void)t;
    m->y = 0.5 * m->x;
}

const struct tutti_model tutti_model = {
    .name = "sprung",
    .size = sizeof(struct sprung),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .outputs = outputs,
    .microsteps = 16,
    .stop_time = 20,
    .step_size = 0.01,
};
