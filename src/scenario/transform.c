/* SPDX-License-Identifier: MIT */
/* What becomes of values on their way: "transformations" of connections, by
 * input, and "parameters" that are objects. Formats of others have these; so
 * that nothing of them is lost, ours has them, too. */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

static enum tt_code read_pair(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_mapped *to)
{
    enum tt_code rc;

    if (v->kind != TT_DOC_ARRAY || v->n != 2)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "each element of 'map' must be two numbers: what is "
                          "mapped, and to what");
    rc = tt_sc_number(b, &v->u.child[0], "map", &to->from);
    return rc == TT_OK ? tt_sc_number(b, &v->u.child[1], "map", &to->to) : rc;
}

static enum tt_code read_map(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_transform *to)
{
    const struct tt_doc *list = tt_sc_member(v, "map");
    struct tt_sc_mapped *map;
    enum tt_code rc = TT_OK;

    if (!list)
        return TT_OK;
    if (list->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, list, NULL, "an array of pairs");
    to->map = map = tt_arena_alloc(b->s->arena, list->n, sizeof(*map));
    if (!map)
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; rc == TT_OK && i < list->n; i++)
        rc = read_pair(b, &list->u.child[i], &map[i]);
    to->n_map = list->n;
    return rc;
}

static enum tt_code read_linear(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_transform **out)
{
    struct tt_sc_transform *to = tt_arena_alloc(b->s->arena, 1, sizeof(**out));
    enum tt_code rc;

    if (!to)
        return tt_sc_no_memory(b);
    to->factor = 1;
    *out = to;
    rc = tt_sc_maybe_number(b, v, "factor", &to->factor);
    if (rc == TT_OK)
        rc = tt_sc_maybe_number(b, v, "offset", &to->offset);
    return rc == TT_OK ? tt_sc_maybe_bool(b, v, "keepUnit", &to->keep_unit)
                       : rc;
}

static enum tt_code read_one(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint32_t c = tt_names_find(&b->input, v->key);
    struct tt_sc_transform *by = NULL;
    enum tt_code rc = tt_sc_check_members(b, v, "transformation");

    if (rc == TT_OK && c == TT_NONE)
        return tt_sc_fail(b, v->key_where, TT_EINPUT,
                          "'%s' is transformed, and no connection ends there",
                          v->key);
    if (rc == TT_OK)
        rc = read_linear(b, v, &by);
    if (rc == TT_OK)
        rc = read_map(b, v, by);
    if (rc == TT_OK)
        b->connection[c].by = by;
    return rc;
}

enum tt_code tt_sc_read_transformations(struct tt_sc_build *b,
                                        const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        rc = read_one(b, &v->u.child[i]);
        if (tt_sc_pass(b, rc, v->u.child[i].key))
            rc = TT_OK;
    }
    return rc;
}

/* --- parameters ----------------------------------------------------------- */

const char *const tt_sc_base_units[TT_SC_BASE_UNITS] = {
    "kg", "m", "s", "A", "K", "mol", "cd", "rad"};

static enum tt_code read_unit(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_parameter *to)
{
    const struct tt_doc *unit = tt_sc_member(v, "unit"), *name = NULL;
    struct tt_quantity *q = tt_arena_alloc(b->s->arena, 1, sizeof(*q));
    enum tt_code rc;

    if (!unit)
        return TT_OK;
    rc = q ? tt_sc_check_members(b, unit, "quantity") : tt_sc_no_memory(b);
    if (rc == TT_OK)
        rc = tt_sc_need(b, unit, "name", &name);
    if (rc == TT_OK)
        rc = tt_sc_text(b, name, NULL, &q->name);
    for (size_t i = 0; rc == TT_OK && i < TT_SC_BASE_UNITS; i++) {
        double exponent = 0;

        rc = tt_sc_maybe_number(b, unit, tt_sc_base_units[i], &exponent);
        if (rc == TT_OK &&
            (fabs(exponent) > 100 || floor(exponent) != exponent))
            rc = tt_sc_fail(b, unit->where, TT_EINPUT,
                            "exponents of a unit are whole numbers");
        if (rc == TT_OK)
            q->exponent[i] = (int8_t)exponent;
    }
    if (rc != TT_OK)
        return rc;
    q->factor = 1;
    q->has_base = unit->n > 1;
    to->quantity = q;
    rc = tt_sc_maybe_number(b, unit, "factor", &q->factor);
    return rc == TT_OK ? tt_sc_maybe_number(b, unit, "offset", &q->offset) : rc;
}

enum tt_code tt_sc_read_detailed(struct tt_sc_build *b, const struct tt_doc *v,
                                 struct tt_sc_parameter *to)
{
    const struct tt_doc *value = NULL;
    struct tt_sc_transform *by = NULL;
    enum tt_code rc = tt_sc_check_members(b, v, "parameter");

    if (rc == TT_OK)
        rc = tt_sc_need(b, v, "value", &value);
    if (rc == TT_OK)
        rc = tt_sc_value(b, value, &to->value);
    if (rc == TT_OK)
        rc = tt_sc_maybe_bool(b, v, "optional", &to->optional);
    if (rc == TT_OK)
        rc = read_unit(b, v, to);
    if (rc == TT_OK)
        rc = read_linear(b, v, &by);
    to->by = by;
    return rc;
}
