/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include "base/num.h"

/* "powerBonds": pairs of connections whose product is a power. */

static enum tt_code read_end(struct tt_sc_build *b, const struct tt_doc *side,
                             const char *name, struct tt_sc_ref *ref)
{
    const struct tt_doc *d = NULL;
    const char *text = "";
    enum tt_code rc = tt_sc_need(b, side, name, &d);

    if (rc == TT_OK)
        rc = tt_sc_text(b, d, NULL, &text);
    return rc == TT_OK ? tt_sc_get_ref(b, text, d->where, ref) : rc;
}

static enum tt_code read_side(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_bond *bond, int i)
{
    const struct tt_doc *side = NULL;
    enum tt_code rc = tt_sc_need(b, v, i ? "b" : "a", &side);

    if (rc == TT_OK)
        rc = tt_sc_check_members(b, side, "powerBondSide");
    if (rc != TT_OK)
        return rc;
    rc = read_end(b, side, "input", &bond->in[i]);
    return rc == TT_OK ? read_end(b, side, "output", &bond->out[i]) : rc;
}

static enum tt_code read_energy(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_bond *bond)
{
    const struct tt_doc *d = tt_sc_member(v, "energy");
    char text[TT_NUM_MAX];
    enum tt_code rc;

    bond->energy = 1;
    if (!d)
        return TT_OK;
    rc = tt_sc_number(b, d, NULL, &bond->energy);
    if (rc != TT_OK || bond->energy > 0)
        return rc;
    tt_num_print_short(text, bond->energy);
    return tt_sc_fail(b, d->where, TT_EINPUT,
                      "'energy' of '%s' must be greater than 0, not %s", v->key,
                      text);
}

static enum tt_code read_bond(struct tt_sc_build *b, const struct tt_doc *v,
                              void *to)
{
    struct tt_sc_bond *bond = to;
    enum tt_code rc = tt_sc_check_members(b, v, "powerBond");

    if (rc != TT_OK)
        return rc;
    *bond = (struct tt_sc_bond){.name = v->key};
    for (int i = 0; rc == TT_OK && i < 2; i++)
        rc = read_side(b, v, bond, i);
    if (rc == TT_OK)
        rc = read_energy(b, v, bond);
    return rc == TT_OK ? tt_sc_maybe_bool(b, v, "correction", &bond->correct)
                       : rc;
}

enum tt_code tt_sc_read_bonds(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc;

    b->s->bond = tt_sc_read_members(b, v, sizeof(*b->s->bond), read_bond,
                                    &b->s->n_bond, &rc);
    return rc;
}
