/* SPDX-License-Identifier: MIT */
#include "approx/poly.h"

#include "base/err.h"

/* Newton's divided differences, confluent where a time repeats, then expanded
 * to powers of (t - t0). With one and two points the result is exactly the
 * constant and the straight line (v1 - v0) / (t1 - t0). */
struct tt_poly tt_poly_hermite(const double *t, const double *v,
                               const double *rate, size_t n)
{
    double d[TT_POLY_MAX + 1];
    struct tt_poly p = {.t0 = t[0], .order = (uint32_t)n - 1};

    TT_ASSERT(n >= 1 && n <= TT_POLY_MAX + 1);
    for (size_t i = 0; i < n; i++)
        d[i] = v[i];
    for (size_t k = 1; k < n; k++)
        for (size_t i = n - 1; i >= k; i--) {
            int again = k == 1 && t[i] == t[i - 1];

            TT_ASSERT(!again || rate);
            d[i] = again ? rate[i] : (d[i] - d[i - 1]) / (t[i] - t[i - k]);
        }

    /* Horner: p = d[k] + (x - s_k) p, with s_k = t[k] - t0 */
    p.c[0] = d[n - 1];
    for (size_t k = n - 1; k-- > 0;) {
        double s = t[k] - t[0];

        for (size_t i = n - 1 - k; i > 0; i--)
            p.c[i] = p.c[i - 1] - s * p.c[i];
        p.c[0] = d[k] - s * p.c[0];
    }
    return p;
}

struct tt_poly tt_poly_through(const double *t, const double *v, size_t n)
{
    return tt_poly_hermite(t, v, NULL, n);
}

double tt_poly_at(const struct tt_poly *p, double t)
{
    double x = t - p->t0;
    double v = p->c[p->order];

    for (uint32_t k = p->order; k-- > 0;)
        v = v * x + p->c[k];
    return v;
}

double tt_poly_rate(const struct tt_poly *p, double t, uint32_t k)
{
    double x = t - p->t0;
    double v = 0;

    for (uint32_t i = p->order + 1; i-- > k;) {
        double falling = 1; /* i (i-1) ... (i-k+1) */

        for (uint32_t j = 0; j < k; j++)
            falling *= (double)(i - j);
        v = v * x + falling * p->c[i];
    }
    return v;
}

/* Simpson's rule, which is exact for cubics, written so that it is exact to the
 * last bit for constants. */
double tt_poly_mean(const struct tt_poly *p, double from, double to)
{
    double mid = tt_poly_at(p, from + (to - from) / 2);

    return mid + ((tt_poly_at(p, from) - mid) + (tt_poly_at(p, to) - mid)) / 6;
}
