/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_ALLOWED_H
#define TT_STEP_ALLOWED_H

/* Which policy may make the next step, by an automaton of words that are
 * allowed: one look into a table per step. */

#include <stdint.h>

#include "base/mem.h"
#include "base/names.h"

struct tt_allowed {
    uint32_t n_node, n_policy;
    uint32_t *next;    /* owned, per node and policy: the node it leads to;
                          TT_NONE: it may not be played there */
    uint32_t *nearest; /* owned, the same: what is played if it is asked for */
    uint32_t *start;   /* owned, per policy: where a word begins with it */
};

struct tt_allowed_edge {
    uint32_t from, policy, to;
};

/* Nearest is what has the most similar step[policy] (s); of several the one
 * before. Nodes without an edge, and policies that begin no word, are offered
 * the same way. Edges are within range, and at least one of them is there.
 * 0: out of memory. */
int tt_allowed_make(struct tt_allowed *out, uint32_t n_node, uint32_t n_policy,
                    const struct tt_allowed_edge *edge, uint32_t n_edge,
                    const double *step);
void tt_allowed_fini(struct tt_allowed *a); /* zeroed is fine */

/* What is played instead of `policy`, or it itself, and the node behind it.
 * TT_NONE as *node: the first step. */
static inline uint32_t tt_allowed_ask(const struct tt_allowed *a,
                                      uint32_t *node, uint32_t policy)
{
    uint32_t at = *node == TT_NONE ? a->start[policy] : *node;
    uint32_t got = a->nearest[at * a->n_policy + policy];

    *node = a->next[at * a->n_policy + got];
    return got;
}

#endif
