/* SPDX-License-Identifier: MIT */
/* Events: a play of guarded operations. */
#include "player/event_direct.h"
#include "player/event_short.h"

#include <math.h>
#include <string.h>

#include "player/ranks.h"
#include "player/team.h"

struct tt_events *tt_part_events(const tt_part *p)
{
    return p->events;
}

void tt_part_event_clock(tt_part *p, const struct tt_event_clock *c)
{
    p->event_clock = c;
}

uint64_t tt_part_event_looked(const tt_part *p)
{
    return p->event->looked;
}

int tt_part_event_is_short(const tt_part *p)
{
    return tt_event_is_short(p);
}

void tt_part_event_ask(tt_part *p, uint32_t unit)
{
    tt_bits_add(&p->event->set[TT_SET_AGAIN], unit);
}

int tt_part_event_asked(const tt_part *p)
{
    return tt_bits_next(&p->event->set[TT_SET_AGAIN], 0) != TT_BITS_END;
}

void tt_part_unit_clock_ask(tt_part *p, uint32_t unit, uint32_t clock)
{
    tt_bits_add(&p->event->set[TT_SET_TICKS], clock);
    tt_bits_add(&p->event->set[TT_SET_AGAIN], unit);
}

void tt_part_clock_ask(tt_part *p, uint32_t clock)
{
    tt_part_unit_clock_ask(p, p->plan->slot[p->plan->clock[clock].slot].unit,
                           clock);
}

uint32_t tt_part_selected_ask(tt_part *p, double until)
{
    const struct tt_events *e = p->events;
    const struct tt_event_selected *is, *all = p->event->selected;
    struct tt_bits_stream ticks = {.to = &p->event->set[TT_SET_TICKS]};
    struct tt_bits_stream again = {.to = &p->event->set[TT_SET_AGAIN]};
    uint32_t ranked = tt_events_ranked(e), clock = TT_NONE;

    for (uint32_t i = tt_events_due(e, ranked, until); i != TT_NONE;
         i = tt_events_after(e, i, until)) {
        is = &all[i - ranked];
        clock = is->clock;
        tt_bits_put(&ticks, clock);
        tt_bits_put(&again, is->unit);
    }
    tt_bits_flush(&ticks);
    tt_bits_flush(&again);
    return clock;
}

void tt_part_quiet_ask(tt_part *p, uint32_t unit)
{
    p->event->has_clocks = 1;
    tt_bits_add(&p->event->set[TT_SET_QUIET], unit);
    tt_part_event_ask(p, unit);
}

int tt_part_clock_asked(const tt_part *p)
{
    return tt_bits_next(&p->event->set[TT_SET_TICKS], 0) != TT_BITS_END ||
           tt_bits_next(&p->event->set[TT_SET_QUIET], 0) != TT_BITS_END;
}

void tt_part_clock_unask(tt_part *p)
{
    tt_bits_clear(&p->event->set[TT_SET_TICKS]);
    tt_bits_clear(&p->event->set[TT_SET_QUIET]);
    tt_bits_clear(&p->event->set[TT_SET_AGAIN]);
}

/* --- a microstep -----------------------------------------------------------
 */

/* What belongs to a clock that was carried is there. */
static void carry_values(tt_part *p, uint32_t clock)
{
    const struct tt_plan_unit *u = &p->plan->unit[p->plan->slot[clock].unit];

    for (uint32_t i = u->slot; i < u->slot + u->n_read; i++) {
        struct tt_clock_set c = tt_plan_clocks_of(p->plan, i);

        for (uint32_t k = 0; k < c.n; k++)
            if (c.slot[k] == clock)
                tt_event_raise(p, tt_flag_of_slot(p->plan, i));
    }
}

/* What ticked when it was too late is there now. */
static void take_carried(tt_part *p)
{
    const struct tt_bits *carry = &p->event->set[TT_SET_CARRY];
    const struct tt_bits *now = &p->event->set[TT_SET_CARRIED];
    uint32_t i;

    tt_bits_clear(&p->event->ticked);
    tt_bits_clear(now);
    while ((i = tt_bits_take(carry)) != TT_BITS_END) {
        tt_bits_add(now, i);
        tt_event_raise(p, tt_flag_of_slot(p->plan, i));
        carry_values(p, i);
    }
}

static uint8_t *clock_value(const tt_part *p, uint32_t slot)
{
    return p->values->value + p->plan->slot[slot].offset;
}

static int ticks(const tt_part *p, uint32_t clock)
{
    return tt_events_flag(p->events)[tt_flag_of_slot(p->plan, clock)];
}

/* The flags of the microstep before. */
static void lower_all(const tt_part *p)
{
    const struct tt_bits *raised = &p->event->set[TT_SET_RAISED];
    uint8_t *flag = p->event->flag;
    uint32_t f, n_unit = p->plan->n_unit;

    while ((f = tt_bits_take(raised)) != TT_BITS_END) {
        flag[f] = 0;
        /* one that ticked before would tick again in a batch with others */
        if (p->event->has_clocks && f >= n_unit &&
            p->plan->slot[f - n_unit].type == TT_CLOCK)
            *clock_value(p, f - n_unit) = 0;
    }
}

static void raise_ticks(tt_part *p)
{
    const struct tt_bits *ticks = &p->event->set[TT_SET_TICKS];
    const struct tt_bits *quiet = &p->event->set[TT_SET_QUIET];
    uint32_t k, u;

    while ((k = tt_bits_take(ticks)) != TT_BITS_END) {
        tt_event_raise(p, tt_flag_of_slot(p->plan, p->plan->clock[k].slot));
        *clock_value(p, p->plan->clock[k].slot) = 1;
    }
    while ((u = tt_bits_take(quiet)) != TT_BITS_END)
        tt_unit_quiet(p->unit[u]);
}

/* Those that asked take part in this microstep. */
static void raise_asked(tt_part *p)
{
    const struct tt_bits *again = &p->event->set[TT_SET_AGAIN];
    uint32_t u;

    while ((u = tt_bits_take(again)) != TT_BITS_END)
        tt_event_raise(p, tt_flag_of_unit(u));
    if (p->event->has_clocks)
        raise_ticks(p);
}

static void tick(tt_part *p)
{
    if (p->event->direct) {
        p->event->is_direct = tt_event_goes_direct(p);
        if (p->event->is_direct) {
            p->events->n++;
            tt_event_direct_tick(p);
            return;
        }
    }
    tt_event_suspect(p);
    p->events->n++;
    lower_all(p);
    raise_asked(p);
    if (p->event->has_clocks)
        take_carried(p);
}

void tt_part_event_tick(tt_part *p)
{
    if (tt_event_is_short(p))
        tt_event_short_tick(p);
    else
        tick(p);
}

void tt_part_event_tick_too(tt_part *p)
{
    raise_asked(p);
}

static void mark_inside(const tt_part *p, uint32_t unit)
{
    tt_bits_add(&p->event->set[TT_SET_INSIDE], p->event->leave_of[unit]);
}

static enum tt_code enter(tt_part *p, uint32_t unit, tt_err *err)
{
    tt_events_set_next(p->events, unit, (double)INFINITY);
    mark_inside(p, unit);
    tt_event_arrive(p, p->unit[unit]);
    return tt_event_is_to_enter(p->unit[unit])
               ? tt_unit_event_enter(p->unit[unit], err)
               : TT_OK;
}

enum tt_code tt_event_enter_now(tt_part *p, uint32_t unit, tt_err *err)
{
    uint32_t playing = tt_pause_playing(p->unit[unit]);
    enum tt_code rc = enter(p, unit, err);

    tt_resume_playing(p->unit[unit], playing);
    return rc;
}

enum tt_code tt_part_event_join(tt_part *p, uint32_t unit, tt_err *err)
{
    tt_event_raise(p, tt_flag_of_unit(unit));
    if (!p->plan->unit[unit].events)
        return TT_OK;
    if (tt_event_is_to_enter(p->unit[unit]))
        return tt_event_enter_now(p, unit, err);
    mark_inside(p, unit);
    return TT_OK;
}

/* --- operations ------------------------------------------------------------
 */

/* Is its guard up, or a clock of those it stands for? */
static int is_up(const tt_part *p, const struct tt_event_op *o)
{
    const struct tt_clock_set *c;

    if (o->guard)
        return *o->guard;
    c = &p->plan->clock_set[o->op->guard - 1 - p->events->n_flag];
    for (uint32_t k = 0; k < c->n; k++)
        if (ticks(p, c->slot[k]))
            return 1;
    return 0;
}

static enum tt_code play_guarded(tt_part *p, const struct tt_event_op *o,
                                 tt_err *err)
{
    return is_up(p, o) ? tt_event_make_calls(p, o, err) : TT_OK;
}

/* The next are calls of their own: of what the section has for them only the
 * number counts, which states what is being done. */
static enum tt_code play_enter(tt_part *p, const struct tt_event_op *o,
                               tt_err *err)
{
    if (!is_up(p, o))
        return TT_OK;
    p->now->pc = o->pc;
    return enter(p, o->op->unit, err);
}

static enum tt_code timed_update(tt_part *p, uint32_t unit,
                                 struct tt_event_result *r, tt_err *err)
{
    const struct tt_event_clock *c = p->event_clock;
    uint64_t began = c->now_cb(c->ctx);
    enum tt_code rc = tt_unit_event_update(p->unit[unit], r, err);

    if (rc != TT_OK || !r->ran)
        return rc;
    return c->ran_cb(c->ctx, unit, r->ran - 1, c->now_cb(c->ctx) - began, err);
}

static enum tt_code play_update(tt_part *p, const struct tt_event_op *o,
                                tt_err *err)
{
    struct tt_events *e = p->events;
    uint32_t unit = o->op->unit;
    struct tt_event_result r;
    enum tt_code rc;

    if (!is_up(p, o))
        return TT_OK;
    p->now->pc = o->pc;
    rc = TT_UNLIKELY(p->event_clock)
             ? timed_update(p, unit, &r, err)
             : tt_unit_event_update(p->unit[unit], &r, err);
    if (rc != TT_OK)
        return rc;
    tt_events_set_next(e, unit, r.next_defined ? r.next : (double)INFINITY);
    tt_events_set_next(e, e->n_unit + e->n_clock + unit,
                       r.tick_defined ? r.tick : (double)INFINITY);
    if (r.again)
        tt_part_event_ask(p, unit);
    if (r.terminate && !e->ender)
        e->ender = unit + 1;
    return TT_OK;
}

static enum tt_code play_interval(tt_part *p, const struct tt_event_op *o,
                                  tt_err *err)
{
    if (!is_up(p, o) || o->away)
        return TT_OK;
    p->now->pc = o->pc;
    return tt_event_ask_intervals(p, o->op->unit, p->now->t[o->op->to], err);
}

static enum tt_code play_leave(tt_part *p, const struct tt_event_op *o,
                               tt_err *err)
{
    tt_unit *u = p->unit[o->op->unit];

    p->now->pc = o->pc;
    return u->life == TT_LIFE_EVENT ? tt_unit_event_leave(u, err) : TT_OK;
}

/* A batch is set when one of it has news; then all of it is, which are the
 * values they have. */
static enum tt_code play_set(tt_part *p, const struct tt_event_op *o,
                             tt_err *err)
{
    enum tt_news most = TT_NEWS_NONE;
    enum tt_code rc = TT_OK;

    if (!is_up(p, o))
        return TT_OK;
    for (uint32_t k = 0; k < o->n_value; k++) {
        enum tt_news one = tt_event_news_for(p, &o->value[k]);

        if (one > most)
            most = one;
        if (one == TT_NEWS_LEAP)
            tt_event_raise(p, o->value[k].flag);
    }
    tt_event_forget_news(p, o);
    if (most == TT_NEWS_LEAP)
        rc = tt_part_event_join(p, o->op->unit, err);
    return rc == TT_OK && most != TT_NEWS_NONE ? tt_event_make_calls(p, o, err)
                                               : rc;
}

/* An output that no clock has to do with. Of units on other ranks what is there
 * comes by transfer. */
static enum tt_code play_get(tt_part *p, const struct tt_event_op *o,
                             tt_err *err)
{
    enum tt_code rc = *o->guard ? tt_event_make_calls(p, o, err) : TT_OK;

    if (rc != TT_OK || o->away || !*o->guard)
        return rc;
    for (uint32_t k = 0; k < o->n_value; k++) {
        tt_event_raise(p, o->value[k].flag);
        tt_event_changed(p->event, o->value[k].slot);
    }
    return TT_OK;
}

/* Of what belongs to clocks: a value that was carried is there already; late,
 * only what will be carried is read. Of a clock, late: does it not tick yet? */
static int is_read(const tt_part *p, const struct tt_event_op *o)
{
    uint32_t slot = o->value[0].slot;
    struct tt_clock_set c = tt_plan_clocks_of(p->plan, slot);
    int late = o->op->flags & TT_OP_LATE;

    if (!c.n)
        return *o->guard && !(late && ticks(p, slot));
    for (uint32_t k = 0; k < c.n; k++)
        if (late ? tt_bits_has(&p->event->set[TT_SET_CARRY], c.slot[k])
                 : ticks(p, c.slot[k]) &&
                       !tt_bits_has(&p->event->set[TT_SET_CARRIED], c.slot[k]))
            return 1;
    return 0;
}

/* A clock that was read ticks or not. One that is read again, or was carried
 * here, has ticked all the same. */
static void note_clock(tt_part *p, const struct tt_event_value *v)
{
    if (*v->ticks) {
        tt_bits_drop(&p->event->set[TT_SET_CARRIED], v->slot); /* again */
        tt_event_raise(p, v->flag);
    }
    *v->ticks = tt_events_flag(p->events)[v->flag];
}

/* Is it read now, and here? *rc is what came of it. */
static int reads(tt_part *p, const struct tt_event_op *o, enum tt_code *rc,
                 tt_err *err)
{
    *rc = TT_OK;
    if (!is_read(p, o))
        return 0;
    *rc = tt_event_make_calls(p, o, err);
    return *rc == TT_OK && !o->away;
}

static enum tt_code play_clocked(tt_part *p, const struct tt_event_op *o,
                                 tt_err *err)
{
    enum tt_code rc;

    if (!reads(p, o, &rc, err))
        return rc;
    for (uint32_t k = 0; k < o->n_value; k++) {
        if (o->value[k].kind == TT_EVENT_CLOCK) {
            note_clock(p, &o->value[k]);
            continue;
        }
        tt_event_raise(p, o->value[k].flag);
        tt_event_changed(p->event, o->value[k].slot);
    }
    return TT_OK;
}

/* A clock that ticks when it is read late asks for another microstep. */
static enum tt_code play_late(tt_part *p, const struct tt_event_op *o,
                              tt_err *err)
{
    const struct tt_event_value *v = &o->value[0];
    enum tt_code rc;

    if (!reads(p, o, &rc, err))
        return rc;
    if (v->kind != TT_EVENT_CLOCK) {
        tt_event_changed(p->event, v->slot);
    } else if (*v->ticks) {
        tt_bits_add(&p->event->set[TT_SET_CARRY], v->slot);
        tt_event_wake(p->event, tt_flags_of(p->plan) + v->slot);
        tt_part_event_ask(p, o->op->unit);
    }
    return TT_OK;
}

/* A clock that ticked, and is the next microstep's no more. A microstep is
 * played in parts, perhaps, and its clocks tick once. */
static enum tt_code play_tick(tt_part *p, const struct tt_event_op *o,
                              tt_err *err)
{
    uint32_t k = p->plan->slot[o->value[0].slot].ticked;
    enum tt_code rc;

    if (!is_up(p, o) || tt_bits_has(&p->event->ticked, k))
        return TT_OK;
    rc = tt_event_make_calls(p, o, err);
    if (rc != TT_OK)
        return rc;
    if (p->plan->clock[k].is) /* else it has no time of its own */
        tt_tick_now(&tt_events_tick(p->events)[k],
                    tt_clock_is_periodic(p->plan->clock[k].is),
                    p->now->t[o->op->at]);
    tt_event_note_clock(p, k);
    tt_bits_add(&p->event->ticked, k);
    tt_bits_add(&p->event->set[TT_SET_DONE], k);
    return TT_OK;
}

/* Values of other ranks, and whether they are there. */
static enum tt_code play_transfer(tt_part *p, const struct tt_event_op *o,
                                  tt_err *err)
{
    const struct tt_xfer *x = &p->score->xfer[o->op->arg];
    enum tt_code rc = play_guarded(p, o, err);

    for (uint32_t i = x->first; i < x->first + x->n && rc == TT_OK; i++) {
        const struct tt_message *m = &p->score->message[i];

        for (uint32_t k = 0; m->to == p->ranks->link->rank && k < m->n; k++) {
            uint32_t slot = p->score->member[m->first + k];
            uint32_t flag = tt_flag_of_slot(p->plan, slot);

            if (tt_events_flag(p->events)[flag])
                tt_event_raise(p, flag);
            tt_event_changed(p->event, slot);
        }
    }
    return rc;
}

tt_event_play_cb tt_event_way(const struct tt_event_op *o)
{
    static const tt_event_play_cb way[] = {
        [TT_OP_GET] = play_get,           [TT_OP_SET] = play_set,
        [TT_OP_ENTER] = play_enter,       [TT_OP_UPDATE] = play_update,
        [TT_OP_INTERVAL] = play_interval, [TT_OP_LEAVE] = play_leave,
        [TT_OP_TICK] = play_tick,         [TT_OP_XFER] = play_transfer,
    };

    if (o->op->flags & TT_OP_LATE)
        return play_late;
    if (o->op->code == TT_OP_GET && (o->value->kind == TT_EVENT_CLOCK ||
                                     o->value->kind == TT_EVENT_CLOCKED))
        return play_clocked;
    return way[o->op->code];
}

static enum tt_code play(tt_part *p, enum tt_section section, tt_err *err)
{
    struct tt_event_play *e = p->event;
    int leaves = section == TT_SEC_LEAVE;
    const struct tt_event_op *op = e->op[leaves];
    enum tt_code rc = TT_OK;
    uint32_t i;

    if (!leaves)
        tt_event_begin(p);
    for (; rc == TT_OK && (i = tt_event_next(e, leaves)) != TT_NONE;
         e->looked++)
        rc = op[i].play(p, &op[i], err);
    e->from = 0;
    return rc;
}

/* A rank whose play has failed goes on with the transfers, if they do not. */
static enum tt_code play_with_others(tt_part *p, enum tt_section section,
                                     tt_err *err)
{
    int leaves = section == TT_SEC_LEAVE;
    const struct tt_event_op *op = p->event->op[leaves];
    struct tt_halt halt;
    uint32_t i;
    int reached = 1;

    tt_ranks_begin(p);
    if (!leaves)
        tt_event_begin(p);
    while (reached && (i = tt_event_next(p->event, leaves)) != TT_NONE) {
        tt_err why = {0};

        if (tt_event_play_op(p, &op[i], &why) != TT_OK) {
            tt_ranks_fail(p, op[i].pc, &why);
            reached = op[i].op->code != TT_OP_XFER;
        }
    }
    p->event->from = 0;
    return tt_ranks_agree(p, &halt, err);
}

static enum tt_code play_alone(tt_part *p, enum tt_section section, tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    if (p->event->is_direct)
        rc = section == TT_SEC_LEAVE ? tt_event_leave_direct(p, err)
                                     : tt_event_play_direct(p, err);
    else
        rc = p->ranks ? play_with_others(p, section, err)
                      : play(p, section, err);
    tt_turn_give(&p->turn);
    return rc;
}

enum tt_code tt_part_play_event(tt_part *p, tt_err *err)
{
    if (tt_event_is_short(p))
        return tt_event_play_short(p, err);
    if (TT_UNLIKELY(p->event->direct && !p->event->is_direct)) {
        enum tt_code rc = tt_part_event_put_back(p, err);

        if (rc != TT_OK)
            return rc;
    }
    return play_alone(p, TT_SEC_EVENT, err);
}

enum tt_code tt_part_leave_event(tt_part *p, tt_err *err)
{
    const struct tt_bits *done = &p->event->set[TT_SET_DONE];
    uint32_t k;

    while ((k = tt_bits_take(done)) != TT_BITS_END)
        tt_events_tick(p->events)[k].done = 0;
    p->events->known = 0;
    return tt_event_is_short(p) ? tt_event_leave_short(p, err)
                                : play_alone(p, TT_SEC_LEAVE, err);
}
