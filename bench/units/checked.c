/* SPDX-License-Identifier: MIT */
/* The trivial unit as units are really made: with a kit, which checks every
 * call as the standard has it. */
#include "tutti_kit.h"

struct checked {
    double u, y;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct checked, u, .start = 0),
    TUTTI_REAL_OUTPUT(struct checked, y, .depends = ""),
};

static void step(void *model, struct tutti_step *s)
{
    struct checked *m = model;

    m->y = 0.7 * m->u + s->to;
}

const struct tutti_model tutti_model = {
    .name = "checked",
    .size = sizeof(struct checked),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .step = step,
    .stop_time = 1,
    .step_size = 0.01,
};
