/* SPDX-License-Identifier: MIT */
#include "solve/dense.h"

#include <math.h>

static void swap_rows(double *a, uint32_t n, uint32_t i, uint32_t k)
{
    for (uint32_t j = 0; j < n; j++) {
        double t = a[i * n + j];

        a[i * n + j] = a[k * n + j];
        a[k * n + j] = t;
    }
}

/* Rows below k less what of row k makes their column k zero. What is zero is
 * left alone, so that a matrix with few entries, in a good order, costs
 * little. */
static void eliminate(double *a, uint32_t n, uint32_t k)
{
    const double *row = a + (size_t)k * n;
    uint32_t end = n;

    while (end > k + 1 && row[end - 1] == 0)
        end--;
    for (uint32_t i = k + 1; i < n; i++) {
        double *to = a + (size_t)i * n, m;

        if (to[k] == 0)
            continue;
        m = to[k] /= row[k];
        for (uint32_t j = k + 1; j < end; j++)
            to[j] -= m * row[j];
    }
}

int tt_lu_factor(double *a, uint32_t *pivot, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;

        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        pivot[k] = best;
        if (!(fabs(a[best * n + k]) > 0)) /* NaN too */
            return -1;
        if (best != k)
            swap_rows(a, n, best, k);
        eliminate(a, n, k);
    }
    return 0;
}

void tt_lu_solve(const double *lu, const uint32_t *pivot, uint32_t n, double *b)
{
    for (uint32_t k = 0; k < n; k++) {
        double t = b[pivot[k]];

        b[pivot[k]] = b[k];
        b[k] = t;
    }
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            b[i] -= lu[i * n + j] * b[j];
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++)
            b[i] -= lu[i * n + j] * b[j];
        b[i] /= lu[i * n + i];
    }
}

static double dot(const double *a, const double *b, uint32_t n)
{
    double s = 0;

    for (uint32_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

void tt_least_squares(double *a, double *b, uint32_t m, uint32_t n, double *r,
                      double *x, double drop)
{
    for (uint32_t k = 0; k < n; k++) {
        double *q = a + (size_t)k * m;
        double before = sqrt(dot(q, q, m)), after;

        for (uint32_t j = 0; j < k; j++) {
            const double *p = a + (size_t)j * m;

            r[j * n + k] = dot(p, q, m);
            for (uint32_t i = 0; i < m; i++)
                q[i] -= r[j * n + k] * p[i];
        }
        after = sqrt(dot(q, q, m));
        r[k * n + k] = after > drop * before ? after : 0;
        for (uint32_t i = 0; i < m; i++)
            q[i] = r[k * n + k] > 0 ? q[i] / after : 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        const double *q = a + (size_t)k * m;

        x[k] = dot(q, b, m);
        for (uint32_t i = 0; i < m; i++)
            b[i] -= x[k] * q[i];
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++)
            x[k] -= r[k * n + j] * x[j];
        x[k] = r[k * n + k] > 0 ? x[k] / r[k * n + k] : 0;
    }
}
