/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_BOUNDS_H
#define TT_ANALYSIS_BOUNDS_H

/* How fast products of matrices can grow, at most, under every switching that
 * an automaton allows: the joint spectral radius, between two bounds.
 *
 * From below: of a cycle that is repeated, with the word. From above: quadratic
 * forms, one for each node, that all edges shrink by a rate (or forms of degree
 * 4, where these prove more); then all words in the norm of these forms, each
 * as far as it takes until it has shrunk by the lower bound and a little more
 * (G. Gripenberg, Computing the joint spectral radius, 1996). Both count only
 * as far as Cholesky's factorisations with a margin for rounding confirm them.
 */

#include "analysis/lyapunov.h"

struct tt_bounds {
    double lower; /* per step */
    uint32_t word[TT_CYCLE_MOST];
    uint32_t n_word;
    double upper;    /* NaN: none was found */
    uint32_t degree; /* of the forms: 2 or 4 */
    uint64_t words;  /* that were followed; 0: the forms alone prove it */
    struct tt_certificate certificate; /* owned: the forms, and their rate */
};

/* Edges that are removed do not count; nothing that is left has bounds of 0. */
TT_NODISCARD enum tt_code tt_bounds_find(struct tt_bounds *out,
                                         const tt_automaton *a,
                                         const struct tt_matrices *m,
                                         tt_err *err);
void tt_bounds_fini(struct tt_bounds *b); /* zeroed is fine */

/* rho(A_last ... A_first)^(1/n) of a word of symbols. */
double tt_word_rate(const struct tt_matrices *m, const uint32_t *symbol,
                    uint32_t n);

#endif
