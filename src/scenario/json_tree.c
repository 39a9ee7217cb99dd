/* SPDX-License-Identifier: MIT */
/* Trees of JSON: reading, finding, merging. */
#include "scenario/json_doc.h"

#include <string.h>

#include "scenario/json_quick.h"

struct tt_doc_position tt_doc_locate(const char *text, size_t n, size_t offset)
{
    struct tt_doc_position p = {1, 1};

    for (size_t i = 0; i < n && i < offset; i++) {
        if (text[i] == '\n') {
            p.line++;
            p.column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            p.column++; /* the first byte of a character */
        }
    }
    return p;
}

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

enum tt_code tt_doc_parse(struct tt_doc *out, const struct tt_scenario_file *f,
                          uint32_t file, tt_arena *nodes, tt_arena *texts,
                          tt_err *err)
{
    int quick =
        f->n <= TT_DOC_MAX ? tt_doc_quick(out, f, file, nodes, texts) : 0;

    if (quick < 0)
        return tt_fail(err, TT_ENOMEM, "out of memory reading JSON");
    return quick ? TT_OK : tt_doc_judged(out, f, file, nodes, texts, err);
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
