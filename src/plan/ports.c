/* SPDX-License-Identifier: MIT */
/* Ports of a scenario that is a unit of another one: which variables of its
 * units are seen from outside, as what, and under which names. */
#include <stdio.h>
#include <string.h>

#include "plan/plan_impl.h"

struct ports {
    struct build *b;
    uint8_t **taken; /* per unit: per port: it has its place */
    struct tt_names names;
};

static const struct tt_port *port_at(const struct build *b,
                                     const struct tt_plan_target *t)
{
    return &b->plan->unit[t->unit].desc->port[t->port];
}

/* May a port of the scenario lead there? To an input that takes events each
 * comes, from inside and from outside. */
static int is_open(const struct build *b, uint32_t unit, uint32_t port)
{
    return plan_takes_events(b, unit, port) || !(b->mark[unit][port] & MARK_IN);
}

/* Names of their own come first, and differ; full names do, too. */
static enum tt_code add(struct ports *p, struct tt_plan_port like, tt_err *err)
{
    tt_plan *plan = p->b->plan;
    int added = tt_names_add(&p->names, like.name, plan->n_port);

    if (added < 0)
        return plan_nomem(err);
    if (added > 0)
        return tt_scenario_fail(
            p->b->sc, p->b->sc->port[tt_names_find(&p->names, like.name)].where,
            err, TT_EINPUT, "port '%s' has the full name of a variable",
            like.name);
    like.slot = TT_NONE;
    like.settable =
        port_at(p->b, like.target)->causality == TT_CAUS_INPUT &&
        (like.causality == TT_CAUS_INPUT ||
         !(p->b->mark[like.target->unit][like.target->port] & MARK_IN));
    like.left = TT_NONE;
    plan->port[plan->n_port++] = like;
    return TT_OK;
}

/* --- declared ------------------------------------------------------------- */

static enum tt_code check_target(struct ports *p, const struct tt_sc_port *sc,
                                 const struct tt_sc_ref *ref, uint32_t port,
                                 tt_err *err)
{
    static const enum tt_causality want[] = {
        [TT_SC_PORT_INPUT] = TT_CAUS_INPUT,
        [TT_SC_PORT_OUTPUT] = TT_CAUS_OUTPUT,
        [TT_SC_PORT_PARAMETER] = TT_CAUS_PARAMETER,
    };
    const struct build *b = p->b;
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    const struct tt_port *is = &u->desc->port[port];

    if (is->causality != want[sc->dir])
        return tt_scenario_fail(b->sc, ref->where, err, TT_EINPUT,
                                "'%s.%s' is %s, but port '%s' is %s", u->name,
                                ref->variable, tt_causality_name(is->causality),
                                sc->name, tt_causality_name(want[sc->dir]));
    if (sc->dir == TT_SC_PORT_INPUT && !is_open(b, ref->unit, port))
        return tt_scenario_fail(b->sc, ref->where, err, TT_EINPUT,
                                "'%s.%s' is connected inside, so port '%s' "
                                "cannot set it",
                                u->name, ref->variable, sc->name);
    if (p->taken[ref->unit][port])
        return tt_scenario_fail(b->sc, ref->where, err, TT_EINPUT,
                                "'%s.%s' has a port already", u->name,
                                ref->variable);
    p->taken[ref->unit][port] = 1;
    return TT_OK;
}

static int same_quantity(const struct tt_quantity *a,
                         const struct tt_quantity *b)
{
    return a == b || (a && b && strcmp(a->name, b->name) == 0);
}

/* One value for all: what they mean by it must be the same. */
static enum tt_code check_alike(const struct build *b,
                                const struct tt_sc_port *sc,
                                const struct tt_plan_target *first,
                                const struct tt_plan_target *other,
                                struct tt_where w, tt_err *err)
{
    const struct tt_port *x = port_at(b, first), *y = port_at(b, other);

    if (x->type == y->type && x->n == y->n &&
        same_quantity(x->quantity, y->quantity))
        return TT_OK;
    return tt_scenario_fail(b->sc, w, err, TT_EINPUT,
                            "'%s.%s' and '%s.%s' cannot share port '%s': they "
                            "differ in type, size or unit",
                            b->plan->unit[first->unit].name, x->name,
                            b->plan->unit[other->unit].name, y->name, sc->name);
}

static enum tt_code add_declared(struct ports *p, const struct tt_sc_port *sc,
                                 tt_err *err)
{
    static const enum tt_causality is[] = {
        [TT_SC_PORT_INPUT] = TT_CAUS_INPUT,
        [TT_SC_PORT_OUTPUT] = TT_CAUS_OUTPUT,
        [TT_SC_PORT_PARAMETER] = TT_CAUS_PARAMETER,
    };
    struct tt_plan_target *t =
        tt_arena_alloc(p->b->plan->arena, sc->n_ref, sizeof(*t));
    enum tt_code rc = TT_OK;

    if (!t)
        return plan_nomem(err);
    for (uint32_t i = 0; i < sc->n_ref && rc == TT_OK; i++) {
        const struct tt_sc_ref *ref = &sc->ref[i];

        t[i].unit = ref->unit;
        rc = plan_find_port(p->b, ref, &t[i].port, err);
        if (rc == TT_OK)
            rc = check_target(p, sc, ref, t[i].port, err);
        if (rc == TT_OK && i)
            rc = check_alike(p->b, sc, &t[0], &t[i], ref->where, err);
    }
    if (rc != TT_OK)
        return rc;
    return add(p,
               (struct tt_plan_port){.name = sc->name,
                                     .causality = is[sc->dir],
                                     .target = t,
                                     .n_target = sc->n_ref},
               err);
}

/* --- all others ----------------------------------------------------------- */

static enum tt_causality as_seen(const struct build *b, uint32_t unit,
                                 uint32_t port)
{
    enum tt_causality is = b->plan->unit[unit].desc->port[port].causality;
    unsigned given = b->sc->ports_given;

    if (plan_is_diary(&b->plan->unit[unit], port))
        return is;
    switch (is) {
    case TT_CAUS_INPUT:
        return (b->mark[unit][port] & MARK_IN) ||
                       (given >> TT_SC_PORT_INPUT & 1)
                   ? TT_CAUS_LOCAL
                   : is;
    case TT_CAUS_OUTPUT:
        return given >> TT_SC_PORT_OUTPUT & 1 ? TT_CAUS_LOCAL : is;
    case TT_CAUS_PARAMETER:
        return given >> TT_SC_PORT_PARAMETER & 1 ? TT_CAUS_LOCAL : is;
    case TT_CAUS_CALCULATED:
        return is;
    case TT_CAUS_STRUCTURAL:
    case TT_CAUS_INDEPENDENT:
    case TT_CAUS_LOCAL:
    case TT_CAUS_N:
        break;
    }
    return TT_CAUS_LOCAL;
}

static const char *full_name(struct build *b, const struct tt_plan_target *t)
{
    const char *unit = b->plan->unit[t->unit].name;
    const char *port = port_at(b, t)->name;
    size_t n = strlen(unit) + strlen(port) + 2;
    char *name = tt_arena_alloc(b->plan->arena, n, 1);

    if (name)
        snprintf(name, n, "%s.%s", unit, port);
    return name;
}

static enum tt_code add_full(struct ports *p, struct tt_plan_target at,
                             enum tt_causality causality, tt_err *err)
{
    struct tt_plan_target *t =
        tt_arena_dup(p->b->plan->arena, &at, 1, sizeof(*t));
    struct tt_plan_port like = {
        .causality = causality, .target = t, .n_target = 1};

    p->taken[at.unit][at.port] = 1;
    like.name = t ? full_name(p->b, t) : NULL;
    if (!like.name)
        return plan_nomem(err);
    return add(p, like, err);
}

/* Of what belongs to a clock: is its last value kept here? Otherwise it can be
 * read while that ticks only. */
static int is_kept(const struct build *b, uint32_t unit, uint32_t i)
{
    return b->plan->unit[unit].desc->port[i].causality == TT_CAUS_OUTPUT ||
           (b->mark[unit][i] & MARK_IN);
}

/* What a crossing brings about is seen where it is asked for: then there is an
 * event, which otherwise there is not. */
static int is_of_crossing(const struct build *b, uint32_t unit)
{
    uint32_t i = 0;

    while (i < b->sc->n_locate && b->sc->locate[i].unit != unit)
        i++;
    return i < b->sc->n_locate;
}

/* Elements are seen with their arrays. */
static int is_seen(const struct ports *p, uint32_t unit, uint32_t i)
{
    const struct tt_plan_unit *u = &p->b->plan->unit[unit];
    const struct tt_port *port = &u->desc->port[i];

    if (plan_is_diary(u, i))
        return !p->taken[unit][i];
    if (p->taken[unit][i] || port->hidden || port->type == TT_CLOCK ||
        i >= u->desc->n_port - u->n_element || is_of_crossing(p->b, unit))
        return 0;
    return !port->clock || is_kept(p->b, unit, i) ||
           as_seen(p->b, unit, i) != TT_CAUS_LOCAL;
}

static enum tt_code add_others(struct ports *p, tt_err *err)
{
    tt_plan *plan = p->b->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < plan->n_unit; u++)
        for (uint32_t i = 0; i < plan->unit[u].desc->n_port && rc == TT_OK;
             i++) {
            if (!is_seen(p, u, i))
                continue;
            rc = add_full(p, (struct tt_plan_target){u, i}, as_seen(p->b, u, i),
                          err);
        }
    return rc;
}

/* --- events --------------------------------------------------------------- */

static const char *clock_name(struct build *b, const char *port)
{
    static const char behind[] = " (clock)";
    size_t n = strlen(port);
    char *name = tt_arena_alloc(b->plan->arena, n + sizeof(behind), 1);

    if (name) {
        memcpy(name, port, n);
        memcpy(name + n, behind, sizeof(behind));
    }
    return name;
}

/* The clocks that tick with events of a port. */
static enum tt_code add_clock(struct ports *p, uint32_t port, tt_err *err)
{
    tt_plan *plan = p->b->plan;
    const struct tt_plan_port *of = &plan->port[port];
    struct tt_plan_port like = {.causality = of->causality,
                                .n_target = of->n_target};
    struct tt_plan_target *t =
        tt_arena_alloc(plan->arena, of->n_target, sizeof(*t));

    like.target = t;
    like.name = clock_name(p->b, of->name);
    if (!t || !like.name)
        return plan_nomem(err);
    for (uint32_t k = 0; k < of->n_target; k++) {
        t[k].unit = of->target[k].unit;
        t[k].port = port_at(p->b, &of->target[k])->clock - 1;
        p->taken[t[k].unit][t[k].port] = 1;
    }
    return add(p, like, err);
}

static int is_event(const struct build *b, const struct tt_plan_port *p)
{
    uint32_t unit = p->target->unit, clock = port_at(b, p->target)->clock;

    return (p->causality == TT_CAUS_INPUT || p->causality == TT_CAUS_OUTPUT) &&
           clock && b->plan->unit[unit].desc->port[clock - 1].hidden;
}

/* What is made of discrete-event units is one, with an own event of its own:
 * that of the first of them that is due. */
static enum tt_code add_events(struct ports *p, tt_err *err)
{
    tt_plan *plan = p->b->plan;
    uint32_t n = plan->n_port;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        if (is_event(p->b, &plan->port[i]))
            rc = add_clock(p, i, err);
    for (uint32_t u = 0; u < plan->n_unit && rc == TT_OK; u++)
        if (plan->discrete && plan->unit[u].desc->internal) {
            const struct tt_plan_target at = {u,
                                              plan->unit[u].desc->internal - 1};

            plan->internal = plan->n_port + 1;
            rc = add_full(p, at, TT_CAUS_INPUT, err);
            break;
        }
    return rc;
}

/* --- all ------------------------------------------------------------------ */

/* Outputs are read with the others, wherever they are used; one that leaps
 * brings its limit from the left along. */
static enum tt_code mark_outputs(struct ports *p, tt_err *err)
{
    tt_plan *plan = p->b->plan;
    uint32_t n = plan->n_port;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        struct tt_plan_target t = plan->port[i].target[0];
        const struct tt_port *port = port_at(p->b, &t);

        if (plan->port[i].causality != TT_CAUS_OUTPUT)
            continue;
        p->b->mark[t.unit][t.port] |= MARK_PORT;
        if (!port->leaps || p->taken[t.unit][port->left])
            continue;
        plan->port[i].left = plan->n_port;
        t.port = port->left;
        p->b->mark[t.unit][t.port] |= MARK_PORT;
        rc = add_full(p, t, TT_CAUS_LOCAL, err);
    }
    return rc;
}

static int allocate(struct ports *p)
{
    tt_plan *plan = p->b->plan;
    size_t n = p->b->sc->n_port;

    if (!TT_NEW_IN(plan->arena, p->taken, plan->n_unit))
        return 0;
    for (uint32_t u = 0; u < plan->n_unit; u++) {
        p->taken[u] =
            tt_arena_alloc(plan->arena, plan->unit[u].desc->n_port, 1);
        if (!p->taken[u])
            return 0;
        n += plan->unit[u].desc->n_port;
    }
    plan->port = tt_arena_alloc(plan->arena, n, sizeof(*plan->port));
    return plan->port != NULL;
}

enum tt_code plan_ports(struct build *b, tt_err *err)
{
    struct ports p = {.b = b};
    enum tt_code rc = TT_OK;

    if (!b->sc->inside)
        return TT_OK;
    tt_names_init(&p.names);
    if (!allocate(&p))
        rc = plan_nomem(err);
    for (uint32_t i = 0; i < b->sc->n_port && rc == TT_OK; i++)
        rc = add_declared(&p, &b->sc->port[i], err);
    if (rc == TT_OK)
        rc = add_others(&p, err);
    if (rc == TT_OK)
        rc = add_events(&p, err);
    if (rc == TT_OK)
        rc = mark_outputs(&p, err);
    tt_names_fini(&p.names);
    return rc;
}

void plan_port_slots(struct build *b)
{
    for (uint32_t i = 0; i < b->plan->n_port; i++) {
        const struct tt_plan_target *t = &b->plan->port[i].target[0];
        unsigned mark = b->mark[t->unit][t->port];

        if ((mark & MARK_PORT) || ((mark & MARK_IN) && port_at(b, t)->clock))
            b->plan->port[i].slot = b->slot_of[t->unit][t->port];
    }
}
