/* SPDX-License-Identifier: MIT */
#ifndef TT_TESTS_NUMERICS_H
#define TT_TESTS_NUMERICS_H

/* What the physics tests compute for themselves, apart from the engine and the
 * unit kit. */

#include <complex.h>
#include <stddef.h>

#define MATRIX_MAX 8

struct matrix {
    size_t n;
    double a[MATRIX_MAX][MATRIX_MAX];
};

struct matrix product(const struct matrix *a, const struct matrix *b);
/* exp(a t): Taylor series of a t / 2^s, squared s times. */
struct matrix exponential(const struct matrix *a, double t);
/* x = m x. */
void apply(const struct matrix *m, double *x);

/* det(s I - a) = s^n + c[n-1] s^(n-1) + ... + c[0] (Faddeev and LeVerrier). */
void characteristic(const struct matrix *a, double *c);
/* The eigenvalue of a near `guess` (Newton on the characteristic polynomial).
 */
double complex eigenvalue(const struct matrix *a, double complex guess);

/* |a - b| <= tolerance; not so if either is no number. */
#define assert_near(a, b, tolerance)                                           \
    check_near((a), (b), (tolerance), #a " near " #b, __FILE__, __LINE__)
void check_near(double a, double b, double tolerance, const char *claim,
                const char *file, int line);

/* p in error = const h^p, from the errors at h and h/2. */
double observed_order(double coarse, double fine);
/* The same from n errors at any h: the slope of the line of least squares
 * through the logarithms. */
double fitted_order(const double *h, const double *error, size_t n);

#endif
