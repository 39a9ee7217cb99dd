/* SPDX-License-Identifier: MIT */
#include "step/allowed.h"

#include <math.h>

/* Of those that a node allows. TT_NONE: it allows none. */
static uint32_t nearest_of(const struct tt_allowed *a, uint32_t node,
                           uint32_t policy, const double *step)
{
    const uint32_t *next = a->next + (size_t)node * a->n_policy;
    uint32_t best = TT_NONE;
    double least = (double)INFINITY;

    if (next[policy] != TT_NONE)
        return policy;
    for (uint32_t i = 0; i < a->n_policy; i++) {
        double off = fabs(log(step[i] / step[policy]));

        if (next[i] == TT_NONE || !(off < least))
            continue;
        least = off;
        best = i;
    }
    return best;
}

/* Where it is allowed: the node that it leads back to, as if it had been played
 * before, or the first one; else the first that allows anything. */
static uint32_t start_of(const struct tt_allowed *a, uint32_t policy)
{
    uint32_t first = TT_NONE, any = TT_NONE;

    for (uint32_t v = 0; v < a->n_node; v++) {
        size_t at = (size_t)v * a->n_policy;

        if (a->next[at + policy] == v)
            return v;
        if (first == TT_NONE && a->next[at + policy] != TT_NONE)
            first = v;
        if (any == TT_NONE && a->nearest[at] != TT_NONE)
            any = v;
    }
    return first == TT_NONE ? any : first;
}

int tt_allowed_make(struct tt_allowed *out, uint32_t n_node, uint32_t n_policy,
                    const struct tt_allowed_edge *edge, uint32_t n_edge,
                    const double *step)
{
    size_t n = (size_t)n_node * n_policy;
    struct tt_allowed a = {.n_node = n_node, .n_policy = n_policy};

    if (!TT_NEW_ARRAY(a.next, n) || !TT_NEW_ARRAY(a.nearest, n) ||
        !TT_NEW_ARRAY(a.start, n_policy)) {
        tt_allowed_fini(&a);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        a.next[i] = TT_NONE;
    for (uint32_t i = 0; i < n_edge; i++)
        a.next[(size_t)edge[i].from * n_policy + edge[i].policy] = edge[i].to;
    for (size_t i = 0; i < n; i++)
        a.nearest[i] = nearest_of(&a, (uint32_t)(i / n_policy),
                                  (uint32_t)(i % n_policy), step);
    for (uint32_t i = 0; i < n_policy; i++)
        a.start[i] = start_of(&a, i);
    *out = a;
    return 1;
}

void tt_allowed_fini(struct tt_allowed *a)
{
    TT_FREE_ALL(a->next, a->nearest, a->start);
    *a = (struct tt_allowed){0};
}
