/* SPDX-License-Identifier: MIT */
/* Select: of discrete-event units that are due, which has its event. */
#include <math.h>

#include "player/event.h"
#include "run/perform.h"

/* Is it the clock by which a discrete-event unit learns that it is due? */
int run_is_internal(const tt_run *r, uint32_t clock)
{
    const struct tt_slot *s = &r->plan->slot[r->plan->clock[clock].slot];

    return r->plan->unit[s->unit].rank &&
           s->port == r->plan->unit[s->unit].desc->internal - 1;
}

uint32_t run_internal_of(const tt_run *r, uint32_t unit)
{
    return r->plan->unit[unit].internal;
}

/* When the event is that the unit has named, or that its clock states. */
double run_internal_next(const tt_run *r, uint32_t unit)
{
    struct tt_events *e = tt_part_events(r->part);

    return fmin(tt_events_next(e, unit),
                tt_events_next(e, e->n_unit + run_internal_of(r, unit)));
}

/* Of a leaf that is due: the unit whose own event that is, TT_NONE: it is no
 * discrete-event unit's. */
static uint32_t whose(const tt_run *r, const struct tt_events *e, uint32_t leaf)
{
    uint32_t clock = leaf - e->n_unit;

    if (leaf >= tt_events_ranked(e))
        return r->plan->select[leaf - tt_events_ranked(e)];
    return clock < e->n_clock && run_is_internal(r, clock)
               ? r->plan->slot[r->plan->clock[clock].slot].unit
               : TT_NONE;
}

/* Its place in the order that is played. */
static uint32_t place_of(const tt_run *r, uint32_t unit)
{
    uint32_t i = 0;

    if (!r->order)
        return r->plan->unit[unit].rank - 1;
    while (i < r->plan->n_select && r->order[i] != unit)
        i++;
    return i < r->plan->n_select ? i : TT_NONE;
}

static void let_go(tt_run *r, uint32_t unit, uint32_t *clock)
{
    if (TT_UNLIKELY(tt_events_first(r->events) < r->agenda->t))
        run_report_late(r, "instance", r->plan->unit[unit].name, "has an event",
                        run_internal_next(r, unit));
    *clock = run_internal_of(r, unit);
    tt_part_clock_ask(r->part, *clock);
}

/* Of discrete-event units that are due the first goes, or all do. Their leaves
 * are in that order. */
int run_ask_selected(tt_run *r, uint32_t *clock)
{
    const struct tt_events *e = r->events;
    double until = r->plan->n_select ? run_due_until(r) : 0;
    uint32_t first = TT_NONE, place = TT_NONE;

    if (!r->plan->n_select || (r->guest && r->guest->host.event_mode &&
                               r->plan->discrete && !r->guest->goes))
        return *clock != TT_NONE; /* the host selects */
    if (r->plan->parallel && !r->order && tt_events_first(e) >= r->agenda->t &&
        tt_events_due(e, e->n_unit, until) >= tt_events_ranked(e)) {
        /* all have named a time that is due, and none is late */
        *clock = tt_part_selected_ask(r->part, until);
        return *clock != TT_NONE;
    }
    for (uint32_t i = tt_events_due(e, e->n_unit, until); i != TT_NONE;
         i = tt_events_due(e, i + 1, until)) {
        uint32_t unit = whose(r, e, i), at;

        if (unit == TT_NONE)
            continue;
        at = place_of(r, unit);
        if (at != TT_NONE && r->plan->parallel)
            let_go(r, unit, clock);
        if (at < place) {
            place = at;
            first = unit;
        }
        if (i >= tt_events_ranked(e) && !r->order && !r->plan->parallel)
            break;
    }
    if (first != TT_NONE && !r->plan->parallel)
        let_go(r, first, clock);
    return *clock != TT_NONE;
}
