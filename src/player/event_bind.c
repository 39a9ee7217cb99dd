/* SPDX-License-Identifier: MIT */
/* Events: operations and the values they move, with all that their play asks
 * for at hand. */
#include "player/event_short.h"

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

static enum tt_call_result idle(const struct tt_call *c, struct tt_now *now)
{
    (void)c;
    (void)now;
    return TT_CALL_OK;
}

void tt_bind_event(struct tt_call *c)
{
    static const struct tt_what marks = {.fn = idle, .verb = TT_VERB_OTHER};

    *c = (struct tt_call){.what = &marks};
}

/* Eight bytes that are copied differ where their values do. */
static int is_word(const struct tt_move *m)
{
    enum tt_type type = (enum tt_type)m->from_type;

    return m->how == TT_FEED_COPY && m->n == 1 && tt_type_is_number(type) &&
           tt_type_size(type) == sizeof(uint64_t);
}

static enum tt_event_kind kind_of(const tt_part *p, uint32_t slot,
                                  const struct tt_move *m)
{
    if (p->plan->slot[slot].type == TT_CLOCK)
        return TT_EVENT_CLOCK;
    if (tt_plan_clocks_of(p->plan, slot).n)
        return TT_EVENT_CLOCKED;
    return m && is_word(m) ? TT_EVENT_WORD : TT_EVENT_ANY;
}

static void bind_value(const tt_part *p, struct tt_event_value *v,
                       uint32_t slot, const struct tt_move *m)
{
    uint8_t *flag = tt_events_flag(p->events);

    *v = (struct tt_event_value){.slot = slot,
                                 .flag = tt_flag_of_slot(p->plan, slot),
                                 .kind = (uint8_t)kind_of(p, slot, m),
                                 .move = m,
                                 .port = tt_plan_port(p->plan, slot)};
    v->leaps = !tt_event_is_smooth(v->port);
    if (v->kind == TT_EVENT_CLOCK)
        v->ticks = p->values->value + p->plan->slot[slot].offset;
    if (v->kind == TT_EVENT_CLOCK && m)
        v->source_ticks =
            &flag[tt_flag_of_slot(p->plan, tt_event_source(p, slot))];
}

static enum tt_code bind_values(tt_part *p, struct tt_event_op *o, tt_err *err)
{
    const struct tt_batch *g = &p->score->batch[o->op->arg];
    struct tt_moves *m = NULL;

    o->n_value = g->n;
    o->value = tt_arena_alloc(p->arena, g->n, sizeof(*o->value));
    if (o->op->code == TT_OP_SET)
        m = tt_feed_moves(p, p->score->member + g->first, g->n);
    if (!o->value || (o->op->code == TT_OP_SET && !m))
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < g->n; k++)
        bind_value(p, &o->value[k], tt_event_slot(p, o->op, k),
                   m ? &m->move[k] : NULL);
    return TT_OK;
}

/* The flag an operation waits for; NULL: for one of several. */
static const uint8_t *guard_of(const tt_part *p, const struct tt_op *op)
{
    static const uint8_t up = 1;

    if (!op->guard)
        return &up;
    return op->guard - 1 < p->events->n_flag
               ? &tt_events_flag(p->events)[op->guard - 1]
               : NULL;
}

static enum tt_code bind_op(tt_part *p, struct tt_event_op *o,
                            const struct tt_op *op, tt_err *err)
{
    enum tt_code rc = TT_OK;

    *o = (struct tt_event_op){.op = op,
                              .guard = guard_of(p, op),
                              .away = op->unit != TT_NONE &&
                                      tt_ranks_away(p, op->unit)};
    if (op->code == TT_OP_GET || op->code == TT_OP_SET ||
        op->code == TT_OP_TICK)
        rc = bind_values(p, o, err);
    o->play = tt_event_way(o);
    return rc;
}

/* Calls of one operation stand side by side. */
static void find_calls(const tt_part *p, enum tt_section section,
                       struct tt_event_op *op)
{
    uint32_t first = p->score->section[section].first;
    uint32_t from = p->section[section].first;

    for (uint32_t pc = from; pc < from + p->section[section].n; pc++) {
        struct tt_event_op *o = &op[p->op_of[pc] - first];

        if (o->end == 0)
            o->pc = pc;
        o->end = pc + 1;
    }
}

static enum tt_code bind_section(tt_part *p, enum tt_section section,
                                 struct tt_event_op **out, tt_err *err)
{
    const struct tt_op *op = p->score->op + p->score->section[section].first;
    uint32_t n = p->score->section[section].n;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(p->arena, *out, n))
        return tt_part_nomem(err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = bind_op(p, &(*out)[i], &op[i], err);
    if (rc == TT_OK)
        find_calls(p, section, *out);
    return rc;
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

static int has_clocks(const tt_plan *p)
{
    int any = p->n_clock > 0;

    for (uint32_t i = 0; i < p->n_slot; i++)
        any |= p->slot[i].type == TT_CLOCK;
    return any;
}

static void bind_selected(const tt_plan *plan, struct tt_event_selected *s)
{
    for (uint32_t i = 0; i < plan->n_select; i++)
        s[i] = (struct tt_event_selected){plan->select[i],
                                          plan->unit[plan->select[i]].internal};
}

enum tt_code tt_bind_events(tt_part *p, tt_err *err)
{
    struct tt_event_play *e = tt_arena_alloc(p->arena, 1, sizeof(*e));
    enum tt_code rc;

    if (!e)
        return tt_part_nomem(err);
    p->event = e;
    e->scratch = tt_arena_alloc(p->arena, largest_input(p->plan) + 1, 1);
    e->wanted = tt_arena_alloc(p->arena, p->plan->n_slot, 1);
    e->needed = tt_arena_alloc(p->arena, p->score->section[TT_SEC_EVENT].n, 1);
    e->selected =
        tt_arena_alloc(p->arena, p->plan->n_select, sizeof(*e->selected));
    if (!e->scratch || !e->wanted || !e->needed || !e->selected)
        return tt_part_nomem(err);
    bind_selected(p->plan, e->selected);
    e->has_clocks = has_clocks(p->plan);
    rc = bind_section(p, TT_SEC_EVENT, &e->op[0], err);
    if (rc == TT_OK)
        rc = bind_section(p, TT_SEC_LEAVE, &e->op[1], err);
    if (rc == TT_OK)
        rc = tt_bind_event_wakes(p, err);
    if (rc == TT_OK)
        rc = tt_bind_event_short(p, err);
    return rc == TT_OK && p->ranks ? tt_ranks_note_events(p, err) : rc;
}
