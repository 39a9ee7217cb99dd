/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_TEST_DOC_H
#define TT_SCENARIO_TEST_DOC_H

/* For tests and fuzzers of what reads JSON. */

#include <string.h>

#include "scenario/json_doc.h"

static inline int same_name(const struct tt_doc *a, const struct tt_doc *b)
{
    if (!a->key || !b->key)
        return !a->key && !b->key;
    return strcmp(a->key, b->key) == 0 &&
           a->key_where.file == b->key_where.file &&
           a->key_where.offset == b->key_where.offset;
}

static inline int same_value(const struct tt_doc *a, const struct tt_doc *b)
{
    switch (a->kind) {
    case TT_DOC_NULL:
    case TT_DOC_ARRAY:
    case TT_DOC_OBJECT:
        return 1;
    case TT_DOC_BOOL:
    case TT_DOC_INTEGER:
        return a->u.integer == b->u.integer;
    case TT_DOC_NUMBER: /* bit by bit: zeros have signs */
        return memcmp(&a->u.number, &b->u.number, sizeof(a->u.number)) == 0;
    case TT_DOC_TEXT:
        return strcmp(a->u.text, b->u.text) == 0;
    }
    return 0;
}

/* Trees of the same names and values at the same places. */
static inline int same_doc(const struct tt_doc *a, const struct tt_doc *b)
{
    int same = a->kind == b->kind && a->n == b->n &&
               a->where.file == b->where.file &&
               a->where.offset == b->where.offset && same_name(a, b) &&
               same_value(a, b);

    for (uint32_t i = 0; same && i < a->n; i++)
        same = same_doc(&a->u.child[i], &b->u.child[i]);
    return same;
}

#endif
