/* SPDX-License-Identifier: MIT */
/* Events of a run inside a unit. Its host's microsteps are its own where the
 * host handles events together with others; otherwise they are handled here. */
#include <math.h>

#include "base/num.h"
#include "player/event.h"
#include "run/guest.h"
#include "run/perform.h"

int tt_guest_in_event(const tt_run *r)
{
    return r->memory->event != RUN_EVENT_NONE;
}

/* --- with its host ---------------------------------------------------------
 */

int tt_guest_starts_in_event(tt_run *r)
{
    int starts = 0;

    for (uint32_t u = 0; tt_part_events(r->part) && u < r->plan->n_unit; u++)
        if (r->unit[u]->life == TT_LIFE_EVENT) {
            tt_part_event_ask(r->part, u);
            starts = 1;
        }
    return starts;
}

void tt_guest_event_enter(tt_run *r, int quiet)
{
    if (r->memory->event == RUN_EVENT_MOVES)
        return;
    r->now->t[TT_T1] = r->agenda->t;
    run_guest_ask_namer(r);
    r->guest->namer = 0;
    run_event_ask_due(r, quiet);
    if (r->memory->crossed)
        run_locate_ask(r);
    r->memory->crossed = 0;
    tt_part_event_tick(r->part);
    r->memory->event = RUN_EVENT_MOVES;
}

void tt_guest_event_go(tt_run *r)
{
    uint32_t clock = TT_NONE;

    tt_guest_event_enter(r, 0);
    r->guest->goes = 1;
    (void)run_ask_selected(r, &clock);
    r->guest->goes = 0;
    tt_part_event_tick_too(r->part);
}

enum tt_code tt_guest_event_join(tt_run *r, uint32_t unit, tt_err *err)
{
    tt_guest_event_enter(r, 0);
    return tt_part_event_join(r->part, unit, err);
}

int tt_guest_ticks(const tt_run *r, uint32_t slot)
{
    struct tt_events *e = tt_part_events(r->part);

    return e && tt_events_flag(e)[tt_flag_of_slot(r->plan, slot)];
}

/* What an update has led to is not moved on before the next microstep. */
void tt_guest_event_want(tt_run *r, uint32_t slot)
{
    if (r->memory->event == RUN_EVENT_MOVES)
        tt_part_event_want(r->part, slot);
}

enum tt_code tt_guest_event_show(tt_run *r, tt_err *err)
{
    uint32_t was = r->activity->playing;
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = tt_part_play_wanted(r->part, err);
    r->activity->playing = was;
    return rc;
}

/* When a clock inside ticks, or a discrete-event unit is due, as soon as all is
 * quiet. Of a run of such units alone the host selects, and what is due is the
 * next event. */
static double tick_inside(const tt_run *r)
{
    const struct tt_events *e = tt_part_events(r->part);

    if (r->plan->discrete)
        return (double)INFINITY;
    return tt_events_first_of(e, e->n_unit, e->n_leaf);
}

enum tt_code tt_guest_event_update(tt_run *r, struct tt_event_result *out,
                                   tt_err *err)
{
    struct tt_events *e = tt_part_events(r->part);
    int again = 0;
    enum tt_code rc;

    tt_guest_event_enter(r, 0);
    rc = run_event_play(r, 0, &again, err);
    out->again = again != 0;
    r->memory->event = RUN_EVENT_UPDATED;
    out->terminate = e->ender != 0 || run_zeno_stops(r);
    out->next = r->plan->discrete ? run_next_event(r)
                                  : tt_events_first_of(e, 0, e->n_unit);
    out->next_defined = isfinite(out->next);
    out->tick = tick_inside(r);
    out->tick_defined = isfinite(out->tick);
    r->memory->known = out->tick;
    return rc;
}

enum tt_code tt_guest_event_leave(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_event_leave(r, err);

    r->memory->event = RUN_EVENT_NONE;
    tt_part_events(r->part)->n = 0;
    return rc == TT_OK ? run_event_settle(r, err) : rc;
}

/* --- inside ----------------------------------------------------------------
 */

static enum tt_code handle(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_event_handle(r, err);

    r->memory->crossed = 0;
    tt_part_events(r->part)->n = 0;
    return rc == TT_OK ? run_event_settle(r, err) : rc;
}

enum tt_code run_guest_finish_event(tt_run *r, tt_err *err)
{
    int again = 0;
    enum tt_code rc;

    if (!tt_guest_in_event(r))
        return TT_OK;
    r->memory->event = RUN_EVENT_NONE;
    rc = run_event_play(r, 1, &again, err);
    if (rc != TT_OK)
        return rc;
    return again ? handle(r, err) : tt_guest_event_leave(r, err);
}

static void report_inside(tt_run *r)
{
    char t[TT_NUM_MAX];

    if (r->guest->warned_event)
        return;
    r->guest->warned_event = 1;
    tt_num_print_short(t, r->agenda->t);
    tt_log(r->opts.log, TT_LOG_NOTE,
           "instance '%s' has an event at t=%s inside, between two "
           "communication points: it is handled there without the others, "
           "since steps are not rolled back (reported once)",
           r->guest->name, t);
}

/* A clock ticks when all is quiet outside, too, which its host knows. */
int run_guest_passes_on(tt_run *r, double to, struct tt_stepped *out)
{
    int clocks = tt_part_clock_asked(r->part);

    if (!r->guest->host.event_mode)
        return 0;
    if (r->agenda->t < to && !r->guest->host.early_return) {
        report_inside(r);
        return 0;
    }
    if (clocks)
        tt_part_clock_unask(r->part);
    if (clocks && !r->memory->crossed && r->agenda->t >= to &&
        r->memory->known == tick_inside(r))
        return 1;
    out->flags |= TT_STEP_EVENT;
    out->reached = r->agenda->t;
    return 1;
}

enum tt_code run_guest_events_before(tt_run *r, double to,
                                     struct tt_stepped *out, tt_err *err)
{
    enum tt_code rc = run_guest_finish_event(r, err);

    run_guest_ask_namer(r);
    if (rc != TT_OK || !run_event_waits(r) || run_guest_passes_on(r, to, out))
        return rc;
    r->now->t[TT_T1] = r->agenda->t;
    return handle(r, err);
}

void run_guest_name(tt_run *r, const tt_unit *u, double at)
{
    r->guest->namer = 1;
    while (r->unit[r->guest->namer - 1] != u)
        r->guest->namer++;
    r->guest->named = at;
}

void run_guest_ask_namer(tt_run *r)
{
    uint32_t namer = r->guest->namer;

    if (namer && r->agenda->t == r->guest->named)
        tt_part_event_ask(r->part, namer - 1);
    else if (r->agenda->t > r->guest->named)
        r->guest->namer = 0;
}
