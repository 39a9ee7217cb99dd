/* SPDX-License-Identifier: MIT */
/* Outputs that leave the range which their instance declares (min, max). FMI
 * does not forbid it, and the run goes on: what happened is stated in the end.
 * What goes far beyond is warned of at once, by beyond.c. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "run/run_impl.h"

#define SLACK 1e-9 /* a rounding of a bound is not beyond it */

/* In the frame. */
struct leaving {
    uint64_t n;   /* steps that ended outside */
    double t;     /* of the first */
    double worst; /* the value farthest outside */
};

static double slack(double bound)
{
    return isfinite(bound) ? SLACK * fabs(bound) : 0;
}

static int is_bounded(const tt_run *r, uint32_t slot, double *low, double *high)
{
    const struct tt_slot *s = &r->plan->slot[slot];
    const struct tt_port *p = tt_plan_port(r->plan, slot);

    *low = p->min - slack(p->min);
    *high = p->max + slack(p->max);
    return s->dir != TT_SLOT_IN && tt_type_is_float(s->type) &&
           !run_is_away(r, s->unit) && (isfinite(p->min) || isfinite(p->max));
}

enum tt_code run_bounds_list(tt_run *r,
                             int (*is)(const tt_run *r, uint32_t slot,
                                       double *low, double *high),
                             const char *owner, size_t size,
                             struct run_bounded **out, tt_err *err)
{
    struct run_bounded *b;
    double low, high;
    uint32_t all = 0;

    *out = NULL;
    for (uint32_t s = 0; s < r->plan->n_slot; s++)
        all += is(r, s, &low, &high) ? r->plan->slot[s].n : 0;
    if (!all)
        return TT_OK;
    if (!RUN_NEW(r, b, 1) || !RUN_NEW(r, b->of, all))
        return run_nomem(err);
    for (uint32_t s = 0; s < r->plan->n_slot; s++)
        for (uint32_t e = 0; e < r->plan->slot[s].n && is(r, s, &low, &high);
             e++)
            b->of[b->n++] = (struct run_bounds){s, e, low, high};
    run_reserve(r, TT_REGION_RUN, owner, all * size, &b->each);
    *out = b;
    return TT_OK;
}

double run_bounds_value(const tt_run *r, const struct run_bounds *b)
{
    enum tt_type type = r->plan->slot[b->slot].type;
    const char *at = tt_part_value(r->part, b->slot);

    return tt_value_as_double(type, at + b->element * tt_type_size(type));
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    enum tt_code rc =
        run_bounds_list(r, is_bounded, "declared ranges",
                        sizeof(struct leaving), &r->declared, err);

    *wanted = r->declared != NULL;
    return rc;
}

static void leave(struct leaving *l, const struct run_bounds *b, double x,
                  double t)
{
    double by = x > b->high ? x - b->high : b->low - x;
    double worst = l->worst > b->high ? l->worst - b->high : b->low - l->worst;

    if (!l->n++)
        l->t = t;
    if (l->n == 1 || by > worst)
        l->worst = x;
}

void run_declared_look(tt_run *r)
{
    const struct run_bounded *d = r->declared;
    struct leaving *left = d->each;

    for (uint32_t i = 0; i < d->n; i++) {
        double x = run_bounds_value(r, &d->of[i]);

        if (TT_UNLIKELY(x < d->of[i].low || x > d->of[i].high))
            leave(&left[i], &d->of[i], x, r->agenda->t);
    }
}

static void note(tt_run *r, const struct run_bounds *b, const struct leaving *l)
{
    const struct tt_port *p = tt_plan_port(r->plan, b->slot);
    char name[512], element[32] = "", worst[TT_NUM_MAX], bound[TT_NUM_MAX];
    char t[TT_NUM_MAX];
    int above = l->worst > b->high;

    if (r->plan->slot[b->slot].n > 1)
        (void)snprintf(element, sizeof(element), "[%u]", b->element + 1);
    tt_num_print_digits(worst, l->worst, 6);
    tt_num_print_digits(bound, above ? p->max : p->min, 6);
    tt_num_print_digits(t, l->t, 6);
    run_note(r, "range",
             "%s%s was %s, %s than the %s %s that it declares, first at t=%s, "
             "after %" PRIu64 " of %" PRIu64 " steps",
             tt_plan_slot_name(r->plan, b->slot, name, sizeof(name)), element,
             worst, above ? "more" : "less", above ? "max" : "min", bound, t,
             l->n, run_steps(r));
}

static void end(tt_run *r)
{
    const struct run_bounded *d = r->declared;
    const struct leaving *left = d->each;

    for (uint32_t i = 0; r->frame && i < d->n; i++)
        if (left[i].n)
            note(r, &d->of[i], &left[i]);
}

const struct run_companion run_declared_companion = {
    .make = make, .stands = run_declared_look, .end = end};
