/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_ADMISSIBLE_H
#define TT_ANALYSIS_ADMISSIBLE_H

/* As many words as possible under which switching is stable: edges are removed
 * from an automaton, of every cycle that is unstable the one without which most
 * words are left, until a certificate holds (C. Gomes, Property Preservation in
 * Co-simulation, 2019, algorithm 5 and section 5.7). Of small automata every
 * other choice of edges is looked at, too (5.9). */

#include "analysis/lyapunov.h"

struct tt_admissible {
    double growth;   /* of words, per symbol; its log2 is the entropy */
    uint32_t cycles; /* unstable ones that were met */
    uint32_t worst[TT_CYCLE_MOST]; /* of these the one that grows most ... */
    uint32_t n_worst;
    double worst_rate; /* ... per symbol */
    int optimal; /* every other choice of edges that leaves more words leaves an
                    unstable cycle; 0: not known */
    int eased;   /* edges of cycles that are nearly unstable went, too, without
                    which nothing was proved */
    struct tt_certificate certificate; /* owned; none: nothing is left */
};

/* Removes edges of *a. *out: what is left, certified. TT_EUNSUPPORTED: neither
 * a certificate nor an unstable cycle was found. */
TT_NODISCARD enum tt_code tt_admissible_find(struct tt_admissible *out,
                                             tt_automaton *a,
                                             const struct tt_matrices *m,
                                             tt_err *err);

#endif
