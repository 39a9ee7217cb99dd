/* SPDX-License-Identifier: MIT */
#include "score/concern.h"

#include <string.h>

#include "base/mem.h"

struct slice {
    const tt_score *s;
    uint8_t *unit; /* marked so far */
    uint8_t *used; /* per slot of an input: its value counts later on */
    int grew;
};

static void mark(struct slice *c, uint32_t unit)
{
    if (unit == TT_NONE || c->unit[unit])
        return;
    c->unit[unit] = 1;
    c->grew = 1;
}

/* Along its past alone: nothing of this step is in it. */
static int is_of_the_past(const struct tt_op *op)
{
    return (op->flags & TT_OP_COURSE) &&
           !(op->flags & (TT_OP_INTERPOLATE | TT_OP_GUESS));
}

/* In a loop it may count in the next turn. */
static void mark_sources(struct slice *c, const struct tt_op *op, int looped)
{
    const struct tt_batch *g = &c->s->batch[op->arg];
    const tt_plan *p = c->s->plan;

    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = c->s->member[g->first + k];

        if (looped || c->used[slot])
            mark(c, p->slot[p->feed[p->slot[slot].feed].from].unit);
    }
}

static void use_inputs(struct slice *c, uint32_t unit)
{
    const struct tt_plan_unit *u = &c->s->plan->unit[unit];

    memset(c->used + u->slot + u->n_read, 1, u->n_in);
}

/* What these outputs depend on at their instant. */
static void use_dependencies(struct slice *c, const struct tt_op *op)
{
    const struct tt_batch *g = &c->s->batch[op->arg];

    for (uint32_t k = 0; c->s->plan->unit[op->unit].consistent && k < g->n;
         k++) {
        struct tt_plan_inputs in =
            tt_plan_inputs_of(c->s->plan, c->s->member[g->first + k], 0);

        if (!in.known)
            use_inputs(c, op->unit);
        for (uint32_t i = 0; i < in.n; i++)
            c->used[in.slot[i]] = 1;
    }
}

/* From the end of a section to its begin. */
static void go_back_along(struct slice *c, enum tt_section section)
{
    uint32_t first = c->s->section[section].first, depth = 0;

    for (uint32_t k = c->s->section[section].n; k-- > 0;) {
        const struct tt_op *op = &c->s->op[first + k];

        depth += op->code == TT_OP_END;
        depth -= op->code == TT_OP_LOOP;
        if (op->code == TT_OP_STEP)
            use_inputs(c, op->unit);
        if (op->code == TT_OP_GET)
            use_dependencies(c, op);
        if (op->code == TT_OP_SET && c->unit[op->unit] && !is_of_the_past(op))
            mark_sources(c, op, depth > 0);
    }
}

/* The operation behind the END of the loop at k. */
static uint32_t behind_loop(const tt_score *s, uint32_t k)
{
    uint32_t depth = 0;

    do {
        depth += s->op[k].code == TT_OP_LOOP;
        depth -= s->op[k].code == TT_OP_END;
        k++;
    } while (depth);
    return k;
}

static int is_marked(const struct slice *c, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++)
        if (c->s->op[k].unit != TT_NONE && c->unit[c->s->op[k].unit])
            return 1;
    return 0;
}

/* A loop is turned as a whole. */
static void mark_loops(struct slice *c, enum tt_section section)
{
    uint32_t first = c->s->section[section].first;
    uint32_t end = first + c->s->section[section].n;

    for (uint32_t k = first; k < end; k++) {
        uint32_t behind;

        if (c->s->op[k].code != TT_OP_LOOP)
            continue;
        behind = behind_loop(c->s, k);
        for (uint32_t i = k; is_marked(c, k, behind) && i < behind; i++)
            mark(c, c->s->op[i].unit);
    }
}

static void mark_groups(struct slice *c)
{
    const tt_plan *p = c->s->plan;

    for (uint32_t u = 0; u < p->n_unit; u++)
        for (uint32_t v = 0;
             c->unit[u] && p->unit[u].group != TT_NONE && v < p->n_unit; v++)
            if (p->unit[v].group == p->unit[u].group)
                mark(c, v);
}

/* Operations of no unit go with their loop. */
static void mark_ops(const struct slice *c, enum tt_section section,
                     uint8_t *op)
{
    uint32_t first = c->s->section[section].first;
    uint32_t end = first + c->s->section[section].n;

    for (uint32_t k = first; k < end; k++) {
        if (c->s->op[k].unit != TT_NONE)
            op[k] = c->unit[c->s->op[k].unit];
        if (c->s->op[k].code != TT_OP_LOOP)
            continue;
        for (uint32_t i = k, behind = behind_loop(c->s, k); i < behind; i++)
            if (c->s->op[i].unit == TT_NONE)
                op[i] = (uint8_t)is_marked(c, k, behind);
    }
}

enum tt_code tt_score_concern(const tt_score *s, uint8_t *unit, uint8_t *op,
                              tt_err *err)
{
    static const enum tt_section all[] = {TT_SEC_STEP, TT_SEC_EXCHANGE,
                                          TT_SEC_UNDO};
    struct slice c = {.s = s, .unit = unit};

    if (!TT_NEW_ARRAY(c.used, s->plan->n_slot))
        return tt_nomem(err, "crossings");
    do {
        c.grew = 0;
        memset(c.used, 0, s->plan->n_slot);
        go_back_along(&c, TT_SEC_EXCHANGE);
        go_back_along(&c, TT_SEC_STEP);
        mark_loops(&c, TT_SEC_EXCHANGE);
        mark_loops(&c, TT_SEC_STEP);
        mark_groups(&c);
    } while (c.grew);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        mark_ops(&c, all[i], op);
    tt_free(c.used);
    return TT_OK;
}
