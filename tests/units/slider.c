/* SPDX-License-Identifier: MIT */
/*
 * A mass that publishes its states and their derivatives:
 *     m x'' = -c x - d x' + F
 * With micro-steps its steps are not what its derivatives say; one that is
 * brittle breaks where it is asked about the point 0, as directional
 * derivatives of a linear unit do.
 */
#include "tutti_kit.h"

struct slider {
    double F, x, v, dx, dv, m, c, d;
    int32_t microsteps;
    int32_t brittle;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct slider, F, .unit = "N"),
    TUTTI_STATE(struct slider, x, .unit = "m", .start = 1),
    TUTTI_STATE(struct slider, v, .unit = "m/s"),
    TUTTI_REAL_LOCAL(struct slider, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct slider, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "F x v m c d"),
    TUTTI_REAL_PARAMETER(struct slider, m, .unit = "kg", .start = 1),
    TUTTI_REAL_PARAMETER(struct slider, c, .unit = "N/m", .start = 1),
    TUTTI_REAL_PARAMETER(struct slider, d, .unit = "N.s/m", .start = 1),
    TUTTI_INTEGER_PARAMETER(struct slider, microsteps, .max = INT32_MAX),
    TUTTI_INTEGER_PARAMETER(struct slider, brittle, .max = 1),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct slider *m = model;

    sys->a[0][1] = 1;
    sys->a[1][0] = -m->c / m->m;
    sys->a[1][1] = -m->d / m->m;
    sys->b[1][0] = 1 / m->m;
}

static void outputs(void *model, double t)
{
    struct slider *m = model;

    (void)t;
    if (m->brittle && m->x == 0 && m->v == 0)
        tutti_fail(m, "this is no place to be");
}

const struct tutti_model tutti_model = {
    .name = "slider",
    .size = sizeof(struct slider),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .affine_outputs = true,
    .microsteps_from = "microsteps",
};
