/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_TEST_JSON_H
#define TT_TEXT_TEST_JSON_H

/* Another judge of JSON, for tests and fuzzers: jansson accepts what we accept,
 * and reads the same. */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"

static inline int same_as_jansson(const struct tt_doc *a, json_t *b)
{
    static const json_type type[] = {
        [TT_DOC_NULL] = JSON_NULL,       [TT_DOC_BOOL] = JSON_FALSE,
        [TT_DOC_INTEGER] = JSON_INTEGER, [TT_DOC_NUMBER] = JSON_REAL,
        [TT_DOC_TEXT] = JSON_STRING,     [TT_DOC_ARRAY] = JSON_ARRAY,
        [TT_DOC_OBJECT] = JSON_OBJECT,
    };
    double real = json_real_value(b);
    void *member = json_object_iter(b);

    if (a->kind == TT_DOC_BOOL)
        return a->u.integer ? json_is_true(b) : json_is_false(b);
    if (type[a->kind] != json_typeof(b))
        return 0;
    if (a->kind == TT_DOC_INTEGER)
        return a->u.integer == json_integer_value(b);
    if (a->kind == TT_DOC_NUMBER) /* bit by bit: zeros have signs */
        return memcmp(&a->u.number, &real, sizeof(real)) == 0;
    if (a->kind == TT_DOC_TEXT)
        return strcmp(a->u.text, json_string_value(b)) == 0;
    if (a->n !=
        (a->kind == TT_DOC_ARRAY ? json_array_size(b) : json_object_size(b)))
        return 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct tt_doc *child = &a->u.child[i];

        if (a->kind == TT_DOC_ARRAY) {
            if (!same_as_jansson(child, json_array_get(b, i)))
                return 0;
            continue;
        }
        if (strcmp(child->key, json_object_iter_key(member)) != 0 ||
            !same_as_jansson(child, json_object_iter_value(member)))
            return 0;
        member = json_object_iter_next(b, member);
    }
    return 1;
}

/* Each node stands where it states. */
static inline int stands_there(const struct tt_doc *a, const char *text)
{
    static const char *const first[] = {
        [TT_DOC_NULL] = "n",
        [TT_DOC_BOOL] = "tf",
        [TT_DOC_INTEGER] = "-0123456789",
        [TT_DOC_NUMBER] = "-0123456789",
        [TT_DOC_TEXT] = "\"",
        [TT_DOC_ARRAY] = "[",
        [TT_DOC_OBJECT] = "{",
    };
    char c = text[a->where.offset];

    if (!c || !strchr(first[a->kind], c) ||
        (a->key && text[a->key_where.offset] != '"'))
        return 0;
    for (uint32_t i = 0; a->kind >= TT_DOC_ARRAY && i < a->n; i++)
        if (!stands_there(&a->u.child[i], text))
            return 0;
    return 1;
}

/* Did both read it, and the same (1), or both refuse it (0)? -1: they
 * disagree. jansson reads over a NUL behind a number; we refuse it. */
static inline int ask_both(const char *text, size_t n)
{
    /* exactly as large as it is, so that reading beyond it shows */
    char *copy = malloc(n ? n : 1);
    struct tt_text_file f = {.path = "t.json", .text = copy, .n = n};
    tt_arena *arena = tt_arena_new();
    struct tt_doc doc;
    tt_err err = {0};
    json_t *other;
    int ours, theirs, verdict = -1;

    if (!copy || !arena)
        abort();
    if (n)
        memcpy(copy, text, n);
    ours = tt_doc_parse(&doc, &f, 3, arena, arena, &err) == TT_OK;
    other = json_loadb(copy, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    theirs = other && !memchr(copy, '\0', n);
    if (ours && theirs && same_as_jansson(&doc, other) &&
        stands_there(&doc, copy))
        verdict = 1;
    else if (!ours && !theirs && strncmp(err.msg, "t.json:", 7) == 0)
        verdict = 0;
    json_decref(other);
    tt_arena_free(arena);
    free(copy);
    return verdict;
}

#endif
