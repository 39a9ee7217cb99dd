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

/* Does one begin at zero, compared with where it goes? */
static int any_at_zero(const tt_ode *o)
{
    for (uint32_t i = 0; i < o->p.n_root; i++)
        if (fabs(o->z0[i]) <= fabs(o->z1[i]) / 64)
            return 1;
    return 0;
}

/* The states were set and both ends of the step are in the same domains. One
 * that began at zero may have left and come back, as a short flight does: look
 * soon after the begin. */
static int look_early(tt_ode *o, double *hi, int *found)
{
    double h = o->t_new - o->t_old;
    int rc = 0;

    for (int k = 40; k > 0 && rc == 0; k -= 8) {
        double t = o->t_old + ldexp(h, -k);

        if (!(t > o->t_old))
            continue;
        rc = roots_at(o, t, o->z);
        if (rc || !any_changed(o, o->z0, o->z))
            continue;
        memcpy(o->z1, o->z, o->p.n_root * sizeof(double));
        *hi = t;
        *found = 1;
        break;
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
    if (!*found && o->kept.was_set && any_at_zero(o))
        rc = look_early(o, &hi, found);
    o->kept.was_set = 0;
    if (rc == 0 && *found)
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

/* Does z, soon after the begin, move away from where it crosses? */
static int any_turns(const tt_ode *o)
{
    for (uint32_t i = 0; i < o->p.n_root; i++)
        if (changed(o->z0[i], o->z1[i]) &&
            (o->z0[i] > 0 ? o->z[i] > o->z0[i] : o->z[i] < o->z0[i]))
            return 1;
    return 0;
}

int tt_ode_turns(tt_ode *o, int *turns)
{
    double h = o->t_new - o->t_old;
    int rc = o->p.roots(o->p.ctx, o->t_new, o->x, o->z1);

    *turns = 0;
    o->kept.n.root++;
    if (rc || !any_changed(o, o->z0, o->z1))
        return rc;
    rc = tt_ode_rhs(o, o->t_old, o->x_new, o->tmp);
    /* the second sees turns that are over long before the first */
    for (int k = 20; k <= 40 && rc == 0 && !*turns; k += 20) {
        double d = ldexp(h, -k);

        for (uint32_t i = 0; i < o->p.n; i++)
            o->tmp2[i] = o->x_new[i] + d * o->tmp[i];
        rc = o->p.roots(o->p.ctx, o->t_old + d, o->tmp2, o->z);
        *turns = rc == 0 && any_turns(o);
    }
    return rc;
}

int tt_ode_crossed(const tt_ode *o, uint32_t i)
{
    return o->z[i] != 0;
}
