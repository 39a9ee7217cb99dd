/* SPDX-License-Identifier: MIT */
/* Events at the instant a step has reached: what takes part, how often, and
 * what follows. Units that want more than that many microsteps at one instant
 * are named. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "player/event.h"
#include "run/perform.h"

static struct tt_events *events(const tt_run *r)
{
    return r->events;
}

uint32_t run_microstep(const tt_run *r)
{
    const struct tt_events *e = events(r);

    return e ? e->n : 0;
}

/* --- which units take part -------------------------------------------------
 */

/* Did its last step end here, with an event to be handled? */
static int asked(const tt_run *r, uint32_t u)
{
    struct tt_stepped last = tt_unit_last(r->unit[u]);

    return (last.flags & TT_STEP_EVENT) && last.reached == r->agenda->t &&
           r->unit[u]->now == r->agenda->t;
}

/* What was due before this instant is handled now, too late. */
void run_report_late(tt_run *r, const char *what, const char *name,
                     const char *does, double next)
{
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    if (r->memory->warned_late ||
        next >= r->agenda->t - tt_policy_instant_tol(r->agenda->t, 0))
        return;
    r->memory->warned_late = 1;
    tt_num_print_short(a, next);
    tt_num_print_short(b, r->agenda->t);
    tt_log(r->opts.log, TT_LOG_WARN,
           "%s '%s' %s at t=%s, handled at the communication "
           "point t=%s: not all instances can vary their step (reported once)",
           what, name, does, a, b);
}

/* One of an ensemble asks for all of it: they stand where it stands. */
static void ask(tt_run *r, uint32_t u)
{
    uint32_t n = r->plan->unit[u].together ? r->plan->n_unit : 0;

    tt_part_event_ask(r->part, u);
    for (uint32_t i = 0; i < n; i++)
        if (tt_plan_stands_with(r->plan, u, i))
            tt_part_event_ask(r->part, i);
}

/* How a step ended is known to the rank that has the unit. */
static void ask_stepped(tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (r->plan->unit[u].events && !run_is_away(r, u) && asked(r, u)) {
            (void)run_zeno_note(r, u, r->agenda->t);
            ask(r, u);
        }
}

double run_due_until(const tt_run *r)
{
    return r->agenda->t + tt_policy_instant_tol(r->agenda->t, 0);
}

int run_is_due(const tt_run *r, double next)
{
    return next <= run_due_until(r);
}

static void ask_those_due(tt_run *r, double until)
{
    struct tt_events *e = events(r);

    /* of those that Select chooses from select.c asks */
    for (uint32_t u = tt_events_due(e, 0, until); u < e->n_unit;
         u = tt_events_due(e, u + 1, until)) {
        /* partitions that were passed ran inside the step, in time */
        if (!r->plan->unit[u].desc->caps.samples)
            run_report_late(r, "instance", r->plan->unit[u].name,
                            "has an event", tt_events_next(e, u));
        tt_part_event_ask(r->part, u);
    }
}

static inline void ask_due(tt_run *r)
{
    double until = run_due_until(r);

    if (TT_UNLIKELY(tt_events_first(events(r)) <= until))
        ask_those_due(r, until);
}

static const char *clock_name(const tt_run *r, uint32_t clock, char *out,
                              size_t size)
{
    return tt_plan_slot_name(r->plan, r->plan->clock[clock].slot, out, size);
}

static void ask_clock(tt_run *r, uint32_t clock)
{
    const struct tt_tick *tick = &tt_events_tick(events(r))[clock];
    char name[512];

    run_report_late(r, "clock", clock_name(r, clock, name, sizeof(name)),
                    "is due", tick->next);
    tt_part_clock_ask(r->part, clock);
}

/* Clocks that are due tick when all else is quiet: periodic ones once in an
 * event, others as often as their intervals end here. *clock: one of them, else
 * TT_NONE; *unit: one inside which some tick. */
static int ask_timed(tt_run *r, uint32_t *unit, uint32_t *clock)
{
    struct tt_events *e = events(r);
    double until = run_due_until(r);

    *clock = TT_NONE;
    for (uint32_t i = tt_events_due(e, e->n_unit, until);
         i < tt_events_ranked(e); i = tt_events_due(e, i + 1, until)) {
        uint32_t k = i - e->n_unit;

        if (k >= e->n_clock) {
            *unit = k - e->n_clock;
            run_report_late(r, "instance", r->plan->unit[*unit].name,
                            "has a clock inside that is due",
                            tt_events_next(e, i));
            tt_part_quiet_ask(r->part, *unit);
        } else if (!run_is_internal(r, k) &&
                   !(tt_events_tick(e)[k].done &&
                     tt_clock_is_periodic(r->plan->clock[k].is))) {
            ask_clock(r, k);
            *clock = k;
        }
    }
    return tt_part_clock_asked(r->part);
}

static int ask_clocks(tt_run *r, uint32_t *unit, uint32_t *clock)
{
    return ask_timed(r, unit, clock) || run_ask_selected(r, clock);
}

void run_event_ask_due(tt_run *r, int quiet)
{
    uint32_t unit, slot, clock;

    ask_due(r);
    if (quiet && !tt_part_event_pending(r->part, &unit, &slot))
        (void)ask_clocks(r, &unit, &clock);
}

int run_event_waits(tt_run *r)
{
    uint32_t unit, slot, clock;

    if (!events(r))
        return 0;
    ask_due(r);
    return tt_part_event_pending(r->part, &unit, &slot) ||
           ask_clocks(r, &unit, &clock);
}

enum tt_code run_event_pending(tt_run *r, int *pending, tt_err *err)
{
    enum tt_code rc;

    *pending = 0;
    if (!events(r))
        return TT_OK;
    if (!tt_part_idles(r->part)) /* else no step was made */
        ask_stepped(r);
    rc = tt_part_event_share(r->part, err);
    if (rc == TT_OK)
        *pending = run_event_waits(r);
    return rc;
}

void run_event_commit(tt_run *r)
{
    struct tt_events *e = events(r);

    if (e) {
        e->n = 0;
        tt_part_event_moved(r->part);
    }
    if (r->presence)
        run_presence_clear(r);
}

static uint32_t index_of(const tt_run *r, const tt_unit *unit)
{
    uint32_t u = 0;

    while (r->unit[u] != unit)
        u++;
    return u;
}

void run_event_ask(tt_run *r, const tt_unit *u)
{
    ask(r, index_of(r, u));
}

int run_asks_early(const tt_run *r, const struct tt_halt *halt)
{
    return events(r) && halt->unit && (halt->flags & TT_STEP_EVENT) &&
           (halt->flags & TT_STEP_EARLY) &&
           !(halt->flags & (TT_STEP_REJECT | TT_STEP_TERMINATE)) &&
           r->plan->unit[index_of(r, halt->unit)].events;
}

/* In a step that is repeated a unit names an instant by what it was given in
 * one of the turns. */
int run_is_repeated(const tt_run *r, const tt_unit *unit)
{
    uint32_t u = index_of(r, unit);
    const struct tt_op *op =
        r->score->op + r->score->section[TT_SEC_STEP].first;

    for (uint32_t i = 0; i < r->score->section[TT_SEC_STEP].n; i++)
        if (op[i].code == TT_OP_RESTORE && op[i].unit == u)
            return 1;
    return 0;
}

/* Held and extrapolated inputs are the same in a shorter step. */
static int is_fed(const tt_run *r, uint32_t unit)
{
    const struct tt_plan_unit *u = &r->plan->unit[unit];
    uint32_t in = u->slot + u->n_read;

    for (uint32_t s = in; s < in + u->n_in; s++)
        if (run_input_is_fed(r, s))
            return 1;
    return 0;
}

int run_may_stay(const tt_run *r, const struct run_macro *m)
{
    uint32_t namer = index_of(r, m->namer);
    double reached = tt_unit_last(m->namer).reached;

    if (r->plan->doubles || r->plan->embeds || r->plan->unit[namer].rate > 1 ||
        !m->ruling.exact || m->ruling.t1 != reached)
        return 0;
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (tt_plan_stands_with(r->plan, namer, u) &&
            (r->unit[u]->now != reached || is_fed(r, u)))
            return 0;
    return 1;
}

void run_put(tt_run *r, const tt_unit *unit, double t)
{
    uint32_t of = index_of(r, unit);

    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (tt_plan_stands_with(r->plan, of, u))
            r->unit[u]->now = t;
}

void run_keep_namer(tt_run *r, const struct run_macro *m)
{
    tt_part_keep_unit(r->part, index_of(r, m->namer));
}

/* --- microsteps ------------------------------------------------------------
 */

/* Many may be due at one time, one after the other. */
static uint32_t most_microsteps(const tt_run *r)
{
    return r->scenario->events.limit + r->plan->n_select;
}

static enum tt_code no_end(tt_run *r, uint32_t unit, uint32_t slot,
                           uint32_t clock, tt_err *err)
{
    char t[TT_NUM_MAX], name[512], what[600];

    if (clock != TT_NONE && run_is_internal(r, clock))
        snprintf(
            what, sizeof(what), "instance '%s' has another event",
            r->plan->unit[r->plan->slot[r->plan->clock[clock].slot].unit].name);
    else if (clock != TT_NONE)
        snprintf(what, sizeof(what), "clock '%s' ticks again",
                 clock_name(r, clock, name, sizeof(name)));
    else if (unit != TT_NONE)
        snprintf(what, sizeof(what), "instance '%s' asks for another",
                 r->plan->unit[unit].name);
    else
        snprintf(what, sizeof(what), "'%s' has another value every time",
                 tt_plan_slot_name(r->plan, slot, name, sizeof(name)));
    tt_num_print_short(t, r->agenda->t);
    return tt_fail(err, TT_EUNIT,
                   "events at t=%s do not come to an end: after %u "
                   "microsteps %s",
                   t, most_microsteps(r), what);
}

static enum tt_code play(tt_run *r, enum tt_section section, tt_err *err)
{
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = section == TT_SEC_EVENT ? tt_part_play_event(r->part, err)
                                 : tt_part_leave_event(r->part, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc;
}

/* A unit that wants the end has it after this microstep. */
enum tt_code run_event_play(tt_run *r, int clocks, int *again, tt_err *err)
{
    uint32_t unit, slot, clock = TT_NONE;
    enum tt_code rc;

    rc = play(r, TT_SEC_EVENT, err);
    if (rc == TT_OK)
        rc = tt_part_event_share(r->part, err);
    if (rc != TT_OK)
        return rc;
    if (r->presence && !r->order)
        run_presence_note(r);
    if (r->n_listed)
        run_report_events(r);
    if (r->script)
        run_report_script(r);
    ask_due(r);
    *again =
        !events(r)->ender && (tt_part_event_pending(r->part, &unit, &slot) ||
                              (clocks && ask_clocks(r, &unit, &clock)));
    if (*again && events(r)->n >= most_microsteps(r))
        return no_end(r, unit, slot, clock, err);
    return TT_OK;
}

enum tt_code run_event_microstep(tt_run *r, int *again, tt_err *err)
{
    enum tt_code rc;

    if (r->guest)
        r->guest->namer = 0; /* it takes part */
    if (r->confluence) {
        rc = run_try_orders(r, err);
        if (rc != TT_OK)
            return rc;
    }
    tt_part_event_tick(r->part);
    return run_event_play(r, 1, again, err);
}

enum tt_code run_event_leave(tt_run *r, tt_err *err)
{
    return play(r, TT_SEC_LEAVE, err);
}

enum tt_code run_event_handle(tt_run *r, tt_err *err)
{
    int again = 1;
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && again)
        rc = run_event_microstep(r, &again, err);
    return rc == TT_OK ? run_event_leave(r, err) : rc;
}

/* --- what follows ----------------------------------------------------------
 */

double run_next_event(const tt_run *r)
{
    return tt_events_first(events(r));
}

/* The scenario's next instant after t. */
static double next_instant(const tt_scenario *s, double t)
{
    size_t lo = 0, hi = s->n_instant;

    t += tt_policy_instant_tol(t, 0);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->instant[mid] > t)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < s->n_instant ? s->instant[lo] : (double)INFINITY;
}

void run_plan_events(tt_run *r)
{
    if (!r->events_between)
        return; /* handled at the next communication point */
    r->agenda->event = next_instant(r->scenario, r->agenda->t);
    if (events(r)) {
        double next = run_next_event(r);

        if (next < r->agenda->event)
            r->agenda->event = next;
    }
}

static void end(tt_run *r)
{
    char t[TT_NUM_MAX];

    if (run_script_end(r))
        return;
    tt_num_print_short(t, r->agenda->t);
    r->why = TT_RUN_TERMINATED;
    snprintf(r->sentence, sizeof(r->sentence),
             "ended by instance '%s' at t=%s s",
             r->plan->unit[events(r)->ender - 1].name, t);
}

/* Values of the instant are those after the event: courses, policies and
 * estimates begin anew there. */
enum tt_code run_event_settle(tt_run *r, tt_err *err)
{
    enum tt_code rc = tt_part_recommit(r->part, err);

    if (rc != TT_OK)
        return rc;
    tt_part_forget(r->part, NULL);
    r->memory->anew = 1;
    RUN_NOTIFY(r, leapt, r);
    run_plan_events(r);
    if (events(r)->ender && !r->guest)
        end(r);
    run_between_calls(r);
    return TT_OK;
}

/* Interval and shift of a clock that leaves them to others are set; a unit is
 * asked for what it does not declare. */
static enum tt_code start_clock(tt_run *r, uint32_t clock, tt_err *err)
{
    const struct tt_plan_clock *c = &r->plan->clock[clock];
    const struct tt_slot *s = &r->plan->slot[c->slot];
    struct tt_timing is = {
        .port = s->port, .known = TT_KNOWN_CHANGED, .interval = c->period};
    enum tt_code rc = TT_OK;

    if (!tt_ratio_is(c->period))
        rc = tt_unit_intervals(r->unit[s->unit], &is, 1, err);
    else {
        is.shift = c->shift;
        if (c->is->interval != TT_INTERVAL_CONSTANT)
            rc = tt_unit_set_intervals(r->unit[s->unit], &is, 1, err);
    }
    if (rc == TT_OK)
        tt_part_clock_start(r->part, clock, &is);
    return rc;
}

/* Those of units that tick them themselves. */
static enum tt_code set_timings(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->plan->n_timing && rc == TT_OK; i++) {
        const struct tt_plan_timing *t = &r->plan->timing[i];
        struct tt_timing is = {.port = t->port,
                               .known = TT_KNOWN_CHANGED,
                               .interval = t->period,
                               .shift = t->shift};

        if (!run_is_away(r, t->unit))
            rc = tt_unit_set_intervals(r->unit[t->unit], &is, 1, err);
    }
    return rc;
}

enum tt_code run_start_clocks(tt_run *r, tt_err *err)
{
    enum tt_code rc = set_timings(r, err);

    for (uint32_t k = 0; k < r->plan->n_clock && rc == TT_OK; k++) {
        const struct tt_plan_clock *c = &r->plan->clock[k];

        uint32_t u = r->plan->slot[c->slot].unit;

        if (r->plan->unit[u].events && tt_clock_is_timed(c->is) &&
            !run_is_away(r, u))
            rc = start_clock(r, k, err);
    }
    return rc;
}

/* Units with event mode leave initialisation in it. */
enum tt_code run_start_event(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    r->events_between = 1;
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        r->events_between &= r->plan->unit[u].desc->caps.variable_step;
    if (r->scenario->n_instant)
        run_plan_events(r);
    if (!events(r))
        return TT_OK;
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (r->unit[u]->life == TT_LIFE_EVENT)
            tt_part_event_ask(r->part, u);
    rc = tt_part_event_share(r->part, err);
    if (rc != TT_OK || !tt_part_event_asked(r->part))
        return rc;
    rc = run_event_handle(r, err);
    events(r)->n = 0;
    run_plan_events(r);
    if (rc == TT_OK && events(r)->ender && !run_script_end(r))
        return tt_fail(err, TT_ESTOPPED,
                       "instance '%s' ends the simulation before its first "
                       "step",
                       r->plan->unit[events(r)->ender - 1].name);
    return rc;
}
