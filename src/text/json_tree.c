/* SPDX-License-Identifier: MIT */
/* Trees of JSON: finding, merging, printing. */
#include "text/json.h"

#include <string.h>

#include "base/names.h"
#include "base/num.h"

const char *tt_doc_kind_text(enum tt_doc_kind kind)
{
    static const char *const text[] = {
        "null",     "a boolean", "an integer", "a number",
        "a string", "an array",  "an object",
    };

    return text[kind];
}

const struct tt_doc *tt_doc_find(const struct tt_doc *object, const char *key)
{
    for (uint32_t i = 0; object->kind == TT_DOC_OBJECT && i < object->n; i++)
        if (strcmp(object->u.child[i].key, key) == 0)
            return &object->u.child[i];
    return NULL;
}

double tt_doc_number(const struct tt_doc *v, double otherwise)
{
    if (v && v->kind == TT_DOC_INTEGER)
        return (double)v->u.integer;
    return v && v->kind == TT_DOC_NUMBER ? v->u.number : otherwise;
}

/* Merging. */

static void replace(struct tt_doc *into, const struct tt_doc *over)
{
    const char *key = into->key;

    *into = *over;
    into->key = key;
}

/* Room for `more` children behind those there are. */
static int extend(struct tt_doc *d, uint32_t more, tt_arena *nodes)
{
    struct tt_doc *child =
        tt_arena_alloc(nodes, (size_t)d->n + more, sizeof(*child));

    if (!child)
        return -1;
    if (d->n > 0)
        memcpy(child, d->u.child, d->n * sizeof(*child));
    d->u.child = child;
    return 0;
}

static int merge(struct tt_doc *into, const struct tt_doc *over,
                 tt_arena *nodes);

static int merge_members(struct tt_doc *into, const struct tt_doc *over,
                         const struct tt_names *known, tt_arena *nodes)
{
    for (uint32_t i = 0; i < over->n; i++) {
        const struct tt_doc *o = &over->u.child[i];
        uint32_t at = tt_names_find(known, o->key);

        if (at == TT_NONE)
            into->u.child[into->n++] = *o;
        else if (merge(&into->u.child[at], o, nodes) != 0)
            return -1;
    }
    return 0;
}

static int merge_object(struct tt_doc *into, const struct tt_doc *over,
                        tt_arena *nodes)
{
    struct tt_names known;
    int rc = 0;

    tt_names_init(&known);
    for (uint32_t i = 0; rc == 0 && i < into->n; i++)
        rc = tt_names_add(&known, into->u.child[i].key, i);
    if (rc == 0)
        rc = extend(into, over->n, nodes);
    if (rc == 0)
        rc = merge_members(into, over, &known, nodes);
    tt_names_fini(&known);
    return rc;
}

static int merge_array(struct tt_doc *into, const struct tt_doc *over,
                       tt_arena *nodes)
{
    uint32_t both = into->n < over->n ? into->n : over->n;

    if (over->n > into->n && extend(into, over->n - into->n, nodes) != 0)
        return -1;
    for (uint32_t i = 0; i < both; i++)
        if (merge(&into->u.child[i], &over->u.child[i], nodes) != 0)
            return -1;
    for (uint32_t i = both; i < over->n; i++)
        into->u.child[into->n++] = over->u.child[i];
    return 0;
}

static int merge(struct tt_doc *into, const struct tt_doc *over,
                 tt_arena *nodes)
{
    if (into->kind == TT_DOC_OBJECT && over->kind == TT_DOC_OBJECT)
        return merge_object(into, over, nodes);
    if (into->kind == TT_DOC_ARRAY && over->kind == TT_DOC_ARRAY)
        return merge_array(into, over, nodes);
    replace(into, over);
    return 0;
}

enum tt_code tt_doc_merge(struct tt_doc *into, const struct tt_doc *over,
                          tt_arena *nodes, tt_err *err)
{
    if (merge(into, over, nodes) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory merging JSON");
    return TT_OK;
}

/* Printing. */

static void put_doc(struct tt_buf *b, const struct tt_doc *v, unsigned depth);

static void put_indent(struct tt_buf *b, unsigned depth)
{
    tt_buf_char(b, '\n');
    for (unsigned i = 0; i < depth; i++)
        tt_buf_str(b, "  ");
}

static void put_children(struct tt_buf *b, const struct tt_doc *v,
                         unsigned depth)
{
    int object = v->kind == TT_DOC_OBJECT;

    tt_buf_char(b, object ? '{' : '[');
    for (uint32_t i = 0; i < v->n; i++) {
        const struct tt_doc *child = &v->u.child[i];

        tt_buf_str(b, i ? "," : "");
        put_indent(b, depth + 1);
        if (object) {
            tt_buf_json(b, child->key);
            tt_buf_str(b, ": ");
        }
        put_doc(b, child, depth + 1);
    }
    if (v->n)
        put_indent(b, depth);
    tt_buf_char(b, object ? '}' : ']');
}

static void put_doc(struct tt_buf *b, const struct tt_doc *v, unsigned depth)
{
    char number[TT_NUM_MAX];

    switch (v->kind) {
    case TT_DOC_NULL:
        tt_buf_str(b, "null");
        break;
    case TT_DOC_BOOL:
        tt_buf_str(b, v->u.integer ? "true" : "false");
        break;
    case TT_DOC_INTEGER:
        tt_buf_fmt(b, "%lld", (long long)v->u.integer);
        break;
    case TT_DOC_NUMBER:
        (void)tt_num_print(number, v->u.number); /* 1.0 stays one */
        tt_buf_str(b, number);
        break;
    case TT_DOC_TEXT:
        tt_buf_json(b, v->u.text);
        break;
    case TT_DOC_ARRAY:
    case TT_DOC_OBJECT:
        put_children(b, v, depth);
        break;
    }
}

void tt_doc_print(struct tt_buf *b, const struct tt_doc *v)
{
    put_doc(b, v, 0);
}
