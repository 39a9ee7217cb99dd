/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_LYAPUNOV_H
#define TT_ANALYSIS_LYAPUNOV_H

/* A proof that a system is stable under every switching that an automaton
 * allows: a positive definite matrix P of each node with
 *
 *     A' P_to A < rate^2 P_from     for every edge, with the matrix A it names.
 *
 * Found by Newton's method on logarithmic barriers. A proof counts only when
 * it was verified, by factorisations with a margin above what rounding can do.
 */

#include "analysis/automaton.h"

/* m matrices of order n, one after the other, by columns. */
struct tt_matrices {
    uint32_t n, m;
    const double *a;
};

#define TT_MATRICES_ORDER 16u /* more are too much work */
/* Are they small enough for `what`? */
TT_NODISCARD enum tt_code tt_matrices_fit(const struct tt_matrices *m,
                                          const char *what, tt_err *err);

struct tt_certificate {
    uint32_t n, n_node;
    double *p;   /* owned: n by n of each node */
    double rate; /* per step: all that is allowed shrinks at least so, < 1 */
};

/* *found: there is one, verified. 0: none was found, which proves nothing; *out
 * is then what came nearest, without a rate. To be freed in both cases. */
TT_NODISCARD enum tt_code tt_certificate_find(struct tt_certificate *out,
                                              int *found, const tt_automaton *a,
                                              const struct tt_matrices *m,
                                              tt_err *err);
/* Do these matrices prove this rate? By Cholesky's factorisation, with a margin
 * for rounding. */
int tt_certificate_holds(const struct tt_certificate *c, const tt_automaton *a,
                         const struct tt_matrices *m, double rate);
/* ... of one edge, whatever the others do. */
int tt_certificate_shrinks(const struct tt_certificate *c,
                           const struct tt_edge *e, const struct tt_matrices *m,
                           double rate);
void tt_certificate_fini(struct tt_certificate *c); /* zeroed is fine */

#endif
