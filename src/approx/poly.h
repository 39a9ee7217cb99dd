/* SPDX-License-Identifier: MIT */
#ifndef TT_APPROX_POLY_H
#define TT_APPROX_POLY_H

/* A course: what an input does between two communication points, as a
 * polynomial in the time since its base,
 *
 *     u(t) = sum_k c[k] (t - t0)^k,  k = 0 .. order
 *
 * It belongs to the master, not to the unit. Pure: no state, no allocation. */

#include <stddef.h>
#include <stdint.h>

#define TT_POLY_MAX 3 /* highest order */

struct tt_poly {
    double t0;
    double c[TT_POLY_MAX + 1];
    uint32_t order;
};

/* Through n points (t[i], v[i]), n = 1 .. TT_POLY_MAX + 1, distinct times, the
 * first of which is the base t0. One point is a constant. */
struct tt_poly tt_poly_through(const double *t, const double *v, size_t n);

/* The same, where a time that repeats the one before it (once) brings its rate
 * instead of a value: rate[i] is the derivative at t[i], wanted only there. Two
 * equal times are a tangent, twice two of them the cubic Hermite polynomial. */
struct tt_poly tt_poly_hermite(const double *t, const double *v,
                               const double *rate, size_t n);

double tt_poly_at(const struct tt_poly *p, double t);

/* k-th derivative at t. */
double tt_poly_rate(const struct tt_poly *p, double t, uint32_t k);

/* Mean value between two times. */
double tt_poly_mean(const struct tt_poly *p, double from, double to);

#endif
