/* SPDX-License-Identifier: MIT */
/*
 * A ball dropped from the height h0 onto a floor that gives back the part e of
 * its speed. Each flight is a parabola about its highest point, the apex:
 *     h = apex - g/2 (tApex - t)^2,  v = g (tApex - t)
 * so bounces are found exactly, however long the steps are, and steps do not
 * disturb the flight. The bounces come ever faster and pile up at a finite
 * time; when a flight is too short for the clock to notice, the ball rests.
 *
 * That is co-simulation. For model exchange the same ball has states, their
 * derivatives and an event indicator, and the integrator finds the
 * bounces.
 */
#include <float.h>
#include <math.h>

#include "tutti_kit.h"

struct ball {
    double g, e, h0, h, v, tBounce, dh, dv, gap;
    double apex, tApex; /* of the flight under way */
    int32_t bounces;
    bool resting;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_PARAMETER(struct ball, g, .unit = "m/s2", .start = 9.81,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "acceleration of gravity"),
    TUTTI_REAL_PARAMETER(struct ball, e, .unit = "1", .start = 0.7, .max = 1,
                         .description = "speed after a bounce over before"),
    TUTTI_REAL_PARAMETER(struct ball, h0, .unit = "m", .start = 1,
                         .max = HUGE_VAL,
                         .description = "height it is dropped from"),
    TUTTI_STATE(struct ball, h, .unit = "m", .start = 1, .max = HUGE_VAL,
                .description = "height; begins at h0"),
    TUTTI_STATE(struct ball, v, .unit = "m/s",
                .description = "speed, upwards; begins at 0"),
    TUTTI_VAR(struct ball, bounces, TUTTI_INT32, TUTTI_OUTPUT, .exact = true,
              .max = INT32_MAX, .description = "number of bounces so far"),
    TUTTI_REAL_OUTPUT(struct ball, tBounce, .unit = "s", .exact = true,
                      .variability = TUTTI_DISCRETE,
                      .description = "when it bounced last"),
    TUTTI_VAR(struct ball, resting, TUTTI_BOOLEAN, TUTTI_OUTPUT, .exact = true,
              .description = "true: it bounces no more"),
    TUTTI_REAL_LOCAL(struct ball, dh, .unit = "m/s", .derivative_of = "h",
                     .depends = "v"),
    TUTTI_REAL_LOCAL(struct ball, dv, .unit = "m/s2", .derivative_of = "v",
                     .depends = "g"),
    TUTTI_REAL_LOCAL(struct ball, gap, .unit = "m", .indicator = true,
                     .depends = "h", .description = "0 where it bounces"),
};

static void init(void *model, double t)
{
    struct ball *m = model;

    if (!(m->g > 0) || !(m->h0 >= 0) || !(m->e >= 0 && m->e <= 1))
        tutti_fail(m, "the ball needs g > 0, h0 >= 0 and e from 0 to 1");
    m->apex = m->h = m->h0;
    m->tApex = t;
    m->v = 0;
}

static void outputs(void *model, double t)
{
    struct ball *m = model;

    (void)t;
    m->gap = m->resting ? 1 : m->h;
}

static void derivatives(void *model, double t, double *dx)
{
    const struct ball *m = model;

    (void)t;
    dx[0] = m->resting ? 0 : m->v;
    dx[1] = m->resting ? 0 : -m->g;
}

/* A flight that ends in `fall` from its apex: does the clock notice it? */
static bool is_over(double fall, double t)
{
    return fall <= 2 * DBL_EPSILON * fabs(t);
}

/* The importer of model exchange has found the floor. */
static void event(void *model, struct tutti_event *e)
{
    struct ball *m = model;

    if (m->resting || m->h > 0 || m->v >= 0)
        return;
    m->tBounce = e->time;
    m->bounces++;
    m->v *= -m->e;
    m->h = DBL_MIN; /* above the floor, so that rising is no event */
    if (!is_over(m->v / m->g, e->time))
        return;
    m->resting = true;
    m->h = m->v = 0;
}

static void step(void *model, struct tutti_step *s)
{
    struct ball *m = model;
    double fall = sqrt(2 * m->apex / m->g), rise;

    while (!m->resting && m->tApex + fall <= s->to) {
        m->tBounce = m->tApex + fall;
        m->bounces++;
        m->apex *= m->e * m->e;
        fall *= m->e;
        m->tApex = m->tBounce + fall;
        m->resting = is_over(fall, m->tBounce);
    }
    rise = m->tApex - s->to; /* time left to the apex */
    m->h = m->resting ? 0 : fmax(m->apex - m->g / 2 * rise * rise, 0);
    m->v = m->resting ? 0 : m->g * rise;
}

const struct tutti_model tutti_model = {
    .name = "bouncing_ball",
    .description = "Bouncing ball, solved exactly from bounce to bounce",
    .size = sizeof(struct ball),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .derivatives = derivatives,
    .outputs = outputs,
    .step = step,
    .event = event,
    .stop_time = 3,
    .step_size = 0.01,
};
