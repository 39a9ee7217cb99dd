/* SPDX-License-Identifier: MIT */
/* Mistakes in units with discrete events that the kit refuses. */
#include "tutti_kit.h"

struct unsound {
    double x, u;
    TUTTI_EVENT(double) in;
};

static const struct tutti_var vars[] = {
    TUTTI_EVENT_INPUT(struct unsound, in, .description = "has no hook"),
    TUTTI_REAL_INPUT(struct unsound, u, .unit = "m"),
    TUTTI_STATE(struct unsound, x, .unit = "m"),
};

#ifdef UNSOUND_WITHOUT_TA
static void internal(void *model)
{
    (void)model;
}
#else
static double ta(void *model)
{
    (void)model;
    return 1;
}

static void step(void *model, struct tutti_step *s)
{
    (void)model;
    (void)s;
}
#endif

const struct tutti_model tutti_model = {
    .name = "unsound",
    .size = sizeof(struct unsound),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
#ifdef UNSOUND_WITHOUT_TA
    .internal = internal,
#else
    .ta = ta,
    .step = step,
#endif
};
