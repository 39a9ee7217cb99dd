/* SPDX-License-Identifier: MIT */
/* Which units are integrated together: ensembles. They are groups that step
 * once, as one system. */
#include "plan/plan_impl.h"

/* Why the states of a unit are not integrated with those of others; NULL: they
 * can be. */
static const char *why_apart(const struct build *b, uint32_t u)
{
    const struct tt_sc_unit *s = &b->sc->unit[u];
    const struct tt_plan_unit *pu = &b->plan->unit[u];

    if (!pu->desc->caps.joins)
        return "it is no FMU for model exchange in this process";
    if (pu->desc->apart)
        return pu->desc->apart;
    if (s->isolate || b->sc->isolate)
        return "it lives in a process of its own";
    if (b->plan->dialect)
        return "steps are Maestro's";
    if (pu->rate > 1)
        return "it makes several steps in one macro step";
    return s->substeps > 0 ? "it makes sub-steps" : NULL;
}

static void join(tt_plan *p, uint32_t a, uint32_t b)
{
    struct tt_plan_unit *u = p->unit;

    if (u[a].group == TT_NONE)
        u[a].group = a;
    if (u[b].group == TT_NONE)
        u[b].group = b;
    u[a].together = u[b].together = 1;
    plan_join(p, a, b);
}

/* --- named -----------------------------------------------------------------
 */

static enum tt_code join_named(struct build *b, tt_err *err)
{
    for (uint32_t i = 0; i < b->sc->n_together; i++) {
        const struct tt_sc_together *t = &b->sc->together[i];

        for (uint32_t k = 0; k < t->n; k++) {
            const char *why = why_apart(b, t->unit[k]);

            if (why)
                return tt_scenario_fail(
                    b->sc, t->where[k], err, TT_EINPUT,
                    "'%s' cannot be integrated together with others: %s",
                    b->plan->unit[t->unit[k]].name, why);
            join(b->plan, t->unit[0], t->unit[k]);
        }
    }
    return TT_OK;
}

/* --- connected -------------------------------------------------------------
 */

static void note_apart(struct build *b, uint32_t u, uint8_t *noted)
{
    if (!noted[u])
        tt_plan_note(b->plan, "together", "%s: integrated alone, since %s",
                     b->plan->unit[u].name, why_apart(b, u));
    noted[u] = 1;
}

static enum tt_code join_connected(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint8_t *noted;

    if (!TT_NEW_ARRAY(noted, p->n_unit))
        return plan_nomem(err);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t from = p->slot[p->feed[f].from].unit;
        uint32_t to = p->slot[p->feed[f].to].unit;

        if (from == to || !p->unit[from].desc->caps.joins ||
            !p->unit[to].desc->caps.joins)
            continue;
        if (why_apart(b, from))
            note_apart(b, from, noted);
        else if (why_apart(b, to))
            note_apart(b, to, noted);
        else
            join(p, from, to);
    }
    tt_free(noted);
    return TT_OK;
}

/* --- ensembles -------------------------------------------------------------
 */

static const struct tt_integrator *integrator_of(const struct build *b,
                                                 uint32_t u)
{
    return b->sc->unit[u].has_integrator ? &b->sc->unit[u].integrator
                                         : &b->sc->integrator;
}

/* One system has one integrator. */
static enum tt_code check_integrators(const struct build *b, uint32_t first,
                                      uint32_t u, tt_err *err)
{
    const struct tt_integrator *x = integrator_of(b, first);
    const struct tt_integrator *y = integrator_of(b, u);

    if (x->method == y->method && x->step == y->step)
        return TT_OK;
    return tt_scenario_fail(b->sc, b->sc->unit[u].where, err, TT_EINPUT,
                            "'%s' and '%s' are integrated together, but "
                            "'integrator' gives them two methods or steps",
                            b->plan->unit[first].name, b->plan->unit[u].name);
}

#define MOST_NAMED 8

static enum tt_code finish(struct build *b, uint32_t group, tt_err *err)
{
    tt_plan *p = b->plan;
    struct tt_buf names;
    uint32_t n = 0;
    enum tt_code rc = TT_OK;

    tt_buf_init(&names, TT_ERR_MAX / 2);
    for (uint32_t u = group; u < p->n_unit && rc == TT_OK; u++) {
        if (!p->unit[u].together || p->unit[u].group != group ||
            tt_plan_is_sum(p, u))
            continue;
        rc = check_integrators(b, group, u, err);
        if (n++ < MOST_NAMED)
            tt_buf_fmt(&names, "%s%s", n > 1 ? ", " : "", p->unit[u].name);
    }
    if (rc == TT_OK && n > MOST_NAMED)
        tt_buf_fmt(&names, " and %u more", n - MOST_NAMED);
    if (rc == TT_OK && !names.failed)
        tt_plan_note(p, "together",
                     "%s: one system%s, integrated by method '%s'", names.data,
                     b->sc->n_together ? "" : ", since they are connected",
                     tt_ode_method_name(integrator_of(b, group)->method));
    tt_buf_fini(&names);
    return rc;
}

/* --- sums of their flows ---------------------------------------------------
 */

int tt_plan_is_sum(const tt_plan *p, uint32_t u)
{
    return u >= p->n_unit - p->scenario->n_sum;
}

/* What sums up flows of members only, for one of them, stands among them. */
static void take_sum(tt_plan *p, uint32_t u)
{
    uint32_t group = TT_NONE;
    int within = 1;

    for (uint32_t f = 0; f < p->n_feed && within; f++) {
        uint32_t from = p->slot[p->feed[f].from].unit;
        uint32_t to = p->slot[p->feed[f].to].unit;
        const struct tt_plan_unit *other;

        if (from != u && to != u)
            continue;
        other = &p->unit[from == u ? to : from];
        if (group == TT_NONE && other->together)
            group = other->group;
        within = other->together && other->group == group;
    }
    if (within && group != TT_NONE) {
        p->unit[u].together = 1;
        p->unit[u].group = group;
    }
}

enum tt_code plan_together(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (b->sc->n_together)
        rc = join_named(b, err);
    else if (!b->sc->apart)
        rc = join_connected(b, err);
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].together)
            p->unit[u].group = plan_root(p, u);
    for (uint32_t u = p->n_unit - b->sc->n_sum; u < p->n_unit; u++)
        take_sum(p, u);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        if (p->unit[u].together && p->unit[u].group == u)
            rc = finish(b, u, err);
    return rc;
}

int tt_plan_stands_with(const tt_plan *p, uint32_t a, uint32_t b)
{
    const struct tt_plan_unit *u = p->unit;

    return a == b ||
           (u[a].together && u[b].together && u[a].group == u[b].group);
}

int tt_plan_flows(const tt_plan *p, uint32_t feed)
{
    return p->unit[p->slot[p->feed[feed].to].unit].together &&
           tt_plan_inner(p, feed);
}
