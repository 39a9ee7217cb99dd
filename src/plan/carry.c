/* SPDX-License-Identifier: MIT */
/* Which settings the state of a unit depends on. */
#include "plan/plan_impl.h"

struct tt_plan_made tt_plan_made(const tt_plan *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->unit[unit];

    return (struct tt_plan_made){.events = u->events != 0,
                                 .sleeps = u->quantum.size > 0,
                                 .with = u->together ? u->group : unit};
}

/* An event to come that is not known, as it was left inside, ends the step of
 * the unit early, which takes a way back; a clock of the run would never tick.
 */
static int finds_events(const tt_plan *p, uint32_t unit)
{
    return p->unit[unit].n_clock == 0 && p->rejects && plan_all_go_back(p);
}

const char *tt_plan_differs(const tt_plan *p, uint32_t unit,
                            const struct tt_plan_made *was)
{
    const struct tt_plan_made is = tt_plan_made(p, unit);
    int both = p->unit[unit].desc->caps.events_inside;

    if (was->sleeps != is.sleeps)
        return is.sleeps ? "sleeps here, and does not there"
                         : "sleeps there, and does not here";
    if (was->with != is.with)
        return "is integrated together with other instances here than there";
    if (is.events && !was->events && !(both && finds_events(p, unit)))
        return "has its events inside its steps there, and in event mode here";
    if (!is.events && was->events && !both)
        return "has its events in event mode there, and inside its steps here";
    return NULL;
}
