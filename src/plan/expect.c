/* SPDX-License-Identifier: MIT */
/* Expectations: their expressions, over slots. */
#include <string.h>

#include "plan/plan_impl.h"
#include "unit/measure.h"

static enum tt_code mark_one(struct build *b, const struct tt_sc_ref *ref,
                             tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    char size[128];
    uint32_t port;
    enum tt_code rc = plan_find_port(b, ref, &port, err);

    if (rc != TT_OK)
        return rc;
    if (u->desc->port[port].n != 1)
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EINPUT,
            "'%s.%s' is %s; an expectation is of single values", u->name,
            ref->variable,
            plan_size_text(&u->desc->port[port], size, sizeof(size)));
    b->mark[ref->unit][port] |= MARK_WATCH;
    return TT_OK;
}

enum tt_code plan_mark_expected(struct build *b, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->sc->n_expect; i++)
        for (uint32_t k = 0; k < b->sc->expect[i].n_variable && rc == TT_OK;
             k++) {
            rc = mark_one(b, &b->sc->expect[i].variable[k].ref, err);
            if (plan_pass(b, rc, err))
                rc = TT_OK;
        }
    return rc;
}

/* --- programs --------------------------------------------------------------
 */

struct names {
    const struct build *b;
    const struct tt_sc_expect *of;
};

static uint32_t slot_named(const struct names *n, const char *name)
{
    uint32_t k = 0;
    uint32_t port = TT_NONE;
    const struct tt_sc_ref *ref;

    while (k < n->of->n_variable && strcmp(n->of->variable[k].name, name) != 0)
        k++;
    if (k == n->of->n_variable)
        return TT_NONE;
    ref = &n->of->variable[k].ref;
    if (plan_find_port(n->b, ref, &port, NULL) != TT_OK)
        return TT_NONE;
    return n->b->slot_of[ref->unit][port];
}

static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct names *n = ctx;
    uint32_t slot = slot_named(n, name);
    const struct tt_port *p;

    if (slot == TT_NONE)
        return -1;
    p = tt_plan_port(n->b->plan, slot);
    *v = (struct tt_expr_variable){p->type, tt_quantity_measure(p->quantity),
                                   p->items};
    return 0;
}

enum tt_code tt_plan_compile(tt_expr *to, const struct tt_plan_program *of,
                             int number, tt_arena *a, tt_err *err)
{
    const struct tt_sc_expr *x = of->text;
    const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T, .ctx = of->ctx, .find = of->find};
    tt_err why = {.code = TT_OK};
    const char *fact = why.msg;
    enum tt_code rc = tt_expr_compile(to, x->text, &scope, a, &why);

    if (rc == TT_ENOMEM)
        return plan_nomem(err);
    if (rc != TT_OK) {
        struct tt_where w = tt_scenario_within(of->scenario, x, &fact);

        return tt_scenario_fail(of->scenario, w, err, TT_EINPUT, "'%s': %s",
                                x->of, fact);
    }
    if (to->kind == (number ? TT_EXPR_NUMBER : TT_EXPR_BOOL))
        return TT_OK;
    return tt_scenario_fail(
        of->scenario, x->where, err, TT_EINPUT, "'%s' is a %s, not %s", x->of,
        number ? "number" : "condition", tt_expr_kind_name(to->kind));
}

static const uint32_t *list_slots(const struct build *b,
                                  const struct names *names, const tt_expr *e)
{
    uint32_t *slot = tt_arena_alloc(b->plan->arena, e->n_ref, sizeof(*slot));

    for (uint32_t i = 0; slot && i < e->n_ref; i++)
        slot[i] = slot_named(names, e->ref[i].name);
    return slot;
}

static enum tt_code make_one(struct build *b, const struct tt_sc_expect *given,
                             struct tt_plan_expect *to, tt_err *err)
{
    struct names names = {b, given};
    struct tt_plan_program of = {b->sc, NULL, &names, find};
    enum tt_code rc = TT_OK;

    to->given = given;
    for (int i = 0; i < TT_EXPECT_PARTS && rc == TT_OK; i++) {
        int number = i == TT_EXPECT_WHAT && tt_sc_expect_is_number(given->kind);

        if (!given->part[i].text)
            continue;
        of.text = &given->part[i];
        rc = tt_plan_compile(&to->part[i], &of, number, b->plan->arena, err);
        if (rc != TT_OK)
            break;
        to->slot[i] = list_slots(b, &names, &to->part[i]);
        if (!to->slot[i])
            rc = plan_nomem(err);
    }
    return rc;
}

enum tt_code plan_expect(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (b->passed)
        return TT_OK; /* what they name may be missing */
    if (!TT_NEW_IN(p->arena, p->expect, b->sc->n_expect))
        return plan_nomem(err);
    p->n_expect = b->sc->n_expect;
    for (uint32_t i = 0; i < p->n_expect && rc == TT_OK; i++) {
        rc = make_one(b, &b->sc->expect[i], &p->expect[i], err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    return rc;
}
