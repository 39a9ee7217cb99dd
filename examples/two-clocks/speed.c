/* SPDX-License-Identifier: MIT */
/* The inner controller: an acceleration, every 2/10 of a second. */
#include "tutti_kit.h"

struct speed {
    struct tutti_clock tick;
    double v, v_ref, K; /* inputs, gain */
    double a;           /* output */
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct speed, tick, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 2, .resolution = 10,
                      .description = "it acts at its ticks"),
    TUTTI_REAL_INPUT(struct speed, v, .unit = "m/s", .clocks = "tick",
                     .variability = TUTTI_DISCRETE),
    TUTTI_REAL_INPUT(struct speed, v_ref, .unit = "m/s", .clocks = "tick",
                     .variability = TUTTI_DISCRETE,
                     .description = "what v is to be"),
    TUTTI_REAL_PARAMETER(struct speed, K, .start = 2, .description = "gain"),
    TUTTI_REAL_OUTPUT(struct speed, a, .unit = "m/s2", .clocks = "tick",
                      .variability = TUTTI_DISCRETE, .depends = "tick v v_ref"),
};

static void outputs(void *model, double t)
{
    struct speed *m = model;

    (void)t;
    m->a = m->K * (m->v_ref - m->v);
}

/* It remembers nothing. */
static void event(void *model, struct tutti_event *e)
{
    (void)model;
    (void)e;
}

const struct tutti_model tutti_model = {
    .name = "speed",
    .description = "a proportional controller of speed, with a clock",
    .version = "1",
    .size = sizeof(struct speed),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .event = event,
};
