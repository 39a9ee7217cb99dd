/* SPDX-License-Identifier: MIT */
/* Where to turn next, whenever the last target is reached. */
#include "tutti_kit.h"

struct sequencer {
    struct tutti_clock next;
    double target;
    int32_t reached;
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct sequencer, next, .priority = 0),
    TUTTI_REAL_OUTPUT(struct sequencer, target, .unit = "rad", .start = 1,
                      .variability = TUTTI_DISCRETE, .exact = true,
                      .clocks = "next"),
    TUTTI_VAR(struct sequencer, reached, TUTTI_INT32, TUTTI_OUTPUT,
              .clocks = "next", .exact = true, .start = 0),
};

static void partition(void *model, const struct tutti_clock *clock, double t)
{
    struct sequencer *m = model;

    (void)clock;
    (void)t;
    m->reached++;
    m->target = m->reached % 2 ? 0.25 : 1;
}

const struct tutti_model tutti_model = {
    .name = "sequencer",
    .description = "Two targets in turn",
    .size = sizeof(struct sequencer),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .partition = partition,
};
