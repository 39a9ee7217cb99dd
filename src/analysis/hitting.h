/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_HITTING_H
#define TT_ANALYSIS_HITTING_H

/* Which edges to remove so that each of some cycles loses one, and as many
 * words as possible are left. All ways are looked at, but for those that lead
 * to less than is known already: removing more never leaves more words. */

#include <stddef.h>

#include "analysis/automaton.h"

/* A closed path, by its edges. */
struct tt_cycle {
    uint32_t edge[TT_CYCLE_MOST];
    uint32_t n;
    double rate; /* per symbol */
};

enum tt_hitting {
    TT_HITTING_NONE,    /* no way leaves more than `above` */
    TT_HITTING_FOUND,   /* the best one: its edges are removed */
    TT_HITTING_GAVE_UP, /* too many ways, or no memory for them */
};

/* above: growth of words, to be exceeded. Without FOUND *a is as before. */
enum tt_hitting tt_hitting_find(tt_automaton *a, const struct tt_cycle *cycle,
                                size_t n, double above);

#endif
