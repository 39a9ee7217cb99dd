/* SPDX-License-Identifier: MIT */
/*
 * The same ball without a floor: it flies, and where it bounces is found
 * elsewhere. At a tick of `hit` its speed becomes -e v, at one of `rest` it
 * stays where it is.
 */
#include <math.h>

#include "tutti_kit.h"

struct flight {
    struct tutti_clock hit, rest;
    double g, e, h, v, dh, dv;
    int32_t bounces;
    bool resting;
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct flight, hit, .description = "it is on the floor"),
    TUTTI_INPUT_CLOCK(struct flight, rest, .description = "it bounces no more"),
    TUTTI_REAL_PARAMETER(struct flight, g, .unit = "m/s2", .start = 9.81,
                         .max = HUGE_VAL,
                         .description = "acceleration of gravity"),
    TUTTI_REAL_PARAMETER(struct flight, e, .unit = "1", .start = 0.7, .max = 1,
                         .description = "speed after a bounce over before"),
    TUTTI_STATE(struct flight, h, .unit = "m", .start = 1,
                .description = "height"),
    TUTTI_STATE(struct flight, v, .unit = "m/s",
                .description = "speed, upwards"),
    TUTTI_VAR(struct flight, bounces, TUTTI_INT32, TUTTI_OUTPUT, .exact = true,
              .max = INT32_MAX, .description = "number of bounces so far"),
    TUTTI_VAR(struct flight, resting, TUTTI_BOOLEAN, TUTTI_OUTPUT,
              .exact = true, .description = "true: it bounces no more"),
    TUTTI_REAL_LOCAL(struct flight, dh, .unit = "m/s", .derivative_of = "h",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct flight, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "g resting"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct flight *m = model;

    sys->a[0][1] = 1;
    sys->e[1] = m->resting ? 0 : -m->g;
}

static void event(void *model, struct tutti_event *e)
{
    struct flight *m = model;

    (void)e;
    if (m->hit.active) {
        m->bounces++;
        m->v *= -m->e;
    }
    if (m->rest.active) {
        m->resting = true;
        m->h = m->v = 0;
    }
}

const struct tutti_model tutti_model = {
    .name = "flight",
    .description = "Flying ball that bounces when it is hit",
    .size = sizeof(struct flight),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .event = event,
    .stop_time = 3,
    .step_size = 0.1,
};
