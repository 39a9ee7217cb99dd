/* SPDX-License-Identifier: MIT */
/* In which order unknowns are eliminated: the one with the fewest neighbours
 * first, which then know each other (minimum degree). So a factorisation of
 * I / (h gamma) - J fills few of its zeros. */
#include "base/mem.h"
#include "ode/ode_impl.h"

struct graph {
    uint8_t *edge; /* n * n */
    uint32_t *degree, n;
};

static void connect(struct graph *g, uint32_t i, uint32_t j)
{
    uint8_t *there = &g->edge[(size_t)i * g->n + j];

    if (i == j || *there)
        return;
    *there = g->edge[(size_t)j * g->n + i] = 1;
    g->degree[i]++;
    g->degree[j]++;
}

static uint32_t least(const struct graph *g, const uint8_t *gone)
{
    uint32_t best = g->n;

    for (uint32_t i = 0; i < g->n; i++)
        if (!gone[i] && (best == g->n || g->degree[i] < g->degree[best]))
            best = i;
    return best;
}

/* Its neighbours, listed in `list`, become neighbours of each other. */
static void eliminate(struct graph *g, uint32_t v, uint32_t *list)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->n; i++)
        if (g->edge[(size_t)v * g->n + i]) {
            g->edge[(size_t)v * g->n + i] = g->edge[(size_t)i * g->n + v] = 0;
            g->degree[i]--;
            list[n++] = i;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            connect(g, list[i], list[j]);
}

int tt_ode_order(tt_ode *o)
{
    uint32_t n = o->p.n, *list = NULL;
    struct graph g = {.n = n};
    uint8_t *gone = NULL;
    int rc = 0;

    for (uint32_t i = 0; i < n; i++)
        o->order[i] = i;
    if (!o->p.pattern)
        return 0;
    if (!TT_NEW_ARRAY(g.edge, (size_t)n * n + 1) ||
        !TT_NEW_ARRAY(g.degree, n + 1) || !TT_NEW_ARRAY(list, n + 1) ||
        !TT_NEW_ARRAY(gone, n + 1))
        rc = -1;
    for (size_t i = 0; i < (size_t)n * n && rc == 0; i++)
        if (o->p.pattern[i])
            connect(&g, (uint32_t)(i / n), (uint32_t)(i % n));
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        o->order[i] = least(&g, gone);
        gone[o->order[i]] = 1;
        eliminate(&g, o->order[i], list);
    }
    TT_FREE_ALL(g.edge, g.degree, list, gone);
    return rc;
}
