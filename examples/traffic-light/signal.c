/* SPDX-License-Identifier: MIT */
/*
 * A traffic light that can be switched off, as light.devs.json: discrete events
 * in C. The colour that is put out is the one that comes next.
 */
#include <math.h>

#include "tutti_kit.h"

enum colour { RED = 1, YELLOW, GREEN, OFF };
enum command { TO_AUTO = 1, TO_OFF };

struct light {
    double red, yellow, green;
    int32_t state;
    TUTTI_EVENT(int32_t) command, colour;
    struct tutti_events events;
};

static const char *const commands[] = {"toAuto", "toOff", NULL};
static const char *const colours[] = {"red", "yellow", "green", NULL};
static const char *const states[] = {"red", "yellow", "green", "off", NULL};

static const struct tutti_var vars[] = {
    TUTTI_EVENTS(struct light),
    TUTTI_EVENT_INPUT(struct light, command, .items = commands),
    TUTTI_EVENT_OUTPUT(struct light, colour, .items = colours),
    TUTTI_VAR(struct light, state, TUTTI_ENUM, TUTTI_LOCAL, .items = states,
              .type_name = "State", .exact = true,
              .description = "the colour that it shows"),
    TUTTI_REAL_PARAMETER(struct light, red, .unit = "s", .start = 60,
                         .description = "how long it is red"),
    TUTTI_REAL_PARAMETER(struct light, green, .unit = "s", .start = 50,
                         .description = "how long it is green"),
    TUTTI_REAL_PARAMETER(struct light, yellow, .unit = "s", .start = 10,
                         .description = "how long it is yellow"),
};

static double ta(void *model)
{
    const struct light *m = model;
    const double lasts[] = {m->red, m->yellow, m->green, HUGE_VAL};

    return lasts[m->state - 1];
}

static int32_t next_of(const struct light *m)
{
    static const enum colour next[] = {GREEN, RED, YELLOW, OFF};

    return (int32_t)next[m->state - 1];
}

static void output(void *model)
{
    struct light *m = model;

    TUTTI_EMIT(m, m->colour, next_of(m));
}

static void internal(void *model)
{
    struct light *m = model;

    m->state = next_of(m);
}

/* What a command does not lead out of stays as it is, for as long as it would
 * have. */
static enum tutti_after external(void *model, double elapsed)
{
    struct light *m = model;
    bool off = m->command.value == TO_OFF;

    (void)elapsed;
    if (off == (m->state == OFF))
        return TUTTI_GOES_ON;
    m->state = off ? OFF : RED;
    return TUTTI_BEGINS;
}

const struct tutti_model tutti_model = {
    .name = "signal",
    .description = "Traffic light that can be switched off",
    .size = sizeof(struct light),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .ta = ta,
    .output = output,
    .internal = internal,
    .external = external,
    .stop_time = 600,
};
