/* SPDX-License-Identifier: MIT */
/* A drive: its acceleration is what it is given. */
#include "tutti_kit.h"

struct drive {
    double a;      /* input */
    double x, v;   /* states */
    double dx, dv; /* their derivatives */
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct drive, a, .unit = "m/s2",
                     .description = "acceleration"),
    TUTTI_STATE(struct drive, x, .unit = "m", .description = "position"),
    TUTTI_STATE(struct drive, v, .unit = "m/s", .description = "speed"),
    TUTTI_REAL_LOCAL(struct drive, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct drive, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "a"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    (void)model;
    sys->a[0][1] = 1; /* x' = v */
    sys->b[1][0] = 1; /* v' = a */
}

const struct tutti_model tutti_model = {
    .name = "drive",
    .description = "a mass that is accelerated",
    .version = "1",
    .size = sizeof(struct drive),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
};
