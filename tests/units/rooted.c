/* SPDX-License-Identifier: MIT */
/* x' = u - sqrt(x), near x = 1/4, where it rests under u = 1/2: a change of x
 * by its nominal value leads to where there is no root. */
#include <math.h>

#include "tutti_kit.h"

struct rooted {
    double u, x, dx;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct rooted, u, .start = 0.5),
    TUTTI_STATE(struct rooted, x, .start = 0.25),
    TUTTI_REAL_LOCAL(struct rooted, dx, .derivative_of = "x", .depends = "u x"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct rooted *m = model;

    (void)t;
    dx[0] = m->u - sqrt(m->x);
}

const struct tutti_model tutti_model = {
    .name = "rooted",
    .size = sizeof(struct rooted),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .method = TUTTI_RK4,
};
