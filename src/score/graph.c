/* SPDX-License-Identifier: MIT */
#include "score/graph.h"

#include <string.h>

#include "base/lists.h"
#include "base/mem.h"
#include "base/names.h"

void tt_graph_init(struct tt_graph *g, uint32_t n)
{
    *g = (struct tt_graph){.n = n};
}

void tt_graph_fini(struct tt_graph *g)
{
    TT_FREE_ALL(g->from, g->to, g->first, g->next);
    *g = (struct tt_graph){0};
}

void tt_graph_add(struct tt_graph *g, uint32_t from, uint32_t to)
{
    TT_ASSERT(from < g->n && to < g->n);
    if (g->failed || TT_GROW(g->from, g->n_edge, g->cap_edge) ||
        TT_GROW(g->to, g->n_edge, g->cap_to)) {
        g->failed = 1;
        return;
    }
    g->from[g->n_edge] = from;
    g->to[g->n_edge++] = to;
}

enum tt_code tt_graph_seal(struct tt_graph *g, tt_err *err)
{
    if (g->failed || !TT_NEW_ARRAY(g->first, (size_t)g->n + 1) ||
        !TT_NEW_ARRAY(g->next, g->n_edge))
        return tt_nomem(err, "ordering");
    for (size_t e = 0; e < g->n_edge; e++)
        g->first[g->from[e] + 1]++;
    tt_lists_add_up(g->first, g->n);
    for (size_t e = 0; e < g->n_edge; e++)
        g->next[g->first[g->from[e]]++] = g->to[e];
    tt_lists_go_back(g->first, g->n);
    return TT_OK;
}

struct tarjan {
    const struct tt_graph *g;
    uint32_t *index, *low, *edge, *stack, *path;
    uint8_t *on_stack;
    uint32_t n_stack, n_path, counter, n_component;
    uint32_t *component;
};

static void visit(struct tarjan *t, uint32_t v)
{
    t->index[v] = t->low[v] = ++t->counter;
    t->edge[v] = t->g->first[v];
    t->stack[t->n_stack++] = v;
    t->on_stack[v] = 1;
    t->path[t->n_path++] = v;
}

/* v is done: close its component if it is a root, hand its low link up. */
static void leave(struct tarjan *t, uint32_t v)
{
    t->n_path--;
    if (t->n_path && t->low[v] < t->low[t->path[t->n_path - 1]])
        t->low[t->path[t->n_path - 1]] = t->low[v];
    if (t->low[v] != t->index[v])
        return;
    for (;;) {
        uint32_t w = t->stack[--t->n_stack];

        t->on_stack[w] = 0;
        t->component[w] = t->n_component;
        if (w == v)
            break;
    }
    t->n_component++;
}

static void walk(struct tarjan *t, uint32_t root)
{
    visit(t, root);
    while (t->n_path) {
        uint32_t v = t->path[t->n_path - 1];

        if (t->edge[v] < t->g->first[v + 1]) {
            uint32_t w = t->g->next[t->edge[v]++];

            if (!t->index[w])
                visit(t, w);
            else if (t->on_stack[w] && t->index[w] < t->low[v])
                t->low[v] = t->index[w];
        } else {
            leave(t, v);
        }
    }
}

uint32_t tt_graph_components(const struct tt_graph *g, uint32_t *component)
{
    struct tarjan t = {.g = g, .component = component};
    uint32_t *block = NULL;

    if (g->n && TT_NEW_ARRAY(block, 5 * (size_t)g->n) &&
        TT_NEW_ARRAY(t.on_stack, g->n)) {
        t.index = block;
        t.low = block + g->n;
        t.edge = block + 2 * (size_t)g->n;
        t.stack = block + 3 * (size_t)g->n;
        t.path = block + 4 * (size_t)g->n;
        /* Tarjan closes sinks first, so the numbers are turned round below;
         * starting from the last node keeps unrelated ones in their order */
        for (uint32_t v = g->n; v-- > 0;)
            if (!t.index[v])
                walk(&t, v);
        for (uint32_t v = 0; v < g->n; v++)
            component[v] = t.n_component - 1 - component[v];
    }
    TT_FREE_ALL(block, t.on_stack);
    return t.n_component;
}
