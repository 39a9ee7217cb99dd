/* SPDX-License-Identifier: MIT */
/*
 * A proportional cruise controller: F = k (vd - v). It has no state; its output
 * follows the measured speed at the same instant.
 */
#include <math.h>

#include "tutti_kit.h"

struct controller {
    double v, F, vd, k;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct controller, v, .unit = "m/s", .nominal = 40,
                     .description = "measured speed"),
    TUTTI_REAL_OUTPUT(struct controller, F, .unit = "N", .depends = "v vd k",
                      .nominal = 1e4, .description = "driving force"),
    TUTTI_REAL_PARAMETER(struct controller, vd, .unit = "m/s", .start = 40,
                         .description = "desired speed"),
    TUTTI_REAL_PARAMETER(struct controller, k, .unit = "N.s/m", .start = 1e3,
                         .max = HUGE_VAL, .description = "gain"),
};

static void outputs(void *model, double t)
{
    struct controller *m = model;

    (void)t;
    m->F = m->k * (m->vd - m->v);
}

const struct tutti_model tutti_model = {
    .name = "cruisecontroller",
    .description = "Proportional cruise controller",
    .size = sizeof(struct controller),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .affine_outputs = true,
    .stop_time = 10,
    .step_size = 0.2,
};
