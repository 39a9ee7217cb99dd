/* SPDX-License-Identifier: MIT */
/*
 * Something in the way of the window, at a height `position`. It pushes back
 * in proportion to how much it is compressed, and at once:
 *     reactionForce = stiffness max(0, displacement - position)
 */
#include <math.h>

#include "tutti_kit.h"

struct obstacle {
    double displacement, reactionForce, compression, position, stiffness;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct obstacle, displacement, .unit = "m",
                     .description = "height of what comes"),
    TUTTI_REAL_OUTPUT(struct obstacle, reactionForce, .unit = "N",
                      .depends = "displacement position stiffness",
                      .description = "force that pushes back"),
    TUTTI_REAL_LOCAL(struct obstacle, compression, .unit = "m",
                     .depends = "displacement position",
                     .description = "how much it is compressed"),
    TUTTI_REAL_PARAMETER(struct obstacle, position, .unit = "m", .start = 0.45,
                         .max = HUGE_VAL,
                         .description = "height at which it is met"),
    TUTTI_REAL_PARAMETER(struct obstacle, stiffness, .unit = "N/m",
                         .start = 1e5, .max = HUGE_VAL,
                         .description = "force per compression"),
};

static void outputs(void *model, double t)
{
    struct obstacle *m = model;

    (void)t;
    m->compression = fmax(0, m->displacement - m->position);
    m->reactionForce = m->stiffness * m->compression;
}

const struct tutti_model tutti_model = {
    .name = "obstacle",
    .description = "Elastic obstacle in the way of a window",
    .size = sizeof(struct obstacle),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 6,
    .step_size = 0.01,
};
