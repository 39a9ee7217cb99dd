/* SPDX-License-Identifier: MIT */
/*
 * Van der Pol's oscillator, x'' = mu (1 - x^2) x' - x, from x = 2, x' = 0: with
 * mu = 1000 it creeps for hundreds of seconds and then leaps in milliseconds.
 */
#include "tutti_kit.h"

struct pol {
    double x, v, dx, dv, mu;
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct pol, x, .start = 2),
    TUTTI_STATE(struct pol, v, .start = 0, .nominal = 1e-3),
    TUTTI_REAL_LOCAL(struct pol, dx, .derivative_of = "x", .depends = "v"),
    TUTTI_REAL_LOCAL(struct pol, dv, .derivative_of = "v", .depends = "x v mu"),
    TUTTI_REAL_PARAMETER(struct pol, mu, .start = 1000),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct pol *m = model;

    (void)t;
    dx[0] = m->v;
    dx[1] = m->mu * (1 - m->x * m->x) * m->v - m->x;
}

const struct tutti_model tutti_model = {
    .name = "vanderpol",
    .size = sizeof(struct pol),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .stop_time = 2000,
    .step_size = 20,
};
