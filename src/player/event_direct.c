/* SPDX-License-Identifier: MIT */
/* A microstep of a network of discrete events, from unit to unit.
 *
 * Operations of such a network come in stages: units that are due tick and are
 * read, what ticks is set where it leads, all that took part are updated. None
 * is read again behind what it is set to. So a microstep need not look for the
 * next operation of the section: it goes from the units that ask over the
 * connections of what ticks to the units behind, in the order of the section
 * wherever a unit can notice. Flags, values and calls are the same. */
#include "player/event_direct.h"

#include <string.h>

/* Lists are chained by numbers; TT_NONE ends them. */
struct unit {
    tt_unit *is;
    const struct tt_event_door *door; /* NULL: it is called */
    const uint8_t *ticks;             /* the flag of its own clock, or NULL */
    uint32_t enter, tick, update;     /* operations */
    uint32_t clock;                   /* output clocks that are read */
    uint32_t plain, late, after;      /* operations: values that belong to no
                                         clock; what is read behind the sets;
                                         what follows the update */
};

struct clock {
    const uint8_t *at; /* where its unit has it; NULL: it is called */
    uint8_t *ticks;    /* its value */
    const uint8_t *up; /* its flag */
    uint32_t flag, op;
    uint32_t value; /* what belongs to it */
    uint32_t link;  /* where it leads */
    uint32_t next;
};

struct value {
    const void *at;
    void *to;
    uint32_t size;
    uint32_t flag, op, next;
};

/* A connection of clocks, with the values that come along. Links are numbered
 * in the order in which these are set. */
struct link {
    uint8_t *ticks; /* of the target */
    uint8_t *there; /* where the unit has it; NULL: it is called */
    uint32_t unit, flag;
    uint32_t set;   /* the operation, of the clock */
    uint32_t value; /* ... and of values */
    uint32_t next;
};

/* What an input takes. */
struct input {
    const void *from; /* NULL: it is called */
    void *to;
    uint32_t size;
    uint32_t port, flag, op, next;
};

struct tt_event_direct {
    struct unit *unit;
    struct clock *clock;
    struct value *value;
    struct link *link;
    struct input *input;
    uint32_t n_clock, n_value, n_link, n_input;
    uint32_t *next;     /* per operation, of lists of them */
    uint32_t *lowers;   /* per flag, if it is a clock's: where that has its
                           value, plus 1; else 0 */
    struct tt_bits hit; /* links */
    struct tt_bits all; /* units that take part */
    uint32_t *asked, n_asked;
    uint32_t *list;
};

/* --- playing ---------------------------------------------------------------
 */

static inline void put_up(const struct tt_event_play *e, uint32_t flag)
{
    if (e->flag[flag])
        return;
    e->flag[flag] = 1;
    tt_bits_add(&e->set[TT_SET_RAISED], flag);
}

static inline void join(const struct tt_event_play *e,
                        const struct tt_event_direct *d, uint32_t unit)
{
    put_up(e, tt_flag_of_unit(unit));
    tt_bits_add(&d->all, unit);
}

int tt_event_goes_direct(const tt_part *p)
{
    const struct tt_event_play *e = p->event;

    return !p->event_clock &&
           tt_bits_next(&e->set[TT_SET_CARRY], 0) == TT_BITS_END &&
           tt_bits_next(&e->set[TT_SET_QUIET], 0) == TT_BITS_END;
}

static void lower(const struct tt_event_play *e, uint8_t *values)
{
    const struct tt_event_direct *d = e->direct;
    uint32_t n = tt_bits_empty(&e->set[TT_SET_RAISED], d->list);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = d->list[i];

        e->flag[f] = 0;
        if (d->lowers[f])
            values[d->lowers[f] - 1] = 0;
    }
}

void tt_event_direct_tick(tt_part *p)
{
    struct tt_event_play *e = p->event;
    struct tt_event_direct *d = e->direct;
    uint32_t n;

    p->events->known = 1; /* there is no input that could have news */
    lower(e, p->values->value);
    tt_bits_clear(&e->set[TT_SET_CARRIED]);
    tt_bits_clear(&e->ticked);
    n = tt_bits_empty(&e->set[TT_SET_TICKS], d->list);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = p->plan->clock[d->list[i]].slot;

        put_up(e, tt_flag_of_slot(p->plan, slot));
        p->values->value[p->plan->slot[slot].offset] = 1;
    }
    d->n_asked = tt_bits_empty(&e->set[TT_SET_AGAIN], d->asked);
    for (uint32_t i = 0; i < d->n_asked; i++)
        join(e, d, d->asked[i]);
}

static inline enum tt_code play_op(tt_part *p, uint32_t i, tt_err *err)
{
    const struct tt_event_op *o = &p->event->op[0][i];

    return o->play(p, o, err);
}

static enum tt_code play_list(tt_part *p, uint32_t i, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (; i != TT_NONE && rc == TT_OK; i = p->event->direct->next[i])
        rc = play_op(p, i, err);
    return rc;
}

/* Of a call through a door: the words of the call it stands for. */
static enum tt_code failed(tt_part *p, uint32_t op, enum tt_code rc,
                           tt_err *err)
{
    p->now->pc = p->event->op[0][op].end - 1;
    p->now->status = (int)rc;
    return tt_explain(p, &p->call[p->now->pc], err);
}

static inline enum tt_code enter(tt_part *p, const struct unit *u,
                                 uint32_t unit, tt_err *err)
{
    const struct tt_event_play *e = p->event;

    /* initialisation mode is left in event mode */
    tt_bits_add(&e->set[TT_SET_INSIDE], e->leave_of[unit]);
    if (u->is->life != TT_LIFE_READY)
        return TT_OK;
    tt_event_arrive(p, u->is);
    p->now->pc = e->op[0][u->enter].pc;
    if (!u->door)
        return tt_unit_event_enter(u->is, err);
    u->is->life = TT_LIFE_EVENT;
    return TT_OK;
}

static enum tt_code tick(tt_part *p, const struct unit *u, tt_err *err)
{
    enum tt_code rc;

    if (!u->door)
        return play_op(p, u->tick, err);
    p->now->pc = p->event->op[0][u->tick].pc;
    rc = u->door->tick(u->is, u->is->words);
    return rc == TT_OK ? rc : failed(p, u->tick, rc, err);
}

static enum tt_code read_value(tt_part *p, const struct value *v, tt_err *err)
{
    if (!v->at)
        return play_op(p, v->op, err);
    if (v->size == sizeof(double))
        memcpy(v->to, v->at, sizeof(double));
    else
        memcpy(v->to, v->at, v->size);
    put_up(p->event, v->flag);
    return TT_OK;
}

/* Does it tick? Then its values are read, and where it leads is noted. */
static enum tt_code read_clock(tt_part *p, const struct clock *c, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc = TT_OK;

    if (c->at && !*c->at)
        return TT_OK;
    if (c->at) {
        *c->ticks = 1;
        put_up(p->event, c->flag);
    } else {
        rc = play_op(p, c->op, err);
        if (rc != TT_OK || !*c->up)
            return rc;
    }
    for (uint32_t i = c->value; i != TT_NONE && rc == TT_OK;
         i = d->value[i].next)
        rc = read_value(p, &d->value[i], err);
    for (uint32_t i = c->link; i != TT_NONE; i = d->link[i].next)
        tt_bits_add(&d->hit, i);
    return rc;
}

static enum tt_code play_asked(tt_part *p, uint32_t unit, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    const struct unit *u = &d->unit[unit];
    enum tt_code rc = enter(p, u, unit, err);

    if (rc == TT_OK && u->ticks && *u->ticks)
        rc = tick(p, u, err);
    if (rc == TT_OK)
        rc = play_list(p, u->plain, err);
    for (uint32_t i = u->clock; i != TT_NONE && rc == TT_OK;
         i = d->clock[i].next)
        rc = read_clock(p, &d->clock[i], err);
    return rc;
}

static enum tt_code set_clock(tt_part *p, const struct link *l, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc;

    put_up(p->event, l->flag);
    join(p->event, d, l->unit);
    rc = enter(p, &d->unit[l->unit], l->unit, err);
    if (!l->there)
        return rc == TT_OK
                   ? tt_event_make_calls(p, &p->event->op[0][l->set], err)
                   : rc;
    *l->ticks = 1;
    *l->there = 1;
    return rc;
}

static enum tt_code set_value(tt_part *p, const struct unit *u,
                              const struct input *in, tt_err *err)
{
    enum tt_code rc;

    put_up(p->event, in->flag);
    if (!in->from)
        return tt_event_make_calls(p, &p->event->op[0][in->op], err);
    if (in->size == sizeof(double))
        memcpy(in->to, in->from, sizeof(double));
    else
        memcpy(in->to, in->from, in->size);
    p->now->pc = p->event->op[0][in->op].pc;
    rc = u->door->take(u->is, in->port, in->to, u->is->words);
    return rc == TT_OK ? rc : failed(p, in->op, rc, err);
}

static enum tt_code set_values(tt_part *p, const struct link *l, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc = TT_OK;

    for (uint32_t i = l->value; i != TT_NONE && rc == TT_OK;
         i = d->input[i].next)
        rc = set_value(p, &d->unit[l->unit], &d->input[i], err);
    return rc;
}

static enum tt_code play_hits(tt_part *p, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    uint32_t n = tt_bits_empty(&d->hit, d->list);
    enum tt_code rc = TT_OK;

    p->event->looked += n;
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = set_clock(p, &d->link[d->list[i]], err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = set_values(p, &d->link[d->list[i]], err);
    return rc;
}

static enum tt_code play_updates(tt_part *p, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    uint32_t n = tt_bits_empty(&d->all, d->list);
    enum tt_code rc = TT_OK;

    p->event->looked += n;
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = play_list(p, d->unit[d->list[i]].late, err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        const struct unit *u = &d->unit[d->list[i]];

        rc = play_op(p, u->update, err);
        if (rc == TT_OK)
            rc = play_list(p, u->after, err);
    }
    return rc;
}

enum tt_code tt_event_play_direct(tt_part *p, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < d->n_asked && rc == TT_OK; i++)
        rc = play_asked(p, d->asked[i], err);
    if (rc == TT_OK)
        rc = play_hits(p, err);
    if (rc == TT_OK)
        rc = play_updates(p, err);
    if (rc != TT_OK) { /* nothing is left for a play after a restore */
        tt_bits_clear(&d->hit);
        tt_bits_clear(&d->all);
    }
    return rc;
}

enum tt_code tt_event_leave_direct(tt_part *p, tt_err *err)
{
    const struct tt_event_play *e = p->event;
    const struct tt_event_direct *d = e->direct;
    uint32_t n = tt_bits_empty(&e->set[TT_SET_INSIDE], d->list);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        const struct tt_event_op *o = &e->op[1][d->list[i]];
        const struct unit *u = &d->unit[o->op->unit];

        if (u->door)
            u->is->life = TT_LIFE_READY;
        else
            rc = o->play(p, o, err);
    }
    return rc;
}

/* --- binding ---------------------------------------------------------------
 */

struct draft {
    tt_part *p;
    struct tt_event_direct *d;
    const struct tt_event_op *op;
    uint32_t n;
    uint32_t *clock_of;  /* per slot: an output clock that is read */
    uint32_t *link_of;   /* per slot: an input clock */
    uint32_t *first_set; /* per unit: its first SET */
};

static int is_clock(const struct tt_event_op *o)
{
    return o->value->kind == TT_EVENT_CLOCK;
}

static int is_late(const struct tt_event_op *o)
{
    return (o->op->flags & TT_OP_LATE) != 0;
}

/* The slot whose flag an operation waits for; TT_NONE: it is another flag. */
static uint32_t guard_slot(const struct draft *t, const struct tt_event_op *o)
{
    uint32_t flag = o->op->guard - 1, n_unit = t->p->plan->n_unit;

    return o->op->guard && o->guard && flag >= n_unit ? flag - n_unit : TT_NONE;
}

static const struct tt_event_door *door_of(const tt_unit *u)
{
    return u->words && u->ops->door && u->ops->door->is_open(u) ? u->ops->door
                                                                : NULL;
}

/* Is a value that is read behind the sets the same as before? */
static int is_settled(const struct draft *t, const struct tt_event_op *o)
{
    const struct tt_slot *s = &t->p->plan->slot[o->value->slot];
    const struct tt_desc *desc = t->p->plan->unit[s->unit].desc;

    return desc->run[s->port].known && !desc->run[s->port].n;
}

static void push(struct draft *t, uint32_t *list, uint32_t op)
{
    t->d->next[op] = *list;
    *list = op;
}

/* --- what a network must be like ... */

static int fits_get(const struct draft *t, const struct tt_event_op *o,
                    uint32_t i)
{
    uint32_t unit = o->op->unit, slot = guard_slot(t, o);

    if (is_late(o))
        return 1;
    if (o->value->kind == TT_EVENT_CLOCK)
        return o->n_value == 1 && slot == TT_NONE && o->guard &&
               i < t->first_set[unit];
    if (o->value->kind == TT_EVENT_CLOCKED)
        return slot != TT_NONE && t->clock_of[slot] != TT_NONE &&
               i < t->first_set[unit];
    return o->guard && slot == TT_NONE;
}

static int fits_set(const struct draft *t, const struct tt_event_op *o)
{
    uint32_t slot = guard_slot(t, o);

    if (o->n_value != 1)
        return 0;
    if (is_clock(o))
        return !o->op->guard &&
               t->clock_of[tt_event_source(t->p, o->value->slot)] != TT_NONE;
    return slot != TT_NONE && t->p->plan->slot[slot].type == TT_CLOCK &&
           t->p->plan->slot[slot].dir == TT_SLOT_IN &&
           t->p->plan->slot[slot].ticked == TT_NONE;
}

static int fits_op(const struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];

    switch (o->op->code) {
    case TT_OP_GET:
        return fits_get(t, o, i);
    case TT_OP_SET:
        return fits_set(t, o);
    case TT_OP_TICK: /* its own, and no other */
        return t->p->plan->unit[o->op->unit].n_clock == 1 && o->n_value == 1;
    case TT_OP_XFER:
        return 0;
    default:
        return 1;
    }
}

/* Notes output clocks and where sets begin, which the rest refers to. */
static int fits(struct draft *t)
{
    const tt_plan *plan = t->p->plan;

    for (uint32_t u = 0; u < plan->n_unit; u++)
        if (!plan->unit[u].events || plan->unit[u].desc->inside)
            return 0;
    for (uint32_t i = t->n; i-- > 0;) {
        const struct tt_event_op *o = &t->op[i];

        if (o->op->code == TT_OP_SET)
            t->first_set[o->op->unit] = i;
        if (o->op->code == TT_OP_GET && is_clock(o) && !is_late(o))
            t->clock_of[o->value->slot] = 0;
    }
    for (uint32_t i = 0; i < t->n; i++)
        if (!fits_op(t, i))
            return 0;
    return 1;
}

/* --- ... and how it is laid out, from the end on so that lists are in order */

static void *where(const struct draft *t, uint32_t slot)
{
    const struct tt_slot *s = &t->p->plan->slot[slot];
    const struct unit *u = &t->d->unit[s->unit];

    return u->door ? u->door->at(u->is, s->port) : NULL;
}

static uint8_t *slot_at(const struct draft *t, uint32_t slot)
{
    return t->p->values->value + t->p->plan->slot[slot].offset;
}

static uint32_t size_of(const struct draft *t, uint32_t slot)
{
    const struct tt_slot *s = &t->p->plan->slot[slot];

    return (uint32_t)(s->n * tt_type_size(s->type));
}

static void lay_clock(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    uint32_t slot = o->value->slot, k = t->d->n_clock++;
    struct unit *u = &t->d->unit[o->op->unit];

    t->clock_of[slot] = k;
    t->d->clock[k] = (struct clock){.at = where(t, slot),
                                    .ticks = o->value->ticks,
                                    .up = &t->p->event->flag[o->value->flag],
                                    .flag = o->value->flag,
                                    .op = i,
                                    .value = TT_NONE,
                                    .link = TT_NONE,
                                    .next = u->clock};
    u->clock = k;
}

/* A batch is called. */
static void lay_value(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    struct clock *c = &t->d->clock[t->clock_of[guard_slot(t, o)]];
    uint32_t slot = o->value->slot, k = t->d->n_value++;

    t->d->value[k] =
        (struct value){.at = o->n_value == 1 ? where(t, slot) : NULL,
                       .to = slot_at(t, slot),
                       .size = size_of(t, slot),
                       .flag = o->value->flag,
                       .op = i,
                       .next = c->value};
    c->value = k;
}

static void lay_input(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    struct link *l = &t->d->link[t->link_of[guard_slot(t, o)]];
    const struct tt_move *m = o->value->move;
    uint32_t slot = o->value->slot, k = t->d->n_input++;
    int copied = t->d->unit[o->op->unit].door && m->how == TT_FEED_COPY;

    t->d->input[k] = (struct input){.from = copied ? m->from : NULL,
                                    .to = m->to,
                                    .size = size_of(t, slot),
                                    .port = t->p->plan->slot[slot].port,
                                    .flag = o->value->flag,
                                    .op = i,
                                    .next = l->value};
    l->value = k;
}

static void lay_link(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    uint32_t slot = o->value->slot;
    uint32_t k = t->link_of[slot];
    struct clock *from = &t->d->clock[t->clock_of[tt_event_source(t->p, slot)]];

    t->d->link[k] = (struct link){.ticks = slot_at(t, slot),
                                  .there = where(t, slot),
                                  .unit = o->op->unit,
                                  .flag = o->value->flag,
                                  .set = i,
                                  .value = TT_NONE,
                                  .next = from->link};
    from->link = k;
}

static void lay_unit(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    struct unit *u = &t->d->unit[o->op->unit];

    if (o->op->code == TT_OP_ENTER)
        u->enter = i;
    else if (o->op->code == TT_OP_UPDATE)
        u->update = i;
    else if (o->op->code == TT_OP_TICK) {
        u->tick = i;
        u->ticks = &t->p->event->flag[o->value->flag];
    } else if (o->op->code == TT_OP_GET && is_clock(o) && !is_late(o))
        lay_clock(t, i);
}

/* By the values that come along, then those that come alone. */
static void number_links(struct draft *t)
{
    for (int alone = 0; alone <= 1; alone++)
        for (uint32_t i = 0; i < t->n; i++) {
            const struct tt_event_op *o = &t->op[i];
            uint32_t *link;

            if (o->op->code != TT_OP_SET || is_clock(o) != alone)
                continue;
            link = &t->link_of[alone ? o->value->slot : guard_slot(t, o)];
            if (*link == TT_NONE)
                *link = t->d->n_link++;
        }
}

static void lay_moved(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    struct unit *u = o->op->unit != TT_NONE ? &t->d->unit[o->op->unit] : NULL;

    if (o->op->code == TT_OP_SET && !is_clock(o))
        lay_input(t, i);
    else if (o->op->code == TT_OP_INTERVAL)
        push(t, &u->after, i);
    else if (o->op->code != TT_OP_GET || (is_clock(o) && !is_late(o)))
        return;
    else if (is_late(o)) {
        if (!is_settled(t, o))
            push(t, &u->late, i);
    } else if (o->value->kind == TT_EVENT_CLOCKED)
        lay_value(t, i);
    else
        push(t, u->update < i ? &u->after : &u->plain, i);
}

static void lay_out(struct draft *t)
{
    for (uint32_t i = t->n; i-- > 0;)
        lay_unit(t, i);
    number_links(t);
    for (uint32_t i = t->n; i-- > 0;)
        if (t->op[i].op->code == TT_OP_SET && is_clock(&t->op[i]))
            lay_link(t, i);
    for (uint32_t i = t->n; i-- > 0;)
        lay_moved(t, i);
}

static int is_of(const struct tt_event_op *o, enum tt_op_code code, int clock)
{
    return o->op->code == code && is_clock(o) == clock && !is_late(o);
}

static uint32_t count(const struct draft *t, enum tt_op_code code, int clock)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += is_of(&t->op[i], code, clock) ? 1 : 0;
    return n;
}

static uint32_t *numbers(tt_arena *a, size_t n, uint32_t each)
{
    uint32_t *list = tt_arena_alloc(a, n, sizeof(*list));

    for (size_t i = 0; list && i < n; i++)
        list[i] = each;
    return list;
}

static int new_bits(tt_arena *a, struct tt_bits *b, uint32_t n)
{
    *b = (struct tt_bits){tt_arena_alloc(a, tt_bits_words(n), sizeof(*b->word)),
                          n};
    return b->word != NULL;
}

/* 0: out of memory. */
static int make_room(struct draft *t)
{
    struct tt_event_direct *d = t->d;
    const tt_plan *plan = t->p->plan;
    tt_arena *a = t->p->arena;
    uint32_t n_set = count(t, TT_OP_SET, 1);

    d->unit = tt_arena_alloc(a, plan->n_unit, sizeof(*d->unit));
    d->clock = tt_arena_alloc(a, count(t, TT_OP_GET, 1), sizeof(*d->clock));
    d->value = tt_arena_alloc(a, count(t, TT_OP_GET, 0), sizeof(*d->value));
    d->link = tt_arena_alloc(a, n_set, sizeof(*d->link));
    d->input = tt_arena_alloc(a, count(t, TT_OP_SET, 0), sizeof(*d->input));
    d->next = numbers(a, t->n, TT_NONE);
    d->asked = numbers(a, plan->n_unit, 0);
    d->lowers = numbers(a, (size_t)plan->n_unit + plan->n_slot, 0);
    d->list = numbers(a, (size_t)plan->n_unit + plan->n_slot, 0);
    return d->unit && d->clock && d->value && d->link && d->input && d->next &&
           d->asked && d->list && d->lowers && new_bits(a, &d->hit, n_set) &&
           new_bits(a, &d->all, plan->n_unit);
}

static void begin_unit(struct draft *t, uint32_t i)
{
    tt_unit *u = t->p->unit[i];

    t->d->unit[i] = (struct unit){.is = u,
                                  .door = door_of(u),
                                  .enter = TT_NONE,
                                  .tick = TT_NONE,
                                  .update = TT_NONE,
                                  .clock = TT_NONE,
                                  .plain = TT_NONE,
                                  .late = TT_NONE,
                                  .after = TT_NONE};
}

/* --- steps that have nothing to do ... */

static int is_idle(const tt_unit *u)
{
    return u->desc->caps.discrete && u->ops->step == tt_unit_idle_step;
}

/* ... are not made. Where all of them are such, and are what is in the section,
 * it has no calls. */
static void leave_steps_out(tt_part *p)
{
    const struct tt_op *op =
        p->score->op + p->score->section[TT_SEC_STEP].first;

    if (p->plan->rejects || p->score->section[TT_SEC_LAST].n)
        return;
    for (uint32_t i = 0; i < p->score->section[TT_SEC_STEP].n; i++)
        if (op[i].code != TT_OP_STEP || !is_idle(p->unit[op[i].unit]))
            return;
    p->section[TT_SEC_STEP].first += p->section[TT_SEC_STEP].n;
    p->section[TT_SEC_STEP].n = 0;
    p->event->idles = 1;
}

int tt_part_idles(const tt_part *p)
{
    return p->event && p->event->idles;
}

void tt_part_catch_up(tt_part *p)
{
    for (uint32_t u = 0; tt_part_idles(p) && u < p->plan->n_unit; u++)
        tt_event_arrive(p, p->unit[u]);
}

static enum tt_code bind_draft(struct draft *t, tt_err *err)
{
    tt_arena *a = t->p->arena;

    t->clock_of = numbers(a, t->p->plan->n_slot, TT_NONE);
    t->link_of = numbers(a, t->p->plan->n_slot, TT_NONE);
    t->first_set = numbers(a, t->p->plan->n_unit, TT_NONE);
    if (!t->clock_of || !t->link_of || !t->first_set)
        return tt_part_nomem(err);
    if (!fits(t))
        return TT_OK;
    t->d = tt_arena_alloc(a, 1, sizeof(*t->d));
    if (!t->d || !make_room(t))
        return tt_part_nomem(err);
    for (uint32_t u = 0; u < t->p->plan->n_unit; u++)
        begin_unit(t, u);
    for (uint32_t i = 0; i < t->p->plan->n_slot; i++)
        if (t->p->plan->slot[i].type == TT_CLOCK)
            t->d->lowers[tt_flag_of_slot(t->p->plan, i)] =
                t->p->plan->slot[i].offset + 1;
    lay_out(t);
    t->p->event->direct = t->d;
    leave_steps_out(t->p);
    return TT_OK;
}

enum tt_code tt_part_event_direct(tt_part *p, tt_err *err)
{
    struct draft t = {
        .p = p, .op = p->event->op[0], .n = p->score->section[TT_SEC_EVENT].n};

    return p->ranks ? TT_OK : bind_draft(&t, err);
}
