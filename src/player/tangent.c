/* SPDX-License-Identifier: MIT */
/* Derivatives along the operations of a loop: each SET carries them over
 * connections, each GET asks the unit how its outputs follow, and in a loop
 * around steps each STEP how its states do (tangent_step.c). One walk per
 * unknown gives a column of the Jacobian. */
#include <string.h>

#include "player/tangent_impl.h"

static const struct tt_op *end_of(const tt_part *p, const struct tt_op *loop)
{
    const struct tt_op *last = p->score->op + p->score->n_op;

    while (loop < last && loop->code != TT_OP_SOLVE)
        loop++;
    return loop;
}

/* Can a derivative be carried over this input's connection? */
static int differentiable(const tt_plan *p, uint32_t in)
{
    const struct tt_feed *f = &p->feed[p->slot[in].feed];

    return f->how != TT_FEED_CAST && p->slot[f->from].type == TT_F64;
}

int tt_tangent_carries(const tt_part *p, const struct tt_op *op)
{
    const struct tt_batch *g = &p->score->batch[op->arg];

    if (op->code != TT_OP_GET && op->code != TT_OP_SET)
        return 0;
    if (g->type != TT_F64 || !p->unit[op->unit]->desc->caps.directional)
        return 0;
    for (uint32_t k = 0; k < g->n && op->code == TT_OP_SET; k++)
        if (!differentiable(p->plan, p->score->member[g->first + k]))
            return 0;
    return 1;
}

int tt_tangent_offered(const tt_part *p, const struct tt_op *loop)
{
    const struct tt_op *end = end_of(p, loop);

    if (!p->score->solver[loop->until - 1].init)
        return tt_flow_offered(p, loop, end);
    for (const struct tt_op *op = loop + 1; op < end; op++)
        if (op->code != TT_OP_XFER && !tt_tangent_carries(p, op))
            return 0;
    return 1;
}

/* The most elements a unit of the loop reads and takes. */
static size_t most_elements(const struct tt_tangent *t)
{
    const tt_plan *plan = t->part->plan;
    size_t most = 0;

    for (const struct tt_op *op = t->first; op < t->end; op++) {
        const struct tt_plan_unit *u;
        size_t n = 0;

        if (op->unit == TT_NONE)
            continue;
        u = &plan->unit[op->unit];
        for (uint32_t s = u->slot; s < u->slot + u->n_read + u->n_in; s++)
            n += plan->slot[s].n;
        most = n > most ? n : most;
    }
    return most;
}

struct tt_tangent *tt_tangent_new(tt_part *p, const struct tt_op *loop,
                                  uint32_t n)
{
    struct tt_tangent *t = tt_arena_alloc(p->arena, 1, sizeof(*t));
    size_t most;

    if (!t)
        return NULL;
    t->part = p;
    t->first = loop + 1;
    t->end = end_of(p, loop);
    t->solver = &p->score->solver[loop->until - 1];
    t->n = n;
    if (!t->solver->init && !tt_flow_new(t))
        return NULL;
    most = most_elements(t) + tt_flow_most(t);
    if (!p->tangent)
        p->tangent = tt_arena_alloc(p->arena, p->plan->frame_size / 8 + 1,
                                    sizeof(*p->tangent));
    t->at = p->tangent;
    t->jacobian = tt_arena_alloc(p->arena, (size_t)n * n, sizeof(double));
    t->known = tt_arena_alloc(p->arena, most, sizeof(uint32_t));
    t->unknown = tt_arena_alloc(p->arena, most, sizeof(uint32_t));
    t->dv_known = tt_arena_alloc(p->arena, most, sizeof(double));
    t->dv_unknown = tt_arena_alloc(p->arena, most, sizeof(double));
    return t->at && t->jacobian && t->known && t->unknown && t->dv_known &&
                   t->dv_unknown
               ? t
               : NULL;
}

static double *tangent_of(const struct tt_tangent *t, uint32_t slot)
{
    return t->at + tt_tangent_place(t, slot);
}

static void walk_set(struct tt_tangent *t, const struct tt_op *op)
{
    for (uint32_t k = 0; k < t->part->score->batch[op->arg].n; k++) {
        struct tt_fed f = tt_tangent_fed(t, op, k);
        const double *from = tangent_of(t, f.from);
        double *to = tangent_of(t, f.in);

        for (uint32_t e = 0; e < f.n; e++)
            to[e] = f.by * from[e];
    }
}

/* Those the loop does not set stay as they are. */
void tt_tangent_list_inputs(struct tt_tangent *t, uint32_t unit,
                            const double *to, const double *from,
                            size_t *n_port, size_t n)
{
    const tt_plan *p = t->part->plan;
    const struct tt_plan_unit *u = &p->unit[unit];
    uint32_t first = u->slot + u->n_read;

    for (uint32_t s = first; s < first + u->n_in; s++) {
        if (p->slot[s].type != TT_F64)
            continue;
        t->known[(*n_port)++] = p->slot[s].port;
        for (uint32_t e = 0; e < p->slot[s].n; e++) {
            size_t at = tt_tangent_place(t, s) + e;

            t->dv_known[n++] = to[at] - (from ? from[at] : 0);
        }
    }
}

static void list_known(struct tt_tangent *t, uint32_t unit, size_t *n_port)
{
    size_t n = 0;

    *n_port = 0;
    if (t->flow)
        n = tt_flow_list_states(t, unit, t->flow[unit].x, n_port);
    tt_tangent_list_inputs(t, unit, t->at, NULL, n_port, n);
}

/* What need not be asked for: an output that is a state. */
static const double *known_already(const struct tt_tangent *t, uint32_t unit,
                                   uint32_t port)
{
    return t->flow ? tt_flow_state(t, unit, port) : NULL;
}

static enum tt_code walk_get(struct tt_tangent *t, const struct tt_op *op,
                             tt_err *err)
{
    const tt_score *s = t->part->score;
    const struct tt_batch *g = &s->batch[op->arg];
    struct tt_jvp j = {TT_SAME(t, unknown, known, dv_known, dv_unknown)};
    const double *asked = t->dv_unknown;
    enum tt_code rc = TT_OK;

    list_known(t, op->unit, &j.n_known);
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t port = s->plan->slot[s->member[g->first + k]].port;

        if (!known_already(t, op->unit, port))
            t->unknown[j.n_unknown++] = port;
    }
    if (j.n_unknown)
        rc = tt_ask_jvp(t->part, op->unit, &j, err);
    for (uint32_t k = 0; k < g->n && rc == TT_OK; k++) {
        uint32_t slot = s->member[g->first + k];
        const struct tt_slot *is = &s->plan->slot[slot];
        const double *known = known_already(t, op->unit, is->port);

        memcpy(tangent_of(t, slot), known ? known : asked,
               is->n * sizeof(double));
        asked += known ? 0 : is->n;
    }
    return rc;
}

/* Inputs first read as unchanged: none follows a guess yet. */
static void begin(struct tt_tangent *t)
{
    const tt_plan *p = t->part->plan;

    for (const struct tt_op *op = t->first; op < t->end; op++) {
        const struct tt_plan_unit *u;

        if (op->unit == TT_NONE)
            continue;
        u = &p->unit[op->unit];
        for (uint32_t s = u->slot; s < u->slot + u->n_read + u->n_in; s++)
            if (p->slot[s].type == TT_F64)
                memset(tangent_of(t, s), 0, p->slot[s].n * sizeof(double));
        if (t->flow)
            tt_flow_begin(t, op->unit);
    }
}

static enum tt_code walk_one(struct tt_tangent *t, const struct tt_op *op,
                             tt_err *err)
{
    if (op->code == TT_OP_GET)
        return walk_get(t, op, err);
    if (op->code == TT_OP_STEP)
        return tt_flow_step(t, op, err);
    if (op->code == TT_OP_SET && t->flow)
        tt_flow_set(t, op);
    else if (op->code == TT_OP_SET)
        walk_set(t, op);
    /* RESTORE: where the walk began; XFER: every rank walks for itself */
    return TT_OK;
}

static enum tt_code walk(struct tt_tangent *t, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (const struct tt_op *op = t->first; op < t->end && rc == TT_OK; op++)
        rc = walk_one(t, op, err);
    return rc;
}

/* Column j: how what comes out follows unknown j. */
static void take_column(struct tt_tangent *t, uint32_t j)
{
    const tt_score *s = t->part->score;
    uint32_t i = 0;

    for (uint32_t k = 0; k < t->solver->n; k++) {
        uint32_t slot = s->member[t->solver->first + k];
        const double *at = tangent_of(t, slot);

        for (uint32_t e = 0; e < s->plan->slot[slot].n; e++, i++)
            t->jacobian[(size_t)i * t->n + j] = at[e];
    }
}

enum tt_code tt_tangent_jacobian(struct tt_tangent *t, tt_err *err)
{
    const tt_score *s = t->part->score;
    uint32_t j = 0;

    for (uint32_t k = 0; k < t->solver->n; k++) {
        uint32_t slot = s->member[t->solver->first + k];

        for (uint32_t e = 0; e < s->plan->slot[slot].n; e++, j++) {
            enum tt_code rc;

            begin(t);
            t->seeded = slot;
            t->element = e;
            if (!t->flow)
                tangent_of(t, slot)[e] = 1;
            rc = walk(t, err);
            if (rc != TT_OK)
                return rc;
            take_column(t, j);
        }
    }
    return TT_OK;
}

const double *tt_tangent_result(const struct tt_tangent *t)
{
    return t->jacobian;
}
