/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_AUTOMATON_H
#define TT_ANALYSIS_AUTOMATON_H

/* Which of m matrices may follow which: edges between nodes, each with a
 * symbol. A word is allowed if a path spells it. Edges that are removed stay in
 * the list; those that lead nowhere, or come from nowhere, are removed too
 * (trimming), so that every word can go on. */

#include <stdint.h>

#include "base/err.h"

#define TT_AUTOMATON_EDGES 65536u
#define TT_CYCLE_MOST      64u /* symbols of a cycle */

struct tt_edge {
    uint32_t from, to, symbol;
    int removed;
};

typedef struct tt_automaton {
    uint32_t n_node, n_edge, n_symbol;
    uint32_t lift;        /* a node is the last so many symbols, the oldest with
                             the largest weight */
    struct tt_edge *edge; /* owned; those of a node follow each other */
    uint32_t *first;      /* owned, n_node + 1: of each node */
} tt_automaton;

/* All words over m symbols, with m^lift nodes. */
TT_NODISCARD enum tt_code tt_automaton_free_lift(tt_automaton *out, uint32_t m,
                                                 uint32_t lift, tt_err *err);
/* From a list of edges. */
TT_NODISCARD enum tt_code tt_automaton_make(tt_automaton *out, uint32_t n_node,
                                            uint32_t n_symbol,
                                            const struct tt_edge *edge,
                                            uint32_t n_edge, tt_err *err);
void tt_automaton_fini(tt_automaton *a); /* zeroed is fine */

/* How many edges are left. */
uint32_t tt_automaton_left(const tt_automaton *a);
/* Remove what leads nowhere. Returns how many edges are left. */
uint32_t tt_automaton_trim(tt_automaton *a);
/* The largest eigenvalue of its adjacency: words of length k grow as its kth
 * power. 0: there are none. Without edge `without` (TT_NONE: with all),
 * trimmed. */
double tt_automaton_growth(const tt_automaton *a, uint32_t without);
#endif
