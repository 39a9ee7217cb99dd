/* SPDX-License-Identifier: MIT */
/* Values along connections, inside the frame. */
#include <string.h>

#include "base/num.h"
#include "player/part_impl.h"

static enum tt_call_result copy_block(const struct tt_call *c,
                                      struct tt_now *now)
{
    const struct tt_moves *m = c->unit;

    (void)now;
    memcpy(m->move[0].to, m->move[0].from, m->bytes);
    return TT_CALL_OK;
}

static enum tt_call_result copy_f64(const struct tt_call *c, struct tt_now *now)
{
    const struct tt_moves *m = c->unit;

    (void)now;
    for (uint32_t i = 0; i < m->n; i++)
        *(double *)m->move[i].to = *(const double *)m->move[i].from;
    return TT_CALL_OK;
}

/* What is no item is its number. Returns -1: the text is too long. */
static int name_element(const struct tt_move *m, const void *from, void *to)
{
    double v = tt_value_as_double((enum tt_type)m->from_type, from);
    const struct tt_item *item = tt_items_of(m->items, (int64_t)v);
    char number[TT_NUM_MAX];

    if (!item)
        tt_num_print_short(number, v);
    return tt_text_set(to, item ? item->name : number);
}

/* A boolean takes a number as true when it is 1, as Maestro has it. Returns
 * -1 when the target cannot hold the value: a Float64 beyond Float32, or what
 * a table holds for an integer. */
static int cast_element(const struct tt_move *m, const void *from, void *to)
{
    double v;

    if (m->how == TT_FEED_ITEM)
        return name_element(m, from, to);
    v = tt_value_as_double((enum tt_type)m->from_type, from);
    if (m->how == TT_FEED_LINEAR)
        v = m->factor * v + m->offset;
    else if (m->how == TT_FEED_MAP)
        v = tt_sc_transformed(m->map, v);
    if (tt_type_is_bool((enum tt_type)m->to_type))
        v = v == 1;
    return tt_value_from_double((enum tt_type)m->to_type, to, v);
}

/* Words for move i of a SET, for the message of a failure. */
static enum tt_call_result does_not_fit(const struct tt_call *c,
                                        const struct tt_now *now, uint32_t i,
                                        const void *from)
{
    const struct tt_moves *list = c->unit;
    const tt_part *p = list->part;
    const tt_score *s = p->score;
    uint32_t to = s->member[s->batch[tt_op_of(p, c)->arg].first + i];
    uint32_t source = p->plan->feed[p->plan->slot[to].feed].from;
    uint32_t unit = p->plan->slot[source].unit;
    char a[512], b[512], v[TT_TEXT_MAX], t[TT_NUM_MAX];

    tt_value_print(v, p->plan->slot[source].type, from);
    tt_num_print_short(t, p->unit[unit]->now);
    tt_fail(
        now->words, TT_EUNIT,
        "instance '%s' (%s) gave %s for its output '%s' at t=%s, which does "
        "not fit '%s': that is %s",
        p->plan->unit[unit].name, p->plan->unit[unit].desc->kind, v,
        tt_plan_slot_name(p->plan, source, a, sizeof(a)), t,
        tt_plan_slot_name(p->plan, to, b, sizeof(b)),
        tt_type_name(p->plan->slot[to].type));
    return TT_CALL_FAILED;
}

const void *tt_move_one(const struct tt_move *m)
{
    size_t a = tt_type_size((enum tt_type)m->from_type);
    size_t b = tt_type_size((enum tt_type)m->to_type);

    if (m->how == TT_FEED_COPY) {
        memcpy(m->to, m->from, a * m->n);
        return NULL;
    }
    for (uint32_t e = 0; e < m->n; e++) {
        const char *from = (const char *)m->from + e * a;

        if (TT_UNLIKELY(cast_element(m, from, (char *)m->to + e * b)))
            return from;
    }
    return NULL;
}

static enum tt_call_result move_any(const struct tt_call *c, struct tt_now *now)
{
    const struct tt_moves *list = c->unit;

    for (uint32_t i = 0; i < list->n; i++) {
        const void *misfit = tt_move_one(&list->move[i]);

        if (TT_UNLIKELY(misfit))
            return does_not_fit(c, now, i, misfit);
    }
    return TT_CALL_OK;
}

/* Bytes when all moves together are one block, else 0. */
static uint32_t one_block(const struct tt_moves *m)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        const struct tt_move *v = &m->move[i];

        if (v->how != TT_FEED_COPY ||
            (const char *)v->from != (const char *)m->move[0].from + bytes ||
            (char *)v->to != (char *)m->move[0].to + bytes)
            return 0;
        bytes += v->n * tt_type_size((enum tt_type)v->from_type);
    }
    return bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
}

static int all_f64(const struct tt_moves *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->move[i].how != TT_FEED_COPY || m->move[i].n != 1 ||
            m->move[i].from_type != TT_F64)
            return 0;
    return 1;
}

void tt_bind_moves(struct tt_call *c, struct tt_moves *m)
{
    static const struct tt_what block = {.fn = copy_block,
                                         .verb = TT_VERB_OTHER},
                                f64 = {.fn = copy_f64, .verb = TT_VERB_OTHER},
                                any = {.fn = move_any, .verb = TT_VERB_OTHER};

    m->bytes = one_block(m);
    *c = (struct tt_call){.what = all_f64(m) ? &f64 : &any, .unit = m};
    if (m->bytes && m->n > 1)
        c->what = &block;
}
