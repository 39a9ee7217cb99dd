/* SPDX-License-Identifier: MIT */
/* Partitions of all kinds of clocks; each logs when it runs. `what` chooses
 * what goes wrong at `when`. */
#include <math.h>
#include <string.h>

#include "tutti_kit.h"

enum { NOTHING, FAIL, BACKWARDS, FOR_EVER, NO_NUMBER };

struct partitions {
    struct tutti_clock slow, fast, third, late, rung, rang;
    double u, v;         /* of fast, of none */
    double y, last;      /* u when fast ran, when the last one did */
    int32_t runs;        /* of all */
    int32_t rung_runs;   /* of rung */
    int32_t what, every; /* late follows every so many runs of fast */
    int32_t fast_runs;
    double when, delay;
};

static const struct tutti_var vars[] = {
    /* slower, and first all the same */
    TUTTI_INPUT_CLOCK(struct partitions, slow, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 0.2, .priority = 1),
    TUTTI_INPUT_CLOCK(struct partitions, fast, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 0.1, .priority = 3),
    TUTTI_INPUT_CLOCK(struct partitions, third, .ticks = TUTTI_TICKS_FIXED,
                      .interval = 1, .shift = 1, .resolution = 3,
                      .priority = 3),
    TUTTI_INPUT_CLOCK(struct partitions, late, .ticks = TUTTI_TICKS_COUNTDOWN,
                      .priority = 0),
    TUTTI_INPUT_CLOCK(struct partitions, rung, .priority = 2),
    TUTTI_OUTPUT_CLOCK(struct partitions, rang, .clocks = "slow"),
    TUTTI_REAL_INPUT(struct partitions, u, .variability = TUTTI_DISCRETE,
                     .clocks = "fast"),
    TUTTI_REAL_INPUT(struct partitions, v, .variability = TUTTI_DISCRETE),
    TUTTI_REAL_OUTPUT(struct partitions, y, .variability = TUTTI_DISCRETE,
                      .clocks = "fast", .depends = "u"),
    TUTTI_REAL_OUTPUT(struct partitions, last, .variability = TUTTI_DISCRETE,
                      .depends = "v"),
    TUTTI_VAR(struct partitions, runs, TUTTI_INT32, TUTTI_OUTPUT,
              .depends = ""),
    TUTTI_VAR(struct partitions, rung_runs, TUTTI_INT32, TUTTI_OUTPUT,
              .clocks = "rung", .depends = ""),
    TUTTI_INTEGER_PARAMETER(struct partitions, what, .start = NOTHING),
    TUTTI_INTEGER_PARAMETER(struct partitions, every, .start = 0),
    TUTTI_REAL_PARAMETER(struct partitions, when, .start = 0),
    TUTTI_REAL_PARAMETER(struct partitions, delay, .start = 0),
};

static void misbehave(struct partitions *m, const struct tutti_clock *clock)
{
    if (m->what == FAIL)
        tutti_fail(m, "asked to fail");
    else if (m->what == BACKWARDS)
        tutti_countdown(m, &m->late, -0.5);
    else if (m->what == NO_NUMBER)
        tutti_countdown(m, &m->late, NAN);
    else if (m->what == FOR_EVER && (clock == &m->fast || clock == &m->late))
        tutti_countdown(m, &m->late, 0);
}

static void partition(void *model, const struct tutti_clock *clock, double t)
{
    struct partitions *m = model;
    const char *name = clock == &m->slow    ? "slow"
                       : clock == &m->fast  ? "fast"
                       : clock == &m->third ? "third"
                       : clock == &m->late  ? "late"
                                            : "rung";

    tutti_log(m, "%s at %.17g", name, t);
    m->runs++;
    m->last = m->v;
    if (clock == &m->slow)
        tutti_tick(m, &m->rang);
    if (clock == &m->rung)
        m->rung_runs++;
    if (clock == &m->fast) {
        m->y = m->u;
        m->fast_runs++;
        if (m->every > 0 && m->fast_runs % m->every == 0)
            tutti_countdown(m, &m->late, m->delay);
    }
    if (m->what != NOTHING && t >= m->when)
        misbehave(m, clock);
}

const struct tutti_model tutti_model = {
    .name = "partitions",
    .size = sizeof(struct partitions),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .partition = partition,
    .stop_time = 1,
};
