/* SPDX-License-Identifier: MIT */
/* How a network of discrete events is laid out, if it is one. */
#include "player/event_direct_impl.h"

struct draft {
    tt_part *p;
    struct tt_event_direct *d;
    const struct tt_event_op *op;
    uint32_t n;
    uint32_t *clock_of;    /* per slot: an output clock that is read */
    uint32_t *link_of;     /* per slot: an input clock */
    uint32_t *first_set;   /* per unit: its first SET */
    const uint8_t *heeded; /* per slot; NULL: all */
};

static uint8_t is_heeded(const struct draft *t, uint32_t slot)
{
    return !t->heeded || t->heeded[slot];
}

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
    const struct direct_unit *u = &t->d->unit[s->unit];

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
    struct direct_unit *u = &t->d->unit[o->op->unit];

    t->clock_of[slot] = k;
    t->d->clock[k] =
        (struct direct_clock){.at = where(t, slot),
                              .ticks = o->value->ticks,
                              .up = &t->p->event->flag[o->value->flag],
                              .flag = o->value->flag,
                              .op = i,
                              .value = TT_NONE,
                              .link = TT_NONE,
                              .next = u->clock,
                              .heeded = is_heeded(t, slot)};
    u->clock = k;
}

/* A batch is called. */
static void lay_value(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    struct direct_clock *c = &t->d->clock[t->clock_of[guard_slot(t, o)]];
    uint32_t slot = o->value->slot, k = t->d->n_value++;

    t->d->value[k] =
        (struct direct_value){.at = o->n_value == 1 ? where(t, slot) : NULL,
                              .to = slot_at(t, slot),
                              .size = size_of(t, slot),
                              .flag = o->value->flag,
                              .op = i,
                              .next = c->value,
                              .heeded = is_heeded(t, slot)};
    c->value = k;
}

static void lay_input(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    struct direct_link *l = &t->d->link[t->link_of[guard_slot(t, o)]];
    const struct tt_move *m = o->value->move;
    uint32_t slot = o->value->slot, k = t->d->n_input++;
    int copied = t->d->unit[o->op->unit].door && m->how == TT_FEED_COPY;

    t->d->input[k] = (struct direct_input){.from = copied ? m->from : NULL,
                                           .to = m->to,
                                           .size = size_of(t, slot),
                                           .port = t->p->plan->slot[slot].port,
                                           .flag = o->value->flag,
                                           .op = i,
                                           .next = l->value,
                                           .heeded = is_heeded(t, slot)};
    if (copied)
        t->d->input[k].place = where(t, slot);
    l->value = k;
}

static void lay_link(struct draft *t, uint32_t i)
{
    const struct tt_event_op *o = &t->op[i];
    uint32_t slot = o->value->slot;
    uint32_t k = t->link_of[slot];
    struct direct_clock *from =
        &t->d->clock[t->clock_of[tt_event_source(t->p, slot)]];

    t->d->link[k] = (struct direct_link){.ticks = slot_at(t, slot),
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
    struct direct_unit *u = &t->d->unit[o->op->unit];

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
    struct direct_unit *u;

    if (o->op->unit == TT_NONE)
        return;
    u = &t->d->unit[o->op->unit];
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

/* --- ... and which units are open */

/* The values of these operations are copied from where the unit has them, 0:
 * some are not there. */
static int lay_shown(struct draft *t, uint32_t unit)
{
    struct direct_unit *u = &t->d->unit[unit];

    for (uint32_t i = u->after; i != TT_NONE; i = t->d->next[i])
        for (uint32_t k = 0; k < t->op[i].n_value; k++) {
            uint32_t slot = t->op[i].value[k].slot;

            if (t->op[i].op->code != TT_OP_GET || !where(t, slot))
                return 0;
            t->d->value[t->d->n_value] =
                (struct direct_value){.at = where(t, slot),
                                      .to = slot_at(t, slot),
                                      .size = size_of(t, slot),
                                      .flag = TT_NONE,
                                      .op = i,
                                      .next = u->shown};
            u->shown = t->d->n_value++;
        }
    return 1;
}

static int is_shown(const struct draft *t, const struct direct_unit *u,
                    uint32_t slot)
{
    uint32_t i = u->shown;

    while (i != TT_NONE && t->d->value[i].to != slot_at(t, slot))
        i = t->d->value[i].next;
    return i != TT_NONE;
}

/* What is read before anything arrives is as it was behind the last update. */
static int has_shown(const struct draft *t, const struct direct_unit *u)
{
    for (uint32_t i = u->plain; i != TT_NONE; i = t->d->next[i])
        for (uint32_t k = 0; k < t->op[i].n_value; k++)
            if (!is_shown(t, u, t->op[i].value[k].slot))
                return 0;
    return 1;
}

static int reads_through_door(const struct draft *t,
                              const struct direct_unit *u)
{
    for (uint32_t i = u->clock; i != TT_NONE; i = t->d->clock[i].next) {
        if (!t->d->clock[i].at)
            return 0;
        for (uint32_t k = t->d->clock[i].value; k != TT_NONE;
             k = t->d->value[k].next)
            if (!t->d->value[k].at)
                return 0;
    }
    return 1;
}

static int sets_through_door(const struct draft *t, const struct direct_link *l)
{
    for (uint32_t i = l->value; i != TT_NONE; i = t->d->input[i].next)
        if (!t->d->input[i].from)
            return 0;
    return l->there != NULL;
}

static void find_open(struct draft *t)
{
    struct tt_event_direct *d = t->d;

    for (uint32_t i = 0; i < t->p->plan->n_unit; i++) {
        struct direct_unit *u = &d->unit[i];

        u->open = u->door && u->update != TT_NONE && u->late == TT_NONE &&
                  reads_through_door(t, u) && lay_shown(t, i) &&
                  has_shown(t, u);
    }
    for (uint32_t i = 0; i < d->n_link; i++)
        if (!sets_through_door(t, &d->link[i]))
            d->unit[d->link[i].unit].open = 0;
    for (uint32_t i = 0; i < t->p->plan->n_unit; i++)
        d->mixed |= !d->unit[i].open;
}

/* Calls of others move what is in slots, and whether it ticks. */
static void heed_called(struct draft *t)
{
    for (uint32_t i = 0; i < t->d->n_clock; i++) {
        struct direct_clock *c = &t->d->clock[i];

        for (uint32_t k = c->link; k != TT_NONE; k = t->d->link[k].next)
            if (!t->d->unit[t->d->link[k].unit].open)
                c->heeded = 1;
    }
}

/* A link is behind the last one to the same unit; or all to it wait. */
static void look_at_order(struct draft *t, const struct direct_clock *c,
                          int open)
{
    for (uint32_t k = c->link; k != TT_NONE; k = t->d->link[k].next) {
        uint32_t unit = t->d->link[k].unit;

        if (!open || !t->d->unit[unit].open || t->first_set[unit] > k)
            t->first_set[unit] = TT_NONE;
        else if (t->first_set[unit] != TT_NONE)
            t->first_set[unit] = k;
    }
}

/* In the order in which open units put out, do links to a unit come as they are
 * numbered? */
static void find_order(struct draft *t)
{
    struct tt_event_direct *d = t->d;

    for (uint32_t u = 0; u < t->p->plan->n_unit; u++)
        t->first_set[u] = 0;
    for (uint32_t u = 0; u < t->p->plan->n_unit; u++)
        for (uint32_t i = d->unit[u].clock; i != TT_NONE; i = d->clock[i].next)
            look_at_order(t, &d->clock[i], d->unit[u].open);
    for (uint32_t i = 0; i < d->n_link; i++)
        d->link[i].at_once = t->first_set[d->link[i].unit] != TT_NONE;
}

/* Most outputs are a number, ... */
void tt_event_find_number(const struct tt_event_direct *d,
                          struct direct_clock *c)
{
    const struct direct_value *v;

    c->from = NULL;
    if (c->value == TT_NONE)
        return;
    v = &d->value[c->value];
    if (v->next != TT_NONE || c->heeded || v->heeded ||
        v->size != sizeof(double))
        return;
    c->from = v->at;
    c->to = v->to;
}

/* ... and most links have one number to give. */
static void find_numbers(const struct draft *t)
{
    for (uint32_t i = 0; i < t->d->n_clock; i++)
        tt_event_find_number(t->d, &t->d->clock[i]);
    for (uint32_t i = 0; i < t->d->n_link; i++) {
        struct direct_link *l = &t->d->link[i];
        const struct direct_input *in = &t->d->input[l->value];

        if (l->value == TT_NONE || in->next != TT_NONE || in->heeded ||
            in->size != sizeof(double) || !in->place)
            continue;
        l->from = in->from;
        l->to = in->to;
        l->place = in->place;
    }
}

static void open_doors(struct draft *t)
{
    struct tt_events *e = t->p->events;

    find_open(t);
    heed_called(t);
    find_order(t);
    find_numbers(t);
    for (uint32_t i = 0; i < t->p->plan->n_unit; i++) {
        struct direct_unit *u = &t->d->unit[i];

        u->next = tt_events_place(e, i);
        if (!i || u->next < t->d->first)
            t->d->first = u->next;
        if (u->next > t->d->last)
            t->d->last = u->next;
        if (u->tick != TT_NONE)
            u->tick_pc = t->op[u->tick].pc;
        if (u->update != TT_NONE)
            u->update_pc = t->op[u->update].pc;
        if (u->door)
            u->calls = *u->door->calls(u->is);
    }
    for (uint32_t k = 0; k < t->p->plan->n_clock; k++) {
        uint32_t unit = t->p->plan->slot[t->p->plan->clock[k].slot].unit;

        t->d->called[k] = !t->d->unit[unit].open;
    }
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

/* Values that are read, clocks left out. */
static uint32_t count_read(const struct draft *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += is_of(&t->op[i], TT_OP_GET, 0) ? t->op[i].n_value : 0;
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

/* From the begin of a cache line on; NULL: out of memory. */
static struct direct_unit *new_units(tt_arena *a, size_t n)
{
    char *at = tt_arena_alloc(a, n + 1, sizeof(struct direct_unit));

    return at ? (void *)(at + (TT_LINE - (uintptr_t)at % TT_LINE)) : NULL;
}

/* 0: out of memory. */
static int make_room(struct draft *t)
{
    struct tt_event_direct *d = t->d;
    const tt_plan *plan = t->p->plan;
    tt_arena *a = t->p->arena;
    uint32_t n_set = count(t, TT_OP_SET, 1);

    d->unit = new_units(a, plan->n_unit);
    d->clock = tt_arena_alloc(a, count(t, TT_OP_GET, 1), sizeof(*d->clock));
    d->value = tt_arena_alloc(a, count_read(t), sizeof(*d->value));
    d->link = tt_arena_alloc(a, n_set, sizeof(*d->link));
    d->input = tt_arena_alloc(a, count(t, TT_OP_SET, 0), sizeof(*d->input));
    d->next = numbers(a, t->n, TT_NONE);
    d->asked = numbers(a, plan->n_unit, 0);
    d->called = tt_arena_alloc(a, plan->n_clock, sizeof(*d->called));
    d->lowers = numbers(a, (size_t)plan->n_unit + plan->n_slot, 0);
    d->list = numbers(a, (size_t)plan->n_unit + plan->n_slot, 0);
    return d->unit && d->clock && d->value && d->link && d->input && d->next &&
           d->asked && d->called && d->list && d->lowers &&
           new_bits(a, &d->hit, n_set) && new_bits(a, &d->all, plan->n_unit);
}

static void begin_unit(struct draft *t, uint32_t i)
{
    const tt_plan *plan = t->p->plan;
    tt_unit *u = t->p->unit[i];

    t->d->unit[i] = (struct direct_unit){
        .is = u,
        .door = door_of(u),
        .own = u->desc->internal ? plan->unit[i].internal : plan->n_clock,
        .enter = TT_NONE,
        .tick = TT_NONE,
        .update = TT_NONE,
        .clock = TT_NONE,
        .shown = TT_NONE,
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

enum tt_code tt_part_catch_up(tt_part *p, tt_err *err)
{
    enum tt_code rc = tt_part_event_put_back(p, err);

    for (uint32_t u = 0; tt_part_idles(p) && u < p->plan->n_unit; u++)
        tt_event_arrive(p, p->unit[u]);
    return rc;
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
    open_doors(t);
    t->p->event->direct = t->d;
    t->p->event->brief = NULL;
    leave_steps_out(t->p);
    return TT_OK;
}

enum tt_code tt_part_event_direct(tt_part *p, const uint8_t *heeded,
                                  tt_err *err)
{
    struct draft t = {.p = p,
                      .op = p->event->op[0],
                      .n = p->score->section[TT_SEC_EVENT].n,
                      .heeded = heeded};

    return p->ranks ? TT_OK : bind_draft(&t, err);
}
