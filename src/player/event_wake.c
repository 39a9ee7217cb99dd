/* SPDX-License-Identifier: MIT */
/* What a microstep has to look at. Most operations of a large network are off,
 * and one that is on was switched on by a flag, by a value that was read, or is
 * a transfer. So these know which operations they concern, and a play walks
 * those alone, in the order of the section: the same as all of them would be
 * looked at. */
#include "player/event_impl.h"

/* --- a play ----------------------------------------------------------------
 */

void tt_event_begin(const tt_part *p)
{
    struct tt_event_play *e = p->event;
    const struct tt_bits *news = &e->set[TT_SET_NEWS];

    e->from = 0; /* not where a play has failed */
    for (uint32_t s = tt_bits_next(news, 0); s != TT_BITS_END;
         s = tt_bits_next(news, s + 1))
        tt_bits_add(&e->pending[0], e->set_of[s]);
    for (uint32_t i = 0; i < e->n_always; i++)
        tt_bits_add(&e->pending[0], e->always[i]);
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

static enum tt_code note_words(tt_part *p, uint32_t n_key, tt_err *err)
{
    struct tt_event_play *e = p->event;

    if (!TT_NEW_IN(p->arena, e->wakes_word, n_key))
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n_key; i++)
        for (uint32_t k = e->wakes_first[i]; k < e->wakes_first[i + 1]; k++)
            e->wakes_word[i] |= UINT64_C(1) << e->wakes[k];
    return TT_OK;
}

/* The lists one behind the other: counted, then filled, each from its first
 * place on, which thereby becomes the next one's. */
static enum tt_code list_wakes(tt_part *p, tt_err *err)
{
    struct tt_event_play *e = p->event;
    uint32_t n, n_key = tt_flags_of(p->plan) + p->plan->n_slot, all = 0;
    const struct tt_op *op = tt_event_ops(p, &n);

    if (!TT_NEW_IN(p->arena, e->wakes_first, n_key + 1))
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n; i++)
        add_op(p, &op[i], i, 0);
    for (uint32_t i = 0; i <= n_key; i++) {
        uint32_t here = e->wakes_first[i];

        e->wakes_first[i] = all;
        all += here;
    }
    if (!TT_NEW_IN(p->arena, e->wakes, all) ||
        !TT_NEW_IN(p->arena, e->always, e->n_always))
        return tt_part_nomem(err);
    e->n_always = 0;
    for (uint32_t i = 0; i < n; i++)
        add_op(p, &op[i], i, 1);
    for (uint32_t i = n_key; i > 0; i--)
        e->wakes_first[i] = e->wakes_first[i - 1];
    e->wakes_first[0] = 0;
    return n <= 64 ? note_words(p, n_key, err) : TT_OK;
}

static int new_set(tt_part *p, struct tt_bits *b, uint32_t n)
{
    *b = (struct tt_bits){
        tt_arena_alloc(p->arena, tt_bits_words(n), sizeof(*b->word)), n};
    return b->word != NULL;
}

/* Which inputs with a SET of their own each output feeds. */
static enum tt_code list_fed(tt_part *p, tt_err *err)
{
    struct tt_event_play *e = p->event;
    const tt_plan *plan = p->plan;
    uint32_t n = 0;

    if (!TT_NEW_IN(p->arena, e->fed_first, plan->n_slot + 1) ||
        !TT_NEW_IN(p->arena, e->fed, plan->n_feed))
        return tt_part_nomem(err);
    for (uint32_t s = 0; s < plan->n_slot; s++) {
        e->fed_first[s] = n;
        for (uint32_t i = plan->out_first[s]; i < plan->out_first[s + 1]; i++) {
            uint32_t to = plan->feed[plan->out_feed[i]].to;

            if (e->set_of[to] != TT_NONE)
                e->fed[n++] = (struct tt_event_fed){to, e->set_of[to]};
        }
    }
    e->fed_first[plan->n_slot] = n;
    return TT_OK;
}

/* All that a SET of their own sets. */
static enum tt_code list_inputs(tt_part *p, tt_err *err)
{
    struct tt_event_play *e = p->event;
    struct tt_bits every;

    if (!new_set(p, &every, p->plan->n_slot))
        return tt_part_nomem(err);
    e->every = every.word;
    for (uint32_t i = 0; i < p->plan->n_slot; i++)
        if (e->set_of[i] != TT_NONE)
            tt_bits_add(&every, i);
    return TT_OK;
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
    e->flag = tt_events_flag(p->events);
    e->pending[1] = e->set[TT_SET_INSIDE];
    e->set_of = tt_arena_alloc(p->arena, plan->n_slot, sizeof(*e->set_of));
    e->leave_of = tt_arena_alloc(p->arena, plan->n_unit, sizeof(*e->leave_of));
    if (!e->set_of || !e->leave_of ||
        !new_set(p, &e->ticked, plan->n_clock + 1) ||
        !new_set(p, &e->pending[0], n) || !new_set(p, &e->looks, n))
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < plan->n_slot; i++)
        e->set_of[i] = TT_NONE;
    for (uint32_t i = 0; i < nl; i++)
        e->leave_of[s->op[s->section[TT_SEC_LEAVE].first + i].unit] = i;
    rc = list_wakes(p, err);
    if (rc == TT_OK)
        rc = list_fed(p, err);
    return rc == TT_OK ? list_inputs(p, err) : rc;
}
