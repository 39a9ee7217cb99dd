/* SPDX-License-Identifier: MIT */
/* A microstep of a network of discrete events, from unit to unit.
 *
 * Operations of such a network come in stages: units that are due tick and are
 * read, what ticks is set where it leads, all that took part are updated. None
 * is read again behind what it is set to. So a microstep need not look for the
 * next operation of the section: it goes from the units that ask over the
 * connections of what ticks to the units behind, in the order of the section
 * wherever a unit can notice. Flags, values and calls are the same. */
#include "player/event_direct_impl.h"

#include <math.h>
#include <string.h>

static inline void put_up(const struct tt_event_play *e, uint32_t flag)
{
    if (e->flag[flag])
        return;
    e->flag[flag] = 1;
    tt_bits_add(&e->set[TT_SET_RAISED], flag);
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

/* Units that are called look at flags. */
static void raise_called(const tt_part *p)
{
    const struct tt_event_play *e = p->event;
    const struct tt_event_direct *d = e->direct;

    for (uint32_t k = tt_bits_next(&e->ticked, 0); k != TT_BITS_END;
         k = tt_bits_next(&e->ticked, k + 1)) {
        uint32_t slot = p->plan->clock[k].slot;

        if (!d->called[k])
            continue;
        put_up(e, tt_flag_of_slot(p->plan, slot));
        p->values->value[p->plan->slot[slot].offset] = 1;
    }
    for (uint32_t i = 0; i < d->n_asked; i++)
        if (!d->unit[d->asked[i]].open)
            put_up(e, tt_flag_of_unit(d->asked[i]));
}

void tt_event_direct_tick(tt_part *p)
{
    struct tt_event_play *e = p->event;
    struct tt_event_direct *d = e->direct;

    p->events->known = 1; /* there is no input that could have news */
    lower(e, p->values->value);
    tt_bits_clear(&e->set[TT_SET_CARRIED]);
    tt_bits_clear(&e->ticked);
    tt_bits_pour(&e->set[TT_SET_TICKS], &e->ticked);
    d->n_asked = tt_bits_move(&e->set[TT_SET_AGAIN], &d->all, d->asked);
    if (d->mixed)
        raise_called(p);
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

static inline enum tt_code enter(tt_part *p, const struct direct_unit *u,
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

static inline enum tt_code tick(tt_part *p, const struct direct_unit *u,
                                tt_err *err)
{
    enum tt_code rc;

    if (!u->door)
        return play_op(p, u->tick, err);
    p->now->pc = u->tick_pc;
    rc = u->calls.tick(u->is, u->is->words);
    return rc == TT_OK ? rc : failed(p, u->tick, rc, err);
}

/* Most are numbers. */
static inline void copy(void *to, const void *from, uint32_t size)
{
    if (size == sizeof(double))
        memcpy(to, from, sizeof(double));
    else
        memcpy(to, from, size);
}

static enum tt_code read_value(tt_part *p, const struct direct_value *v,
                               tt_err *err)
{
    if (!v->at)
        return play_op(p, v->op, err);
    copy(v->to, v->at, v->size);
    put_up(p->event, v->flag);
    return TT_OK;
}

/* Does it tick? Then its values are read, and where it leads is noted. */
static enum tt_code read_clock(tt_part *p, const struct direct_clock *c,
                               tt_err *err)
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
    const struct direct_unit *u = &d->unit[unit];
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

static enum tt_code set_clock(tt_part *p, const struct direct_link *l,
                              tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc;

    put_up(p->event, l->flag);
    put_up(p->event, tt_flag_of_unit(l->unit));
    tt_bits_add(&d->all, l->unit);
    rc = enter(p, &d->unit[l->unit], l->unit, err);
    if (!l->there)
        return rc == TT_OK
                   ? tt_event_make_calls(p, &p->event->op[0][l->set], err)
                   : rc;
    *l->ticks = 1;
    *l->there = 1;
    return rc;
}

static enum tt_code set_value(tt_part *p, const struct direct_unit *u,
                              const struct direct_input *in, tt_err *err)
{
    enum tt_code rc;

    put_up(p->event, in->flag);
    if (!in->from)
        return tt_event_make_calls(p, &p->event->op[0][in->op], err);
    copy(in->to, in->from, in->size);
    p->now->pc = p->event->op[0][in->op].pc;
    rc = u->door->take(u->is, in->port, in->to, u->is->words);
    return rc == TT_OK ? rc : failed(p, in->op, rc, err);
}

static enum tt_code set_values(tt_part *p, const struct direct_link *l,
                               tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc = TT_OK;

    for (uint32_t i = l->value; i != TT_NONE && rc == TT_OK;
         i = d->input[i].next)
        rc = set_value(p, &d->unit[l->unit], &d->input[i], err);
    return rc;
}

/* --- open units ------------------------------------------------------------
 */

/* A further event at one input waits inside the unit. */
static enum tt_code give_more(tt_part *p, const struct direct_unit *u,
                              const struct direct_input *in, tt_err *err)
{
    enum tt_code rc;

    p->now->pc = p->event->op[0][in->op].pc;
    rc = u->door->more(u->is, in->port, in->to, u->is->words);
    return rc == TT_OK ? rc : failed(p, in->op, rc, err);
}

/* What ticks, into the unit it leads to. */
static enum tt_code give_each(tt_part *p, const struct tt_event_direct *d,
                              const struct direct_link *l, tt_err *err)
{
    const struct direct_unit *u = &d->unit[l->unit];
    int more = *l->there;
    enum tt_code rc = TT_OK;

    *l->there = 1;
    for (uint32_t i = l->value; i != TT_NONE && rc == TT_OK;
         i = d->input[i].next) {
        const struct direct_input *in = &d->input[i];

        copy(in->to, in->from, in->size);
        if (in->heeded)
            put_up(p->event, in->flag);
        if (TT_UNLIKELY(more))
            rc = give_more(p, u, in, err);
        else
            copy(in->place, in->to, in->size);
    }
    return rc;
}

static inline enum tt_code give(tt_part *p, const struct tt_event_direct *d,
                                const struct direct_link *l, tt_err *err)
{
    double value;

    if (TT_UNLIKELY(!l->from || *l->there))
        return give_each(p, d, l, err);
    value = *l->from;
    *l->there = 1;
    *l->to = value;
    *l->place = value;
    return TT_OK;
}

/* Where it leads: most links are open, and need not wait. */
static inline enum tt_code give_all(tt_part *p, const struct tt_event_direct *d,
                                    uint32_t link, tt_err *err)
{
    struct tt_bits_stream all = {.to = &d->all};

    while (link != TT_NONE) {
        const struct direct_link *l = &d->link[link];
        enum tt_code rc;

        if (TT_LIKELY(l->at_once)) {
            tt_bits_put(&all, l->unit);
            rc = give(p, d, l, err);
            if (TT_UNLIKELY(rc != TT_OK))
                return rc;
        } else
            tt_bits_add(&d->hit, link);
        link = l->next;
    }
    tt_bits_flush(&all);
    return TT_OK;
}

static void put_out(tt_part *p, const struct tt_event_direct *d,
                    const struct direct_clock *c)
{
    if (c->heeded) {
        *c->ticks = 1;
        put_up(p->event, c->flag);
    }
    for (uint32_t k = c->value; k != TT_NONE;) {
        const struct direct_value *v = &d->value[k];

        k = v->next;
        copy(v->to, v->at, v->size);
        if (v->heeded)
            put_up(p->event, v->flag);
    }
}

/* What it puts out, when all that are due have their outputs. */
static inline enum tt_code pass_on(tt_part *p, const struct tt_event_direct *d,
                                   const struct direct_unit *u, tt_err *err)
{
    const struct direct_clock *c;

    for (uint32_t i = u->clock; i != TT_NONE; i = c->next) {
        enum tt_code rc;

        c = &d->clock[i];
        if (!*c->at)
            continue;
        if (TT_LIKELY(c->from))
            *c->to = *c->from;
        else
            put_out(p, d, c);
        rc = give_all(p, d, c->link, err);
        if (TT_UNLIKELY(rc != TT_OK))
            return rc;
    }
    return TT_OK;
}

/* Where all that take part stand. */
struct here {
    double t;
    uint64_t steps;
    struct tt_now *now;
    int idles;
    int many; /* so many take part that the tree is mended behind them all */
};

/* Next events change, many at one time: how far up each is the first one is
 * hard to foresee, and to mend all above them has no such branches. */
static struct here here_of(const tt_part *p, size_t n)
{
    const struct tt_event_direct *d = p->event->direct;

    return (struct here){p->now->t[TT_T1], p->now->steps, p->now,
                         p->event->idles, 4 * n > d->last - d->first};
}

static inline void arrive(const struct here *h, tt_unit *u)
{
    if (!h->idles)
        return;
    u->now = h->t;
    u->n_step = h->steps;
}

static inline enum tt_code tick_due(tt_part *p, const struct here *h,
                                    struct direct_unit *u, tt_err *err)
{
    enum tt_code rc;

    if (!tt_event_is_due(p, u))
        return TT_OK;
    arrive(h, u->is);
    h->now->pc = u->tick_pc;
    rc = u->calls.tick(u->is, h->now->words);
    if (TT_LIKELY(rc == TT_OK))
        return TT_OK;
    *u->is->words = *h->now->words;
    return failed(p, u->tick, rc, err);
}

/* All but what most units do. */
static enum tt_code tick_other(tt_part *p, const struct here *h, uint32_t unit,
                               tt_err *err)
{
    struct direct_unit *u = &p->event->direct->unit[unit];
    enum tt_code rc = TT_OK;

    if (!u->open)
        return play_asked(p, unit, err);
    if (u->ahead)
        rc = tt_event_begin_early(p->event->direct->ahead, unit, err);
    return rc == TT_OK && !u->ahead ? tick_due(p, h, u, err) : rc;
}

static void take_result(tt_part *p, uint32_t unit,
                        const struct tt_event_result *r)
{
    if (r->again)
        tt_part_event_ask(p, unit);
    if (r->terminate && !p->events->ender)
        p->events->ender = unit + 1;
}

static inline enum tt_code update_called(tt_unit *u, struct tt_event_result *r,
                                         tt_err *err)
{
    enum tt_code rc;

    u->life = TT_LIFE_EVENT;
    rc = tt_unit_event_update(u, r, err);
    if (rc != TT_OK)
        return rc;
    u->life = TT_LIFE_READY;
    if (!r->next_defined)
        r->next = (double)INFINITY;
    return TT_OK;
}

/* By the door: nothing but the next event. */
static inline enum tt_code update_through(const struct direct_unit *u,
                                          double *next, tt_err *err)
{
    enum tt_code rc = u->calls.update(u->is, next, err);

    return TT_UNLIKELY(rc != TT_OK) ? tt_unit_event_failed(u->is, rc, err) : rc;
}

static inline enum tt_code update_usual(struct tt_events *e,
                                        const struct here *h,
                                        const struct direct_unit *u,
                                        tt_err *err)
{
    double *next = &e->next[u->next], was = *next;
    enum tt_code rc;

    arrive(h, u->is);
    h->now->pc = u->update_pc;
    rc = update_through(u, next, err);
    if (!h->many && *next != was)
        tt_events_change(e, u->next, *next);
    return rc;
}

static inline enum tt_code update_any(const struct direct_unit *u,
                                      struct tt_event_result *r, tt_err *err)
{
    if (!u->calls.update)
        return update_called(u->is, r, err);
    u->is->life = TT_LIFE_READY; /* initialisation is left in event mode */
    *r = (struct tt_event_result){.next = (double)INFINITY};
    return update_through(u, &r->next, err);
}

enum tt_code tt_event_direct_update(const struct direct_unit *u,
                                    struct tt_event_result *r, tt_err *err)
{
    return update_any(u, r, err);
}

static inline enum tt_code update_open(tt_part *p, const struct here *h,
                                       uint32_t unit, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    struct direct_unit *u = &d->unit[unit];
    struct tt_event_result r;
    enum tt_code rc = TT_OK;

    arrive(h, u->is);
    h->now->pc = u->update_pc;
    if (u->ahead)
        r = *tt_event_end_early(d->ahead, unit);
    else
        rc = update_any(u, &r, err);
    if (rc != TT_OK)
        return rc;
    u->usual = tt_event_is_usual(u);
    take_result(p, unit, &r);
    if (h->many)
        p->events->next[u->next] = r.next;
    else
        tt_events_put(p->events, u->next, r.next);
    for (uint32_t i = u->shown; i != TT_NONE;) {
        const struct direct_value *v = &d->value[i];

        i = v->next;
        copy(v->to, v->at, v->size);
    }
    return TT_OK;
}

/* --- a microstep -----------------------------------------------------------
 */

__attribute__((noinline)) static enum tt_code play_ticks(tt_part *p,
                                                         tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    struct direct_unit *const unit = d->unit;
    const uint32_t *at = d->asked, *const end = at + d->n_asked;
    const struct here h = here_of(p, 0);

    for (; at < end; at++) {
        struct direct_unit *u = &unit[*at];
        enum tt_code rc = TT_LIKELY(u->open && !u->ahead)
                              ? tick_due(p, &h, u, err)
                              : tick_other(p, &h, *at, err);

        if (TT_UNLIKELY(rc != TT_OK))
            return rc;
    }
    return TT_OK;
}

__attribute__((noinline)) static enum tt_code play_outputs(tt_part *p,
                                                           tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    const struct direct_unit *const unit = d->unit;
    const uint32_t *at = d->asked, *const end = at + d->n_asked;

    for (; at < end; at++) {
        const struct direct_unit *u = &unit[*at];
        enum tt_code rc = TT_LIKELY(u->open) ? pass_on(p, d, u, err) : TT_OK;

        if (TT_UNLIKELY(rc != TT_OK))
            return rc;
    }
    return TT_OK;
}

static enum tt_code set_hit(tt_part *p, const struct tt_event_direct *d,
                            const struct direct_link *l, int values,
                            tt_err *err)
{
    if (d->unit[l->unit].open) {
        if (values)
            tt_bits_add(&d->all, l->unit);
        return values ? give(p, d, l, err) : TT_OK;
    }
    return values ? set_values(p, l, err) : set_clock(p, l, err);
}

static enum tt_code play_hits(tt_part *p, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    uint32_t n = tt_bits_empty(&d->hit, d->list);
    enum tt_code rc = TT_OK;

    p->event->looked += n;
    for (int values = 0; values <= 1; values++)
        for (uint32_t i = 0; i < n && rc == TT_OK; i++)
            rc = set_hit(p, d, &d->link[d->list[i]], values, err);
    return rc;
}

static enum tt_code update(tt_part *p, const struct direct_unit *u, tt_err *err)
{
    enum tt_code rc = play_op(p, u->update, err);

    return rc == TT_OK ? play_list(p, u->after, err) : rc;
}

__attribute__((noinline)) static enum tt_code play_updates(tt_part *p,
                                                           tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    const struct direct_unit *const unit = d->unit;
    const uint32_t *at = d->list, *end = at + tt_bits_empty(&d->all, d->list);
    const struct here h = here_of(p, (size_t)(end - at));
    struct tt_events *const e = p->events;
    enum tt_code rc = TT_OK;

    p->event->looked += (uint64_t)(end - at);
    for (; d->mixed && at < end && rc == TT_OK; at++)
        rc = play_list(p, unit[*at].late, err);
    if (TT_UNLIKELY(rc != TT_OK))
        return rc;
    for (at = d->list; at < end; at++) {
        const struct direct_unit *u = &unit[*at];

        if (TT_LIKELY(u->usual))
            rc = update_usual(e, &h, u, err);
        else
            rc = u->open ? update_open(p, &h, *at, err) : update(p, u, err);
        if (TT_UNLIKELY(rc != TT_OK))
            return rc;
    }
    if (h.many)
        tt_events_mend(e, d->first, d->last);
    return TT_OK;
}

/* Nothing is left for a play after a restore. */
static void give_up(const struct tt_event_direct *d)
{
    tt_bits_clear(&d->hit);
    tt_bits_clear(&d->all);
}

/* Outputs follow from states as they were before anything arrives. */
enum tt_code tt_event_play_direct(tt_part *p, tt_err *err)
{
    const struct tt_event_direct *d = p->event->direct;
    enum tt_code rc;

    if (TT_UNLIKELY(d->ahead))
        tt_event_look_ahead(d->ahead);
    rc = play_ticks(p, err);
    if (rc == TT_OK)
        rc = play_outputs(p, err);
    if (rc == TT_OK)
        rc = play_hits(p, err);
    if (rc == TT_OK)
        rc = play_updates(p, err);
    if (rc != TT_OK)
        give_up(d);
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
        const struct direct_unit *u = &d->unit[o->op->unit];

        if (u->door)
            u->is->life = TT_LIFE_READY;
        else
            rc = o->play(p, o, err);
    }
    return rc;
}
