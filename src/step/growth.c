/* SPDX-License-Identifier: MIT */
#include "step/growth.h"

#include <math.h>
#include <stddef.h>

#define CHANGES   (TT_GROWTH_WINDOW - 1)
#define LEAST     1.0005 /* per step: less is no explosion */
#define AMPLIFIES 1.1    /* per step: less may be a curve that goes round */
#define TOLERANCE 0.05   /* of the fit, relative to the changes */
#define LASTING   100.0  /* growth of the swing that no transient has */
#define VISIBLE   1e-9   /* of the value: smaller changes are rounding */
#define RESOLVED  0.63   /* rad: ten steps to a swing resolve it */
#define PI        3.14159265358979323846

static double larger(double a, double b) /* fmax() is a call */
{
    return a > b ? a : b;
}

static double change(const double *x, size_t stride, size_t k)
{
    return fabs(x[(k + 1) * stride] - x[k * stride]);
}

/* Are the last changes larger than the first? Most values are done with here.
 */
static int widens(const double *x, size_t stride)
{
    return larger(change(x, stride, CHANGES - 1),
                  change(x, stride, CHANGES - 2)) >
           larger(change(x, stride, 0), change(x, stride, 1));
}

/* Changes, relative to the largest of them; 0: they are rounding at most. */
static double changes_of(const double *x, size_t stride, double *d)
{
    double most = 0, size = 0;

    for (size_t k = 0; k < CHANGES; k++) {
        d[k] = x[(k + 1) * stride] - x[k * stride];
        most = larger(most, fabs(d[k]));
        size = larger(size, fabs(x[(k + 1) * stride]));
    }
    if (!isfinite(most) || !(most > VISIBLE * size))
        return 0;
    for (uint32_t k = 0; k < CHANGES; k++)
        d[k] /= most;
    return most;
}

/* Is sum (d_(n+1) - a d_n - b d_(n-1))^2 small? */
static int fits(const double *d, double a, double b)
{
    double rest = 0, all = 0;

    for (int k = 1; k < CHANGES - 1; k++) {
        double r = d[k + 1] - a * d[k] - b * d[k - 1];

        rest += r * r;
        all += d[k + 1] * d[k + 1];
    }
    return rest <= TOLERANCE * TOLERANCE * all;
}

/* The larger root of z^2 = a z + b. */
static void take_root(struct tt_growth_fit *f, double a, double b)
{
    double disc = a * a / 4 + b, root;

    if (disc < 0) {
        f->factor = sqrt(-b);
        f->angle = acos(fmax(-1, fmin(1, a / 2 / f->factor)));
        return;
    }
    root = a / 2 + copysign(sqrt(disc), a);
    f->factor = fabs(root);
    f->angle = root < 0 ? PI : 0;
}

struct tt_growth_fit tt_growth_fit(const double *x, uint32_t stride)
{
    struct tt_growth_fit f = {0};
    double d[CHANGES], s00 = 0, s01 = 0, s11 = 0, s02 = 0, s12 = 0, det;

    if (widens(x, stride))
        f.swing = changes_of(x, stride, d);
    if (!(f.swing > 0))
        return f;
    for (int k = 1; k < CHANGES - 1; k++) {
        s00 += d[k - 1] * d[k - 1];
        s01 += d[k - 1] * d[k];
        s11 += d[k] * d[k];
        s02 += d[k - 1] * d[k + 1];
        s12 += d[k] * d[k + 1];
    }
    det = s00 * s11 - s01 * s01;
    if (s11 > 0 && fits(d, s12 / s11, 0)) { /* one real root is all there is */
        take_root(&f, s12 / s11, 0);
    } else if (det > 1e-12 * s00 * s11) {
        double a = (s00 * s12 - s01 * s02) / det;
        double b = (s11 * s02 - s01 * s12) / det;

        if (fits(d, a, b))
            take_root(&f, a, b);
    }
    return f;
}

static enum tt_growth_cause cause_of(const struct tt_growth_fit *f, int looped)
{
    if (!(f->factor > LEAST))
        return TT_GROWTH_NONE;
    if (looped && (f->factor > AMPLIFIES || f->angle > RESOLVED))
        return TT_GROWTH_LOOP;
    if (f->angle > PI / 2)
        return TT_GROWTH_COUPLING;
    return f->angle > RESOLVED ? TT_GROWTH_UNKNOWN : TT_GROWTH_NONE;
}

enum tt_growth_cause tt_growth_judge(struct tt_growth_past *past,
                                     const struct tt_growth_fit *fit,
                                     int looped, double t)
{
    enum tt_growth_cause cause = cause_of(fit, looped);

    if (cause == TT_GROWTH_NONE)
        *past = (struct tt_growth_past){0};
    else if (!(past->swing > 0))
        *past = (struct tt_growth_past){.swing = fit->swing, .since = t};
    else if (fit->swing >= LASTING * past->swing)
        return cause;
    return TT_GROWTH_NONE;
}
