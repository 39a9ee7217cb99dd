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

/* The piece between points j and j + 1, of the stretch first .. last. */
static struct tt_poly piece(const double *t, const double *v, size_t first,
                            size_t last, size_t j, uint32_t order)
{
    size_t n = last - first < order ? last - first + 1 : (size_t)order + 1;
    size_t before = (n - 1) / 2, k = 2;
    size_t from = j - first < before ? first : j - before;
    double at[TT_POLY_MAX + 1] = {t[j], t[j + 1]};
    double is[TT_POLY_MAX + 1] = {v[j], v[j + 1]};

    from = from + n - 1 > last ? last - (n - 1) : from;
    for (size_t i = from; i < from + n; i++)
        if (i != j && i != j + 1) {
            at[k] = t[i];
            is[k++] = v[i];
        }
    return tt_poly_through(at, is, n);
}

struct tt_poly tt_poly_along(const double *t, const double *v, size_t n,
                             uint32_t order, struct tt_poly *next)
{
    struct tt_poly all = {.t0 = t[0], .c = {v[0]}};
    size_t first = 0, last = 0;
    uint32_t n_piece = 0;

    TT_ASSERT(n >= 2 && order >= 1 && order <= TT_POLY_MAX);
    for (size_t j = 0; j + 1 < n; j++) {
        if (t[j + 1] == t[j]) {
            first = j + 1;
            continue;
        }
        for (last = last > j ? last : j + 1; last + 1 < n; last++)
            if (t[last + 1] == t[last])
                break;
        if (n_piece++ == 0)
            all = piece(t, v, first, last, j, order);
        else
            next[n_piece - 2] = piece(t, v, first, last, j, order);
    }
    all.n_next = n_piece ? n_piece - 1 : 0;
    all.next = next;
    return all;
}

/* The piece that holds at t; the one that begins there, if one does. */
static const struct tt_poly *holding(const struct tt_poly *p, double t)
{
    uint32_t low = 0, high = p->n_next; /* so many have begun */

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (p->next[mid].t0 <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? &p->next[low - 1] : p;
}

static double at(const struct tt_poly *p, double t)
{
    double x = t - p->t0;
    double v = p->c[p->order];

    for (uint32_t k = p->order; k-- > 0;)
        v = v * x + p->c[k];
    return v;
}

double tt_poly_at(const struct tt_poly *p, double t)
{
    return at(TT_UNLIKELY(p->n_next) ? holding(p, t) : p, t);
}

double tt_poly_rate(const struct tt_poly *p, double t, uint32_t k)
{
    double x, v = 0;

    p = p->n_next ? holding(p, t) : p;
    x = t - p->t0;

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
static double mean(const struct tt_poly *p, double from, double to)
{
    double mid = at(p, from + (to - from) / 2);

    return mid + ((at(p, from) - mid) + (at(p, to) - mid)) / 6;
}

/* Each piece as far as it holds. */
double tt_poly_mean(const struct tt_poly *p, double from, double to)
{
    const struct tt_poly *now = holding(p, from);
    uint32_t k = now == p ? 0 : (uint32_t)(now - p->next) + 1;
    double sum = 0, begin = from;

    if (k == p->n_next || !(p->next[k].t0 < to))
        return mean(now, from, to);
    for (; begin < to; k++) {
        double end = k < p->n_next && p->next[k].t0 < to ? p->next[k].t0 : to;

        sum += mean(now, begin, end) * ((end - begin) / (to - from));
        begin = end;
        now = k < p->n_next ? &p->next[k] : now;
    }
    return sum;
}
