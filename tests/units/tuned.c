/* SPDX-License-Identifier: MIT */
/* x' = -k x, where k is a parameter that may change. */
#include "tutti_kit.h"

struct tuned {
    double k, x, dx;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_PARAMETER(struct tuned, k, .variability = TUTTI_TUNABLE,
                         .start = 1),
    TUTTI_STATE(struct tuned, x, .start = 1),
    TUTTI_REAL_LOCAL(struct tuned, dx, .derivative_of = "x", .depends = "x k"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct tuned *m = model;

    (void)t;
    dx[0] = -m->k * m->x;
}

const struct tutti_model tutti_model = {
    .name = "tuned",
    .size = sizeof(struct tuned),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .stop_time = 2,
    .step_size = 0.25,
};
