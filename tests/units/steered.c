/* SPDX-License-Identifier: MIT */
/* x' = u + bias, where u is continuous and bias discrete: an importer may set
 * bias in event mode only. */
#include "tutti_kit.h"

struct steered {
    double u, bias, x, dx;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct steered, u, .start = 0),
    TUTTI_REAL_INPUT(struct steered, bias, .variability = TUTTI_DISCRETE),
    TUTTI_STATE(struct steered, x, .start = 0),
    TUTTI_REAL_LOCAL(struct steered, dx, .derivative_of = "x",
                     .depends = "u bias"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct steered *m = model;

    (void)t;
    dx[0] = m->u + m->bias;
}

const struct tutti_model tutti_model = {
    .name = "steered",
    .size = sizeof(struct steered),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .stop_time = 2,
    .step_size = 0.25,
};
