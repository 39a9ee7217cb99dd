/* SPDX-License-Identifier: MIT */
/*
 * What a drive turns: an inertia behind a stiff shaft with a little damping.
 *     a' = v - w,  f = c a + d (v - w),  J2 w' = f - d2 w
 */
#include "tutti_kit.h"

struct shaftload {
    double v, a, w, f, c, d, J2, d2, da, dw;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct shaftload, v, .unit = "rad/s",
                     .description = "speed of the rotor"),
    TUTTI_STATE(struct shaftload, a, .unit = "rad",
                .description = "twist of the shaft"),
    TUTTI_STATE(struct shaftload, w, .unit = "rad/s",
                .description = "speed of the load"),
    TUTTI_REAL_OUTPUT(struct shaftload, f, .unit = "N.m",
                      .depends = "v a w c d",
                      .description = "torque of the shaft"),
    TUTTI_REAL_PARAMETER(struct shaftload, c, .unit = "N.m/rad", .start = 1000,
                         .description = "stiffness of the shaft"),
    TUTTI_REAL_PARAMETER(struct shaftload, d, .unit = "N.m.s/rad", .start = 0.5,
                         .description = "damping of the shaft"),
    TUTTI_REAL_PARAMETER(struct shaftload, J2, .unit = "kg.m2", .start = 1e-2,
                         .description = "inertia of the load"),
    TUTTI_REAL_PARAMETER(struct shaftload, d2, .unit = "N.m.s/rad",
                         .start = 5e-3, .description = "friction"),
    TUTTI_REAL_LOCAL(struct shaftload, da, .unit = "rad/s",
                     .derivative_of = "a", .depends = "v w"),
    TUTTI_REAL_LOCAL(struct shaftload, dw, .unit = "rad/s2",
                     .derivative_of = "w", .depends = "v a w c d J2 d2"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct shaftload *m = model;

    sys->a[0][1] = -1;
    sys->b[0][0] = 1;
    sys->a[1][0] = m->c / m->J2;
    sys->a[1][1] = -(m->d + m->d2) / m->J2;
    sys->b[1][0] = m->d / m->J2;
}

static void outputs(void *model, double t)
{
    struct shaftload *m = model;

    (void)t;
    m->f = m->c * m->a + m->d * (m->v - m->w);
}

const struct tutti_model tutti_model = {
    .name = "shaftload",
    .description = "Load behind a stiff shaft",
    .size = sizeof(struct shaftload),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 0.5,
    .step_size = 1e-3,
};
