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
static enum tt_code check_coupling(const tt_plan *p, uint32_t u, tt_err *err)
{
    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t to = p->slot[p->feed[f].to].unit;

        if (p->slot[p->feed[f].from].unit == u &&
            p->unit[to].group != p->unit[u].group)
            return tt_scenario_fail(
                p->scenario, p->scenario->unit[u].rate_where, err, TT_EINPUT,
                "'%s' is a coupling of rate %u, but '%s', which it acts on, "
                "has rate %u: give what is coupled the same rate",
                p->unit[u].name, p->unit[u].rate, p->unit[to].name,
                p->unit[to].rate);
    }
    return TT_OK;
}

/* Once rates are known, and those above 1 are groups of one unit each. */
static enum tt_code gather(tt_plan *p, tt_err *err)
{
    enum tt_code rc = TT_OK;

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
            rc = check_coupling(p, u, err);
    return rc;
}

enum tt_code plan_rates(struct build *b, tt_err *err)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++)
        take_rate(b, u);
    return gather(b->plan, err);
}

/* Why this unit cannot have another rate than the plan was made for, or NULL:
 * what else was decided by it. */
static const char *why_not_at(const tt_plan *p, uint32_t u)
{
    if (p->unit[u].together)
        return "it is integrated together with others";
    if (p->unit[u].events)
        return "its events are the run's";
    return p->n_wave ? "inputs follow waveforms" : NULL;
}

static enum tt_code give_rate(tt_plan *p, const struct tt_sc_rate *r,
                              tt_err *err)
{
    struct tt_plan_unit *u = &p->unit[r->unit];
    const char *why = u->rate == r->rate ? NULL : why_not_at(p, r->unit);

    if (why)
        return tt_scenario_fail(p->scenario, r->where, err, TT_EUNSUPPORTED,
                                "'%s' cannot change its rate: %s", u->name,
                                why);
    u->rate = r->rate;
    return TT_OK;
}

enum tt_code tt_plan_at_rates(const tt_plan **out, const tt_plan *p,
                              const struct tt_sc_policy *by, tt_arena *a,
                              tt_err *err)
{
    tt_plan *q;
    enum tt_code rc = TT_OK;

    *out = p;
    if (by->n_rate == 0)
        return TT_OK;
    q = tt_arena_dup(a, p, 1, sizeof(*q));
    if (q)
        q->unit = tt_arena_dup(a, p->unit, p->n_unit, sizeof(*q->unit));
    if (!q || !q->unit)
        return tt_nomem(err, "a plan");
    for (uint32_t i = 0; i < by->n_rate && rc == TT_OK; i++)
        rc = give_rate(q, &by->rate[i], err);
    for (uint32_t u = 0; u < q->n_unit; u++)
        if (!q->unit[u].together)
            q->unit[u].group = q->unit[u].rate > 1 ? u : TT_NONE;
    *out = q;
    return rc == TT_OK ? gather(q, err) : rc;
}

int tt_plan_inner(const tt_plan *p, uint32_t feed)
{
    uint32_t group = p->unit[p->slot[p->feed[feed].to].unit].group;

    return group != TT_NONE &&
           p->unit[p->slot[p->feed[feed].from].unit].group == group;
}
