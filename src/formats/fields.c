/* SPDX-License-Identifier: MIT */
#include "formats/fields.h"

void tt_fields_key(struct tt_buf *b, const char *name)
{
    char last = b->len ? b->data[b->len - 1] : '{';

    if (last != '{')
        tt_buf_char(b, ',');
    tt_buf_json(b, name);
    tt_buf_char(b, ':');
}

void tt_fields_num(struct tt_buf *b, const char *name, double v)
{
    tt_fields_key(b, name);
    tt_buf_num(b, v);
}

static int keep(tt_sc_build *b, const char **text)
{
    *text = *text ? tt_sc_keep(b, *text) : NULL;
    return *text ? 0 : -1;
}

/* Texts become the scenario's, places those of the other format. */
static int settle(tt_sc_build *b, struct tt_doc *v, struct tt_where w)
{
    int bad = 0;

    v->key_where = v->where = w;
    if (v->key)
        bad |= keep(b, &v->key);
    if (v->kind == TT_DOC_TEXT)
        bad |= keep(b, &v->u.text);
    if (v->kind != TT_DOC_ARRAY && v->kind != TT_DOC_OBJECT)
        return bad;
    for (uint32_t i = 0; i < v->n; i++)
        bad |= settle(b, &v->u.child[i], w);
    return bad;
}

static int settle_elements(tt_sc_build *b, struct tt_doc *list,
                           const struct tt_where *of)
{
    int bad = 0;

    for (uint32_t i = 0; i < list->n; i++)
        bad |= settle(b, &list->u.child[i], of[i]);
    return bad;
}

enum tt_code tt_fields_read(tt_sc_build *b, const struct tt_buf *json,
                            struct tt_where w, const struct tt_where *of,
                            tt_arena *arena, tt_err *err)
{
    struct tt_text_file text = {"the fields", json->data, json->len};
    struct tt_doc root;
    enum tt_code rc = tt_buf_check(json, "fields of the scenario", err);

    if (rc == TT_OK && !json->len)
        return TT_OK;
    if (rc == TT_OK)
        rc = tt_doc_parse(&root, &text, TT_NONE, arena, arena, err);
    if (rc != TT_OK)
        return rc;
    if (settle(b, &root, w) != 0 ||
        (of && settle_elements(b, root.u.child, of) != 0))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; rc == TT_OK && i < root.n; i++)
        rc = tt_sc_read(b, &root.u.child[i]);
    return rc;
}
