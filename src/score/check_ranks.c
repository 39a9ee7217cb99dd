/* SPDX-License-Identifier: MIT */
/* A score for several ranks: no rank reads what has not arrived. */
#include "score/check_impl.h"

/* Does this rank have the slot's last value? */
static uint8_t *has(const struct check *c, uint32_t slot, uint32_t rank)
{
    return &c->arrived[(size_t)slot * c->s->n_rank + rank];
}

static uint32_t owner_of(const struct check *c, uint32_t slot)
{
    return c->s->owner[c->p->slot[slot].unit];
}

enum tt_code check_xfer_form(const struct check *c, const struct tt_op *op)
{
    const tt_score *s = c->s;
    const struct tt_xfer *x = &s->xfer[op->arg];

    if (op->arg >= s->n_xfer || x->first > s->n_message ||
        x->n > s->n_message - x->first)
        return TT_EINPUT;
    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        const struct tt_message *m = &s->message[i];

        if (m->from >= s->n_rank || m->to >= s->n_rank || m->from == m->to ||
            m->first > s->n_member || m->n > s->n_member - m->first)
            return TT_EINPUT;
        for (uint32_t k = 0; k < m->n; k++)
            if (s->member[m->first + k] >= c->p->n_slot)
                return TT_EINPUT;
    }
    return TT_OK;
}

void check_ranks_begin(const struct check *c)
{
    for (uint32_t i = 0; i < c->p->n_column; i++) {
        uint32_t slot = c->p->column[i].slot;
        struct tt_clock_set of = tt_plan_clocks_of(c->p, slot);

        if (c->p->slot[slot].dir != TT_SLOT_IN)
            continue;
        c->shown[slot] = 1;
        for (uint32_t k = 0; k < of.n; k++)
            c->shown[of.slot[k]] = 1;
    }
}

static void mark_read(const struct check *c, const struct tt_op *op)
{
    const struct tt_batch *g = &c->s->batch[op->arg];

    for (uint32_t k = 0; c->s->n_rank && k < g->n; k++) {
        uint32_t slot = c->s->member[g->first + k];

        for (uint32_t r = 0; r < c->s->n_rank; r++)
            *has(c, slot, r) = r == owner_of(c, slot);
    }
}

/* Every rank knows when. */
void check_ranks_tick(const struct check *c, uint32_t slot)
{
    for (uint32_t r = 0; r < c->s->n_rank; r++)
        *has(c, slot, r) = 1;
}

static enum tt_code check_sources(const struct check *c, const struct tt_op *op,
                                  tt_err *err)
{
    const struct tt_batch *g = &c->s->batch[op->arg];

    if (!c->s->n_rank || (op->flags & TT_OP_GUESS))
        return TT_OK;
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t to = c->s->member[g->first + k];
        uint32_t from = c->p->feed[c->p->slot[to].feed].from;

        if (!*has(c, from, c->s->owner[op->unit]))
            return check_wrong(c, err, "its rank has not got", from);
        if (c->shown[to] && !*has(c, from, 0))
            return check_wrong(c, err, "the rank that records has not got",
                               from);
    }
    return TT_OK;
}

static enum tt_code check_solved(const struct check *c, const struct tt_op *op,
                                 tt_err *err)
{
    const struct tt_solver *v = &c->s->solver[op->arg];

    for (uint32_t k = 0; k < v->n; k++)
        for (uint32_t r = 0; r < c->s->n_rank; r++)
            if (!*has(c, c->s->member[v->first + k], r))
                return check_wrong(c, err, "not every rank has got",
                                   c->s->member[v->first + k]);
    return TT_OK;
}

static enum tt_code transfer(const struct check *c, const struct tt_op *op,
                             tt_err *err)
{
    const struct tt_xfer *x = &c->s->xfer[op->arg];

    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        const struct tt_message *m = &c->s->message[i];

        for (uint32_t k = 0; k < m->n; k++) {
            uint32_t slot = c->s->member[m->first + k];

            if (m->from != owner_of(c, slot))
                return check_wrong(c, err, "its sender does not own", slot);
            *has(c, slot, m->to) = 1;
        }
    }
    return TT_OK;
}

enum tt_code check_ranks_op(struct check *c, const struct tt_op *op,
                            tt_err *err)
{
    if (op->code == TT_OP_GET)
        mark_read(c, op);
    if (op->code == TT_OP_SET)
        return check_sources(c, op, err);
    if (op->code == TT_OP_SOLVE)
        return check_solved(c, op, err);
    return op->code == TT_OP_XFER ? transfer(c, op, err) : TT_OK;
}
