/* SPDX-License-Identifier: MIT */
/* How units follow an unknown over a step. They give derivatives at one
 * instant, x' = A x + B u and y = C x + D u for small changes, and an input
 * changes in a line within the step, a held one being the simplest. What that
 * does to the states is the sum of their Taylor series,
 *
 *     x = sum of d_k h^k / k!,  d_1 = B u(0),  d_2 = A d_1 + B u',
 *                               d_k = A d_(k-1),
 *
 * each term a directional derivative. It is exact for linear units. For others
 * A and B are those of the end of the step, and the solver has to see whether
 * that serves. */
#include <math.h>
#include <string.h>

#include "base/lists.h"
#include "base/num.h"
#include "player/tangent_impl.h"

#define MOST_TERMS 30u
#define NO_MORE    1e-12 /* of the sum: a term that counts for nothing */

/* --- offered? -------------------------------------------------------------
 */

static int is_inside(const struct tt_port *p)
{
    return p->type == TT_F64 &&
           (p->causality == TT_CAUS_OUTPUT || p->causality == TT_CAUS_LOCAL);
}

/* The state whose derivative this port is, or TT_NONE. */
static uint32_t state_of(const struct tt_desc *d, uint32_t port)
{
    uint32_t of = d->port[port].derivative_of;

    return of != TT_NONE && is_inside(&d->port[port]) && is_inside(&d->port[of])
               ? of
               : TT_NONE;
}

static uint32_t count_states(const struct tt_desc *d)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n_port; i++)
        n += state_of(d, i) != TT_NONE;
    return n;
}

/* A course must be a line to what it is set to. */
static int is_line(const tt_part *p, const struct tt_op *op)
{
    const struct tt_batch *g = &p->score->batch[op->arg];

    if (!(op->flags & TT_OP_COURSE))
        return 1;
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = p->score->member[g->first + k];
        const struct tt_course *c =
            &p->plan->course[p->plan->slot[slot].course];

        if (c->kind != TT_COURSE_COUPLED &&
            !((op->flags & TT_OP_INTERPOLATE) && c->order == 1))
            return 0;
    }
    return 1;
}

/* Over the whole step, or the sub-step that the loop is in, and only once. */
static int is_whole_step(const tt_part *p, const struct tt_op *op,
                         const struct tt_op *end)
{
    const struct tt_desc *d = p->unit[op->unit]->desc;

    for (const struct tt_op *o = op + 1; o < end; o++)
        if (o->code == TT_OP_STEP && o->unit == op->unit)
            return 0;
    return (d->caps.implicit || count_states(d) > 0);
}

static int op_offers(const tt_part *p, const struct tt_op *op,
                     const struct tt_op *end)
{
    if (op->code == TT_OP_STEP)
        return is_whole_step(p, op, end);
    return op->code == TT_OP_RESTORE || op->code == TT_OP_XFER ||
           (tt_tangent_carries(p, op) && is_line(p, op));
}

int tt_flow_offered(const tt_part *p, const struct tt_op *loop,
                    const struct tt_op *end)
{
    int coupled = 0;

    for (const struct tt_op *op = loop + 1; op < end; op++) {
        if (!op_offers(p, op, end))
            return 0;
        if (op->unit != TT_NONE)
            coupled |= p->unit[op->unit]->desc->caps.implicit;
    }
    return coupled;
}

/* --- room ------------------------------------------------------------------
 */

static int add_unit(struct tt_tangent *t, uint32_t unit)
{
    const struct tt_desc *d = t->part->unit[unit]->desc;
    struct tt_flow *f = &t->flow[unit];
    uint32_t n = count_states(d);

    if (f->state)
        return 1;
    if (!TT_NEW_IN(t->part->arena, f->state, n) ||
        !TT_NEW_IN(t->part->arena, f->rate, n))
        return 0;
    for (uint32_t i = 0; i < d->n_port; i++) {
        uint32_t of = state_of(d, i);

        if (of == TT_NONE || tt_list_has(f->state, f->n, of))
            continue;
        f->state[f->n] = of;
        f->rate[f->n++] = i;
        f->elements += d->port[of].n;
    }
    f->x =
        tt_arena_alloc(t->part->arena, 2 * (size_t)f->elements, sizeof(*f->x));
    f->term = f->x ? f->x + f->elements : NULL;
    return f->x != NULL;
}

int tt_flow_new(struct tt_tangent *t)
{
    const tt_plan *plan = t->part->plan;
    tt_arena *a = t->part->arena;

    if (!TT_NEW_IN(a, t->flow, plan->n_unit) ||
        !TT_NEW_IN(a, t->begin, plan->frame_size / 8 + 1))
        return 0;
    for (const struct tt_op *op = t->first; op < t->end; op++)
        if (op->unit != TT_NONE && !add_unit(t, op->unit))
            return 0;
    return 1;
}

size_t tt_flow_most(const struct tt_tangent *t)
{
    size_t most = 0;

    for (uint32_t u = 0; t->flow && u < t->part->plan->n_unit; u++)
        if (t->flow[u].elements > most)
            most = t->flow[u].elements;
    return most;
}

/* --- walking ---------------------------------------------------------------
 */

void tt_flow_begin(struct tt_tangent *t, uint32_t unit)
{
    const tt_plan *p = t->part->plan;
    const struct tt_plan_unit *u = &p->unit[unit];
    struct tt_flow *f = &t->flow[unit];

    memset(f->x, 0, f->elements * sizeof(*f->x));
    for (uint32_t s = u->slot + u->n_read; s < u->slot + u->n_read + u->n_in;
         s++)
        if (p->slot[s].type == TT_F64)
            memset(t->begin + tt_tangent_place(t, s), 0,
                   p->slot[s].n * sizeof(double));
}

/* How an output follows, as this SET takes it: the guess, or what came of it.
 */
static double source(const struct tt_tangent *t, const struct tt_op *op,
                     uint32_t out, uint32_t e)
{
    if (op->flags & TT_OP_GUESS)
        return out == t->seeded && e == t->element;
    return t->at[tt_tangent_place(t, out) + e];
}

/* ... and where its course begins: a line of one point is held. */
static double beginning(const struct tt_tangent *t, const struct tt_op *op,
                        uint32_t in, double end)
{
    const tt_plan *p = t->part->plan;
    const struct tt_course *c;

    if (!(op->flags & TT_OP_COURSE))
        return end;
    c = &p->course[p->slot[in].course];
    return c->kind == TT_COURSE_COUPLED && c->begins_at == t->seeded
               ? c->begins_by
               : 0;
}

void tt_flow_set(struct tt_tangent *t, const struct tt_op *op)
{
    for (uint32_t k = 0; k < t->part->score->batch[op->arg].n; k++) {
        struct tt_fed f = tt_tangent_fed(t, op, k);
        size_t at = tt_tangent_place(t, f.in);

        for (uint32_t e = 0; e < f.n; e++, at++) {
            double end = source(t, op, f.from, e);

            t->at[at] = f.by * end;
            t->begin[at] = f.by * beginning(t, op, f.in, end);
        }
    }
}

size_t tt_flow_list_states(struct tt_tangent *t, uint32_t unit,
                           const double *by, size_t *n_port)
{
    const struct tt_flow *f = &t->flow[unit];

    memcpy(t->known, f->state, f->n * sizeof(*t->known));
    memcpy(t->dv_known, by, f->elements * sizeof(*by));
    *n_port = f->n;
    return f->elements;
}

const double *tt_flow_state(const struct tt_tangent *t, uint32_t unit,
                            uint32_t port)
{
    const struct tt_flow *f = &t->flow[unit];
    const double *x = f->x;

    for (uint32_t i = 0; i < f->n; i++) {
        if (f->state[i] == port)
            return x;
        x += t->part->unit[unit]->desc->port[f->state[i]].n;
    }
    return NULL;
}

/* A (the last term) + B u, with u at the beginning, its way to the end, or
 * nothing, into dv_unknown. */
static enum tt_code ask_term(struct tt_tangent *t, uint32_t unit, uint32_t k,
                             tt_err *err)
{
    const struct tt_flow *f = &t->flow[unit];
    struct tt_jvp j = {.unknown = f->rate,
                       .known = t->known,
                       .n_unknown = f->n,
                       .dv_known = t->dv_known,
                       .dv_unknown = t->dv_unknown};
    size_t n = tt_flow_list_states(t, unit, f->term, &j.n_known);

    if (k == 1)
        tt_tangent_list_inputs(t, unit, t->begin, NULL, &j.n_known, n);
    if (k == 2)
        tt_tangent_list_inputs(t, unit, t->at, t->begin, &j.n_known, n);
    return tt_ask_jvp(t->part, unit, &j, err);
}

/* The next term is the last one's times h / k; 1 when it counts for nothing, -1
 * when it is none. */
static int add_term(struct tt_tangent *t, struct tt_flow *f, double by)
{
    int small = 1;

    for (uint32_t i = 0; i < f->elements; i++) {
        f->term[i] = by * t->dv_unknown[i];
        f->x[i] += f->term[i];
        if (!isfinite(f->x[i]))
            return -1;
        small &= fabs(f->term[i]) <= NO_MORE * fabs(f->x[i]);
    }
    return small;
}

static enum tt_code too_fast(const struct tt_tangent *t, uint32_t unit,
                             double h, tt_err *err)
{
    char step[TT_NUM_MAX];

    tt_num_print_digits(step, h, 6);
    return tt_fail(err, TT_EUNSUPPORTED,
                   "'%s' is too fast for its derivatives to predict where a "
                   "step of %s s leads",
                   t->part->plan->unit[unit].name, step);
}

enum tt_code tt_flow_step(struct tt_tangent *t, const struct tt_op *op,
                          tt_err *err)
{
    struct tt_flow *f = &t->flow[op->unit];
    const struct tt_now *now = t->part->now;
    double h = now->t[op->to] - now->t[op->at];
    int small = 0;

    memset(f->term, 0, f->elements * sizeof(*f->term));
    for (uint32_t k = 1; k <= MOST_TERMS && f->n; k++) {
        enum tt_code rc = ask_term(t, op->unit, k, err);

        if (rc != TT_OK)
            return rc;
        small = add_term(t, f, h / k);
        if (small < 0 || (small && k > 1))
            break;
    }
    return small == 1 || !f->n ? TT_OK : too_fast(t, op->unit, h, err);
}
