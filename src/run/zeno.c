/* SPDX-License-Identifier: MIT */
/* Events of an instance, or crossings, that accumulate at a finite time. */
#include <stdio.h>

#include "base/num.h"
#include "run/run_impl.h"
#include "step/zeno.h"

/* Of a unit, in the frame. */
struct tt_accumulating {
    struct tt_zeno events;
    double end; /* where they accumulate, as far as is known */
    int reported, rested;
};

/* Events of discrete-event units are planned in time: only those that a step
 * leads to are watched. */
static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    (void)err;
    *wanted = r->plan->n_event > 0;
    if (*wanted)
        run_reserve(r, TT_REGION_RUN, "accumulating events",
                    r->plan->n_unit * sizeof(*r->zeno), &r->zeno);
    return TT_OK;
}

static void end(tt_run *r)
{
    char t[TT_NUM_MAX];

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (!r->zeno[u].reported)
            continue;
        tt_num_print_digits(t, r->zeno[u].end, 10);
        run_note(r, "events", "events of '%s' accumulate at t=%s (Zeno)",
                 r->plan->unit[u].name, t);
    }
}

const struct run_companion run_zeno_companion = {.make = make, .end = end};

static const char *what_follows(const tt_run *r)
{
    switch (r->scenario->zeno) {
    case TT_ZENO_STOP:
        return "the run ends before";
    case TT_ZENO_REGULARISE:
        return "crossings that are located come to rest before";
    case TT_ZENO_CONTINUE:
        break;
    }
    return "'zeno' of 'events' can end the run, or the events, before";
}

static void report(tt_run *r, uint32_t unit, const struct tt_zeno_verdict *v,
                   uint64_t n)
{
    char end[TT_NUM_MAX], ratio[TT_NUM_MAX];

    tt_num_print_digits(end, v->end, 10);
    tt_num_print_digits(ratio, v->ratio, 3);
    tt_log(r->opts.log, TT_LOG_WARN,
           "events of '%s' accumulate at t=%s: after %llu of them each "
           "interval is %s of the last; %s",
           r->plan->unit[unit].name, end, (unsigned long long)n, ratio,
           what_follows(r));
}

static void stop(tt_run *r, uint32_t unit, const struct tt_zeno_verdict *v)
{
    char t[TT_NUM_MAX], end[TT_NUM_MAX];

    tt_num_print_short(t, r->zeno[unit].events.last);
    tt_num_print_digits(end, v->end, 10);
    r->why = TT_RUN_TERMINATED;
    snprintf(r->sentence, sizeof(r->sentence),
             "ended at t=%s s: events of '%s' accumulate at t=%s s", t,
             r->plan->unit[unit].name, end);
}

/* The last events came closer and closer: do they go on so? */
TT_COLD static int judge(tt_run *r, uint32_t unit)
{
    struct tt_accumulating *z = &r->zeno[unit];
    struct tt_zeno_verdict v = tt_zeno_judge(&z->events);
    int rests;

    if (!v.found || !(v.end < r->experiment.end))
        return 0;
    z->end = v.end;
    if (!z->reported && !(r->guest && r->guest->warned_zeno))
        report(r, unit, &v, z->events.n);
    if (r->guest) /* its host may take the step back, and make it again */
        r->guest->warned_zeno = 1;
    z->reported = 1;
    rests = v.rests && !z->rested;
    z->rested |= v.rests;
    if (rests && r->scenario->zeno == TT_ZENO_STOP && !r->guest)
        stop(r, unit, &v);
    return rests;
}

int run_zeno_note(tt_run *r, uint32_t unit, double t)
{
    if (!r->zeno)
        return 0;
    tt_zeno_note(&r->zeno[unit].events, t);
    if (TT_LIKELY(r->zeno[unit].events.shrunk < TT_ZENO_RATIOS))
        return 0;
    return judge(r, unit);
}

int run_zeno_stops(const tt_run *r)
{
    int stops = 0;

    for (uint32_t u = 0; r->zeno && u < r->plan->n_unit; u++)
        stops |= r->zeno[u].rested;
    return stops && r->scenario->zeno == TT_ZENO_STOP;
}
