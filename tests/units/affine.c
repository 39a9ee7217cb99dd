/* SPDX-License-Identifier: MIT */
/* One equation of each sort, for loops that have a closed form:
 *     y = g u + s + x      (feed-through, declared)
 *     x' = a x + b u + r   (a state, solved exactly) */
#include "tutti_kit.h"

struct affine {
    double u, x, y, g, s, a, b, r;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct affine, u, .description = "input"),
    TUTTI_STATE(struct affine, x, .description = "the state"),
    TUTTI_REAL_OUTPUT(struct affine, y, .depends = "u x g s"),
    TUTTI_REAL_PARAMETER(struct affine, g, .description = "gain"),
    TUTTI_REAL_PARAMETER(struct affine, s, .description = "offset",
                         .variability = TUTTI_TUNABLE),
    TUTTI_REAL_PARAMETER(struct affine, a, .description = "rate of x"),
    TUTTI_REAL_PARAMETER(struct affine, b, .description = "gain of u on x'"),
    TUTTI_STATE(struct affine, r, .description = "constant"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct affine *m = model;

    sys->a[0][0] = m->a;
    sys->a[0][1] = 1;
    sys->b[0][0] = m->b;
}

static void outputs(void *model, double t)
{
    struct affine *m = model;

    (void)t;
    m->y = m->g * m->u + m->s + m->x;
}

const struct tutti_model tutti_model = {
    .name = "affine",
    .description = "A gain with an offset, and a first-order system",
    .size = sizeof(struct affine),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 10,
    .step_size = 0.1,
};
