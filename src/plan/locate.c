/* SPDX-License-Identifier: MIT */
/* Crossings that are located: values that the step policy looks at, whether
 * steps are fixed or not. */
#include <string.h>

#include "expr/expr.h"
#include "plan/plan_impl.h"
#include "unit/measure.h"

/* --- expressions ---------------------------------------------------------- */

struct names {
    const struct build *b;
    int missing; /* one is not there, which is reported with its connection */
};

/* "{key}.instance.variable" */
static const struct tt_port *port_named(const struct build *b, const char *name)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        const struct tt_plan_unit *is = &b->plan->unit[u];
        size_t n = strlen(is->name);
        uint32_t i;

        if (strncmp(name, is->name, n) != 0 || name[n] != '.' || !is->desc)
            continue;
        i = tt_desc_find(is->desc, name + n + 1);
        if (i != TT_NONE)
            return &is->desc->port[i];
    }
    return NULL;
}

static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    struct names *n = ctx;
    const struct tt_port *p = port_named(n->b, name);

    if (!p || p->n != 1)
        n->missing = 1;
    else
        *v = (struct tt_expr_variable){
            p->type, tt_quantity_measure(p->quantity), p->items};
    return 0;
}

static enum tt_code check(struct build *b, const struct tt_sc_expr *e,
                          tt_err *err)
{
    struct names names = {.b = b};
    const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T | TT_EXPR_WITH_PRE | TT_EXPR_WITH_PRESENT |
                  TT_EXPR_WITH_DER,
        .ctx = &names,
        .find = find};
    tt_err why = {.code = TT_OK};
    const char *fact = why.msg;
    tt_expr program;
    enum tt_code rc =
        tt_expr_compile(&program, e->text, &scope, b->plan->arena, &why);
    struct tt_where w;

    if (rc == TT_ENOMEM)
        return plan_nomem(err);
    if (rc == TT_OK || names.missing)
        return TT_OK;
    w = tt_scenario_within(b->sc, e, &fact);
    return tt_scenario_fail(b->sc, w, err, TT_EINPUT, "'%s': %s", e->of, fact);
}

enum tt_code plan_check_located(struct build *b, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->sc->n_locate; i++)
        for (uint32_t k = 0; k < b->sc->locate[i].n_expr && rc == TT_OK; k++) {
            if (b->sc->locate[i].expr[k].made)
                continue;
            rc = check(b, &b->sc->locate[i].expr[k], err);
            if (plan_pass(b, rc, err))
                rc = TT_OK;
        }
    return rc;
}

/* --- crossings ------------------------------------------------------------ */

static uint32_t port_of(const struct build *b, uint32_t unit, const char *name)
{
    return tt_desc_find(b->plan->unit[unit].desc, name);
}

void plan_mark_located(struct build *b)
{
    for (uint32_t i = 0; i < b->sc->n_locate; i++) {
        uint32_t u = b->sc->locate[i].unit;

        b->mark[u][port_of(b, u, "value")] |= MARK_WATCH;
    }
}

/* Is something to happen there besides the end of a step? */
static int is_asked_for(const struct build *b, uint32_t unit)
{
    const struct tt_desc *d = b->plan->unit[unit].desc;
    uint32_t value = port_of(b, unit, "value");

    for (uint32_t i = 0; i < d->n_port; i++)
        if (b->mark[unit][i] && i != value &&
            d->port[i].causality == TT_CAUS_OUTPUT)
            return 1;
    return 0;
}

static uint32_t clock_of(const struct build *b, uint32_t unit, const char *name)
{
    uint32_t slot = b->slot_of[unit][port_of(b, unit, name)];

    return b->plan->slot[slot].ticked;
}

static void note(const struct build *b)
{
    tt_plan *p = b->plan;

    if (p->rejects && plan_all_go_back(p))
        tt_plan_note(p, "events", "crossings are located by repeated steps");
    else
        tt_plan_note(p, "events",
                     p->foretells
                         ? "crossings are foretold, and may be late: not all "
                           "instances can be rolled back"
                         : "crossings are noticed at the end of a step: not "
                           "all instances can vary their step");
}

int plan_all_vary(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.variable_step)
            return 0;
    return 1;
}

enum tt_code plan_locate(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(p->arena, p->locate, b->sc->n_locate))
        return plan_nomem(err);
    p->n_locate = b->sc->n_locate;
    p->foretells = plan_all_vary(p) && !(p->rejects && plan_all_go_back(p));
    for (uint32_t i = 0; i < p->n_locate; i++) {
        uint32_t u = b->sc->locate[i].unit;

        p->locate[i] = (struct tt_plan_locate){.given = &b->sc->locate[i],
                                               .unit = u,
                                               .watch = p->n_watch,
                                               .emits = p->unit[u].events &&
                                                        is_asked_for(b, u)};
        p->locate[i].fire = clock_of(b, u, "fire");
        p->locate[i].settle = clock_of(b, u, "settle");
        p->watch[p->n_watch++] =
            (struct tt_watch){b->slot_of[u][port_of(b, u, "value")], 0};
    }
    if (p->n_locate)
        note(b);
    for (uint32_t i = 0; i < p->n_locate && rc == TT_OK; i++)
        rc = plan_find_fed(b, p->locate[i].unit, err);
    return rc;
}
