/* SPDX-License-Identifier: MIT */
/* Which steps are stable: tried one by one, for stability is not monotone. */
#include <math.h>

#include "analysis/study.h"

#define PER_OCTAVE 4
#define BELOW      6 /* octaves below the step, ... */
#define ABOVE      4 /* ... and above */
#define POINTS     (PER_OCTAVE * (BELOW + ABOVE) + 1)
#define HALVINGS   30

static double rho_at(const struct tt_case *c, double step,
                     enum tt_stability *verdict)
{
    struct tt_case one = *c;
    struct tt_radius r;
    double rho;

    one.o.step = step;
    tt_radius_find(&r, &one);
    rho = r.rho;
    *verdict = r.verdict;
    tt_radius_fini(&r);
    return rho;
}

/* Between a step that is stable and one that is not. */
static double bisect(const struct tt_case *c, double stable, double other)
{
    for (int i = 0; i < HALVINGS && other - stable > 1e-7 * other; i++) {
        double middle = 0.5 * (stable + other);
        enum tt_stability v;

        (void)rho_at(c, middle, &v);
        if (v == TT_STABILITY_STABLE)
            stable = middle;
        else
            other = middle;
    }
    return stable;
}

/* log(rho)/h as h goes to 0, from the two smallest steps: masters are of order
 * 1 at least. */
static void extrapolate(struct tt_scan *s)
{
    double a, b, ratio;

    if (s->n < 2 || !(s->rho[0] > 0) || !(s->rho[1] > 0))
        return;
    a = log(s->rho[0]) / s->step[0];
    b = log(s->rho[1]) / s->step[1];
    ratio = s->step[1] / s->step[0];
    s->abscissa = (a * ratio - b) / (ratio - 1);
    s->abscissa_error = fabs(s->abscissa - a);
}

void tt_scan_make(struct tt_scan *out, const struct tt_case *c, double step)
{
    struct tt_scan s = {.largest = (double)NAN, .abscissa = (double)NAN};
    double last = (double)NAN;
    int open = 1;

    if (!TT_NEW_ARRAY(s.step, POINTS) || !TT_NEW_ARRAY(s.rho, POINTS)) {
        TT_FREE_ALL(s.step, s.rho);
        s.step = s.rho = NULL;
        *out = s;
        return;
    }
    for (int i = 0; i < POINTS; i++) {
        double h = step * exp2((double)i / PER_OCTAVE - BELOW);
        enum tt_stability v;
        double rho = rho_at(c, h, &v);

        if (v == TT_STABILITY_UNKNOWN)
            continue;
        s.step[s.n] = h;
        s.rho[s.n++] = rho;
        if (open && v == TT_STABILITY_STABLE)
            s.largest = last = h;
        else if (open && isfinite(last))
            s.largest = bisect(c, last, h);
        open = open && v == TT_STABILITY_STABLE;
    }
    s.beyond = open && isfinite(s.largest);
    extrapolate(&s);
    *out = s;
}

void tt_scan_fini(struct tt_scan *s)
{
    TT_FREE_ALL(s->step, s->rho);
    *s = (struct tt_scan){0};
}
