/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_GRAPH_H
#define TT_SCORE_GRAPH_H

/* A directed graph on nodes 0 .. n-1, its strongly connected components and a
 * topological order. Linear in nodes and edges; the results depend on nothing
 * but the graph. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tt_graph {
    uint32_t n;
    uint32_t *from, *to; /* owned: edges as added */
    size_t n_edge, cap_edge, cap_to;
    uint32_t *first, *next; /* owned: adjacency, built by tt_graph_seal */
    int failed;
};

void tt_graph_init(struct tt_graph *g, uint32_t n);
void tt_graph_fini(struct tt_graph *g);
void tt_graph_add(struct tt_graph *g, uint32_t from, uint32_t to);
/* After the last edge. TT_ENOMEM also for a failed tt_graph_add. */
TT_NODISCARD enum tt_code tt_graph_seal(struct tt_graph *g, tt_err *err);

/* Components by Tarjan's algorithm (1972), without recursion: component[v],
 * numbered in topological order: an edge between two components leads from the
 * lower to the higher number. Returns how many there are, or 0 when out of
 * memory (or n is 0). */
uint32_t tt_graph_components(const struct tt_graph *g, uint32_t *component);

#endif
