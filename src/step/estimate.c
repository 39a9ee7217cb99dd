/* SPDX-License-Identifier: MIT */
#include "step/estimate.h"

#include <math.h>

#include "base/err.h"

double tt_estimate_norm(const double *a, const double *b, const double *nominal,
                        uint32_t n, double atol, double rtol)
{
    double worst = 0;

    for (uint32_t i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]);
        double tol = atol * (nominal ? nominal[i] : 1) + rtol * fabs(b[i]);
        double w = off == 0 ? 0 : off / tol;

        if (isnan(w))
            return w;
        worst = w > worst ? w : worst;
    }
    return worst;
}

double tt_estimate_richardson(double p)
{
    return 1 / (pow(2, p) - 1);
}

/* The integral of s (s + 1) ... (s + k) from 0 to a. */
static double extrapolated(uint32_t k, double a)
{
    double c[TT_ESTIMATE_POINTS + 1] = {0, 1}, sum = 0;

    TT_ASSERT(k <= TT_ESTIMATE_POINTS - 2);
    for (uint32_t j = 1; j <= k; j++) /* times s + j */
        for (uint32_t i = j + 1; i > 0; i--)
            c[i] = c[i - 1] + j * c[i];
    for (uint32_t i = 1; i <= k + 1; i++)
        sum += c[i] * pow(a, i + 1) / (i + 1);
    return sum;
}

double tt_estimate_doubling(uint32_t k)
{
    return 1 / (extrapolated(k, 2) / (2 * extrapolated(k, 1)) - 1);
}

double tt_estimate_milne(double cp, double cc)
{
    return fabs(cc / (cc - cp));
}

double tt_estimate_orders(const double *t, const double *x, uint32_t k,
                          double at)
{
    double table[TT_ESTIMATE_POINTS];
    uint32_t n = k + 2;
    double term;

    TT_ASSERT(k <= TT_ESTIMATE_POINTS - 2);
    for (uint32_t i = 0; i < n; i++)
        table[i] = x[i];
    /* divided differences in place: table[0] ends as x[t_0 .. t_k+1] */
    for (uint32_t j = 1; j < n; j++)
        for (uint32_t i = 0; i + j < n; i++)
            table[i] = (table[i + 1] - table[i]) / (t[i + j] - t[i]);
    term = table[0];
    for (uint32_t i = 0; i <= k; i++)
        term *= at - t[i];
    return term;
}

static double nearer(double a, double b, double to)
{
    return fabs(b - to) < fabs(a - to) ? b : a;
}

double tt_estimate_between(const double *t, const double *x, uint32_t n,
                           double at, double came)
{
    double before = x[1], led = x[0] + tt_estimate_orders(t, x, 0, at);
    double nearest = nearer(led, before, came);

    for (uint32_t k = 1; k + 1 < n; k++) {
        led += tt_estimate_orders(t, x, k, at);
        before += tt_estimate_orders(t + 1, x + 1, k - 1, at);
        nearest = nearer(nearer(nearest, before, came), led, came);
    }
    return nearest;
}

double tt_bond_residual(const struct tt_bond *b)
{
    return b->ua * b->ya - b->ub * b->yb;
}

double tt_estimate_ecco(const struct tt_bond *bonds, const double *e0,
                        uint32_t n, double h, double atol, double rtol)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct tt_bond *b = &bonds[i];
        double de = h * tt_bond_residual(b);
        double e = h * fmax(fabs(b->ua * b->ya), fabs(b->ub * b->yb));
        double w = de == 0 ? 0 : de / (atol * (e0 ? e0[i] : 1) + rtol * e);

        sum += w * w;
    }
    return n ? sqrt(sum / n) : 0;
}

/* Trapezoids: exact for a held or linear input and a source that is linear. */
double tt_nepce_missing(double y0, double u0, double y1, double u1, double h)
{
    return 0.5 * h * ((y0 - u0) + (y1 - u1));
}

double tt_nepce_correction(double missing, double h_next, double gain)
{
    return gain * missing / h_next;
}
