/* SPDX-License-Identifier: MIT */
/* x' = rate (u - x) by one step of Euler's rule, and what it states of the
 * error of that step: by how far the trapezoidal rule ends elsewhere. */
#include "tutti_kit.h"

#include <math.h>

struct humble {
    double u, x, error, rate;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct humble, u, .start = 0),
    TUTTI_REAL_OUTPUT(struct humble, x, .start = 1),
    TUTTI_REAL_OUTPUT(struct humble, error, .start = 0),
    TUTTI_REAL_PARAMETER(struct humble, rate, .start = 1),
};

static void after_step(void *model, struct tutti_step *s)
{
    struct humble *m = model;
    double h = s->reached - s->from;
    double was = m->rate * (m->u - m->x);
    double is = m->rate * (m->u - (m->x + h * was));

    m->x += h * was;
    m->error = h / 2 * fabs(is - was);
}

const struct tutti_model tutti_model = {
    .name = "humble",
    .size = sizeof(struct humble),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .after_step = after_step,
    .stop_time = 5,
    .step_size = 0.1,
};
