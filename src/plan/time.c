/* SPDX-License-Identifier: MIT */
/* The experiment: from when to when, in which steps. What the scenario leaves
 * open comes from the only unit's default experiment, never from a guess. A
 * scenario inside another one may leave all to that. */
#include <math.h>

#include "base/num.h"
#include "plan/plan_impl.h"

static double either(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

static enum tt_code check_span(const struct build *b, double start, double end,
                               tt_err *err)
{
    char a[TT_NUM_MAX], z[TT_NUM_MAX];

    if (end > start)
        return TT_OK;
    tt_num_print_short(a, start);
    tt_num_print_short(z, end);
    if (isnan(b->sc->end)) /* not given */
        return tt_fail(
            err, TT_EINPUT,
            "the default end time %s s of instance '%s' is not after "
            "the start time %s s",
            z, b->plan->unit[0].name, a);
    return tt_scenario_fail(b->sc, b->sc->end_where, err, TT_EINPUT,
                            "the end time %s s is not after the start time "
                            "%s s",
                            z, a);
}

/* Is a step of h lost in the rounding of time t? */
static int vanishes(double h, double t)
{
    return isfinite(t) && t - h == t;
}

static enum tt_code check_step(const struct build *b, double h, tt_err *err)
{
    char text[TT_NUM_MAX];
    tt_plan *p = b->plan;

    if (!(h > 0) || isinf(h)) {
        tt_num_print_short(text, h);
        return tt_scenario_fail(b->sc, b->sc->step_where, err, TT_EINPUT,
                                "the step size %s s is not positive", text);
    }
    if (vanishes(h, p->experiment.start) || vanishes(h, p->experiment.end)) {
        tt_num_print_short(text, h);
        return tt_scenario_fail(
            b->sc, b->sc->step_where, err, TT_EINPUT,
            "the step size %s s is too small for the %s time", text,
            vanishes(h, p->experiment.start) ? "start" : "end");
    }
    return TT_OK;
}

/* The smallest that units declare, else what makes a smooth picture. */
static double default_step(tt_plan *p, double start, double end)
{
    double h = (double)NAN;
    char text[TT_NUM_MAX];
    int declared;

    for (uint32_t u = 0; u < p->n_unit; u++)
        h = fmin(h, p->unit[u].desc->standard_step); /* not NaN, if it can be */
    declared = !isnan(h);
    if (!declared)
        h = isinf(end) ? (double)NAN : (end - start) / 500;
    if (isnan(h))
        return h;
    tt_num_print_short(text, h);
    tt_plan_note(p, "step", "%s s (%s)", text,
                 !declared ? "a 500th of the span, as neither the scenario nor "
                             "the instance gives one"
                 : p->n_unit == 1 ? "the default of the instance"
                                  : "the smallest default of the instances");
    return h;
}

static void note_default_end(tt_plan *p, double end)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, end);
    tt_plan_note(p, "end", "%s s (the default of the instance)", text);
}

/* Limits of a variable step. Where error control came by the command line none
 * is given: then from a millionth of the step there was, so that a leap can be
 * located, to a tenth of the span. */
static void limit_step(tt_plan *p, const tt_scenario *s)
{
    double span = p->experiment.end - p->experiment.start;
    char least[TT_NUM_MAX], most[TT_NUM_MAX];

    p->step_min = s->step_min;
    p->step_max = s->step_max;
    if (!p->variable || !isnan(s->step_init))
        return;
    p->step_min = 1e-6 * p->step;
    p->step_max = isinf(span) ? 100 * p->step : fmax(span / 10, p->step);
    tt_num_print_digits(least, p->step_min, 6);
    tt_num_print_digits(most, p->step_max, 6);
    tt_plan_note(p, "step", "varies from %s to %s s", least, most);
}

int plan_all_go_back(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.save || !p->unit[u].desc->caps.variable_step)
            return 0;
    return 1;
}

/* Are crossings located, here or inside a unit, where steps can be taken back?
 */
static int locates(const struct build *b)
{
    int any = b->sc->n_locate > 0;

    for (uint32_t u = 0; u < b->plan->n_unit; u++)
        any |= b->plan->unit[u].desc->locates;
    return any && plan_all_go_back(b->plan);
}

/* Has every unit nothing but discrete events? */
static int all_discrete(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.discrete)
            return 0;
    return 1;
}

enum tt_code plan_experiment(struct build *b, tt_err *err)
{
    static const struct tt_experiment none = {(double)NAN, (double)NAN,
                                              (double)NAN};
    tt_plan *p = b->plan;
    int alone = p->n_unit == 1;
    const struct tt_experiment *d = alone ? &p->unit[0].desc->standard : &none;
    double start = either(b->sc->start, either(d->start, 0));
    double end = either(b->sc->end, d->end);
    double tolerance = either(b->sc->tolerance, either(d->tolerance, 0));
    double h = b->sc->step;
    enum tt_code rc;

    if (isnan(end) && b->sc->inside)
        end = (double)INFINITY;
    if (isnan(end))
        return tt_fail(err, TT_EINPUT,
                       "no end time: set \"endTime\" in the scenario or "
                       "--until on the command line");
    rc = check_span(b, start, end, err);
    if (rc != TT_OK)
        return rc;
    if (isnan(b->sc->end) && !b->sc->inside)
        note_default_end(p, end);
    p->variable = b->sc->algorithm == TT_ALG_VARIABLE;
    p->dialect = b->sc->inside ? TT_SC_OWN : b->sc->dialect;
    p->rejects = p->variable || b->sc->rollback ||
                 b->sc->iteration.unconverged == TT_UNCONVERGED_REDUCE ||
                 locates(b) ||
                 /* Maestro keeps states before every step: a discarded one is
                  * then taken back */
                 (p->dialect && plan_all_go_back(p));
    if (p->variable && !isnan(b->sc->step_init))
        h = b->sc->step_init;
    p->experiment = (struct tt_experiment){start, end, tolerance};
    p->discrete = isnan(h) && all_discrete(p);
    if (isnan(h) && b->sc->inside) {
        p->follows = 1;
        p->rejects = locates(b);
        return TT_OK;
    }
    if (p->discrete) {
        p->step = p->rejects ? end - start : (double)INFINITY;
        p->by_events = 1;
        tt_plan_note(p, "step", "from event to event");
        return p->rejects ? check_step(b, p->step, err) : TT_OK;
    }
    if (isnan(h) && (alone || b->sc->step_open))
        h = default_step(p, start, end);
    if (isnan(h))
        return tt_fail(err, TT_EINPUT,
                       "no step size: set \"algorithm\": {\"type\": "
                       "\"fixed-step\", \"size\": H} in the scenario or --step "
                       "on the command line");
    p->step = h;
    limit_step(p, b->sc);
    return check_step(b, h, err);
}
