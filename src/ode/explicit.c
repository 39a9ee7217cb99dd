/* SPDX-License-Identifier: MIT */
/* Explicit methods: Dormand and Prince 5(4), Euler, the classical Runge-Kutta
 * method. */
#include <math.h>
#include <string.h>

#include "ode/ode_impl.h"

/* --- Dormand and Prince ------------------------------------------------- */

/* Hairer, Norsett, Wanner, Solving ODEs I, table II.5.2. */
static const double c5[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double a5[7][6] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double e5[7] = {
    71. / 57600,      0,         -71. / 16695, 71. / 1920,
    -17253. / 339200, 22. / 525, -1. / 40};
/* and II.6, of the dense output */
static const double d5[7] = {
    -12715105075. / 11282082432.,  0,
    87487479700. / 32700410799.,   -10690763975. / 1880347072.,
    701980252875. / 199316789632., -1453857185. / 822651844.,
    69997945. / 29380423.};

/* out = x + h sum a[j] k[j], j < n; x may be NULL: 0. */
static void combine(const tt_ode *o, double *out, const double *x, double h,
                    const double *a, uint32_t n)
{
    for (uint32_t i = 0; i < o->p.n; i++) {
        double s = 0;

        for (uint32_t j = 0; j < n; j++)
            s += a[j] * o->k[j][i];
        out[i] = (x ? x[i] : 0) + h * s;
    }
}

/* Solving ODEs II, IV.2: the last two stages are at the same time, so that what
 * f makes of their difference estimates its largest eigenvalue; 3.25 is where
 * the region of stability ends. */
static void look_for_stiffness(tt_ode *o, double h)
{
    double df = 0, dx = 0;
    struct tt_ode_kept *k = &o->kept;

    for (uint32_t i = 0; i < o->p.n; i++) {
        double f = o->k[6][i] - o->k[5][i], x = o->x_new[i] - o->tmp[i];

        df += f * f;
        dx += x * x;
    }
    if (dx > 0 && h * sqrt(df / dx) > 3.25) {
        k->calm = 0;
        k->stiff++;
    } else if (++k->calm >= 6) {
        k->stiff = 0;
    }
}

static int step5(tt_ode *o, double h, double *error)
{
    int rc = 0;

    memcpy(o->k[0], o->f0, o->p.n * sizeof(double));
    for (uint32_t s = 1; s < 7 && rc == 0; s++) {
        double *at = s < 6 ? o->tmp : o->x_new; /* the 6th stays in tmp */

        combine(o, at, o->x, h, a5[s], s);
        rc = tt_ode_rhs(o, o->kept.t + c5[s] * h, at, o->k[s]);
    }
    if (rc)
        return rc;
    combine(o, o->tmp2, NULL, h, e5, 7);
    *error = tt_ode_norm(o, o->tmp2, o->x, o->x_new);
    if (*error <= 1)
        look_for_stiffness(o, h);
    return 0;
}

/* The cubic through both ends, with the slopes f0 and f1. */
static void hermite(tt_ode *o, double h, const double *f0, const double *f1)
{
    for (uint32_t i = 0; i < o->p.n; i++) {
        double d = o->cont[0][i];

        o->cont[1][i] = h * f0[i] - d;
        o->cont[2][i] = d - h * f1[i] - o->cont[1][i];
        o->cont[3][i] = 0;
    }
}

static int dense5(tt_ode *o, double h)
{
    hermite(o, h, o->k[0], o->k[6]);
    combine(o, o->cont[3], NULL, h, d5, 7);
    return 0;
}

const struct tt_ode_ops tt_ode_dopri5 = {
    .order = 4, .grow = 10, .step = step5, .dense = dense5};

/* --- fixed steps -------------------------------------------------------- */

static int step_euler(tt_ode *o, double h, double *error)
{
    *error = 0;
    memcpy(o->k[0], o->f0, o->p.n * sizeof(double));
    combine(o, o->x_new, o->x, h, (const double[]){1}, 1);
    return 0;
}

static int dense_euler(tt_ode *o, double h)
{
    (void)h;
    for (int k = 1; k < TT_ODE_CONT; k++)
        memset(o->cont[k], 0, o->p.n * sizeof(double));
    return 0;
}

const struct tt_ode_ops tt_ode_euler = {
    .fixed = 1, .step = step_euler, .dense = dense_euler};

static int step_rk4(tt_ode *o, double h, double *error)
{
    static const double a[3][3] = {{1. / 2}, {0, 1. / 2}, {0, 0, 1}};
    static const double c[3] = {1. / 2, 1. / 2, 1};
    int rc = 0;

    *error = 0;
    memcpy(o->k[0], o->f0, o->p.n * sizeof(double));
    for (uint32_t s = 0; s < 3 && rc == 0; s++) {
        combine(o, o->tmp, o->x, h, a[s], s + 1);
        rc = tt_ode_rhs(o, o->kept.t + c[s] * h, o->tmp, o->k[s + 1]);
    }
    combine(o, o->x_new, o->x, h,
            (const double[]){1. / 6, 1. / 3, 1. / 3, 1. / 6}, 4);
    return rc;
}

static int dense_rk4(tt_ode *o, double h)
{
    int rc = tt_ode_rhs(o, o->t_new, o->x, o->tmp);

    if (rc == 0)
        hermite(o, h, o->k[0], o->tmp);
    return rc;
}

const struct tt_ode_ops tt_ode_rk4 = {
    .fixed = 1, .step = step_rk4, .dense = dense_rk4};
