/* SPDX-License-Identifier: MIT */
#ifndef TT_SOLVE_DENSE_H
#define TT_SOLVE_DENSE_H

/* Small dense algebra by loops of our own: the same bits on every machine of
 * a type, whatever library is installed. Matrices are row by row. */

#include <stddef.h>
#include <stdint.h>

/* LU with partial pivoting, in place. Returns 0, or -1 when singular. */
int tt_lu_factor(double *a, uint32_t *pivot, uint32_t n);
/* Solve A x = b with the factors; b becomes x. */
void tt_lu_solve(const double *lu, const uint32_t *pivot, uint32_t n,
                 double *b);

/* Least squares min |A x - b| for an m x n matrix held by columns (column j
 * at a + j * m), m >= 1, by modified Gram-Schmidt. Columns that depend on
 * earlier ones (to `drop` of their length) get x = 0. a and b are
 * destroyed; r is scratch of n * n. */
void tt_least_squares(double *a, double *b, uint32_t m, uint32_t n, double *r,
                      double *x, double drop);

#endif
