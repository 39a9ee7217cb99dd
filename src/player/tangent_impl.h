/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_TANGENT_IMPL_H
#define TT_PLAYER_TANGENT_IMPL_H

/* What the walks along a loop share: at one instant (tangent.c) and over a step
 * (tangent_step.c). */

#include "player/part_impl.h"

/* The states of a unit over a step, and how they follow the unknown at hand. */
struct tt_flow {
    uint32_t n;             /* ports */
    uint32_t *state, *rate; /* rate[i] is the derivative of state[i] */
    uint32_t elements;
    double *x;    /* of each element, where the walk stands */
    double *term; /* scratch: one of the series */
};

struct tt_tangent {
    tt_part *part;
    const struct tt_op *first, *end; /* the body, up to its SOLVE */
    const struct tt_solver *solver;
    uint32_t n;       /* unknown elements */
    double *at;       /* of each value, at its place in the frame; shared */
    double *jacobian; /* n x n, by rows */
    uint32_t *known, *unknown; /* scratch: ports of one call */
    double *dv_known, *dv_unknown;
    /* Over a step; NULL at one instant. */
    struct tt_flow *flow;     /* per unit */
    double *begin;            /* as `at`: of inputs where the step begins */
    uint32_t seeded, element; /* the unknown that is changed by 1 */
};

/* Float64 slots lie on multiples of 8 bytes. */
static inline size_t tt_tangent_place(const struct tt_tangent *t, uint32_t slot)
{
    return t->part->plan->slot[slot].offset / 8;
}

/* Input k of a set, and what it follows: from, by which factor. */
struct tt_fed {
    uint32_t in, n, from;
    double by;
};
static inline struct tt_fed tt_tangent_fed(const struct tt_tangent *t,
                                           const struct tt_op *op, uint32_t k)
{
    const tt_score *s = t->part->score;
    uint32_t in = s->member[s->batch[op->arg].first + k];
    const struct tt_feed *f = &s->plan->feed[s->plan->slot[in].feed];

    return (struct tt_fed){.in = in,
                           .n = s->plan->slot[in].n,
                           .from = f->from,
                           .by = f->how == TT_FEED_LINEAR ? f->factor : 1};
}

/* tangent.c: inputs of the unit behind n_port known ports and n known elements,
 * with how they change: by `to`, which lies as `at` does, less `from` (NULL:
 * nothing). */
void tt_tangent_list_inputs(struct tt_tangent *t, uint32_t unit,
                            const double *to, const double *from,
                            size_t *n_port, size_t n);
/* tangent.c: can derivatives be carried by this GET or SET? */
int tt_tangent_carries(const tt_part *p, const struct tt_op *op);

/* tangent_step.c: do all units of a loop around steps give what it takes? */
int tt_flow_offered(const tt_part *p, const struct tt_op *loop,
                    const struct tt_op *end);
/* Room for the states of all units; 0: out of memory. */
int tt_flow_new(struct tt_tangent *t);
/* The most elements that states of one unit add to a call. */
size_t tt_flow_most(const struct tt_tangent *t);
void tt_flow_begin(struct tt_tangent *t, uint32_t unit);
void tt_flow_set(struct tt_tangent *t, const struct tt_op *op);
TT_NODISCARD enum tt_code tt_flow_step(struct tt_tangent *t,
                                       const struct tt_op *op, tt_err *err);
/* States of the unit as known ports, changed as they are now; elements. */
size_t tt_flow_list_states(struct tt_tangent *t, uint32_t unit,
                           const double *by, size_t *n_port);
/* How this port follows, if it is a state; else NULL. */
const double *tt_flow_state(const struct tt_tangent *t, uint32_t unit,
                            uint32_t port);

#endif
