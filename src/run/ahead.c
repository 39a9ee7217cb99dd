/* SPDX-License-Identifier: MIT */
/* Discrete events before their time, by several threads: whether a run may, and
 * what was decided. */
#include "player/event.h"
#include "run/run_impl.h"

#define REGISTER RUN_REG_TRY /* which only tries orders of events otherwise */

/* Are there several discrete-event units, and nothing else? */
static int is_network(const tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (!r->plan->unit[u].desc->caps.discrete)
            return 0;
    return r->plan->n_select > 1;
}

static const char *hindered(const tt_run *r, const char **who)
{
    if (r->opts.link)
        return "there are several ranks";
    if (r->scenario->events.confluence)
        return "'confluence' tries the order of events";
    return run_cannot_save(r, who);
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    const char *who = NULL, *why;

    (void)err;
    if (r->opts.host || run_threads_wanted(r) < 2 || !is_network(r))
        return TT_OK;
    why = hindered(r, &who);
    if (why) {
        run_note(r, "threads", "events are played in their time: %s%s%s",
                 who ? who : "", who ? " " : "", why);
        return TT_OK;
    }
    if (r->extra_registers <= REGISTER)
        r->extra_registers = REGISTER + 1;
    *wanted = r->ahead = 1;
    return TT_OK;
}

enum tt_code run_go_ahead(tt_run *r, tt_err *err)
{
    const struct tt_ahead how = {.reg = r->score->n_state + REGISTER,
                                 .force = !run_threads_auto(r),
                                 .end = r->agenda->end};
    uint32_t n = run_ahead_width(r);

    if (n < 2) {
        if (r->ahead)
            run_note(r, "threads",
                     "events are played in their time: something passes them "
                     "on at once, or no two instances can be called by any "
                     "thread");
        return TT_OK;
    }
    run_note(r, "threads",
             "events of %u instances are played ahead, side by side, where no "
             "other event can reach the instance before%s",
             n, how.force ? "" : ", if they take long enough");
    return tt_part_event_ahead(r->part, &how, err);
}

uint32_t run_ahead_width(const tt_run *r)
{
    return r->ahead ? tt_part_event_width(r->part) : 0;
}

const struct run_companion run_ahead_companion = {.make = make};
