/* SPDX-License-Identifier: MIT */
/* Units with a rate of their own: several steps in a macro step. Those of one
 * rate that are connected form a group and exchange at each of them. */
#include "plan/plan_impl.h"

uint32_t plan_root(tt_plan *p, uint32_t u)
{
    while (p->unit[u].group != u) {
        p->unit[u].group = p->unit[p->unit[u].group].group; /* halve the way */
        u = p->unit[u].group;
    }
    return u;
}

/* A group is named by its first unit. */
void plan_join(tt_plan *p, uint32_t a, uint32_t b)
{
    a = plan_root(p, a);
    b = plan_root(p, b);
    if (a < b)
        p->unit[b].group = a;
    else
        p->unit[a].group = b;
}

static void take_rate(struct build *b, uint32_t u)
{
    const struct tt_sc_unit *s = &b->sc->unit[u];
    struct tt_plan_unit *pu = &b->plan->unit[u];

    pu->rate = s->rate > 1 ? s->rate : 1;
    pu->group = pu->rate > 1 ? u : TT_NONE;
    if (pu->rate > 1)
        tt_plan_note(b->plan, "rate", "%s: %u steps in a macro step", pu->name,
                     pu->rate);
}

/* A coupling moves what it couples in every step of its own: those step with
 * it. */
static enum tt_code check_coupling(const struct build *b, uint32_t u,
                                   tt_err *err)
{
    const tt_plan *p = b->plan;

    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t to = p->slot[p->feed[f].to].unit;

        if (p->slot[p->feed[f].from].unit == u &&
            p->unit[to].group != p->unit[u].group)
            return tt_scenario_fail(
                b->sc, b->sc->unit[u].rate_where, err, TT_EINPUT,
                "'%s' is a coupling of rate %u, but '%s', which it acts on, "
                "has rate %u: give what is coupled the same rate",
                p->unit[u].name, p->unit[u].rate, p->unit[to].name,
                p->unit[to].rate);
    }
    return TT_OK;
}

enum tt_code plan_rates(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < p->n_unit; u++)
        take_rate(b, u);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t from = p->slot[p->feed[f].from].unit;
        uint32_t to = p->slot[p->feed[f].to].unit;

        if (p->unit[from].rate > 1 && p->unit[from].rate == p->unit[to].rate)
            plan_join(p, from, to);
    }
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].group != TT_NONE)
            p->unit[u].group = plan_root(p, u);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        if (p->unit[u].rate > 1 && p->unit[u].desc->caps.implicit)
            rc = check_coupling(b, u, err);
    return rc;
}

int tt_plan_inner(const tt_plan *p, uint32_t feed)
{
    uint32_t group = p->unit[p->slot[p->feed[feed].to].unit].group;

    return group != TT_NONE &&
           p->unit[p->slot[p->feed[feed].from].unit].group == group;
}
