/* SPDX-License-Identifier: MIT */
/*
 * A police officer who goes to work, and back, as police.devs.json.
 */
#include <math.h>

#include "tutti_kit.h"

enum order { TO_WORK = 1, TO_IDLE };

struct police {
    double idle, working;
    bool works;
    TUTTI_EVENT(int32_t) order;
    struct tutti_events events;
};

static const char *const orders[] = {"toWork", "toIdle", NULL};

static const struct tutti_var vars[] = {
    TUTTI_EVENTS(struct police),
    TUTTI_EVENT_OUTPUT(struct police, order, .items = orders),
    TUTTI_REAL_PARAMETER(struct police, idle, .unit = "s", .start = 100,
                         .description = "time between work"),
    TUTTI_REAL_PARAMETER(struct police, working, .unit = "s", .start = 200,
                         .description = "time at work"),
};

static double ta(void *model)
{
    const struct police *m = model;

    return m->works ? m->working : m->idle;
}

static void output(void *model)
{
    struct police *m = model;

    TUTTI_EMIT(m, m->order, m->works ? TO_IDLE : TO_WORK);
}

static void internal(void *model)
{
    struct police *m = model;

    m->works = !m->works;
}

const struct tutti_model tutti_model = {
    .name = "police",
    .description = "Police officer who goes to work, and back",
    .size = sizeof(struct police),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .ta = ta,
    .output = output,
    .internal = internal,
    .stop_time = 600,
};
