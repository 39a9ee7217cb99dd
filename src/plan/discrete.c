/* SPDX-License-Identifier: MIT */
/* Discrete-event units: their events travel along connections of values, and
 * of several that are due one goes first. */
#include <math.h>

#include "base/num.h"
#include "plan/plan_impl.h"

/* --- connections ----------------------------------------------------------
 */

static const struct tt_port *end_of(const struct build *b, uint32_t unit,
                                    uint32_t port)
{
    return &b->plan->unit[unit].desc->port[port];
}

/* A unit does not influence itself: what it puts out it knows. */
static enum tt_code refuse_self(const struct build *b, uint32_t c, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];

    return tt_scenario_fail_ref(
        b->sc, &sc->to, err, TT_EINPUT,
        "'%s.%s' is an event and leads to its own instance: put "
        "a delay in between",
        b->plan->unit[sc->from.unit].name, sc->from.variable);
}

int plan_takes_events(const struct build *b, uint32_t unit, uint32_t port)
{
    return b->plan->unit[unit].desc->caps.discrete &&
           end_of(b, unit, port)->clock;
}

/* Which wrapper makes events of a value: levels of a number, what a text comes
 * to be. */
static enum tt_code refuse_value(const struct build *b,
                                 const struct resolved *r, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[r->given];
    const struct tt_port *p = end_of(b, r->from_unit, r->from_port);
    const char *from = b->plan->unit[sc->from.unit].name;
    const char *to = b->plan->unit[sc->to.unit].name;
    char step[TT_NUM_MAX];

    tt_num_print_short(step,
                       tt_type_is_float(p->type) ? 0.1 * fabs(p->nominal) : 1);
    if (tt_type_is_text(p->type))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "'%s.%s' takes events, and '%s.%s' has a value all the time: "
            "locate in 'events' where it changes, and emit it",
            to, sc->to.variable, from, sc->from.variable);
    return tt_scenario_fail_ref(
        b->sc, &sc->to, err, TT_EINPUT,
        "'%s.%s' takes events, and '%s.%s' has a value all the time: instead "
        "of the connection write in 'events' \"quantize\": {\"%s.%s\": "
        "{\"step\": %s, \"to\": \"%s.%s\"}}, or 'sample' or 'locate'",
        to, sc->to.variable, from, sc->from.variable, from, sc->from.variable,
        step, to, sc->to.variable);
}

/* The other way round it works, and the choice is printed. */
static void note_held(const struct build *b, const struct resolved *r)
{
    const struct tt_sc_connection *sc = &b->sc->connection[r->given];
    const struct tt_desc *d = b->plan->unit[r->from_unit].desc;
    const char *from = b->plan->unit[sc->from.unit].name;
    const char *to = b->plan->unit[sc->to.unit].name;

    for (uint32_t i = 0; i < b->sc->n_locate; i++)
        if (b->sc->locate[i].unit == r->to_unit)
            return; /* it looks at the last value, as any expression */
    if (d->caps.discrete && end_of(b, r->to_unit, r->to_port)->type != TT_CLOCK)
        tt_plan_note(b->plan, "events",
                     "%s.%s is an event, and %s.%s holds the last one; what "
                     "it holds before the first is 'start' in \"hold\": "
                     "{\"%s.%s\": {\"start\": 0, \"to\": \"%s.%s\"}}",
                     from, sc->from.variable, to, sc->to.variable, from,
                     sc->from.variable, to, sc->to.variable);
}

/* A value that comes with a clock brings its ticks along, where nothing else
 * ticks the clock it goes to. */
static void tie(struct build *b, const struct resolved *r)
{
    const struct tt_port *from = end_of(b, r->from_unit, r->from_port);
    const struct tt_port *to = end_of(b, r->to_unit, r->to_port);
    struct resolved clock = {.from_unit = r->from_unit,
                             .to_unit = r->to_unit,
                             .from_port = from->clock - 1,
                             .to_port = to->clock - 1,
                             .how = TT_FEED_COPY,
                             .factor = 1,
                             .nth = r->nth};

    if (!end_of(b, r->to_unit, clock.to_port)->hidden ||
        b->n_feed[r->to_unit][clock.to_port] > r->nth)
        return;
    b->conn[b->n_conn++] = clock;
    b->mark[clock.from_unit][clock.from_port] |= MARK_OUT;
    b->mark[clock.to_unit][clock.to_port] |= MARK_IN;
    b->n_feed[clock.to_unit][clock.to_port]++;
}

enum tt_code plan_tie_clocks(struct build *b, tt_err *err)
{
    uint32_t n = b->n_conn;
    enum tt_code rc = TT_OK;

    for (uint32_t c = 0; c < n && rc == TT_OK; c++) {
        const struct resolved *r = &b->conn[c];
        uint32_t from = end_of(b, r->from_unit, r->from_port)->clock;
        uint32_t to = end_of(b, r->to_unit, r->to_port)->clock;
        int takes_events = plan_takes_events(b, r->to_unit, r->to_port);

        if (takes_events && !from)
            rc = refuse_value(b, r, err);
        else if (takes_events && r->from_unit == r->to_unit)
            rc = refuse_self(b, r->given, err);
        else if (from && to)
            tie(b, r);
        else if (from)
            note_held(b, r);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    return rc;
}

/* --- which goes first -----------------------------------------------------
 */

static void note_select(const struct build *b)
{
    tt_plan *p = b->plan;
    struct tt_buf list;

    tt_buf_init(&list, 2048);
    for (uint32_t i = 0; i < p->n_select && !list.failed; i++)
        tt_buf_fmt(&list, "%s%s", i ? ", " : "", p->unit[p->select[i]].name);
    if (p->parallel)
        tt_plan_note(p, "ties",
                     "instances whose events are due together have "
                     "them at once");
    else if (p->n_select > 1 && !list.failed)
        tt_plan_note(p, "select",
                     "of events due together the first of: %s (%s)", list.data,
                     b->sc->events.n_select ? "as given"
                                            : "the order of appearance");
    tt_buf_fini(&list);
}

/* Those that are named, then the others as they appear. */
static void list_units(struct build *b)
{
    const struct tt_sc_events *e = &b->sc->events;
    tt_plan *p = b->plan;

    for (uint32_t i = 0; i < e->n_select; i++)
        if (p->unit[e->select[i]].desc->internal) {
            p->unit[e->select[i]].rank = ++p->n_select;
            p->select[p->n_select - 1] = e->select[i];
        }
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].desc->internal && !p->unit[u].rank) {
            p->unit[u].rank = ++p->n_select;
            p->select[p->n_select - 1] = u;
        }
}

static enum tt_code check_named(const struct build *b, tt_err *err)
{
    const struct tt_sc_events *e = &b->sc->events;

    for (uint32_t i = 0; i < e->n_select; i++)
        if (!b->plan->unit[e->select[i]].desc->internal)
            return tt_scenario_fail(
                b->sc, e->select_where[i], err, TT_EINPUT,
                "'%s' is no discrete-event instance, so there is nothing to "
                "select",
                b->plan->unit[e->select[i]].name);
    return TT_OK;
}

/* Does an output follow this input in the same microstep? */
static int is_passed_on(const struct tt_desc *d, uint32_t port)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        for (uint32_t k = 0; d->run[i].known && k < d->run[i].n; k++)
            if (d->run[i].port[k] == port)
                return 1;
    return 0;
}

/* How many lead to it, from outside too. */
static uint32_t sources(const struct build *b, uint32_t unit, uint32_t port)
{
    uint32_t n = b->n_feed[unit][port];

    for (uint32_t i = 0; i < b->plan->n_port; i++) {
        const struct tt_plan_port *p = &b->plan->port[i];

        for (uint32_t k = 0; p->causality == TT_CAUS_INPUT && k < p->n_target;
             k++)
            n += p->target[k].unit == unit && p->target[k].port == port;
    }
    return n;
}

/* What passes events on at once has one at a time. */
static enum tt_code check_fed(const struct build *b, uint32_t u, tt_err *err)
{
    const struct tt_desc *d = b->plan->unit[u].desc;

    for (uint32_t i = 0; i < d->n_port; i++)
        if (!d->port[i].hidden && is_passed_on(d, i) && sources(b, u, i) > 1)
            return tt_fail(
                err, TT_EINPUT,
                "several events may come to '%s.%s' at once (\"ties\" "
                "is \"parallel\"), which passes them on at once: put "
                "a delay in between",
                b->plan->unit[u].name, d->port[i].name);
    return TT_OK;
}

enum tt_code plan_discrete(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = check_named(b, err);

    if (rc != TT_OK)
        return rc;
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].desc->caps.discrete && !p->unit[u].events)
            return tt_fail(
                err, TT_EINPUT,
                "instance '%s' has discrete events, which take event "
                "mode",
                p->unit[u].name);
    if (!TT_NEW_IN(p->arena, p->select, p->n_unit))
        return plan_nomem(err);
    p->parallel = b->sc->events.parallel;
    list_units(b);
    note_select(b);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK && p->parallel; u++)
        rc = check_fed(b, u, err);
    return rc;
}
