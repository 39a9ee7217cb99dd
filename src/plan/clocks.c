/* SPDX-License-Identifier: MIT */
/* When clocks tick, where the scenario states it. */
#include "plan/plan_impl.h"

/* Why the scenario cannot state it; NULL: it can. FMI 3.0.2, 2.2.8.3: of fixed
 * and tunable clocks that declare an interval. */
static const char *not_set(const struct tt_plan_unit *u,
                           const struct tt_port *port)
{
    const struct tt_clock *is = port->ticks;

    if (port->type != TT_CLOCK || port->causality != TT_CAUS_INPUT)
        return "no input clock";
    if (!tt_clock_is_timed(is))
        return "triggered: it ticks with the clock that is connected to it";
    if (!u->desc->caps.clocks && !u->desc->caps.samples)
        return "not ticked by the run, but by its instance";
    if (is->interval == TT_INTERVAL_CONSTANT)
        return "constant: its interval is declared and stays";
    if (!tt_clock_is_periodic(is))
        return is->interval == TT_INTERVAL_CHANGING
                   ? "changing: its instance states each interval"
                   : "a countdown: its instance states each interval";
    return tt_ratio_is(is->period)
               ? NULL
               : "declared without an interval: that follows from parameters";
}

/* Of a unit that ticks its clocks itself. */
static void set_its_own(tt_plan *p, const struct tt_sc_clock *s, uint32_t port)
{
    const struct tt_clock *is = p->unit[s->ref.unit].desc->port[port].ticks;

    p->timing[p->n_timing++] = (struct tt_plan_timing){
        .unit = s->ref.unit,
        .port = port,
        .period = tt_ratio_is(s->interval) ? s->interval : is->period,
        .shift = tt_ratio_is(s->shift) ? s->shift : is->shift};
}

static enum tt_code set_one(struct build *b, const struct tt_sc_clock *s,
                            tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[s->ref.unit];
    struct tt_plan_clock *to;
    const char *why;
    uint32_t port;
    enum tt_code rc;

    if (!u->desc)
        return TT_OK; /* why is reported already */
    rc = plan_find_port(b, &s->ref, &port, err);
    if (rc != TT_OK)
        return rc;
    why = not_set(u, &u->desc->port[port]);
    if (why)
        return tt_scenario_fail_ref(b->sc, &s->ref, err, TT_EINPUT,
                                    "when '%s.%s' ticks cannot be set: it is "
                                    "%s",
                                    u->name, s->ref.variable, why);
    if (u->desc->caps.samples) {
        set_its_own(b->plan, s, port);
        return TT_OK;
    }
    to = &b->plan->clock[b->plan->slot[b->slot_of[s->ref.unit][port]].ticked];
    if (tt_ratio_is(s->interval))
        to->period = s->interval;
    if (tt_ratio_is(s->shift))
        to->shift = s->shift;
    return TT_OK;
}

enum tt_code plan_clocks(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;

    if (!TT_NEW_IN(p->arena, p->timing, b->sc->n_clock))
        return plan_nomem(err);
    for (uint32_t i = 0; i < b->sc->n_clock; i++) {
        enum tt_code rc = set_one(b, &b->sc->clock[i], err);

        if (!plan_pass(b, rc, err))
            return rc;
    }
    return TT_OK;
}
