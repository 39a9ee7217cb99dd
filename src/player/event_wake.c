/* SPDX-License-Identifier: MIT */
/* What a microstep has to look at. Most operations of a large network are off,
 * and one that is on was switched on by a flag, by a value that was read, or is
 * a transfer. So these know which operations they concern, and a play walks
 * those alone, in the order of the section: the same as all of them would be
 * looked at. */
#include "player/event.h"
#include "player/part_impl.h"

void tt_event_wake(tt_part *p, uint32_t i)
{
    const struct tt_event_play *e = p->event;

    if (e->at == TT_NONE)
        return; /* the play will see it when it begins */
    for (uint32_t k = e->wakes_first[i]; k < e->wakes_first[i + 1]; k++)
        if (e->wakes[k] > e->at)
            tt_bits_add(&e->pending, e->wakes[k]);
}

void tt_event_raise(tt_part *p, uint32_t flag)
{
    tt_events_flag(p->events)[flag] = 1;
    tt_bits_add(&p->event->set[TT_SET_RAISED], flag);
    tt_event_wake(p, flag);
}

/* What it feeds may have news. */
void tt_event_changed(tt_part *p, uint32_t slot)
{
    const struct tt_event_play *e = p->event;
    const tt_plan *plan = p->plan;

    for (uint32_t i = plan->out_first[slot]; i < plan->out_first[slot + 1];
         i++) {
        uint32_t to = plan->feed[plan->out_feed[i]].to, op = e->set_of[to];

        if (op == TT_NONE)
            continue;
        tt_bits_add(&e->set[TT_SET_NEWS], to);
        if (e->at != TT_NONE && op > e->at)
            tt_bits_add(&e->pending, op);
    }
}

/* --- a play ----------------------------------------------------------------
 */

static void begin_event(const tt_part *p)
{
    const struct tt_event_play *e = p->event;
    const struct tt_bits *raised = &e->set[TT_SET_RAISED];
    const struct tt_bits *news = &e->set[TT_SET_NEWS];

    for (uint32_t f = tt_bits_next(raised, 0); f != TT_BITS_END;
         f = tt_bits_next(raised, f + 1))
        for (uint32_t k = e->wakes_first[f]; k < e->wakes_first[f + 1]; k++)
            tt_bits_add(&e->pending, e->wakes[k]);
    for (uint32_t s = tt_bits_next(news, 0); s != TT_BITS_END;
         s = tt_bits_next(news, s + 1))
        tt_bits_add(&e->pending, e->set_of[s]);
    for (uint32_t i = 0; i < e->n_always; i++)
        tt_bits_add(&e->pending, e->always[i]);
}

void tt_event_begin(tt_part *p, enum tt_section section)
{
    struct tt_event_play *e = p->event;
    const struct tt_bits *inside = &e->set[TT_SET_INSIDE];

    tt_bits_clear(&e->pending); /* of a play that has failed */
    e->at = 0;
    if (section == TT_SEC_EVENT) {
        begin_event(p);
        return;
    }
    for (uint32_t u = tt_bits_next(inside, 0); u != TT_BITS_END;
         u = tt_bits_next(inside, u + 1))
        tt_bits_add(&e->pending, e->leave_of[u]);
    tt_bits_clear(inside);
}

uint32_t tt_event_next(tt_part *p)
{
    struct tt_event_play *e = p->event;
    uint32_t at = tt_bits_next(&e->pending, e->at);

    if (at != TT_BITS_END)
        tt_bits_drop(&e->pending, at);
    e->at = at == TT_BITS_END ? TT_NONE : at;
    return e->at;
}

/* --- binding ---------------------------------------------------------------
 */

/* Counts or fills in: op is looked at when i happens. */
static void add_wake(const struct tt_event_play *e, uint32_t i, uint32_t op,
                     int fill)
{
    if (fill)
        e->wakes[e->wakes_first[i]] = op;
    e->wakes_first[i]++;
}

static void add_set(const tt_part *p, const struct tt_op *op, uint32_t at,
                    int fill)
{
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);

        if (p->plan->slot[slot].type == TT_CLOCK)
            add_wake(p->event,
                     tt_flag_of_slot(p->plan, tt_event_source(p, slot)), at,
                     fill);
        else
            p->event->set_of[slot] = at;
    }
}

/* A guard that stands for several clocks is up with any of them. */
static void add_guard(const tt_part *p, uint32_t flag, uint32_t at, int fill)
{
    uint32_t n_flag = p->events->n_flag;

    if (flag < n_flag) {
        add_wake(p->event, flag, at, fill);
        return;
    }
    for (uint32_t k = 0; k < p->plan->clock_set[flag - n_flag].n; k++)
        add_wake(
            p->event,
            tt_flag_of_slot(p->plan, p->plan->clock_set[flag - n_flag].slot[k]),
            at, fill);
}

static void add_op(const tt_part *p, const struct tt_op *op, uint32_t at,
                   int fill)
{
    struct tt_event_play *e = p->event;

    if (op->guard)
        add_guard(p, op->guard - 1, at, fill);
    else if (op->code == TT_OP_SET)
        add_set(p, op, at, fill);
    else if (fill)
        e->always[e->n_always++] = at;
    else
        e->n_always++;
    if (op->flags & TT_OP_LATE) {
        struct tt_clock_set c =
            tt_plan_clocks_of(p->plan, tt_event_slot(p, op, 0));

        for (uint32_t k = 0; k < c.n; k++)
            add_wake(e, tt_flags_of(p->plan) + c.slot[k], at, fill);
    }
}

/* Where the first call of each operation stands. */
static enum tt_code find_calls(tt_part *p, enum tt_section section,
                               uint32_t **out, tt_err *err)
{
    uint32_t n = p->score->section[section].n;
    uint32_t first = p->score->section[section].first;
    uint32_t from = p->section[section].first;

    *out = tt_arena_alloc(p->arena, n, sizeof(**out));
    if (!*out)
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n; i++)
        (*out)[i] = TT_NONE;
    for (uint32_t pc = from + p->section[section].n; pc-- > from;)
        (*out)[p->op_of[pc] - first] = pc;
    return TT_OK;
}

/* The lists one behind the other: counted, then filled, each from its first
 * place on, which thereby becomes the next one's. */
static enum tt_code list_wakes(tt_part *p, tt_err *err)
{
    struct tt_event_play *e = p->event;
    uint32_t n, n_key = tt_flags_of(p->plan) + p->plan->n_slot, all = 0;
    const struct tt_op *op = tt_event_ops(p, &n);

    e->wakes_first =
        tt_arena_alloc(p->arena, n_key + 1, sizeof(*e->wakes_first));
    if (!e->wakes_first)
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n; i++)
        add_op(p, &op[i], i, 0);
    for (uint32_t i = 0; i <= n_key; i++) {
        uint32_t here = e->wakes_first[i];

        e->wakes_first[i] = all;
        all += here;
    }
    e->wakes = tt_arena_alloc(p->arena, all, sizeof(*e->wakes));
    e->always = tt_arena_alloc(p->arena, e->n_always, sizeof(*e->always));
    if (!e->wakes || !e->always)
        return tt_part_nomem(err);
    e->n_always = 0;
    for (uint32_t i = 0; i < n; i++)
        add_op(p, &op[i], i, 1);
    for (uint32_t i = n_key; i > 0; i--)
        e->wakes_first[i] = e->wakes_first[i - 1];
    e->wakes_first[0] = 0;
    return TT_OK;
}

static int new_set(tt_part *p, struct tt_bits *b, uint32_t n)
{
    *b = (struct tt_bits){
        tt_arena_alloc(p->arena, tt_bits_words(n), sizeof(*b->word)), n};
    return b->word != NULL;
}

enum tt_code tt_bind_event_wakes(tt_part *p, tt_err *err)
{
    struct tt_event_play *e = p->event;
    const tt_plan *plan = p->plan;
    const tt_score *s = p->score;
    uint32_t n = s->section[TT_SEC_EVENT].n, nl = s->section[TT_SEC_LEAVE].n;
    enum tt_code rc;

    for (int i = 0; i < TT_SET_N; i++)
        e->set[i] = tt_events_set(p->events, (enum tt_event_set)i);
    e->at = TT_NONE;
    e->set_of = tt_arena_alloc(p->arena, plan->n_slot, sizeof(*e->set_of));
    e->leave_of = tt_arena_alloc(p->arena, plan->n_unit, sizeof(*e->leave_of));
    if (!e->set_of || !e->leave_of || !new_set(p, &e->ticked, plan->n_clock) ||
        !new_set(p, &e->pending, n > nl ? n : nl) || !new_set(p, &e->looks, n))
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < plan->n_slot; i++)
        e->set_of[i] = TT_NONE;
    for (uint32_t i = 0; i < nl; i++)
        e->leave_of[s->op[s->section[TT_SEC_LEAVE].first + i].unit] = i;
    rc = find_calls(p, TT_SEC_EVENT, &e->pc[0], err);
    if (rc == TT_OK)
        rc = find_calls(p, TT_SEC_LEAVE, &e->pc[1], err);
    return rc == TT_OK ? list_wakes(p, err) : rc;
}
