/* SPDX-License-Identifier: MIT */
/* Units with a rate of their own: several steps in a macro step. Those of one
 * rate that are connected form a group and exchange at each of them. */
#include "plan/plan_impl.h"

static uint32_t root(tt_plan *p, uint32_t u)
{
    while (p->unit[u].group != u) {
        p->unit[u].group = p->unit[p->unit[u].group].group; /* halve the way */
        u = p->unit[u].group;
    }
    return u;
}

/* A group is named by its first unit. */
static void join(tt_plan *p, uint32_t a, uint32_t b)
{
    a = root(p, a);
    b = root(p, b);
    if (a < b)
        p->unit[b].group = a;
    else
        p->unit[a].group = b;
}

static enum tt_code take_rate(struct build *b, uint32_t u, tt_err *err)
{
    const struct tt_sc_unit *s = &b->sc->unit[u];
    struct tt_plan_unit *pu = &b->plan->unit[u];

    pu->rate = s->rate > 1 ? s->rate : 1;
    pu->group = pu->rate > 1 ? u : TT_NONE;
    if (pu->rate > 1 && pu->desc->caps.implicit)
        return tt_scenario_fail(b->sc, s->rate_where, err, TT_EINPUT,
                                "'%s' is a coupling, which has no rate: it "
                                "holds at the end of every macro step; put it "
                                "and what it couples into a composite, and "
                                "give that a rate",
                                pu->name);
    if (pu->rate > 1)
        tt_plan_note(b->plan, "rate", "%s: %u steps in a macro step", pu->name,
                     pu->rate);
    return TT_OK;
}

enum tt_code plan_rates(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        rc = take_rate(b, u, err);
    for (uint32_t f = 0; f < p->n_feed && rc == TT_OK; f++) {
        uint32_t from = p->slot[p->feed[f].from].unit;
        uint32_t to = p->slot[p->feed[f].to].unit;

        if (p->unit[from].rate > 1 && p->unit[from].rate == p->unit[to].rate)
            join(p, from, to);
    }
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        if (p->unit[u].group != TT_NONE)
            p->unit[u].group = root(p, u);
    return rc;
}

int tt_plan_inner(const tt_plan *p, uint32_t feed)
{
    uint32_t group = p->unit[p->slot[p->feed[feed].to].unit].group;

    return group != TT_NONE &&
           p->unit[p->slot[p->feed[feed].from].unit].group == group;
}
