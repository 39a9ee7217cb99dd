/* SPDX-License-Identifier: MIT */
/* Physical units of what feeds expressions: their inputs are variables, and
 * what these are in is known when they are connected. */
#include <string.h>

#include "plan/plan_impl.h"
#include "unit/measure.h"

enum tt_code plan_find_fed(struct build *b, uint32_t unit, tt_err *err)
{
    struct tt_plan_unit *u = &b->plan->unit[unit];
    const struct tt_quantity **fed =
        tt_arena_alloc(b->plan->arena, u->desc->n_port, sizeof(*fed));

    if (!fed)
        return plan_nomem(err);
    for (uint32_t c = 0; c < b->n_conn; c++) {
        const struct resolved *r = &b->conn[c];

        if (r->to_unit == unit)
            fed[r->to_port] =
                b->plan->unit[r->from_unit].desc->port[r->from_port].quantity;
    }
    u->fed = fed;
    return TT_OK;
}

static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct tt_plan_unit *u = ctx;
    uint32_t port = tt_desc_find(u->desc, name);

    if (port != TT_NONE)
        v->unit = tt_quantity_measure(u->fed[port]);
    return 0;
}

/* The expression is a part of the unit's location. */
static enum tt_code fail(const struct build *b, const struct tt_plan_unit *u,
                         const char *why, tt_err *err)
{
    const struct tt_sc_fmu *f = &b->sc->fmu[u->fmu];
    const char *in = strstr(f->path, u->desc->expression);
    struct tt_sc_expr e = {.text = u->desc->expression, .where = f->where};

    e.where.offset += in ? (uint32_t)(in - f->path) : 0;
    e.made = !in;
    e.where = tt_scenario_within(b->sc, &e, &why);
    return tt_scenario_fail(b->sc, e.where, err, TT_EINPUT, "instance '%s': %s",
                            u->name, why);
}

static enum tt_code check(const struct build *b, struct tt_plan_unit *u,
                          tt_err *err)
{
    const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T | TT_EXPR_WITH_DER | TT_EXPR_EQUATION,
        .ctx = u,
        .find = find};
    tt_err why = {.code = TT_OK};
    tt_expr e;
    enum tt_code rc =
        tt_expr_compile(&e, u->desc->expression, &scope, b->plan->arena, &why);

    if (rc == TT_ENOMEM)
        return plan_nomem(err);
    return rc == TT_OK ? TT_OK : fail(b, u, why.msg, err);
}

enum tt_code plan_measure(struct build *b, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < b->plan->n_unit && rc == TT_OK; u++) {
        if (!b->plan->unit[u].desc->expression)
            continue;
        rc = plan_find_fed(b, u, err);
        if (rc == TT_OK)
            rc = check(b, &b->plan->unit[u], err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    return rc;
}
