/* SPDX-License-Identifier: MIT */
/*
 * A tank that runs dry, x' = -k x. Its level is put out all the time, and
 * measured at the ticks of a clock.
 */
#include <math.h>

#include "tutti_kit.h"

struct upper {
    struct tutti_clock tick;
    double x, dx, k, level;
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct upper, tick, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 2, .resolution = 1,
                      .description = "when the level is measured"),
    TUTTI_STATE(struct upper, x, .unit = "m", .start = 3,
                .description = "level"),
    TUTTI_REAL_OUTPUT(struct upper, level, .unit = "m", .clocks = "tick",
                      .variability = TUTTI_DISCRETE, .depends = "tick x",
                      .description = "the level as it was measured"),
    TUTTI_REAL_PARAMETER(struct upper, k, .unit = "1/s", .start = 0.02,
                         .max = HUGE_VAL,
                         .description = "how fast it runs dry"),
    TUTTI_REAL_LOCAL(struct upper, dx, .unit = "m/s", .derivative_of = "x",
                     .depends = "x k"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct upper *m = model;

    sys->a[0][0] = -m->k;
}

static void outputs(void *model, double t)
{
    struct upper *m = model;

    (void)t;
    m->level = m->x;
}

/* It remembers nothing. */
static void event(void *model, struct tutti_event *e)
{
    (void)model;
    (void)e;
}

const struct tutti_model tutti_model = {
    .name = "upper",
    .description = "Tank that runs dry, measured now and then",
    .size = sizeof(struct upper),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .outputs = outputs,
    .event = event,
    .stop_time = 100,
    .step_size = 0.5,
};
