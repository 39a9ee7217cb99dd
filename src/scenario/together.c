/* SPDX-License-Identifier: MIT */
/* Which instances are integrated as one system: "together". */
#include "scenario/build_impl.h"

#include "unit/unit.h"

static int is_list(const struct tt_doc *v)
{
    return v->kind == TT_DOC_ARRAY && v->n &&
           v->u.child[0].kind == TT_DOC_ARRAY;
}

/* One that is named is used by model exchange. */
static enum tt_code take(struct tt_sc_build *b, const struct tt_doc *v,
                         uint32_t *unit, uint8_t *taken)
{
    struct tt_sc_unit *u;
    enum tt_code rc = tt_sc_get_unit(b, v->u.text, v->where, unit);

    if (rc != TT_OK)
        return rc;
    u = &b->unit[*unit].unit;
    if (taken[*unit])
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' is named twice in 'together'", u->name);
    if (u->interface && u->interface != TT_INTERFACE_MODEL_EXCHANGE)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' cannot be integrated together with others: "
                          "'interface' states another one than 'me' for it",
                          u->name);
    taken[*unit] = 1;
    u->interface = TT_INTERFACE_MODEL_EXCHANGE;
    return TT_OK;
}

static enum tt_code read_one(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_together *to, uint8_t *taken)
{
    uint32_t *unit;
    struct tt_where *where;
    enum tt_code rc =
        v->kind == TT_DOC_ARRAY
            ? tt_sc_room_for_units(b, v, &unit, &where)
            : tt_sc_wrong(b, v, "together", "an array of instances");

    if (rc != TT_OK)
        return rc;
    if (v->n < 2)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'together' names at least two instances");
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++) {
        where[i] = v->u.child[i].where;
        rc = take(b, &v->u.child[i], &unit[i], taken);
    }
    *to = (struct tt_sc_together){unit, where, v->n};
    return rc;
}

static enum tt_code read_list(struct tt_sc_build *b, const struct tt_doc *v,
                              uint8_t *taken)
{
    const struct tt_doc *one = is_list(v) ? v->u.child : v;
    uint32_t n = is_list(v) ? v->n : 1;
    struct tt_sc_together *t = tt_arena_alloc(b->s->arena, n, sizeof(*t));
    enum tt_code rc = t ? TT_OK : tt_sc_no_memory(b);

    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = read_one(b, &one[i], &t[i], taken);
    b->s->together = t;
    b->s->n_together = n;
    return rc;
}

enum tt_code tt_sc_read_together(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint8_t *taken;
    enum tt_code rc;

    if (v->kind == TT_DOC_BOOL) {
        b->s->apart = !v->u.integer;
        return TT_OK;
    }
    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL,
                           "true, false, an array of instances or several of "
                           "these");
    if (!TT_NEW_ARRAY(taken, b->n_unit))
        return tt_sc_no_memory(b);
    rc = read_list(b, v, taken);
    tt_free(taken);
    return rc;
}
