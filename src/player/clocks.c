/* SPDX-License-Identifier: MIT */
/* Clocks in time: when those that the run ticks are due. */
#include <math.h>

#include "player/event_impl.h"
#include "player/ranks.h"
#include "player/team.h"

static struct tt_tick *tick_of(const tt_part *p, uint32_t clock)
{
    return &tt_events_tick(p->events)[clock];
}

void tt_event_note_clock(const tt_part *p, uint32_t clock)
{
    tt_events_set_next(p->events, p->plan->n_unit + clock,
                       tick_of(p, clock)->next);
}

/* Of a countdown: from this event on; of a changing clock: from the tick
 * before, which may be this one. */
static void plan_aperiodic(const tt_part *p, uint32_t clock, double t)
{
    struct tt_tick *k = tick_of(p, clock);

    if (p->plan->clock[clock].is->interval == TT_INTERVAL_COUNTDOWN)
        k->last = tt_beat_at(t, (struct tt_ratio){0, 1});
    k->started = 1;
    tt_tick_plan(k);
}

void tt_part_clock_start(tt_part *p, uint32_t clock, const struct tt_timing *is)
{
    struct tt_tick *k = tick_of(p, clock);
    double t = p->now->t[TT_T0];

    *k = (struct tt_tick){.last = tt_beat_at(t, is->shift),
                          .interval = is->interval,
                          .next = (double)INFINITY};
    if (tt_clock_is_periodic(p->plan->clock[clock].is))
        tt_tick_plan(k);
    else if (is->known == TT_KNOWN_CHANGED)
        plan_aperiodic(p, clock, t);
    tt_event_note_clock(p, clock);
}

/* An answer of the unit. */
static void take(const tt_part *p, uint32_t clock, const struct tt_timing *is,
                 double t)
{
    struct tt_tick *k = tick_of(p, clock);

    if (is->known == TT_KNOWN_CHANGED)
        k->interval = is->interval;
    if (is->known == TT_KNOWN_NOT_YET)
        k->next = (double)INFINITY;
    else if (tt_clock_is_periodic(p->plan->clock[clock].is))
        tt_tick_plan(k);
    else if (is->known == TT_KNOWN_CHANGED ||
             p->plan->clock[clock].is->interval == TT_INTERVAL_CHANGING)
        plan_aperiodic(p, clock, t);
    tt_event_note_clock(p, clock);
}

/* FMI 3.0.2, 2.3.5: a changing clock is asked when it ticked, others always. */
static int is_asked(const tt_part *p, uint32_t clock)
{
    const struct tt_plan_clock *c = &p->plan->clock[clock];

    return tt_plan_clock_is_asked(c) &&
           (c->is->interval != TT_INTERVAL_CHANGING ||
            tt_events_flag(p->events)[tt_flag_of_slot(p->plan, c->slot)]);
}

static enum tt_code ask(tt_part *p, uint32_t unit, double t, tt_err *err)
{
    const struct tt_plan_unit *u = &p->plan->unit[unit];
    enum tt_code rc = TT_OK;

    for (uint32_t k = u->clock; k < u->clock + u->n_clock && rc == TT_OK; k++) {
        uint32_t slot = p->plan->clock[k].slot;
        struct tt_timing is = {.port = p->plan->slot[slot].port};

        if (!is_asked(p, k))
            continue;
        rc = tt_unit_intervals(p->unit[unit], &is, 1, err);
        if (rc == TT_OK)
            take(p, k, &is, t);
    }
    return rc;
}

enum tt_code tt_event_ask_intervals(tt_part *p, uint32_t unit, double t,
                                    tt_err *err)
{
    uint32_t playing = tt_pause_playing(p->unit[unit]);
    enum tt_code rc = ask(p, unit, t, err);

    tt_resume_playing(p->unit[unit], playing);
    return rc;
}
