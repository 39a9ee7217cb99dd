/* SPDX-License-Identifier: MIT */
/* Two tasks: one every third of a second, which starts the other after a while
 * and lets a clock tick. */
#include "tutti_kit.h"

struct tasks {
    struct tutti_clock beat, later, rang;
    double u, y;
    int32_t runs;
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct tasks, beat, .ticks = TUTTI_TICKS_PERIODIC,
                      .interval = 1, .shift = 2, .resolution = 3,
                      .priority = 1),
    TUTTI_INPUT_CLOCK(struct tasks, later, .ticks = TUTTI_TICKS_COUNTDOWN,
                      .priority = 0),
    TUTTI_OUTPUT_CLOCK(struct tasks, rang, .clocks = "beat later"),
    TUTTI_REAL_INPUT(struct tasks, u, .variability = TUTTI_DISCRETE,
                     .clocks = "beat"),
    TUTTI_REAL_OUTPUT(struct tasks, y, .variability = TUTTI_DISCRETE,
                      .clocks = "beat", .depends = "u"),
    TUTTI_VAR(struct tasks, runs, TUTTI_INT32, TUTTI_OUTPUT, .depends = ""),
};

static void partition(void *model, const struct tutti_clock *clock, double t)
{
    struct tasks *m = model;

    m->runs++;
    if (t < 0)
        tutti_fail(m, "before its time");
    if (clock != &m->beat)
        return;
    m->y = 2 * m->u;
    tutti_countdown(m, &m->later, 0.5);
    tutti_tick(m, &m->rang);
}

const struct tutti_model tutti_model = {
    .name = "tasks",
    .size = sizeof(struct tasks),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .partition = partition,
};
