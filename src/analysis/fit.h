/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_FIT_H
#define TT_ANALYSIS_FIT_H

/* The matrix of one macro step, from answers to changes: numbers at one instant
 * against those at the next. Where what is read does not determine what follows
 * (states are hidden), several instants together do. */

#include "analysis/response.h"

struct tt_fit {
    uint32_t order;    /* of the matrix: what was moved and is not 0 */
    uint32_t answers;  /* that it was found from; more than its order */
    uint32_t instants; /* read together */
    uint32_t rows;     /* numbers of these instants together */
    double *a;         /* owned: the matrix, in coordinates ... */
    double *u;         /* owned: ... of which these are the directions, rows by
                          order */
    double *re, *im;   /* owned: its eigenvalues */
    double rho;
    uint32_t first;   /* the largest of them */
    double residual;  /* what the matrix does not explain, relative */
    double condition; /* largest by least singular value that was kept */
    double clash;     /* of the dominant eigenvalue: 1 is a mode of its own,
                         large values are parts of a chain */
    double *mode;     /* owned, per number of the response: how much of the
                         dominant mode is in it */
    double *part;     /* owned: ... and how much it takes part; sums to 1 */
};

/* floor: singular values below it, relative, are noise. at_once: only the first
 * step counts, for another one may have another matrix. */
TT_NODISCARD enum tt_code tt_fit_make(struct tt_fit *out,
                                      const struct tt_response *r,
                                      uint32_t instants, int at_once,
                                      double floor, tt_err *err);
void tt_fit_fini(struct tt_fit *f); /* zeroed is fine */

#endif
