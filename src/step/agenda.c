/* SPDX-License-Identifier: MIT */
#include "step/agenda.h"

#include <math.h>

#include "base/instant.h"
#include "step/policy.h"

/* By how much may (end - start)/step miss a whole number that is meant? By
 * 1e-9, or what four units in the last place of the times make of it. */
static double tolerance(double start, double end, double step)
{
    double t = fmax(fabs(start), fabs(end));

    return fmax(1e-9, 4 * (nextafter(t, (double)INFINITY) - t) / step);
}

void tt_agenda_init(struct tt_agenda *a, double start, double end, double step)
{
    double ratio = (end - start) / step;
    double whole = nearbyint(ratio);

    *a = (struct tt_agenda){.start = start,
                            .end = end,
                            .step = step,
                            .event = (double)INFINITY,
                            .t = start};
    if (isinf(step)) {
        a->short_last = 1; /* one step to the end, cut by events */
        return;
    }
    if (isinf(end) || ratio > 9e15) {
        a->n_full = UINT64_MAX;
        return;
    }
    if (whole >= 1 && fabs(ratio - whole) <= tolerance(start, end, step)) {
        a->n_full = (uint64_t)whole;
        return;
    }
    a->n_full = (uint64_t)floor(ratio);
    a->short_last = 1;
}

static double instant(const struct tt_agenda *a, uint64_t n)
{
    uint64_t last = a->n_full + (a->short_last ? 1 : 0);

    if (a->n_full != UINT64_MAX && n >= last)
        return a->end;
    return n ? tt_agenda_grid(a, n) : a->start;
}

void tt_agenda_sum(struct tt_agenda *a, enum tt_agenda_sum how)
{
    a->sum = how;
    a->short_last = 0;
}

static void next_of_sum(const struct tt_agenda *a, double *t0, double *t1,
                        double *h)
{
    *t0 = a->t;
    *h = fmin(a->step, a->end - a->t);
    if (a->t + a->step <= a->end) /* which may differ by a rounding */
        *h = a->step;
    *t1 = a->t + *h;
}

/* Is there an event after t0, and well before t1? Nearer ones are handled
 * there. */
static int is_before(const struct tt_agenda *a, double t0, double t1)
{
    double least = isinf(a->step) ? 0 : a->step;

    return a->event > t0 + tt_policy_instant_tol(t0, least) &&
           (isinf(t1) || a->event < t1 - tt_policy_instant_tol(t1, least));
}

int tt_agenda_next_over(const struct tt_agenda *a, uint64_t *k, double *t0,
                        double *t1, double *h)
{
    uint64_t last = a->n_full == UINT64_MAX
                        ? UINT64_MAX
                        : a->n_full + (uint64_t)(a->short_last != 0);

    if (tt_agenda_is_empty(a))
        return 0;
    *k = *k < last - a->n ? *k : last - a->n;
    *t0 = a->between ? a->t : instant(a, a->n);
    *t1 = instant(a, a->n + *k);
    *h = a->n + *k <= a->n_full ? (double)*k * a->step : *t1 - *t0;
    if (is_before(a, *t0, *t1)) {
        *t1 = a->event;
        *k = 0;
        while (instant(a, a->n + *k + 1) <= *t1)
            ++*k;
    }
    if (a->between || *t1 == a->event)
        *h = tt_h_after(*t0, *t1);
    *h = tt_h_within(*t0, *h, a->end);
    return 1;
}

int tt_agenda_next(const struct tt_agenda *a, double *t0, double *t1, double *h)
{
    uint64_t one = 1;

    if (a->sum && !tt_agenda_is_empty(a)) {
        next_of_sum(a, t0, t1, h);
        return 1;
    }
    return tt_agenda_next_over(a, &one, t0, t1, h);
}

void tt_agenda_reach(struct tt_agenda *a, double t)
{
    int on_grid = a->sum || t >= instant(a, a->n + 1);

    a->n += (uint64_t)on_grid;
    a->off += (uint64_t)!on_grid;
    a->between = !on_grid;
    a->t = t;
}

void tt_agenda_reach_over(struct tt_agenda *a, uint64_t k, double t)
{
    int on_grid = k && t == instant(a, a->n + k);

    a->n += k;
    a->passed += k - (uint64_t)on_grid;
    a->off += (uint64_t)!on_grid;
    a->between = !on_grid;
    a->t = t;
}

void tt_agenda_drop_short(struct tt_agenda *a)
{
    a->short_last = 0;
    a->end = a->start + (double)a->n_full * a->step;
}
