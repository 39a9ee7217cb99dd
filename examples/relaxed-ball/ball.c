/* SPDX-License-Identifier: MIT */
/*
 * A ball of radius r that is soft: on the floor a spring and a damper carry it.
 *     x'' = -(d_a/m) v |v| - g                                   in the air
 *     x'' = -(d_a/m) v |v| - g + (c/m) (r - x) - (d_c/m) v       on the floor
 * Which of the two holds is decided elsewhere, by `gap`.
 */
#include <math.h>

#include "tutti_kit.h"

struct ball {
    bool contact;
    double x, v, dx, dv, gap;
    double r, m, c, d_c, d_a, g;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct ball, contact, TUTTI_BOOLEAN, TUTTI_INPUT,
              .description = "true: spring and damper act"),
    TUTTI_STATE(struct ball, x, .unit = "m", .start = 0.26,
                .description = "height of the centre"),
    TUTTI_STATE(struct ball, v, .unit = "m/s", .description = "speed, upwards"),
    TUTTI_REAL_OUTPUT(struct ball, gap, .unit = "m", .depends = "x r",
                      .description = "x - r: negative where it is pressed"),
    TUTTI_REAL_PARAMETER(struct ball, r, .unit = "m", .start = 0.25,
                         .max = HUGE_VAL, .description = "radius"),
    TUTTI_REAL_PARAMETER(struct ball, m, .unit = "kg", .start = 0.65,
                         .min = 1e-6, .max = HUGE_VAL, .description = "mass"),
    TUTTI_REAL_PARAMETER(struct ball, c, .unit = "N/m", .start = 40000,
                         .max = HUGE_VAL,
                         .description = "stiffness of the contact"),
    TUTTI_REAL_PARAMETER(struct ball, d_c, .unit = "N.s/m", .start = 10,
                         .max = HUGE_VAL,
                         .description = "damping of the contact"),
    TUTTI_REAL_PARAMETER(struct ball, d_a, .unit = "kg/m", .start = 0.0136,
                         .max = HUGE_VAL, .description = "drag of the air"),
    TUTTI_REAL_PARAMETER(struct ball, g, .unit = "m/s2", .start = 9.81,
                         .max = HUGE_VAL,
                         .description = "acceleration of gravity"),
    TUTTI_REAL_LOCAL(struct ball, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct ball, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "x v contact r m c d_c d_a g"),
};

static const struct tutti_unit units[] = {
    {.name = "kg/m", .kg = 1, .m = -1},
};

static void derivatives(void *model, double t, double *dx)
{
    const struct ball *m = model;
    double force = -m->d_a * m->v * fabs(m->v);

    (void)t;
    if (m->contact)
        force += m->c * (m->r - m->x) - m->d_c * m->v;
    dx[0] = m->v;
    dx[1] = force / m->m - m->g;
}

static void outputs(void *model, double t)
{
    struct ball *m = model;

    (void)t;
    m->gap = m->x - m->r;
}

const struct tutti_model tutti_model = {
    .name = "ball",
    .description = "Soft ball, in the air or on the floor",
    .size = sizeof(struct ball),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .derivatives = derivatives,
    .outputs = outputs,
    .method = TUTTI_RK4,
    .microsteps = 10,
    .stop_time = 8,
    .step_size = 0.001,
};
