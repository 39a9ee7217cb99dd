/* SPDX-License-Identifier: MIT */
/* Events: a play of guarded operations. */
#include "player/event.h"

#include <math.h>
#include <string.h>

#include "player/part_impl.h"
#include "player/ranks.h"
#include "player/team.h"

#define LEAP                                                                   \
    1e-9 /* relative: a continuous input that changes by more leapt            \
          */

size_t tt_events_size(const tt_plan *p)
{
    return sizeof(struct tt_events) + p->n_unit * (sizeof(double) + 1) +
           p->n_clock * (sizeof(struct tt_tick) + 1) + tt_flags_of(p) +
           (size_t)2 * p->n_slot;
}

void tt_events_init(struct tt_events *e, const tt_plan *p)
{
    *e = (struct tt_events){
        .n_unit = p->n_unit, .n_flag = tt_flags_of(p), .n_clock = p->n_clock};
    memset(tt_events_flag(e), 0,
           e->n_flag + e->n_unit + e->n_clock + (size_t)2 * p->n_slot);
    for (uint32_t k = 0; k < p->n_clock; k++)
        tt_events_tick(e)[k] = (struct tt_tick){.next = (double)INFINITY};
    for (uint32_t u = 0; u < p->n_unit; u++)
        e->next[u] = (double)INFINITY;
}

struct tt_events *tt_part_events(const tt_part *p)
{
    return p->events;
}

void tt_part_event_clock(tt_part *p, const struct tt_event_clock *c)
{
    p->event_clock = c;
}

void tt_part_event_ask(tt_part *p, uint32_t unit)
{
    tt_events_again(p->events)[unit] = 1;
}

void tt_part_clock_ask(tt_part *p, uint32_t clock)
{
    tt_events_ticks(p->events)[clock] = 1;
    tt_part_event_ask(p, p->plan->slot[p->plan->clock[clock].slot].unit);
}

/* --- values that changed ---------------------------------------------------
 */

const struct tt_op *tt_event_ops(const tt_part *p, uint32_t *n)
{
    *n = p->score->section[TT_SEC_EVENT].n;
    return p->score->op + p->score->section[TT_SEC_EVENT].first;
}

uint32_t tt_event_slot(const tt_part *p, const struct tt_op *op, uint32_t k)
{
    return p->score->member[p->score->batch[op->arg].first + k];
}

uint32_t tt_event_source(const tt_part *p, uint32_t slot)
{
    return p->plan->feed[p->plan->slot[slot].feed].from;
}

/* Does the clock tick that this one is connected to? */
static int is_present(const tt_part *p, uint32_t slot)
{
    return tt_events_flag(
        p->events)[tt_flag_of_slot(p->plan, tt_event_source(p, slot))];
}

/* Its source's value as the input would have it; NULL where it does not fit,
 * which the move will state. */
static const void *new_value(const tt_part *p, const struct tt_move *m)
{
    struct tt_move there = *m;

    there.to = p->event->scratch;
    return tt_move_one(&there) ? NULL : there.to;
}

/* By more than rounding? */
static int leaps(const struct tt_port *port, const char *a, const char *b)
{
    double nominal = fabs(port->nominal);

    for (uint32_t i = 0; i < port->n; i++) {
        size_t at = i * tt_type_size(port->type);
        double x = tt_value_as_double(port->type, a + at);
        double y = tt_value_as_double(port->type, b + at);

        if (!(fabs(x - y) <= LEAP * fmax(nominal, fmax(fabs(x), fabs(y)))))
            return 1;
    }
    return 0;
}

enum tt_news tt_event_news(const struct tt_port *port, const void *now,
                           const void *was)
{
    if (tt_values_same(port->type, port->n, now, was))
        return TT_NEWS_NONE;
    if (port->variability != TT_VAR_CONTINUOUS || !tt_type_is_float(port->type))
        return TT_NEWS_LEAP;
    return leaps(port, now, was) ? TT_NEWS_LEAP : TT_NEWS_SMALL;
}

/* Has this input another value to take? */
static enum tt_news news_for(const tt_part *p, const struct tt_op *op,
                             uint32_t k)
{
    uint32_t first = p->score->section[TT_SEC_EVENT].first;
    const struct tt_move *m =
        &p->event->moves[op - p->score->op - first]->move[k];
    uint32_t slot = tt_event_slot(p, op, k);
    const void *value;

    if (p->plan->slot[slot].type == TT_CLOCK)
        return is_present(p, slot) ? TT_NEWS_LEAP : TT_NEWS_NONE;
    if (p->plan->slot[slot].clock != TT_NONE)
        return TT_NEWS_LEAP; /* it ticks: the last value there is is sampled */
    value = new_value(p, m);
    return value ? tt_event_news(tt_plan_port(p->plan, slot), value, m->to)
                 : TT_NEWS_LEAP;
}

static int asks(const tt_part *p, uint32_t *unit)
{
    const uint8_t *again = tt_events_again(p->events);

    for (uint32_t u = 0; u < p->plan->n_unit; u++)
        if (again[u]) {
            *unit = u;
            return 1;
        }
    return 0;
}

/* The last of a batch that another value is due for. What comes with a clock is
 * of the microstep it ticked in. */
static uint32_t due_of(const tt_part *p, const struct tt_op *op)
{
    uint32_t due = TT_NONE;

    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);
        const struct tt_slot *to = &p->plan->slot[slot];

        if (to->type != TT_CLOCK && to->clock == TT_NONE &&
            news_for(p, op, k) == TT_NEWS_LEAP)
            due = slot;
    }
    return due;
}

uint32_t tt_event_due(const tt_part *p, uint32_t *slot)
{
    uint32_t n, i;
    const struct tt_op *op = tt_event_ops(p, &n);

    *slot = TT_NONE;
    for (i = 0; i < n && *slot == TT_NONE; i++)
        if (op[i].code == TT_OP_SET && !tt_ranks_away(p, op[i].unit))
            *slot = due_of(p, &op[i]);
    return i;
}

int tt_part_event_pending(tt_part *p, uint32_t *unit, uint32_t *slot)
{
    *unit = TT_NONE;
    if (p->ranks)
        *slot = p->ranks->due;
    else
        (void)tt_event_due(p, slot);
    return asks(p, unit) || *slot != TT_NONE;
}

/* --- a microstep -----------------------------------------------------------
 */

/* What ticked when it was too late is there now. */
static void take_carried(tt_part *p)
{
    uint8_t *carry = tt_events_carry(p->events);
    uint8_t *now = tt_events_carried(p->events);
    uint32_t n = p->plan->n_slot;

    memcpy(now, carry, n);
    memset(carry, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t clock = p->plan->slot[i].clock;

        if (now[i] || (clock != TT_NONE && now[clock] &&
                       p->plan->slot[i].dir != TT_SLOT_IN))
            tt_events_flag(p->events)[tt_flag_of_slot(p->plan, i)] = 1;
    }
}

void tt_part_event_tick(tt_part *p)
{
    struct tt_events *e = p->events;
    uint8_t *flag = tt_events_flag(e), *again = tt_events_again(e);

    e->n++;
    memset(flag, 0, e->n_flag);
    memcpy(flag, again, e->n_unit);
    for (uint32_t k = 0; k < e->n_clock; k++) {
        uint32_t slot = p->plan->clock[k].slot;
        uint8_t ticks = tt_events_ticks(e)[k];

        flag[tt_flag_of_slot(p->plan, slot)] = ticks;
        p->values->value[p->plan->slot[slot].offset] = ticks;
    }
    memset(again, 0, e->n_unit + e->n_clock);
    if (e->n_clock)
        memset(p->event->ticked, 0, e->n_clock);
    take_carried(p);
}

/* One made of units enters each microstep. */
static enum tt_code enter(tt_part *p, uint32_t unit, tt_err *err)
{
    tt_unit *u = p->unit[unit];
    uint32_t playing = tt_pause_playing(u);
    enum tt_code rc = TT_OK;

    if (u->life == TT_LIFE_READY || u->desc->inside)
        rc = tt_unit_event_enter(u, err);
    tt_resume_playing(u, playing);
    p->events->next[unit] = (double)INFINITY;
    return rc;
}

enum tt_code tt_part_event_join(tt_part *p, uint32_t unit, tt_err *err)
{
    tt_events_flag(p->events)[tt_flag_of_unit(unit)] = 1;
    return p->plan->unit[unit].events ? enter(p, unit, err) : TT_OK;
}

/* A batch is set when one of it has news; then all of it is, which are the
 * values they have. */
static enum tt_code take_set(tt_part *p, const struct tt_op *op, int *on,
                             tt_err *err)
{
    uint8_t *flag = tt_events_flag(p->events);
    enum tt_news most = TT_NEWS_NONE;

    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);
        enum tt_news one = news_for(p, op, k);

        if (one > most)
            most = one;
        if (one == TT_NEWS_LEAP)
            flag[tt_flag_of_slot(p->plan, slot)] = 1;
    }
    *on = most != TT_NEWS_NONE;
    return most == TT_NEWS_LEAP ? tt_part_event_join(p, op->unit, err) : TT_OK;
}

/* A microstep is played in parts, perhaps, and its clocks tick once. */
static int has_ticked(const tt_part *p, const struct tt_op *op)
{
    return p->event->ticked[p->plan->slot[tt_event_slot(p, op, 0)].ticked];
}

/* Of what belongs to a clock: a value that was carried is there already; late,
 * only what will be carried is read. Of a clock, late: does it not tick yet? */
static int is_read(const tt_part *p, const struct tt_op *op)
{
    uint32_t slot = tt_event_slot(p, op, 0), clock = p->plan->slot[slot].clock;
    int late = op->flags & TT_OP_LATE;

    if (clock != TT_NONE)
        return late ? tt_events_carry(p->events)[clock]
                    : tt_events_flag(p->events)[op->guard - 1] &&
                          !tt_events_carried(p->events)[clock];
    return tt_events_flag(p->events)[op->guard - 1] &&
           !(late && tt_events_flag(p->events)[tt_flag_of_slot(p->plan, slot)]);
}

/* Is this operation played? */
static enum tt_code is_on(tt_part *p, const struct tt_op *op, int *on,
                          tt_err *err)
{
    *on = !op->guard || tt_events_flag(p->events)[op->guard - 1];
    if (op->code == TT_OP_LEAVE)
        *on = p->unit[op->unit]->life == TT_LIFE_EVENT;
    if (op->code == TT_OP_TICK && has_ticked(p, op))
        *on = 0;
    if (op->code == TT_OP_GET)
        *on = is_read(p, op);
    return op->code == TT_OP_SET && *on ? take_set(p, op, on, err) : TT_OK;
}

/* Of clocks that were read: they tick or not; what came with one is there. One
 * that is read again, or was carried here, has ticked all the same. Of units on
 * other ranks that comes by transfer. */
static void note_presence(tt_part *p, const struct tt_op *op)
{
    uint8_t *flag = tt_events_flag(p->events);

    if (tt_ranks_away(p, op->unit))
        return;
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);
        uint8_t *value = p->values->value + p->plan->slot[slot].offset;
        uint8_t *ticks = &flag[tt_flag_of_slot(p->plan, slot)];

        if (p->plan->slot[slot].type == TT_CLOCK && *value)
            tt_events_carried(p->events)[slot] = 0; /* it ticks again */
        if (p->plan->slot[slot].type == TT_CLOCK)
            *value = *ticks |= *value;
        else
            *ticks = 1;
    }
}

/* A clock that ticks when it is read late asks for another microstep. */
static void note_late(tt_part *p, const struct tt_op *op)
{
    uint32_t slot = tt_event_slot(p, op, 0);

    if (tt_ranks_away(p, op->unit) || p->plan->slot[slot].type != TT_CLOCK ||
        !p->values->value[p->plan->slot[slot].offset])
        return;
    tt_events_carry(p->events)[slot] = 1;
    tt_part_event_ask(p, op->unit);
}

/* A clock that ticked, and is the next microstep's no more. */
static void note_tick(const tt_part *p, const struct tt_op *op)
{
    uint32_t k = p->plan->slot[tt_event_slot(p, op, 0)].ticked;

    tt_tick_now(&tt_events_tick(p->events)[k],
                tt_clock_is_periodic(p->plan->clock[k].is), p->now->t[op->at]);
    p->event->ticked[k] = 1;
}

static enum tt_code play_call(tt_part *p, uint32_t pc, tt_err *err)
{
    const struct tt_call *c = &p->call[pc];

    p->now->pc = pc;
    if (tt_call_make(c, p->now) == TT_CALL_FAILED)
        return tt_explain(p, c, err);
    return TT_OK;
}

enum tt_code tt_event_play_op(tt_part *p, uint32_t *pc, uint32_t end,
                              tt_err *err)
{
    uint32_t of = p->op_of[*pc];
    const struct tt_op *op = &p->score->op[of];
    int on = 0, muted = p->ranks && p->ranks->muted && op->unit != TT_NONE;
    enum tt_code rc = muted ? TT_OK : is_on(p, op, &on, err);

    for (; *pc < end && p->op_of[*pc] == of; ++*pc)
        if (on && rc == TT_OK)
            rc = play_call(p, *pc, err);
    if (rc == TT_OK && on && op->code == TT_OP_GET)
        (op->flags & TT_OP_LATE ? note_late : note_presence)(p, op);
    if (rc == TT_OK && on && op->code == TT_OP_TICK)
        note_tick(p, op);
    return rc;
}

static enum tt_code play(tt_part *p, enum tt_section section, tt_err *err)
{
    uint32_t pc = p->section[section].first, end = pc + p->section[section].n;
    enum tt_code rc = TT_OK;

    while (pc < end && rc == TT_OK)
        rc = tt_event_play_op(p, &pc, end, err);
    return rc;
}

/* A rank whose play has failed goes on with the transfers, if they do not. */
static enum tt_code play_with_others(tt_part *p, enum tt_section section,
                                     tt_err *err)
{
    uint32_t pc = p->section[section].first, end = pc + p->section[section].n;
    struct tt_halt halt;
    int reached = 1;

    tt_ranks_begin(p);
    while (pc < end && reached) {
        uint32_t first = pc;
        tt_err why = {0};

        if (tt_event_play_op(p, &pc, end, &why) != TT_OK) {
            tt_ranks_fail(p, first, &why);
            reached = !tt_is_xfer(&p->call[first]);
        }
    }
    return tt_ranks_agree(p, &halt, err);
}

static enum tt_code play_alone(tt_part *p, enum tt_section section, tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    rc = p->ranks ? play_with_others(p, section, err) : play(p, section, err);
    tt_turn_give(&p->turn);
    return rc;
}

enum tt_code tt_part_play_event(tt_part *p, tt_err *err)
{
    return play_alone(p, TT_SEC_EVENT, err);
}

enum tt_code tt_part_leave_event(tt_part *p, tt_err *err)
{
    for (uint32_t k = 0; k < p->plan->n_clock; k++)
        tt_events_tick(p->events)[k].done = 0;
    return play_alone(p, TT_SEC_LEAVE, err);
}

/* --- binding ---------------------------------------------------------------
 */

static enum tt_call_result as_result(enum tt_code rc)
{
    return rc == TT_OK ? TT_CALL_OK : TT_CALL_FAILED;
}

static enum tt_call_result play_enter(const struct tt_call *c,
                                      struct tt_now *now)
{
    const struct tt_event_call *e = c->unit;

    return as_result(enter(e->part, e->unit, now->words));
}

static enum tt_code update(tt_part *p, uint32_t unit, struct tt_event_result *r,
                           tt_err *err)
{
    const struct tt_event_clock *c = p->event_clock;
    uint64_t began = c ? c->now_cb(c->ctx) : 0;
    enum tt_code rc = tt_unit_event_update(p->unit[unit], r, err);

    if (rc != TT_OK || !c || !r->ran)
        return rc;
    return c->ran_cb(c->ctx, unit, r->ran - 1, c->now_cb(c->ctx) - began, err);
}

static enum tt_call_result play_update(const struct tt_call *c,
                                       struct tt_now *now)
{
    const struct tt_event_call *e = c->unit;
    tt_unit *u = e->part->unit[e->unit];
    struct tt_events *ev = e->part->events;
    uint32_t playing = tt_pause_playing(u);
    struct tt_event_result r;
    enum tt_code rc = update(e->part, e->unit, &r, now->words);

    tt_resume_playing(u, playing);
    if (rc != TT_OK)
        return TT_CALL_FAILED;
    ev->next[e->unit] = r.next_defined ? r.next : (double)INFINITY;
    tt_events_again(ev)[e->unit] |= r.again != 0;
    if (r.terminate && !ev->ender)
        ev->ender = e->unit + 1;
    return TT_CALL_OK;
}

static enum tt_call_result play_leave(const struct tt_call *c,
                                      struct tt_now *now)
{
    const struct tt_event_call *e = c->unit;
    tt_unit *u = e->part->unit[e->unit];
    uint32_t playing = tt_pause_playing(u);
    enum tt_code rc = tt_unit_event_leave(u, now->words);

    tt_resume_playing(u, playing);
    return as_result(rc);
}

enum tt_code tt_bind_event(tt_part *p, const struct tt_op *op,
                           struct tt_call *c, tt_err *err)
{
    static const struct tt_what enters = {.fn = play_enter,
                                          .verb = TT_VERB_OTHER},
                                updates = {.fn = play_update,
                                           .verb = TT_VERB_OTHER},
                                asks = {.fn = tt_play_interval,
                                        .verb = TT_VERB_OTHER},
                                leaves = {.fn = play_leave,
                                          .verb = TT_VERB_OTHER};
    struct tt_event_call *e = tt_arena_alloc(p->arena, 1, sizeof(*e));

    if (!e)
        return tt_part_nomem(err);
    *e = (struct tt_event_call){p, op->unit};
    *c = (struct tt_call){.what = op->code == TT_OP_ENTER      ? &enters
                                  : op->code == TT_OP_UPDATE   ? &updates
                                  : op->code == TT_OP_INTERVAL ? &asks
                                                               : &leaves,
                          .unit = e};
    return TT_OK;
}

static size_t largest_input(const tt_plan *p)
{
    size_t most = 0;

    for (uint32_t i = 0; i < p->n_slot; i++) {
        size_t n = p->slot[i].n * tt_type_size(p->slot[i].type);

        if (p->slot[i].dir == TT_SLOT_IN && n > most)
            most = n;
    }
    return most;
}

enum tt_code tt_bind_event_moves(tt_part *p, tt_err *err)
{
    uint32_t n;
    const struct tt_op *op = tt_event_ops(p, &n);
    struct tt_event_play *e = tt_arena_alloc(p->arena, 1, sizeof(*e));

    if (!e)
        return tt_part_nomem(err);
    p->event = e;
    e->moves = tt_arena_alloc(p->arena, n, sizeof(struct tt_moves *));
    e->scratch = tt_arena_alloc(p->arena, largest_input(p->plan) + 1, 1);
    e->wanted = tt_arena_alloc(p->arena, p->plan->n_slot, 1);
    e->needed = tt_arena_alloc(p->arena, n, 1);
    e->ticked = tt_arena_alloc(p->arena, p->plan->n_clock, 1);
    if (!e->moves || !e->scratch || !e->wanted || !e->needed || !e->ticked)
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_batch *g = &p->score->batch[op[i].arg];

        if (op[i].code != TT_OP_SET)
            continue;
        e->moves[i] = tt_feed_moves(p, p->score->member + g->first, g->n);
        if (!e->moves[i])
            return tt_part_nomem(err);
    }
    return p->ranks ? tt_ranks_note_events(p, err) : TT_OK;
}
