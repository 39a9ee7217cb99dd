/* SPDX-License-Identifier: MIT */
/* A tank: water flows in, and out through a hole in the bottom (Torricelli). */
#include <math.h>
#include "tutti_kit.h"

struct tank {
    double inflow, level, outflow; /* what the outside sees */
    double area, hole;             /* what one can choose */
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct tank, inflow, .unit = "m3/s"),
    TUTTI_STATE(struct tank, level, .unit = "m", .start = 1),
    TUTTI_REAL_OUTPUT(struct tank, outflow, .unit = "m3/s",
                      .depends = "level hole"),
    TUTTI_REAL_PARAMETER(struct tank, area, .unit = "m2", .start = 2,
                         .description = "cross section of the tank"),
    TUTTI_REAL_PARAMETER(struct tank, hole, .unit = "m2", .start = 0.01),
};

static void outputs(void *model, double t)
{
    struct tank *m = model;

    (void)t;
    m->outflow = m->hole * sqrt(2 * 9.81 * fmax(m->level, 0));
}

static void derivatives(void *model, double t, double *dx)
{
    struct tank *m = model;

    outputs(m, t);
    dx[0] = (m->inflow - m->outflow) / m->area;
}

const struct tutti_model tutti_model = {
    .name = "tank",
    .size = sizeof(struct tank),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .outputs = outputs,
    .method = TUTTI_RK4,
    .microsteps = 10,
};
