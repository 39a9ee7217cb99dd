/* SPDX-License-Identifier: MIT */
/* "diagram": where instances are drawn; "annotations": what other tools wrote
 * beside elements of a system structure. They change nothing of a run. */
#include <math.h>

#include "scenario/build_impl.h"

static enum tt_code read_corners(struct tt_sc_build *b, const struct tt_doc *v,
                                 struct tt_sc_box *box)
{
    double at[4] = {0};
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_ARRAY || v->n != 4)
        return tt_sc_wrong(b, v, NULL, "four numbers [x1, y1, x2, y2]");
    for (uint32_t i = 0; rc == TT_OK && i < 4; i++)
        rc = tt_sc_number(b, &v->u.child[i], v->key, &at[i]);
    for (uint32_t i = 0; rc == TT_OK && i < 4; i++)
        if (!isfinite(at[i]))
            rc = tt_sc_wrong(b, v, NULL, "four numbers [x1, y1, x2, y2]");
    *box = (struct tt_sc_box){box->unit, at[0], at[1], at[2], at[3]};
    return rc;
}

/* One of an instance that is gone is a leftover of an editor. */
static uint32_t find_drawn(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_parts p;
    uint32_t unit = TT_NONE;

    if (tt_sc_split(v->key, &p) == 0 && !p.variable)
        unit = tt_sc_find_unit(b, &p);
    if (unit == TT_NONE)
        tt_sc_warn(b, v->key_where, NULL,
                   "'diagram' has a place for '%s', which is no instance",
                   v->key);
    return unit;
}

enum tt_code tt_sc_read_diagram(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = TT_OK;
    struct tt_sc_box *box = tt_sc_members(b, v, sizeof(*box), &rc);

    b->s->box = box;
    b->s->n_box = 0;
    for (uint32_t i = 0; rc == TT_OK && box && i < v->n; i++) {
        box->unit = find_drawn(b, &v->u.child[i]);
        rc = read_corners(b, &v->u.child[i], box);
        if (box->unit == TT_NONE)
            continue;
        b->s->n_box++;
        box++;
    }
    return rc;
}

enum tt_code tt_sc_read_annotations(struct tt_sc_build *b,
                                    const struct tt_doc *v)
{
    enum tt_code rc = TT_OK;
    struct tt_sc_note *note = tt_sc_members(b, v, sizeof(*note), &rc);

    b->s->note = note;
    b->s->n_note = 0;
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *one = &v->u.child[i];

        if (one->kind != TT_DOC_TEXT)
            return tt_sc_wrong(b, one, NULL, "a text (XML)");
        note[b->s->n_note++] = (struct tt_sc_note){one->key, one->u.text};
    }
    return rc;
}
