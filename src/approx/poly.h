/* SPDX-License-Identifier: MIT */
#ifndef TT_APPROX_POLY_H
#define TT_APPROX_POLY_H

/* A course: what an input does between two communication points, as a
 * polynomial in the time since its base,
 *
 *     u(t) = sum_k c[k] (t - t0)^k,  k = 0 .. order
 *
 * or as several: each of the pieces that follow the first takes over at its own
 * base. It belongs to the master, not to the unit. Pure: no state, no
 * allocation. */

#include <stddef.h>
#include <stdint.h>

#define TT_POLY_MAX    3   /* highest order */
#define TT_POLY_PIECES 513 /* of one course, at most */

struct tt_poly {
    double t0;
    double c[TT_POLY_MAX + 1];
    uint32_t order;
    uint32_t n_next;
    const struct tt_poly *next; /* borrowed: further pieces, by ascending t0,
                                   without any of their own */
};

/* Through n points (t[i], v[i]), n = 1 .. TT_POLY_MAX + 1, distinct times, the
 * first of which is the base t0. One point is a constant. */
struct tt_poly tt_poly_through(const double *t, const double *v, size_t n);

/* The same, where a time that repeats the one before it (once) brings its rate
 * instead of a value: rate[i] is the derivative at t[i], wanted only there. Two
 * equal times are a tangent, twice two of them the cubic Hermite polynomial. */
struct tt_poly tt_poly_hermite(const double *t, const double *v,
                               const double *rate, size_t n);

/* A course through n points, n >= 2, by ascending time: between each two of
 * them the cubic through these and their neighbours, or the highest order of at
 * most `order`. Where a time repeats, the course leaps, and no piece looks over
 * that. The pieces but the first are written to `next`, n - 2 at most. */
struct tt_poly tt_poly_along(const double *t, const double *v, size_t n,
                             uint32_t order, struct tt_poly *next);

double tt_poly_at(const struct tt_poly *p, double t);

/* k-th derivative at t. */
double tt_poly_rate(const struct tt_poly *p, double t, uint32_t k);

/* Mean value between two times. */
double tt_poly_mean(const struct tt_poly *p, double from, double to);

#endif
