/* SPDX-License-Identifier: MIT */
#include "player/event_short.h"

#include <math.h>

/* An operation, with all that its play asks for. */
struct op {
    const uint8_t *guard;
    const struct tt_event_value *value;
    tt_unit *unit;
    uint64_t raises; /* GET: flags of what it reads */
    uint64_t wakes; /* GET: operations behind it that these concern, and SETs of
                       what it feeds */
    uint64_t news;  /* GET: inputs it feeds; SET: those it sets */
    uint64_t inside;                   /* the unit's LEAVE */
    uint32_t pc, end, n_value, number; /* of the unit */
    uint32_t next, tick; /* places of the unit's in the tree of next events */
    uint8_t code, has_mode;
};

struct leave {
    tt_unit *unit;
    uint32_t pc;
};

struct tt_event_short {
    struct op *op;
    struct leave *leave;
    uint64_t *wakes; /* per flag: operations it concerns */
    uint64_t *sets;  /* per input: its SET */
    uint64_t *again, *raised, *news, *pending, *within; /* the sets' words */
    uint8_t *flag;
};

static inline uint64_t bit(uint32_t i)
{
    return UINT64_C(1) << i;
}

static inline uint32_t first(uint64_t w)
{
    return (uint32_t)__builtin_ctzll(w);
}

/* Those behind the first one. */
static inline uint64_t behind(uint64_t w)
{
    return ~(w ^ (w - 1));
}

/* --- playing ---------------------------------------------------------------
 */

void tt_event_short_tick(tt_part *p)
{
    const struct tt_event_short *s = p->event->brief;
    uint64_t again = *s->again, woken = *s->pending;

    tt_event_suspect(p);
    p->events->n++;
    for (uint64_t w = *s->raised; w; w &= w - 1)
        s->flag[first(w)] = 0;
    for (uint64_t w = again; w; w &= w - 1) {
        s->flag[first(w)] = 1;
        woken |= s->wakes[first(w)];
    }
    *s->raised = again;
    *s->again = 0;
    *s->pending = woken;
}

/* Of the operations that this flag concerns those in `those` are looked at. */
static inline void raise(const struct tt_event_short *s, uint32_t flag,
                         uint64_t those)
{
    *s->raised |= bit(flag);
    *s->pending |= s->wakes[flag] & those;
    s->flag[flag] = 1;
}

static inline enum tt_code get(tt_part *p, const struct op *o, tt_err *err)
{
    const struct tt_event_short *s = p->event->brief;
    enum tt_code rc = tt_event_make_span(p, o->pc, o->end, err);

    if (rc != TT_OK)
        return rc;
    *s->raised |= o->raises;
    *s->pending |= o->wakes;
    *s->news |= o->news;
    for (uint32_t k = 0; k < o->n_value; k++)
        s->flag[o->value[k].flag] = 1;
    return TT_OK;
}

static inline enum tt_code set(tt_part *p, const struct op *o, uint64_t those,
                               tt_err *err)
{
    const struct tt_event_short *s = p->event->brief;
    enum tt_news most = TT_NEWS_NONE;
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < o->n_value; k++) {
        enum tt_news one = tt_event_news_for(p, &o->value[k]);

        if (one > most)
            most = one;
        if (one == TT_NEWS_LEAP)
            raise(s, o->value[k].flag, those);
    }
    *s->news &= ~o->news;
    if (most == TT_NEWS_NONE)
        return TT_OK;
    if (most == TT_NEWS_LEAP) {
        raise(s, o->number, those);
        if (o->has_mode && tt_event_is_to_enter(o->unit))
            rc = tt_event_enter_now(p, o->number, err);
        else if (o->has_mode)
            *s->within |= o->inside;
    }
    return rc == TT_OK ? tt_event_make_span(p, o->pc, o->end, err) : rc;
}

static inline enum tt_code enter(tt_part *p, const struct op *o, tt_err *err)
{
    p->now->pc = o->pc;
    tt_events_put(p->events, o->next, (double)INFINITY);
    *p->event->brief->within |= o->inside;
    return tt_event_is_to_enter(o->unit) ? tt_unit_event_enter(o->unit, err)
                                         : TT_OK;
}

static inline enum tt_code update(tt_part *p, const struct op *o, tt_err *err)
{
    struct tt_event_result r;
    enum tt_code rc;

    p->now->pc = o->pc;
    rc = tt_unit_event_update(o->unit, &r, err);
    if (rc != TT_OK)
        return rc;
    tt_events_put(p->events, o->next,
                  r.next_defined ? r.next : (double)INFINITY);
    tt_events_put(p->events, o->tick,
                  r.tick_defined ? r.tick : (double)INFINITY);
    if (r.again)
        *p->event->brief->again |= bit(o->number);
    if (r.terminate && !p->events->ender)
        p->events->ender = o->number + 1;
    return TT_OK;
}

enum tt_code tt_event_play_short(tt_part *p, tt_err *err)
{
    const struct tt_event_short *s = p->event->brief;
    enum tt_code rc = TT_OK;
    uint64_t w;

    tt_turn_take(&p->turn);
    for (w = *s->news; w; w &= w - 1)
        *s->pending |= s->sets[first(w)];
    while (rc == TT_OK && (w = *s->pending) != 0) {
        const struct op *o = &s->op[first(w)];

        *s->pending = w & (w - 1);
        p->event->looked++;
        if (!*o->guard)
            continue;
        if (o->code == TT_OP_GET)
            rc = get(p, o, err);
        else if (o->code == TT_OP_SET)
            rc = set(p, o, behind(w), err);
        else if (o->code == TT_OP_UPDATE)
            rc = update(p, o, err);
        else
            rc = enter(p, o, err);
    }
    tt_turn_give(&p->turn);
    return rc;
}

enum tt_code tt_event_leave_short(tt_part *p, tt_err *err)
{
    const struct tt_event_short *s = p->event->brief;
    enum tt_code rc = TT_OK;
    uint64_t w;

    tt_turn_take(&p->turn);
    while (rc == TT_OK && (w = *s->within) != 0) {
        const struct leave *o = &s->leave[first(w)];

        *s->within = w & (w - 1);
        p->event->looked++;
        p->now->pc = o->pc;
        if (o->unit->life == TT_LIFE_EVENT)
            rc = tt_unit_event_leave(o->unit, err);
    }
    tt_turn_give(&p->turn);
    return rc;
}

/* --- binding ---------------------------------------------------------------
 */

static int fits(const tt_part *p)
{
    const struct tt_event_play *e = p->event;
    uint32_t n = p->score->section[TT_SEC_EVENT].n;
    uint32_t n_leave = p->score->section[TT_SEC_LEAVE].n;
    int fit = !p->ranks && !e->has_clocks && n <= 64 && n_leave <= 64 &&
              p->events->n_flag <= 64;

    for (uint32_t i = 0; i < n && fit; i++)
        fit = e->op[0][i].guard && !(e->op[0][i].op->flags & TT_OP_LATE) &&
              (e->op[0][i].op->code == TT_OP_GET ||
               e->op[0][i].op->code == TT_OP_SET ||
               e->op[0][i].op->code == TT_OP_UPDATE ||
               e->op[0][i].op->code == TT_OP_ENTER);
    return fit;
}

static void bind_unit(const tt_part *p, struct op *s, uint32_t unit)
{
    const struct tt_events *e = p->events;

    s->unit = p->unit[unit];
    s->number = unit;
    s->has_mode = p->plan->unit[unit].events != 0;
    s->inside = s->has_mode ? bit(p->event->leave_of[unit]) : 0;
    s->next = (uint32_t)tt_events_place(p->events, unit);
    s->tick =
        (uint32_t)tt_events_place(p->events, e->n_unit + e->n_clock + unit);
}

/* What the k-th value of a GET means for others. */
static void bind_read(const tt_part *p, struct op *s, uint32_t k)
{
    const struct tt_event_play *e = p->event;
    const struct tt_event_value *v = &s->value[k];

    s->raises |= bit(v->flag);
    s->wakes |= e->brief->wakes[v->flag];
    for (uint32_t i = e->fed_first[v->slot]; i < e->fed_first[v->slot + 1];
         i++) {
        s->wakes |= bit(e->fed[i].op);
        s->news |= bit(e->fed[i].to);
    }
}

static void bind_op(const tt_part *p, uint32_t at)
{
    const struct tt_event_op *o = &p->event->op[0][at];
    struct op *s = &p->event->brief->op[at];

    *s = (struct op){TT_SAME(o, guard, value, pc, end, n_value),
                     .code = o->op->code};
    bind_unit(p, s, o->op->unit);
    for (uint32_t k = 0; k < s->n_value; k++)
        if (s->code == TT_OP_GET)
            bind_read(p, s, k);
        else
            s->news |= bit(s->value[k].slot);
    s->wakes &= behind(bit(at));
}

static void bind_words(const tt_part *p, struct tt_event_short *s)
{
    const struct tt_event_play *e = p->event;

    s->again = e->set[TT_SET_AGAIN].word;
    s->raised = e->set[TT_SET_RAISED].word;
    s->news = e->set[TT_SET_NEWS].word;
    s->pending = e->pending[0].word;
    s->within = e->pending[1].word;
    s->flag = e->flag;
    s->wakes = e->wakes_word;
    for (uint32_t i = 0; i < p->plan->n_slot; i++)
        s->sets[i] = e->set_of[i] == TT_NONE ? 0 : bit(e->set_of[i]);
}

enum tt_code tt_bind_event_short(tt_part *p, tt_err *err)
{
    uint32_t n = p->score->section[TT_SEC_EVENT].n;
    uint32_t n_leave = p->score->section[TT_SEC_LEAVE].n;
    struct tt_event_short *s;

    if (!fits(p))
        return TT_OK;
    s = tt_arena_alloc(p->arena, 1, sizeof(*s));
    if (!s)
        return tt_part_nomem(err);
    s->op = tt_arena_alloc(p->arena, n, sizeof(*s->op));
    s->leave = tt_arena_alloc(p->arena, n_leave, sizeof(*s->leave));
    s->sets = tt_arena_alloc(p->arena, p->plan->n_slot, sizeof(*s->sets));
    if (!s->op || !s->leave || !s->sets)
        return tt_part_nomem(err);
    p->event->brief = s;
    bind_words(p, s);
    for (uint32_t i = 0; i < n; i++)
        bind_op(p, i);
    for (uint32_t i = 0; i < n_leave; i++)
        s->leave[i] = (struct leave){p->unit[p->event->op[1][i].op->unit],
                                     p->event->op[1][i].pc};
    return TT_OK;
}
