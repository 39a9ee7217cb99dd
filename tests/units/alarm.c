/* SPDX-License-Identifier: MIT */
/* Clocks of several kinds: `beat` may be given another interval; `bell` is a
 * countdown that every third beat arms, to the interval of a beat and a half
 * beat more; `ring` ticks with it, and `rings` belongs to that. `sounds`
 * belongs to both, and counts beats and rings. */
#include "tutti_kit.h"

struct alarm {
    struct tutti_clock beat, bell, watch, ring;
    int32_t n_beat, n_ring, n_watch;
    int32_t beats, rings, sounds;
};

static const struct tutti_var vars[] = {
    TUTTI_INPUT_CLOCK(struct alarm, beat, .ticks = TUTTI_TICKS_FIXED,
                      .interval = 3, .shift = 1, .resolution = 10),
    TUTTI_INPUT_CLOCK(struct alarm, bell, .ticks = TUTTI_TICKS_COUNTDOWN),
    TUTTI_INPUT_CLOCK(struct alarm, watch, .description = "triggered"),
    TUTTI_OUTPUT_CLOCK(struct alarm, ring, .depends = "bell"),
    TUTTI_VAR(struct alarm, beats, TUTTI_INT32, TUTTI_OUTPUT, .clocks = "beat",
              .depends = "beat"),
    TUTTI_VAR(struct alarm, rings, TUTTI_INT32, TUTTI_OUTPUT, .clocks = "ring",
              .depends = "bell"),
    TUTTI_VAR(struct alarm, n_watch, TUTTI_INT32, TUTTI_OUTPUT, .exact = true),
    TUTTI_VAR(struct alarm, sounds, TUTTI_INT32, TUTTI_LOCAL,
              .clocks = "beat bell", .depends = "beat bell"),
};

static void outputs(void *model, double t)
{
    struct alarm *m = model;

    (void)t;
    if (m->bell.active)
        tutti_tick(m, &m->ring);
    m->beats = m->n_beat + m->beat.active;
    m->rings = m->n_ring + m->bell.active;
    m->sounds = m->beats + m->rings;
}

static void event(void *model, struct tutti_event *e)
{
    struct alarm *m = model;

    (void)e;
    m->n_beat += m->beat.active;
    m->n_ring += m->bell.active;
    m->n_watch += m->watch.active;
    if (m->beat.active && m->n_beat % 3 == 0)
        tutti_countdown(m, &m->bell, 1.5 * m->beat.interval);
}

const struct tutti_model tutti_model = {
    .name = "alarm",
    .size = sizeof(struct alarm),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .event = event,
};
