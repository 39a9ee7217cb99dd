/* SPDX-License-Identifier: MIT */
/* RODAS: a Rosenbrock method of order 4(3) with six stages, gamma = 1/4,
 * L-stable and stiffly accurate; its dense output has order 3. Coefficients of
 * Hairer and Wanner, Solving ODEs II, table VI.4 (1996), in the form that needs
 * no product with the Jacobian (VI.4.3):
 *
 *     (I / (h gamma) - J) k[i] = f(t + alpha[i] h, x + sum a[i][j] k[j])
 *                                + sum c[i][j] / h k[j] + h gamma[i] df/dt
 *     x1 = x + sum a[5][j] k[j] + k[5],   error k[5]
 */
#include <math.h>
#include <string.h>

#include "ode/ode_impl.h"
#include "solve/dense.h"

#define GAMMA 0.25
static const double alpha[6] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double gamma_i[6] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double a[6][5] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087,
     -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087,
     -0.6878860361058950, 1},
};
static const double c[6][5] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905,
     11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371,
     16.31930543123136, -6.058818238834054},
};
static const double d[2][5] = {
    {10.12623508344586, -7.487995877610167, -34.80091861555747,
     -7.992771707568823, 1.025137723295662},
    {-0.6762803392806898, 6.087714651680015, 16.43084320892478,
     24.76722511418386, -6.594389125716872},
};

static double sum(const tt_ode *o, const double *w, uint32_t n, uint32_t i)
{
    double s = 0;

    for (uint32_t j = 0; j < n; j++)
        s += w[j] * o->k[j][i];
    return s;
}

static int factor(tt_ode *o, double h)
{
    uint32_t n = o->p.n;
    double *to = o->lu;

    for (uint32_t i = 0; i < n; i++) {
        const double *row = o->jac + (size_t)o->order[i] * n;

        for (uint32_t j = 0; j < n; j++)
            *to++ = (i == j ? 1 / (h * GAMMA) : 0) - row[o->order[j]];
    }
    return tt_lu_factor(o->lu, o->pivot, n) ? 1 : 0;
}

/* k becomes the solution for it. */
static void solve(tt_ode *o, double *k)
{
    uint32_t n = o->p.n;

    for (uint32_t i = 0; i < n; i++)
        o->tmp[i] = k[o->order[i]];
    tt_lu_solve(o->lu, o->pivot, n, o->tmp);
    for (uint32_t i = 0; i < n; i++)
        k[o->order[i]] = o->tmp[i];
}

static int stage(tt_ode *o, double h, uint32_t s)
{
    uint32_t n = o->p.n;
    double *k = o->k[s];
    int rc = 0;

    for (uint32_t i = 0; i < n; i++)
        o->x_new[i] = o->x[i] + sum(o, a[s], s, i);
    if (s)
        rc = tt_ode_rhs(o, o->kept.t + alpha[s] * h, o->x_new, k);
    else
        memcpy(k, o->f0, n * sizeof(double));
    for (uint32_t i = 0; i < n; i++)
        k[i] += sum(o, c[s], s, i) / h + h * gamma_i[s] * o->dfdt[i];
    solve(o, k);
    return rc;
}

static int step(tt_ode *o, double h, double *error)
{
    int rc = tt_ode_jacobian(o, h);

    if (rc == 0)
        rc = factor(o, h);
    for (uint32_t s = 0; s < 6 && rc == 0; s++)
        rc = stage(o, h, s);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < o->p.n; i++)
        o->x_new[i] += o->k[5][i];
    *error = tt_ode_norm(o, o->k[5], o->x, o->x_new);
    return 0;
}

static int dense(tt_ode *o, double h)
{
    (void)h;
    for (uint32_t i = 0; i < o->p.n; i++) {
        o->cont[1][i] = sum(o, d[0], 5, i);
        o->cont[2][i] = sum(o, d[1], 5, i);
        o->cont[3][i] = 0;
    }
    return 0;
}

const struct tt_ode_ops tt_ode_rodas = {
    .order = 3, .grow = 6, .step = step, .dense = dense};
