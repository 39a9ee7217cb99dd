/* SPDX-License-Identifier: MIT */
/*
 * A road with a light at its end. Cars arrive all the time and leave while it
 * is green:
 *     n' = arrive - leave   green,   n' = arrive   red
 * When the light turns green the length of the queue is noted.
 */
#include <math.h>

#include "tutti_kit.h"

struct road {
    double n, arrive, leave, queue, dn;
    bool go, went;
};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct road, go, TUTTI_BOOLEAN, TUTTI_INPUT,
              .description = "true: the light is green"),
    TUTTI_STATE(struct road, n, .unit = "1", .max = HUGE_VAL,
                .description = "cars that wait"),
    TUTTI_REAL_PARAMETER(struct road, arrive, .unit = "1/s", .start = 0.25,
                         .max = HUGE_VAL, .description = "cars that arrive"),
    TUTTI_REAL_PARAMETER(struct road, leave, .unit = "1/s", .start = 0.625,
                         .max = HUGE_VAL,
                         .description = "cars that leave while it is green"),
    TUTTI_REAL_OUTPUT(struct road, queue, .unit = "1", .exact = true,
                      .variability = TUTTI_DISCRETE,
                      .description = "cars when it last turned green"),
    TUTTI_VAR(struct road, went, TUTTI_BOOLEAN, TUTTI_LOCAL, .exact = true,
              .description = "the light before"),
    TUTTI_REAL_LOCAL(struct road, dn, .unit = "1/s", .derivative_of = "n",
                     .depends = "go arrive leave"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct road *m = model;

    sys->e[0] = m->arrive - (m->go ? m->leave : 0);
}

static void event(void *model, struct tutti_event *e)
{
    struct road *m = model;

    (void)e;
    if (m->go && !m->went)
        m->queue = m->n;
    m->went = m->go;
}

const struct tutti_model tutti_model = {
    .name = "road",
    .description = "Road with a light at its end",
    .size = sizeof(struct road),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .event = event,
    .stop_time = 120,
    .step_size = 7,
};
