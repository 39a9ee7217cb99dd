/* SPDX-License-Identifier: MIT */
/* Roots by FMI's rule: z > 0 and z <= 0 are domains, and a root is where one
 * is left (FMI 2.0.5, 3.1; FMI 3.0.2, 3.1). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ode/ode_impl.h"

static int changed(double a, double b)
{
    return (a > 0) != (b > 0);
}

static int any_changed(const tt_ode *o, const double *a, const double *b)
{
    for (uint32_t i = 0; i < o->p.n_root; i++)
        if (changed(a[i], b[i]))
            return 1;
    return 0;
}

static int roots_at(tt_ode *o, double t, double *z)
{
    int rc = tt_ode_dense(o, t, o->x_root);

    o->kept.n.root++;
    return rc ? rc : o->p.roots(o->p.ctx, t, o->x_root, z);
}

/* Where the first of the lines between both ends crosses; `weight` scales the
 * end that has not moved (the Illinois method). */
static double guess(const tt_ode *o, double lo, double hi, double weight)
{
    double part = 1;

    for (uint32_t i = 0; i < o->p.n_root; i++) {
        double a = o->z0[i] * (weight < 0 ? -weight : 1);
        double b = o->z1[i] * (weight > 0 ? weight : 1);

        if (changed(o->z0[i], o->z1[i]) && a != b)
            part = fmin(part, a / (a - b));
    }
    return lo + part * (hi - lo);
}

/* [lo, hi] holds a root: z0 and z1 are of its ends. Makes it as short as times
 * are distinguished. */
static int narrow(tt_ode *o, double *lo, double *hi)
{
    double weight = 1, least;
    int rc = 0, side = 0;

    for (int turn = 0; rc == 0; turn++) {
        double t;
        double *end;

        least = 2 * DBL_EPSILON * fmax(fabs(*lo), fabs(*hi));
        if (*hi - *lo <= least)
            break;
        /* every third by halves: it always ends */
        t = turn % 3 == 2 ? *lo + (*hi - *lo) / 2 : guess(o, *lo, *hi, weight);
        t = fmin(fmax(t, *lo + least / 2), *hi - least / 2);
        rc = roots_at(o, t, o->z);
        if (rc)
            break;
        if (any_changed(o, o->z0, o->z)) {
            weight = side > 0 ? -fabs(weight) / 2 : -1;
            side = 1;
            *hi = t;
            end = o->z1;
        } else {
            weight = side < 0 ? fabs(weight) / 2 : 1;
            side = -1;
            *lo = t;
            end = o->z0;
        }
        memcpy(end, o->z, o->p.n_root * sizeof(double));
    }
    return rc;
}

int tt_ode_locate(tt_ode *o, int *found)
{
    double lo = o->t_old, hi = o->t_new;
    int rc = o->p.roots(o->p.ctx, hi, o->x, o->z1);

    *found = 0;
    o->kept.n.root++;
    if (rc)
        return rc;
    *found = any_changed(o, o->z0, o->z1);
    if (*found)
        rc = narrow(o, &lo, &hi);
    if (rc == 0 && *found && hi < o->t_new) {
        rc = tt_ode_dense(o, hi, o->x_root);
        memcpy(o->x, o->x_root, o->p.n * sizeof(double));
        o->kept.t = hi;
    }
    for (uint32_t i = 0; i < o->p.n_root; i++)
        o->z[i] = changed(o->z0[i], o->z1[i]); /* for tt_ode_crossed */
    memcpy(o->z0, o->z1, o->p.n_root * sizeof(double));
    return rc;
}

int tt_ode_crossed(const tt_ode *o, uint32_t i)
{
    return o->z[i] != 0;
}
