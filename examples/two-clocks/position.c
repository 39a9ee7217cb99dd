/* SPDX-License-Identifier: MIT */
/* The outer controller: a speed to aim at, every 0.3 seconds. */
#include "tutti_kit.h"

struct position {
    struct tutti_clock tick;
    double x, x_ref, K; /* input, set point, gain */
    double v_ref;       /* output */
    int32_t n;          /* ticks so far */
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct position, tick, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 0.3, .description = "it acts at its ticks"),
    TUTTI_REAL_INPUT(struct position, x, .unit = "m", .clocks = "tick",
                     .variability = TUTTI_DISCRETE),
    TUTTI_REAL_PARAMETER(struct position, x_ref, .unit = "m", .start = 1,
                         .description = "set point"),
    TUTTI_REAL_PARAMETER(struct position, K, .start = 0.8,
                         .description = "gain"),
    TUTTI_REAL_OUTPUT(struct position, v_ref, .unit = "m/s", .clocks = "tick",
                      .variability = TUTTI_DISCRETE, .depends = "tick x x_ref",
                      .description = "what the speed is to be"),
    TUTTI_VAR(struct position, n, TUTTI_INT32, TUTTI_OUTPUT, .exact = true,
              .description = "ticks so far"),
};

static void outputs(void *model, double t)
{
    struct position *m = model;

    (void)t;
    m->v_ref = m->K * (m->x_ref - m->x);
}

static void event(void *model, struct tutti_event *e)
{
    struct position *m = model;

    (void)e;
    m->n += m->tick.active;
}

const struct tutti_model tutti_model = {
    .name = "position",
    .description = "a proportional controller of position, with a clock",
    .version = "1",
    .size = sizeof(struct position),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .event = event,
};
