/* SPDX-License-Identifier: MIT */
/* Connected outputs far beyond what they declare: min and max, or a nominal
 * value. They are looked at where windows of growth.c begin and end, so that
 * other steps cost nothing. A little beyond is the instance's own matter. */
#include <math.h>

#include "run/run_impl.h"
#include "step/growth.h"

#define FAR_NOMINAL 1e6  /* of a nominal value that is declared */
#define FAR_ONE     10.0 /* of a bound that has no other one beside it */

/* Less or more is far beyond. */
static void bound(const struct tt_port *p, double *low, double *high)
{
    double width = p->max - p->min;

    *low = (double)-INFINITY;
    *high = (double)INFINITY;
    if (p->nominal != 1) { /* which is also what stands for none */
        *high = FAR_NOMINAL * fabs(p->nominal);
        *low = -*high;
    }
    if (isfinite(width)) {
        *low = p->min - width;
        *high = p->max + width;
    } else if (isfinite(p->max) && p->max > 0) {
        *high = FAR_ONE * p->max;
    } else if (isfinite(p->min) && p->min < 0) {
        *low = FAR_ONE * p->min;
    }
}

static int is_watched(const tt_run *r, uint32_t slot, double *low, double *high)
{
    const tt_plan *p = r->plan;

    if (p->slot[slot].dir != TT_SLOT_OUT ||
        !tt_type_is_float(p->slot[slot].type) ||
        p->out_first[slot] == p->out_first[slot + 1] ||
        run_is_away(r, p->slot[slot].unit))
        return 0;
    bound(tt_plan_port(p, slot), low, high);
    return isfinite(*low) || isfinite(*high);
}

enum tt_code run_beyond_make(tt_run *r, tt_err *err)
{
    return run_bounds_list(r, is_watched, "growth: ranges", sizeof(double),
                           &r->beyond, err);
}

void run_beyond_begin(tt_run *r)
{
    double *first = r->beyond ? r->beyond->each : NULL;

    for (uint32_t i = 0; first && i < r->beyond->n; i++)
        first[i] = run_bounds_value(r, &r->beyond->of[i]);
}

/* By how much it went beyond, in widths of what is not far. */
static double excess(const struct run_bounds *w, double x)
{
    double by = x > w->high ? x - w->high : x < w->low ? w->low - x : 0;
    double width = isfinite(w->high - w->low) ? w->high - w->low
                   : isfinite(w->high)        ? fabs(w->high)
                                              : fabs(w->low);

    return by > 0 ? by / width : 0;
}

/* Per step, over the window. */
static double factor(double first, double last)
{
    double by = pow(fabs(last / first), 1.0 / (TT_GROWTH_WINDOW - 1));

    return isfinite(by) && by > 1 ? by : 1;
}

int run_beyond_find(const tt_run *r, double since, struct tt_run_growth *found)
{
    const double *first = r->beyond ? r->beyond->each : NULL;
    double most = 0;

    for (uint32_t i = 0; r->beyond && i < r->beyond->n; i++) {
        const struct run_bounds *w = &r->beyond->of[i];
        double x = run_bounds_value(r, w), by = excess(w, x);

        if (!(by > most))
            continue;
        most = by;
        *found = (struct tt_run_growth){.cause = TT_GROWTH_RANGE,
                                        .slot = w->slot,
                                        .element = w->element,
                                        .since = since,
                                        .factor = factor(first[i], x),
                                        .value = x,
                                        .step = run_steps(r)};
    }
    return most > 0;
}
