/* SPDX-License-Identifier: MIT */
/* The largest steps that units state. Steps of variable length ask all units,
 * where a constraint wants that. Fixed steps are divided where a unit accepts
 * no whole one. */
#include <math.h>

#include "base/num.h"
#include "run/orders.h"
#include "run/perform.h"

/* Is what it states a limit? Of what is Tutti's own it is advice: a signal
 * reports where it leaps, and a composite divides its steps inside. What has
 * discrete events takes any step. */
static int may_limit(const tt_run *r, uint32_t unit)
{
    const struct tt_plan_unit *u = &r->plan->unit[unit];

    return tt_type_has(r->type[u->fmu], TT_KIND_FOREIGN | TT_KIND_FAR) &&
           !u->desc->inside && !u->desc->caps.discrete;
}

static int wants_all(const tt_run *r)
{
    for (uint32_t i = 0; i < r->plan->n_constraint; i++)
        if (r->scenario->constraint[i].kind == TT_CONSTRAINT_MAX_STEP)
            return 1;
    return 0;
}

int run_may_divide(const tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (may_limit(r, u) && !r->plan->variable && !r->plan->dialect)
            return 1;
    return 0;
}

static void report(tt_run *r)
{
    struct tt_buf names;

    tt_buf_init(&names, TT_ERR_MAX / 2);
    for (uint32_t i = 0; i < r->n_limit; i++)
        tt_buf_fmt(&names, "%s'%s'", i ? ", " : "",
                   r->plan->unit[r->limit[i]].name);
    run_note(r, "step", "divided where it is longer than %s accept%s",
             names.failed ? "units" : names.data, r->n_limit == 1 ? "s" : "");
    tt_buf_fini(&names);
}

/* One that does not report at the start is not asked again: nearly all do not,
 * and would be asked before every step. */
enum tt_code run_find_limits(tt_run *r, tt_err *err)
{
    int all = wants_all(r);
    enum tt_code rc = TT_OK;

    if ((!all && !run_may_divide(r)) || !r->plan->n_unit)
        return TT_OK;
    if (!TT_NEW_ARRAY(r->limit, r->plan->n_unit))
        return run_nomem(err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        double h = 0;

        if (!all && !may_limit(r, u))
            continue;
        if (!all)
            rc = tt_part_max_step(r->part, u, &h, err);
        if (!isnan(h))
            r->limit[r->n_limit++] = u;
    }
    tt_activity_clear(r->activity);
    if (rc != TT_OK || all || !r->n_limit)
        return rc;
    if (r->switching)
        return TT_OK; /* what a policy steps is not divided */
    report(r);
    if (r->protocol == &tt_protocol_fixed && !r->guest)
        r->protocol = &tt_protocol_divided;
    return TT_OK;
}

/* A unit of a higher rate makes shorter steps. */
static double allowed(const tt_run *r, uint32_t unit, double most)
{
    return r->plan->variable ? most
                             : most * run_plan_playing(r)->unit[unit].rate;
}

enum tt_code run_ask_limits(tt_run *r, double *h, uint32_t *by, tt_err *err)
{
    *h = 0;
    for (uint32_t i = 0; i < r->n_limit; i++) {
        uint32_t u = r->limit[i];
        double most;
        enum tt_code rc = tt_part_max_step(r->part, u, &most, err);

        if (rc != TT_OK)
            return rc;
        most = allowed(r, u, most);
        if (!isfinite(most) || !(most > 0) || (*h > 0 && most >= *h))
            continue;
        *h = most;
        *by = u;
    }
    if (r->n_limit)
        tt_activity_clear(r->activity);
    return TT_OK;
}

enum tt_code run_check_division(const tt_run *r, double t, double h,
                                uint32_t by, tt_err *err)
{
    char at[TT_NUM_MAX], most[TT_NUM_MAX], step[TT_NUM_MAX];

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (r->plan->unit[u].desc->caps.variable_step)
            continue;
        tt_num_print_short(at, t);
        tt_num_print_short(most, h);
        tt_num_print_short(step, r->plan->step);
        return tt_fail(err, TT_EUNIT,
                       "instance '%s' accepts a step of %s s at most at t=%s, "
                       "less than %s s, and instance '%s' cannot vary its "
                       "step; a smaller step may help",
                       r->plan->unit[by].name, most, at, step,
                       r->plan->unit[u].name);
    }
    return TT_OK;
}
