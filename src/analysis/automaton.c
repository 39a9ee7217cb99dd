/* SPDX-License-Identifier: MIT */
#include "analysis/automaton.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "score/graph.h"

enum tt_code tt_automaton_make(tt_automaton *out, uint32_t n_node,
                               uint32_t n_symbol, const struct tt_edge *edge,
                               uint32_t n_edge, tt_err *err)
{
    tt_automaton a = {.n_node = n_node, .n_edge = 0, .n_symbol = n_symbol};

    a.edge = tt_zalloc(n_edge + (size_t)1, sizeof(*a.edge));
    a.first = tt_zalloc(n_node + (size_t)1, sizeof(*a.first));
    if (!a.edge || !a.first) {
        tt_automaton_fini(&a);
        return tt_nomem(err, "an automaton");
    }
    for (uint32_t v = 0; v < n_node; v++) {
        a.first[v] = a.n_edge;
        for (uint32_t e = 0; e < n_edge; e++)
            if (edge[e].from == v)
                a.edge[a.n_edge++] = edge[e];
    }
    a.first[n_node] = a.n_edge;
    *out = a;
    return TT_OK;
}

enum tt_code tt_automaton_free_lift(tt_automaton *out, uint32_t m,
                                    uint32_t lift, tt_err *err)
{
    tt_automaton a = {.n_node = 1, .n_symbol = m, .lift = lift};

    for (uint32_t i = 0; i < lift && a.n_node <= TT_AUTOMATON_EDGES; i++)
        a.n_node *= m;
    if (m == 0 || (uint64_t)a.n_node * m > TT_AUTOMATON_EDGES)
        return tt_fail(err, TT_EINPUT,
                       "a lift of %u over %u policies has more than %u edges",
                       lift, m, TT_AUTOMATON_EDGES);
    a.n_edge = a.n_node * m;
    a.edge = tt_zalloc(a.n_edge, sizeof(*a.edge));
    a.first = tt_zalloc(a.n_node + (size_t)1, sizeof(*a.first));
    if (!a.edge || !a.first) {
        tt_automaton_fini(&a);
        return tt_nomem(err, "an automaton");
    }
    for (uint32_t e = 0; e < a.n_edge; e++)
        a.edge[e] = (struct tt_edge){
            .from = e / m, .symbol = e % m, .to = e % a.n_node};
    for (uint32_t v = 0; v <= a.n_node; v++)
        a.first[v] = v * m;
    *out = a;
    return TT_OK;
}

void tt_automaton_fini(tt_automaton *a)
{
    TT_FREE_ALL(a->edge, a->first);
    *a = (tt_automaton){0};
}

/* --- trimming --------------------------------------------------------------
 */

/* Marks in gone[] what leads nowhere or comes from nowhere. */
static uint32_t trim(const tt_automaton *a, uint8_t *gone, uint32_t *in,
                     uint32_t *out)
{
    uint32_t left;
    int again = 1;

    while (again) {
        again = 0;
        left = 0;
        memset(in, 0, a->n_node * sizeof(*in));
        memset(out, 0, a->n_node * sizeof(*out));
        for (uint32_t e = 0; e < a->n_edge; e++)
            if (!gone[e]) {
                out[a->edge[e].from]++;
                in[a->edge[e].to]++;
                left++;
            }
        for (uint32_t e = 0; e < a->n_edge; e++)
            if (!gone[e] && (!out[a->edge[e].to] || !in[a->edge[e].from])) {
                gone[e] = 1;
                again = 1;
            }
    }
    return left;
}

/* Memory for looking at an automaton. */
struct view {
    uint8_t *gone;
    uint32_t *in, *out;
    double *x, *y;
};

static int view_open(struct view *v, const tt_automaton *a)
{
    *v = (struct view){.gone = tt_zalloc(a->n_edge + (size_t)1, 1),
                       .in = tt_zalloc(a->n_node, sizeof(*v->in)),
                       .out = tt_zalloc(a->n_node, sizeof(*v->out)),
                       .x = tt_zalloc(a->n_node, sizeof(*v->x)),
                       .y = tt_zalloc(a->n_node, sizeof(*v->y))};
    for (uint32_t e = 0; v->gone && e < a->n_edge; e++)
        v->gone[e] = a->edge[e].removed != 0;
    return v->gone && v->in && v->out && v->x && v->y;
}

static void view_close(struct view *v)
{
    TT_FREE_ALL(v->gone, v->in, v->out, v->x, v->y);
}

uint32_t tt_automaton_left(const tt_automaton *a)
{
    uint32_t n = 0;

    for (uint32_t e = 0; e < a->n_edge; e++)
        n += (uint32_t)!a->edge[e].removed;
    return n;
}

uint32_t tt_automaton_trim(tt_automaton *a)
{
    struct view v;
    uint32_t left = 0;

    if (view_open(&v, a)) {
        left = trim(a, v.gone, v.in, v.out);
        for (uint32_t e = 0; e < a->n_edge; e++)
            a->edge[e].removed = v.gone[e];
    }
    view_close(&v);
    return left;
}

/* --- growth ----------------------------------------------------------------
 */

/* Edges between parts that cannot reach each other do not make words grow
 * faster, and only slow the iteration down. */
static void part(const tt_automaton *a, struct view *v)
{
    struct tt_graph g;

    tt_graph_init(&g, a->n_node);
    for (uint32_t e = 0; e < a->n_edge; e++)
        if (!v->gone[e])
            tt_graph_add(&g, a->edge[e].from, a->edge[e].to);
    if (tt_graph_seal(&g, NULL) == TT_OK && tt_graph_components(&g, v->in))
        for (uint32_t e = 0; e < a->n_edge; e++)
            if (v->in[a->edge[e].from] != v->in[a->edge[e].to])
                v->gone[e] = 1;
    tt_graph_fini(&g);
}

/* Of I + adjacency, which has no periods. */
static double power(const tt_automaton *a, struct view *v)
{
    double growth = 1, last;

    for (uint32_t i = 0; i < a->n_node; i++)
        v->x[i] = 1;
    for (int n = 0; n < 20000; n++) {
        double most = 0;

        memcpy(v->y, v->x, a->n_node * sizeof(*v->y));
        for (uint32_t e = 0; e < a->n_edge; e++)
            if (!v->gone[e])
                v->y[a->edge[e].from] += v->x[a->edge[e].to];
        for (uint32_t i = 0; i < a->n_node; i++)
            most = fmax(most, v->y[i]);
        for (uint32_t i = 0; i < a->n_node; i++)
            v->x[i] = v->y[i] / most;
        last = growth;
        growth = most;
        if (n > 20 && fabs(growth - last) <= 1e-15 * growth)
            break;
    }
    return growth - 1;
}

double tt_automaton_growth(const tt_automaton *a, uint32_t without)
{
    struct view v;
    double growth = (double)NAN;

    if (view_open(&v, a)) {
        if (without != TT_NONE)
            v.gone[without] = 1;
        growth = 0;
        if (trim(a, v.gone, v.in, v.out)) {
            part(a, &v);
            growth = power(a, &v);
        }
    }
    view_close(&v);
    return growth;
}
