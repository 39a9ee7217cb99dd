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

void tt_part_event_ask(tt_part *p, uint32_t unit)
{
    tt_bits_add(&p->event->set[TT_SET_AGAIN], unit);
}

int tt_part_event_asked(const tt_part *p)
{
    return tt_bits_next(&p->event->set[TT_SET_AGAIN], 0) != TT_BITS_END;
}

void tt_part_event_moved(tt_part *p)
{
    p->events->known = 0;
}

void tt_part_clock_ask(tt_part *p, uint32_t clock)
{
    tt_bits_add(&p->event->set[TT_SET_TICKS], clock);
    tt_part_event_ask(p, p->plan->slot[p->plan->clock[clock].slot].unit);
}

void tt_part_quiet_ask(tt_part *p, uint32_t unit)
{
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

/* The strongest news of a batch. What comes with a clock is of the microstep it
 * ticked in. *due: the last that another value is due for, else TT_NONE. */
static enum tt_news look_at(tt_part *p, const struct tt_op *op, uint32_t *due)
{
    enum tt_news most = TT_NEWS_NONE;

    *due = TT_NONE;
    p->event->looked++;
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        enum tt_news one = news_for(p, op, k);

        if (one > most)
            most = one;
        if (one == TT_NEWS_LEAP)
            *due = tt_event_slot(p, op, k);
    }
    return most;
}

/* They have the values there are. */
static void forget_news(const tt_part *p, const struct tt_op *op)
{
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++)
        tt_bits_drop(&p->event->set[TT_SET_NEWS], tt_event_slot(p, op, k));
}

/* Any input may have news. */
static void suspect_all(const tt_part *p)
{
    for (uint32_t i = 0; i < p->plan->n_slot; i++)
        if (p->event->set_of[i] != TT_NONE)
            tt_bits_add(&p->event->set[TT_SET_NEWS], i);
    p->events->known = 1;
}

uint32_t tt_event_due(tt_part *p, uint32_t *slot)
{
    const struct tt_bits *news = &p->event->set[TT_SET_NEWS];
    const struct tt_bits *looks = &p->event->looks;
    uint32_t n, i, at;
    const struct tt_op *op = tt_event_ops(p, &n);

    at = n;
    *slot = TT_NONE;
    if (!p->events->known || !p->events->n)
        suspect_all(p);
    for (i = tt_bits_next(news, 0); i != TT_BITS_END;
         i = tt_bits_next(news, i + 1))
        tt_bits_add(looks, p->event->set_of[i]);
    for (i = tt_bits_next(looks, 0); i != TT_BITS_END && at == n;
         i = tt_bits_next(looks, i + 1)) {
        if (tt_ranks_away(p, op[i].unit))
            continue;
        if (look_at(p, &op[i], slot) == TT_NEWS_NONE)
            forget_news(p, &op[i]);
        if (*slot != TT_NONE)
            at = i + 1;
    }
    tt_bits_clear(looks);
    return at;
}

int tt_part_event_pending(tt_part *p, uint32_t *unit, uint32_t *slot)
{
    *unit = tt_bits_next(&p->event->set[TT_SET_AGAIN], 0);
    if (p->ranks)
        *slot = p->ranks->due;
    else
        (void)tt_event_due(p, slot);
    return *unit != TT_NONE || *slot != TT_NONE;
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

    tt_bits_clear(now);
    for (uint32_t i = tt_bits_next(carry, 0); i != TT_BITS_END;
         i = tt_bits_next(carry, i + 1)) {
        tt_bits_add(now, i);
        tt_event_raise(p, tt_flag_of_slot(p->plan, i));
        carry_values(p, i);
    }
    tt_bits_clear(carry);
}

static uint8_t *clock_value(const tt_part *p, uint32_t slot)
{
    return p->values->value + p->plan->slot[slot].offset;
}

/* The flags of the microstep before. */
static void lower_all(const tt_part *p)
{
    const struct tt_bits *raised = &p->event->set[TT_SET_RAISED];
    uint8_t *flag = tt_events_flag(p->events);
    uint32_t n_unit = p->plan->n_unit;

    for (uint32_t f = tt_bits_next(raised, 0); f != TT_BITS_END;
         f = tt_bits_next(raised, f + 1)) {
        flag[f] = 0;
        /* one that ticked before would tick again in a batch with others */
        if (f >= n_unit && p->plan->slot[f - n_unit].type == TT_CLOCK)
            *clock_value(p, f - n_unit) = 0;
    }
    tt_bits_clear(raised);
}

/* Those that asked take part in this microstep. */
static void raise_asked(tt_part *p)
{
    const struct tt_bits *again = &p->event->set[TT_SET_AGAIN];
    const struct tt_bits *ticks = &p->event->set[TT_SET_TICKS];
    const struct tt_bits *quiet = &p->event->set[TT_SET_QUIET];

    for (uint32_t u = tt_bits_next(again, 0); u != TT_BITS_END;
         u = tt_bits_next(again, u + 1))
        tt_event_raise(p, tt_flag_of_unit(u));
    for (uint32_t k = tt_bits_next(ticks, 0); k != TT_BITS_END;
         k = tt_bits_next(ticks, k + 1)) {
        tt_event_raise(p, tt_flag_of_slot(p->plan, p->plan->clock[k].slot));
        *clock_value(p, p->plan->clock[k].slot) = 1;
    }
    for (uint32_t u = tt_bits_next(quiet, 0); u != TT_BITS_END;
         u = tt_bits_next(quiet, u + 1))
        tt_unit_quiet(p->unit[u]);
    tt_bits_clear(again);
    tt_bits_clear(ticks);
    tt_bits_clear(quiet);
}

void tt_part_event_tick(tt_part *p)
{
    if (!p->events->known)
        suspect_all(p);
    p->events->n++;
    lower_all(p);
    raise_asked(p);
    tt_bits_clear(&p->event->ticked);
    take_carried(p);
}

void tt_part_event_tick_too(tt_part *p)
{
    raise_asked(p);
}

/* One made of units enters each microstep. */
static int is_to_enter(const tt_unit *u)
{
    return u->life == TT_LIFE_READY || u->desc->inside;
}

static enum tt_code enter(tt_part *p, uint32_t unit, tt_err *err)
{
    tt_events_set_next(p->events, unit, (double)INFINITY);
    tt_bits_add(&p->event->set[TT_SET_INSIDE], unit);
    return is_to_enter(p->unit[unit]) ? tt_unit_event_enter(p->unit[unit], err)
                                      : TT_OK;
}

/* In no call of the play's: what is done is stated by itself. */
enum tt_code tt_part_event_join(tt_part *p, uint32_t unit, tt_err *err)
{
    tt_unit *u = p->unit[unit];
    uint32_t playing;
    enum tt_code rc;

    tt_event_raise(p, tt_flag_of_unit(unit));
    if (!p->plan->unit[unit].events)
        return TT_OK;
    if (!is_to_enter(u))
        return enter(p, unit, err);
    playing = tt_pause_playing(u);
    rc = enter(p, unit, err);
    tt_resume_playing(u, playing);
    return rc;
}

/* A batch is set when one of it has news; then all of it is, which are the
 * values they have. */
static enum tt_code take_set(tt_part *p, const struct tt_op *op, int *on,
                             tt_err *err)
{
    enum tt_news most = TT_NEWS_NONE;

    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);
        enum tt_news one = news_for(p, op, k);

        if (one > most)
            most = one;
        if (one == TT_NEWS_LEAP)
            tt_event_raise(p, tt_flag_of_slot(p->plan, slot));
    }
    *on = most != TT_NEWS_NONE;
    forget_news(p, op);
    return most == TT_NEWS_LEAP ? tt_part_event_join(p, op->unit, err) : TT_OK;
}

/* A microstep is played in parts, perhaps, and its clocks tick once. */
static int has_ticked(const tt_part *p, const struct tt_op *op)
{
    return tt_bits_has(&p->event->ticked,
                       p->plan->slot[tt_event_slot(p, op, 0)].ticked);
}

static int ticks(const tt_part *p, uint32_t clock)
{
    return tt_events_flag(p->events)[tt_flag_of_slot(p->plan, clock)];
}

/* Of what belongs to clocks: a value that was carried is there already; late,
 * only what will be carried is read. Of a clock, late: does it not tick yet? */
static int is_read(const tt_part *p, const struct tt_op *op)
{
    uint32_t slot = tt_event_slot(p, op, 0);
    struct tt_clock_set c = tt_plan_clocks_of(p->plan, slot);
    int late = op->flags & TT_OP_LATE;

    if (!c.n)
        return tt_events_flag(p->events)[op->guard - 1] &&
               !(late && ticks(p, slot));
    for (uint32_t k = 0; k < c.n; k++)
        if (late ? tt_bits_has(&p->event->set[TT_SET_CARRY], c.slot[k])
                 : ticks(p, c.slot[k]) &&
                       !tt_bits_has(&p->event->set[TT_SET_CARRIED], c.slot[k]))
            return 1;
    return 0;
}

/* Is its guard up, or a clock of those it stands for? */
static int is_up(const tt_part *p, const struct tt_op *op)
{
    uint32_t flag = op->guard - 1, n_flag = p->events->n_flag;
    const struct tt_clock_set *c;

    if (!op->guard || flag < n_flag)
        return !op->guard || tt_events_flag(p->events)[flag];
    c = &p->plan->clock_set[flag - n_flag];
    for (uint32_t k = 0; k < c->n; k++)
        if (ticks(p, c->slot[k]))
            return 1;
    return 0;
}

/* Is this operation played? */
static enum tt_code is_on(tt_part *p, const struct tt_op *op, int *on,
                          tt_err *err)
{
    *on = is_up(p, op);
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
    if (tt_ranks_away(p, op->unit))
        return;
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);
        uint32_t flag = tt_flag_of_slot(p->plan, slot);
        uint8_t *ticks = clock_value(p, slot);

        if (p->plan->slot[slot].type != TT_CLOCK) {
            tt_event_raise(p, flag);
            tt_event_changed(p, slot);
            continue;
        }
        if (*ticks)
            tt_bits_drop(&p->event->set[TT_SET_CARRIED], slot); /* again */
        if (*ticks)
            tt_event_raise(p, flag);
        *ticks = tt_events_flag(p->events)[flag];
    }
}

/* Values of other ranks, and whether they are there. */
static void note_transfer(tt_part *p, const struct tt_op *op)
{
    const struct tt_xfer *x = &p->score->xfer[op->arg];

    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        const struct tt_message *m = &p->score->message[i];

        for (uint32_t k = 0; m->to == p->ranks->link->rank && k < m->n; k++) {
            uint32_t slot = p->score->member[m->first + k];
            uint32_t flag = tt_flag_of_slot(p->plan, slot);

            if (tt_events_flag(p->events)[flag])
                tt_event_raise(p, flag);
            tt_event_changed(p, slot);
        }
    }
}

/* A clock that ticks when it is read late asks for another microstep. */
static void note_late(tt_part *p, const struct tt_op *op)
{
    uint32_t slot = tt_event_slot(p, op, 0);

    if (tt_ranks_away(p, op->unit))
        return;
    if (p->plan->slot[slot].type != TT_CLOCK)
        tt_event_changed(p, slot);
    if (p->plan->slot[slot].type != TT_CLOCK || !*clock_value(p, slot))
        return;
    tt_bits_add(&p->event->set[TT_SET_CARRY], slot);
    tt_event_wake(p, tt_flags_of(p->plan) + slot);
    tt_part_event_ask(p, op->unit);
}

/* A clock that ticked, and is the next microstep's no more. */
static void note_tick(const tt_part *p, const struct tt_op *op)
{
    uint32_t k = p->plan->slot[tt_event_slot(p, op, 0)].ticked;

    if (p->plan->clock[k].is) /* else it has no time of its own */
        tt_tick_now(&tt_events_tick(p->events)[k],
                    tt_clock_is_periodic(p->plan->clock[k].is),
                    p->now->t[op->at]);
    tt_event_note_clock(p, k);
    tt_bits_add(&p->event->ticked, k);
    tt_bits_add(&p->event->set[TT_SET_DONE], k);
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

    p->event->looked++;
    for (; *pc < end && p->op_of[*pc] == of; ++*pc)
        if (on && rc == TT_OK)
            rc = play_call(p, *pc, err);
    if (rc == TT_OK && on && op->code == TT_OP_GET)
        (op->flags & TT_OP_LATE ? note_late : note_presence)(p, op);
    if (rc == TT_OK && on && op->code == TT_OP_TICK)
        note_tick(p, op);
    if (rc == TT_OK && op->code == TT_OP_XFER)
        note_transfer(p, op);
    return rc;
}

/* The call an operation begins with; *end: behind the last one of its section.
 */
static uint32_t call_of(const tt_part *p, enum tt_section section, uint32_t op,
                        uint32_t *end)
{
    *end = p->section[section].first + p->section[section].n;
    return p->event->pc[section == TT_SEC_LEAVE][op];
}

static enum tt_code play(tt_part *p, enum tt_section section, tt_err *err)
{
    uint32_t op, end;
    enum tt_code rc = TT_OK;

    tt_event_begin(p, section);
    while (rc == TT_OK && (op = tt_event_next(p)) != TT_NONE) {
        uint32_t pc = call_of(p, section, op, &end);

        if (pc != TT_NONE)
            rc = tt_event_play_op(p, &pc, end, err);
    }
    p->event->at = TT_NONE;
    return rc;
}

/* A rank whose play has failed goes on with the transfers, if they do not. */
static enum tt_code play_with_others(tt_part *p, enum tt_section section,
                                     tt_err *err)
{
    struct tt_halt halt;
    uint32_t op, end;
    int reached = 1;

    tt_ranks_begin(p);
    tt_event_begin(p, section);
    while (reached && (op = tt_event_next(p)) != TT_NONE) {
        uint32_t first = call_of(p, section, op, &end), pc = first;
        tt_err why = {0};

        if (pc != TT_NONE && tt_event_play_op(p, &pc, end, &why) != TT_OK) {
            tt_ranks_fail(p, first, &why);
            reached = !tt_is_xfer(&p->call[first]);
        }
    }
    p->event->at = TT_NONE;
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
    const struct tt_bits *done = &p->event->set[TT_SET_DONE];

    for (uint32_t k = tt_bits_next(done, 0); k != TT_BITS_END;
         k = tt_bits_next(done, k + 1))
        tt_events_tick(p->events)[k].done = 0;
    tt_bits_clear(done);
    p->events->known = 0;
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
    struct tt_events *ev = e->part->events;
    struct tt_event_result r;
    enum tt_code rc = update(e->part, e->unit, &r, now->words);

    if (rc != TT_OK)
        return TT_CALL_FAILED;
    tt_events_set_next(ev, e->unit, r.next_defined ? r.next : (double)INFINITY);
    tt_events_set_next(ev, ev->n_unit + ev->n_clock + e->unit,
                       r.tick_defined ? r.tick : (double)INFINITY);
    if (r.again)
        tt_part_event_ask(e->part, e->unit);
    if (r.terminate && !ev->ender)
        ev->ender = e->unit + 1;
    return TT_CALL_OK;
}

static enum tt_call_result play_leave(const struct tt_call *c,
                                      struct tt_now *now)
{
    const struct tt_event_call *e = c->unit;

    return as_result(tt_unit_event_leave(e->part->unit[e->unit], now->words));
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
    enum tt_code rc;

    if (!e)
        return tt_part_nomem(err);
    p->event = e;
    e->moves = tt_arena_alloc(p->arena, n, sizeof(struct tt_moves *));
    e->scratch = tt_arena_alloc(p->arena, largest_input(p->plan) + 1, 1);
    e->wanted = tt_arena_alloc(p->arena, p->plan->n_slot, 1);
    e->needed = tt_arena_alloc(p->arena, n, 1);
    if (!e->moves || !e->scratch || !e->wanted || !e->needed)
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_batch *g = &p->score->batch[op[i].arg];

        if (op[i].code != TT_OP_SET)
            continue;
        e->moves[i] = tt_feed_moves(p, p->score->member + g->first, g->n);
        if (!e->moves[i])
            return tt_part_nomem(err);
    }
    rc = tt_bind_event_wakes(p, err);
    return rc == TT_OK && p->ranks ? tt_ranks_note_events(p, err) : rc;
}
