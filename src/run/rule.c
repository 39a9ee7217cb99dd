/* SPDX-License-Identifier: MIT */
/* An expression of the scenario over variables that are read when it is asked:
 * that takes no slots, and so a run of it computes what others do. */
#include <string.h>

#include "run/run_impl.h"
#include "unit/measure.h"

struct run_rule {
    const struct tt_sc_expect *given;
    tt_expr program;
    struct place {
        uint32_t unit, port;
        double room; /* of a number, whatever its type */
    } * place;       /* per ref of the program */
    const void **at; /* where these are */
};

enum tt_code run_find_port(const tt_run *r, const struct tt_sc_ref *ref,
                           uint32_t *port, tt_err *err)
{
    const struct tt_plan_unit *u = &r->plan->unit[ref->unit];

    *port = tt_desc_find(u->desc, ref->variable);
    if (*port == TT_NONE)
        return tt_scenario_fail_ref(r->scenario, ref, err, TT_EINPUT,
                                    "instance '%s' has no '%s'", u->name,
                                    ref->variable);
    return TT_OK;
}

struct names {
    const tt_run *run;
    const struct tt_sc_expect *of;
};

static const struct tt_sc_ref *named(const struct tt_sc_expect *of,
                                     const char *name)
{
    uint32_t k = 0;

    while (strcmp(of->variable[k].name, name) != 0)
        k++;
    return &of->variable[k].ref;
}

static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct names *n = ctx;
    const struct tt_sc_ref *ref = named(n->of, name);
    const struct tt_desc *d = n->run->plan->unit[ref->unit].desc;
    const struct tt_port *p = &d->port[tt_desc_find(d, ref->variable)];

    *v = (struct tt_expr_variable){p->type, tt_quantity_measure(p->quantity),
                                   p->items};
    return 0;
}

static enum tt_code check(const tt_run *r, const struct tt_sc_ref *ref,
                          tt_err *err)
{
    const struct tt_desc *d = r->plan->unit[ref->unit].desc;
    uint32_t port;
    enum tt_code rc = run_find_port(r, ref, &port, err);
    const struct tt_port *p = rc == TT_OK ? &d->port[port] : NULL;

    if (!p || (p->n == 1 && (tt_type_is_number(p->type) || p->type == TT_BOOL)))
        return rc;
    return tt_scenario_fail_ref(
        r->scenario, ref, err, TT_EINPUT,
        "'%s' of instance '%s' is not one number or Boolean", ref->variable,
        r->plan->unit[ref->unit].name);
}

static enum tt_code place(tt_run *r, struct run_rule *u, tt_err *err)
{
    uint32_t n = u->program.n_ref;

    if (!RUN_NEW(r, u->place, n + 1) || !RUN_NEW(r, u->at, n + 1))
        return run_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_sc_ref *ref = named(u->given, u->program.ref[i].name);

        u->place[i].unit = ref->unit;
        u->place[i].port =
            tt_desc_find(r->plan->unit[ref->unit].desc, ref->variable);
        u->at[i] = &u->place[i].room;
    }
    return TT_OK;
}

enum tt_code run_rule_make(struct run_rule **out, tt_run *r,
                           const struct tt_sc_expect *given, tt_err *err)
{
    struct names names = {r, given};
    const struct tt_plan_program of = {r->scenario, &given->part[0], &names,
                                       find};
    struct run_rule *u;
    enum tt_code rc = TT_OK;

    if (!RUN_NEW(r, u, 1))
        return run_nomem(err);
    u->given = given;
    for (uint32_t i = 0; i < given->n_variable && rc == TT_OK; i++)
        rc = check(r, &given->variable[i].ref, err);
    if (rc == TT_OK)
        rc = tt_plan_compile(&u->program, &of, 1, r->arena, err);
    *out = u;
    return rc == TT_OK ? place(r, u, err) : rc;
}

enum tt_code run_rule_value(tt_run *r, struct run_rule *u, double *value,
                            tt_err *err)
{
    struct tt_expr_at at = {.t = r->agenda->t, .value = u->at};
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < u->program.n_ref && rc == TT_OK; i++) {
        struct place *p = &u->place[i];
        struct tt_span span = {.port = &p->port, .n = 1, .value = &p->room};

        rc = tt_part_get(r->part, p->unit, &span, err);
    }
    run_between_calls(r);
    if (rc == TT_OK)
        *value = tt_expr_value(&u->program, &at);
    return rc;
}
