/* SPDX-License-Identifier: MIT */
/* Orders of units among which a sequential master may choose. Only units on a
 * circle have a choice: whichever comes first, one of them does without the new
 * value of another. */
#include <string.h>

#include "score/graph.h"
#include "score/score.h"

enum tt_code tt_score_circles(const tt_plan *p, uint32_t *component,
                              tt_err *err)
{
    struct tt_graph g;
    enum tt_code rc;

    tt_graph_init(&g, p->n_unit);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *to = &p->slot[p->feed[f].to];

        if (to->reactivity == TT_REACT_EITHER && !to->event_only &&
            !tt_plan_flows(p, f))
            tt_graph_add(&g, p->slot[p->feed[f].from].unit, to->unit);
    }
    rc = tt_graph_seal(&g, err);
    if (rc == TT_OK && p->n_unit && tt_graph_components(&g, component) == 0)
        rc = tt_nomem(err, "finding orders");
    tt_graph_fini(&g);
    return rc;
}

/* Variant v of the base: of each circle of k the turn v, from 0 on, and from k
 * on backwards. at: room for the places of a circle. */
static void turn_circles(const uint32_t *base, const uint32_t *component,
                         uint32_t n_unit, uint32_t v, int back, uint32_t *at,
                         uint32_t *order)
{
    for (uint32_t c = 0; c < n_unit; c++) {
        uint32_t k = 0;

        for (uint32_t i = 0; i < n_unit; i++)
            if (component[base[i]] == c)
                at[k++] = i;
        for (uint32_t j = 0; j < k; j++)
            order[at[j]] = base[at[back ? (k - 1 - j + v) % k : (j + v) % k]];
    }
}

/* Units on the longest circle. */
static uint32_t longest(const uint32_t *component, uint32_t n_unit,
                        uint32_t *count)
{
    uint32_t most = 0;

    memset(count, 0, n_unit * sizeof(*count));
    for (uint32_t u = 0; u < n_unit; u++)
        if (++count[component[u]] > most)
            most = count[component[u]];
    return most;
}

static int is_among(const uint32_t *all, uint32_t n, const uint32_t *order,
                    uint32_t n_unit)
{
    for (uint32_t i = 0; i < n; i++)
        if (memcmp(all + (size_t)i * n_unit, order, n_unit * sizeof(*order)) ==
            0)
            return 1;
    return 0;
}

enum tt_code tt_score_orders(const tt_plan *p, const uint32_t *base,
                             uint32_t most, uint32_t *order, uint32_t *n,
                             tt_err *err)
{
    uint32_t *component = tt_zalloc((size_t)p->n_unit + 1, sizeof(*component));
    uint32_t *at = tt_zalloc((size_t)p->n_unit + 1, sizeof(*at));
    enum tt_code rc = component && at ? tt_score_circles(p, component, err)
                                      : tt_fail(err, TT_ENOMEM,
                                                "finding orders: out of "
                                                "memory");

    uint32_t variants = rc == TT_OK ? longest(component, p->n_unit, at) : 0;

    *n = 0;
    for (uint32_t v = 0; v < 2 * variants && *n < most; v++) {
        uint32_t *next = order + (size_t)*n * p->n_unit;

        turn_circles(base, component, p->n_unit, v / 2, (int)(v % 2), at, next);
        *n += !is_among(order, *n, next, p->n_unit);
    }
    TT_FREE_ALL(component, at);
    return rc;
}
