/* SPDX-License-Identifier: MIT */
/* Power bonds: two connections that go opposite ways between two units, whose
 * product is a power. */
#include "plan/plan_impl.h"

#define POWER                                                                  \
    {                                                                          \
        1, 2, -3, 0, 0, 0, 0, 0                                                \
    } /* kg m2 s-3 */

static enum tt_code find_slot(const struct build *b,
                              const struct tt_sc_bond *given,
                              const struct tt_sc_ref *ref, uint32_t *slot,
                              tt_err *err)
{
    uint32_t port;
    enum tt_code rc = plan_find_port(b, ref, &port, err);
    const struct tt_port *is;

    if (rc != TT_OK)
        return rc;
    is = &b->plan->unit[ref->unit].desc->port[port];
    *slot = b->slot_of[ref->unit][port];
    if (is->type != TT_F64 || is->n != 1)
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EINPUT,
            "power bond '%s' needs a single Float64, but '%s.%s' is %s%s",
            given->name, b->plan->unit[ref->unit].name, ref->variable,
            is->n == 1 ? "" : "an array of ", tt_type_name(is->type));
    return TT_OK;
}

/* in[i] must follow out[1 - i] as it is, or its negative: with a conversion on
 * the way the two products would be powers in different units. */
static enum tt_code check_follows(const struct build *b,
                                  struct tt_plan_bond *bond, int i, tt_err *err)
{
    const tt_plan *p = b->plan;
    const struct tt_sc_ref *in = &bond->given->in[i];
    const struct tt_sc_ref *out = &bond->given->out[1 - i];
    uint32_t slot = bond->in[i];
    const struct tt_feed *f = NULL;

    if (slot != TT_NONE && p->slot[slot].dir == TT_SLOT_IN)
        f = &p->feed[p->slot[slot].feed];
    if (!f || f->from != bond->out[1 - i])
        return tt_scenario_fail_ref(
            b->sc, in, err, TT_EINPUT,
            "power bond '%s': '%s.%s' is not connected to '%s.%s'",
            bond->given->name, p->unit[in->unit].name, in->variable,
            p->unit[out->unit].name, out->variable);
    bond->sign[i] = f->how == TT_FEED_COPY ? 1 : f->factor;
    if (f->how == TT_FEED_COPY ||
        (f->how == TT_FEED_LINEAR && f->factor == -1 && f->offset == 0))
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, in, err, TT_EINPUT,
        "power bond '%s': '%s.%s' has another unit than "
        "'%s.%s', which it follows",
        bond->given->name, p->unit[in->unit].name, in->variable,
        p->unit[out->unit].name, out->variable);
}

/* rad is no dimension of a power: torque times angular velocity is one. */
int plan_is_power(const struct tt_quantity *u, const struct tt_quantity *y)
{
    static const int8_t power[8] = POWER;

    for (int i = 0; i < 7; i++)
        if (u->exponent[i] + y->exponent[i] != power[i])
            return 0;
    return 1;
}

/* Where both units are declared, their product must be a power. */
static enum tt_code check_power(const struct build *b,
                                const struct tt_plan_bond *bond, int i,
                                tt_err *err)
{
    const struct tt_sc_ref *in = &bond->given->in[i];
    const struct tt_quantity *u = tt_plan_port(b->plan, bond->in[i])->quantity;
    const struct tt_quantity *y = tt_plan_port(b->plan, bond->out[i])->quantity;

    if (!u || !y || !u->has_base || !y->has_base) {
        tt_plan_note(b->plan, "energy",
                     "bond '%s': %s.%s times %s is taken for a power, as not "
                     "both declare a unit",
                     bond->given->name, b->plan->unit[in->unit].name,
                     in->variable, bond->given->out[i].variable);
        return TT_OK;
    }
    if (plan_is_power(u, y))
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, in, err, TT_EINPUT,
        "power bond '%s': '%s.%s' [%s] times '%s' [%s] is not a power",
        bond->given->name, b->plan->unit[in->unit].name, in->variable, u->name,
        bond->given->out[i].variable, y->name);
}

static enum tt_code plan_bond(struct build *b, const struct tt_sc_bond *given,
                              struct tt_plan_bond *bond, tt_err *err)
{
    enum tt_code rc = TT_OK;

    bond->given = given;
    for (int i = 0; i < 2 && rc == TT_OK; i++) {
        rc = find_slot(b, given, &given->in[i], &bond->in[i], err);
        if (rc == TT_OK)
            rc = find_slot(b, given, &given->out[i], &bond->out[i], err);
    }
    for (int i = 0; i < 2 && rc == TT_OK; i++)
        rc = check_follows(b, bond, i, err);
    for (int i = 0; i < 2 && rc == TT_OK; i++)
        rc = check_power(b, bond, i, err);
    return rc;
}

enum tt_code plan_bonds(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(p->arena, p->bond, b->sc->n_bond))
        return plan_nomem(err);
    for (uint32_t i = 0; i < b->sc->n_bond && rc == TT_OK; i++)
        rc = plan_bond(b, &b->sc->bond[i], &p->bond[i], err);
    p->n_bond = b->sc->n_bond;
    return rc;
}
