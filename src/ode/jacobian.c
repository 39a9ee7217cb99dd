/* SPDX-License-Identifier: MIT */
/* The Jacobian of the right-hand side: by directional derivatives where there
 * are any, else by differences; columns without a common row together. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ode/ode_impl.h"

/* Rows of column j that no other column of its colour has. */
static int clashes(const tt_ode *o, uint32_t j, uint32_t other)
{
    const uint8_t *p = o->p.pattern;
    uint32_t n = o->p.n;

    for (uint32_t i = 0; i < n; i++)
        if (p[(size_t)i * n + j] && p[(size_t)i * n + other])
            return 1;
    return 0;
}

static int fits(const tt_ode *o, uint32_t j, uint32_t colour)
{
    for (uint32_t i = 0; i < j; i++)
        if (o->colour[i] == colour && clashes(o, j, i))
            return 0;
    return 1;
}

void tt_ode_colour(tt_ode *o)
{
    o->n_colour = 0;
    for (uint32_t j = 0; j < o->p.n; j++) {
        uint32_t c = o->p.pattern ? 0 : j;

        while (c < o->n_colour && !fits(o, j, c))
            c++;
        o->colour[j] = c;
        if (c == o->n_colour)
            o->n_colour++;
    }
}

/* How far x[j] is moved for a difference. */
static double shift(const tt_ode *o, uint32_t j)
{
    double size = fmax(fabs(o->x[j]), o->c.atol[j] / o->c.rtol);

    return sqrt(DBL_EPSILON) * (size > 0 ? size : 1);
}

static void spread(tt_ode *o, uint32_t colour, const double *df)
{
    uint32_t n = o->p.n;

    for (uint32_t j = 0; j < n; j++) {
        if (o->colour[j] != colour)
            continue;
        for (uint32_t i = 0; i < n; i++)
            if (!o->p.pattern || o->p.pattern[(size_t)i * n + j])
                o->jac[(size_t)i * n + j] = df[i] / o->seed[j];
    }
}

static int by_differences(tt_ode *o, uint32_t colour)
{
    uint32_t n = o->p.n;
    int rc;

    for (uint32_t j = 0; j < n; j++) {
        double to = o->x[j] + shift(o, j);

        o->seed[j] = to - o->x[j];
        o->tmp[j] = o->colour[j] == colour ? to : o->x[j];
    }
    rc = tt_ode_rhs(o, o->kept.t, o->tmp, o->tmp2);
    for (uint32_t i = 0; i < n; i++)
        o->tmp2[i] -= o->f0[i];
    return rc;
}

static int by_directions(tt_ode *o, uint32_t colour)
{
    for (uint32_t j = 0; j < o->p.n; j++)
        o->seed[j] = o->colour[j] == colour ? 1 : 0;
    return o->p.jvp(o->p.ctx, o->seed, o->tmp2);
}

/* The time derivative of f with x held, by a difference into the step. */
static int by_time(tt_ode *o, double h)
{
    double t = o->kept.t;
    double to = t + fmin(sqrt(DBL_EPSILON) * fmax(fabs(t), h), h);
    int rc = tt_ode_rhs(o, to, o->x, o->dfdt);

    for (uint32_t i = 0; i < o->p.n; i++)
        o->dfdt[i] = (o->dfdt[i] - o->f0[i]) / (to - t);
    return rc;
}

int tt_ode_jacobian(tt_ode *o, double h)
{
    int rc = by_time(o, h);

    return rc == 0 ? tt_ode_jacobian_x(o) : rc;
}

int tt_ode_jacobian_x(tt_ode *o)
{
    int rc = 0;

    o->kept.n.jacobian++;
    memset(o->jac, 0, (size_t)o->p.n * o->p.n * sizeof(double));
    if (o->p.jvp) /* which is of the present point */
        rc = tt_ode_rhs(o, o->kept.t, o->x, o->tmp);
    for (uint32_t c = 0; c < o->n_colour && rc == 0; c++) {
        rc = (o->p.jvp ? by_directions : by_differences)(o, c);
        if (rc == 0)
            spread(o, c, o->tmp2);
    }
    return rc;
}
