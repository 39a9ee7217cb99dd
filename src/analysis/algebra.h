/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_ALGEBRA_H
#define TT_ANALYSIS_ALGEBRA_H

/* Dense algebra by LAPACK. Matrices are held by columns: element i, j of one
 * with m rows is a[i + j * m]. What is not finite is refused. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Eigenvalues of A, n by n, which is destroyed. left and right (n by n
 * each, or NULL): eigenvectors as LAPACK's dgeev has them, of a pair in two
 * columns: real and imaginary part. */
TT_NODISCARD enum tt_code tt_eigen(uint32_t n, double *a, double *re,
                                   double *im, double *left, double *right,
                                   tt_err *err);

/* The largest of them; of a pair the first. */
uint32_t tt_dominant(uint32_t n, const double *re, const double *im);

/* A = U diag(s) V', m by n, which is destroyed; k = min(m, n): s has k, u is m
 * by k, vt k by n. */
TT_NODISCARD enum tt_code tt_svd(uint32_t m, uint32_t n, double *a, double *s,
                                 double *u, double *vt, tt_err *err);

/* A x = b for a positive definite A, which is destroyed; b becomes x. Returns
 * 0, or -1: it is none. Only the lower triangle is read. */
int tt_solve_positive(uint32_t n, double *a, double *b);

/* C = A B, m by k and k by n. */
void tt_multiply(uint32_t m, uint32_t k, uint32_t n, const double *a,
                 const double *b, double *c);

/* The largest |eigenvalue| of A, which stays; NaN: there is none to be had. */
double tt_spectral_radius(uint32_t n, const double *a);

/* The largest |element| of n; 0 of none. */
double tt_largest(const double *a, size_t n);

#endif
