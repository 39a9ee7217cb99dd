/* SPDX-License-Identifier: MIT */
/* Watched ports: derivatives and how well they foretold, by Maestro's rules. */
#include "step/policy_impl.h"

#include <math.h>

/* The extrapolation error is relative to the value, so it has no bound near a
 * zero, and an infinite one would never fade: it counts this much at most. */
#define EPS_MAX    1e3
#define EPS_KEEP   0.7
#define X_SMALLEST 4.9406564584124654e-324 /* Java's Double.MIN_VALUE */

void tt_track_start(struct track *k, double x)
{
    *k = (struct track){.x = x, .xp = x, .xpp = x};
}

/* Rises at once, fades by 0.7 a step. */
static void filter(double *eps, double x, double foretold, int boundless)
{
    double e = fabs(x - foretold) / fmax(fabs(x), X_SMALLEST);

    if (!boundless)
        e = e < EPS_MAX ? e : EPS_MAX;
    *eps = e >= *eps ? e : EPS_KEEP * *eps + (1 - EPS_KEEP) * e;
}

/* From two points the line, from three the parabola through them:
 * r1 = (x - xp)/h1, r2 = (xpp - xp)/h2, a = (r1 + r2)/(h1 + h2),
 * b = -r2 - a h2, x'' = 2a, x' = 2a (h1 + h2) + b. */
static void differentiate(struct track *k, const struct track_in *in)
{
    double r1 = (k->x - k->xp) / in->h1;
    double r2, a, b;

    if (in->points < 2) {
        k->d = r1;
        k->dd = 0;
        return;
    }
    r2 = (k->xpp - k->xp) / in->h2;
    a = (r1 + r2) / (in->h1 + in->h2);
    b = -r2 - a * in->h2;
    k->dd = 2 * a;
    k->d = 2 * a * (in->h1 + in->h2) + b;
}

void tt_track_feed(struct track *k, const struct track_in *in)
{
    double h = in->h1, d_before = k->d;
    double line = k->x + k->d * h;

    filter(&k->eps[0], in->x, line, in->boundless);
    filter(&k->eps[1], in->x, line + 0.5 * k->dd * h * h, in->boundless);
    k->xpp = k->xp;
    k->xp = k->x;
    k->x = in->x;
    differentiate(k, in);
    if (!isnan(in->d)) {
        k->d = in->d;
        k->dd = (in->d - d_before) / h;
    }
    if (!isnan(in->dd))
        k->dd = in->dd;
}
