/* SPDX-License-Identifier: MIT */
/* What a variable step is limited by: the ports its constraints name. */
#include "plan/plan_impl.h"

static enum tt_code mark_one(struct build *b, const struct tt_sc_constraint *c,
                             const struct tt_sc_ref *ref, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    uint32_t port;
    enum tt_code rc = plan_find_port(b, ref, &port, err);

    if (rc != TT_OK)
        return rc;
    if (!tt_type_is_number(u->desc->port[port].type) ||
        u->desc->port[port].n != 1)
        return tt_scenario_fail(b->sc, ref->where, err, TT_EINPUT,
                                "constraint '%s' wants a number, but '%s.%s' "
                                "is %s%s",
                                c->name, u->name, ref->variable,
                                u->desc->port[port].n == 1 ? ""
                                                           : "an array of ",
                                tt_type_name(u->desc->port[port].type));
    b->mark[ref->unit][port] |= MARK_WATCH;
    return TT_OK;
}

static enum tt_code need_variable_step(const struct build *b, tt_err *err)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++)
        if (!b->plan->unit[u].desc->caps.variable_step)
            return tt_scenario_fail(
                b->sc, b->sc->step_where, err, TT_EINPUT,
                "the step cannot vary: unit '%s' (%s) takes steps of one "
                "length only",
                b->plan->unit[u].name, b->plan->unit[u].desc->kind);
    return TT_OK;
}

enum tt_code plan_mark_watched(struct build *b, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!b->plan->variable)
        return TT_OK;
    rc = need_variable_step(b, err);
    for (uint32_t i = 0; i < b->sc->n_constraint && rc == TT_OK; i++) {
        const struct tt_sc_constraint *c = &b->sc->constraint[i];

        for (uint32_t k = 0; k < c->n_port && rc == TT_OK; k++)
            rc = mark_one(b, c, &c->port[k], err);
    }
    return rc;
}

/* Slots exist now: one entry per port of each constraint. */
enum tt_code plan_watch(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t n = 0;

    if (!p->variable)
        return TT_OK;
    for (uint32_t i = 0; i < b->sc->n_constraint; i++)
        n += b->sc->constraint[i].n_port;
    p->watch = tt_arena_alloc(p->arena, n, sizeof(*p->watch));
    p->watched_by =
        tt_arena_alloc(p->arena, b->sc->n_constraint, sizeof(*p->watched_by));
    if (!p->watch || !p->watched_by)
        return plan_nomem(err);
    for (uint32_t i = 0; i < b->sc->n_constraint; i++) {
        const struct tt_sc_constraint *c = &b->sc->constraint[i];

        p->watched_by[i] =
            tt_arena_alloc(p->arena, c->n_port, sizeof(**p->watched_by));
        if (!p->watched_by[i])
            return plan_nomem(err);
        for (uint32_t k = 0; k < c->n_port; k++) {
            uint32_t port = tt_desc_find(p->unit[c->port[k].unit].desc,
                                         c->port[k].variable);

            p->watched_by[i][k] = p->n_watch;
            p->watch[p->n_watch++] = b->slot_of[c->port[k].unit][port];
        }
    }
    return TT_OK;
}
