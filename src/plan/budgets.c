/* SPDX-License-Identifier: MIT */
/* Budgets of partitions, in a run that keeps to the wall clock. */
#include "plan/plan_impl.h"

static enum tt_code find_budget(struct build *b, const struct tt_sc_budget *s,
                                struct tt_plan_budget *to, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[s->ref.unit];
    const struct tt_port *p;
    enum tt_code rc;

    if (!u->desc)
        return TT_OK; /* why is reported already */
    rc = plan_find_port(b, &s->ref, &to->port, err);
    if (rc != TT_OK)
        return rc;
    to->unit = s->ref.unit;
    to->seconds = s->seconds;
    p = &u->desc->port[to->port];
    if (p->type == TT_CLOCK && p->causality == TT_CAUS_INPUT &&
        u->desc->caps.samples)
        return TT_OK;
    return tt_scenario_fail_ref(b->sc, &s->ref, err, TT_EINPUT,
                                "'%s' of '%s' is no input clock of scheduled "
                                "execution, and has no budget",
                                p->name, u->name);
}

enum tt_code plan_budgets(struct build *b, tt_err *err)
{
    const struct tt_sc_real_time *s = &b->sc->real_time;
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(p->arena, p->budget, s->n_budget))
        return plan_nomem(err);
    p->n_budget = s->n_budget;
    for (uint32_t i = 0; i < s->n_budget && rc == TT_OK; i++)
        rc = find_budget(b, &s->budget[i], &p->budget[i], err);
    return rc;
}
