/* SPDX-License-Identifier: MIT */
/* JSON as jansson reads it. */
#include "scenario/json_doc.h"

#include <jansson.h>
#include <string.h>

#include "scenario/json_quick.h"

#define NO_MEMORY "out of memory reading JSON"

struct walk {
    const char *at, *begin, *end; /* the text, already judged valid */
    uint32_t file;
    tt_arena *nodes, *texts;
};

/* What jansson says, in our words and at the beginning of the culprit. */

static enum tt_code fail_at(const struct tt_scenario_file *f, size_t offset,
                            tt_err *err, const char *fact, size_t n,
                            const char *rest)
{
    struct tt_doc_position p = tt_doc_locate(f->text, f->n, offset);

    tt_fail(err, TT_EINPUT, "%s:%zu:%zu: %.*s%s", f->path, p.line, p.column,
            (int)n, fact, rest);
    if (err)
        tt_spot_at(&err->place, f->path, p.line, p.column);
    return TT_EINPUT;
}

/* jansson stands behind the token it complains of and quotes it when short:
 * "... near 'token'". Where does the token begin? */
static size_t culprit(const struct tt_scenario_file *f, const json_error_t *e)
{
    size_t behind = (size_t)e->position, n;
    const char *near = strstr(e->text, " near '");

    if (behind > f->n)
        behind = f->n;
    if (!near)
        return behind;
    near += strlen(" near '");
    n = strlen(near);
    n -= n > 0; /* the closing quote */
    if (n > behind || memcmp(f->text + behind - n, near, n) != 0)
        return behind;
    return behind - n;
}

/* The name given twice ends at the error's position; inside a name every
 * quote is escaped, so the first bare one before the last is its beginning. */
static enum tt_code fail_duplicate(const struct tt_scenario_file *f,
                                   const json_error_t *e, tt_err *err)
{
    size_t end = (size_t)e->position, begin = end - 1;

    TT_ASSERT(end >= 2 && end <= f->n);
    do {
        size_t slashes = 0;

        begin--;
        while (f->text[begin] == '"' && slashes < begin &&
               f->text[begin - 1 - slashes] == '\\')
            slashes++;
        if (f->text[begin] == '"' && slashes % 2 == 0)
            break;
    } while (begin > 0);
    return fail_at(f, begin, err, f->text + begin, end - begin,
                   " is given twice in one object");
}

/* jansson stands behind the number. */
static enum tt_code fail_number(const struct tt_scenario_file *f,
                                const json_error_t *e, tt_err *err)
{
    size_t end = (size_t)e->position, begin = end;

    TT_ASSERT(end <= f->n);
    while (begin > 0 && f->text[begin - 1] &&
           strchr("0123456789+-.eE", f->text[begin - 1]))
        begin--;
    return fail_at(f, begin, err, f->text + begin, end - begin,
                   " is too large a number");
}

static enum tt_code fail_json(const struct tt_scenario_file *f,
                              const json_error_t *e, tt_err *err)
{
    size_t at = culprit(f, e);

    switch ((int)json_error_code(e)) {
    case json_error_out_of_memory:
        return tt_fail(err, TT_ENOMEM, NO_MEMORY);
    case json_error_duplicate_key:
        return fail_duplicate(f, e, err);
    case json_error_stack_overflow:
        return fail_at(f, at, err, "", 0, "JSON is nested too deeply");
    case json_error_invalid_utf8:
        return fail_at(f, at, err, "text is not UTF-8: ", 19, e->text);
    case json_error_premature_end_of_input:
        return fail_at(f, f->n, err, "JSON ends too early: ", 21, e->text);
    case json_error_numeric_overflow:
        return fail_number(f, e, err);
    case json_error_null_character:
        return fail_at(f, at, err, "", 0, "a text contains \\u0000");
    default:
        return fail_at(f, at, err, "not valid JSON: ", 16, e->text);
    }
}

/* The walk. Every function stands at the first byte of something valid and
 * leaves behind its last; TT_ASSERTs catch a disagreement with jansson. */

static void skip_space(struct walk *w)
{
    while (w->at < w->end && strchr(" \t\r\n", *w->at) && *w->at)
        w->at++;
}

static void skip_char(struct walk *w, char c)
{
    skip_space(w);
    TT_ASSERT(w->at < w->end && *w->at == c);
    w->at++;
}

static void skip_string(struct walk *w)
{
    skip_char(w, '"');
    while (w->at < w->end && *w->at != '"')
        w->at += *w->at == '\\' ? 2 : 1;
    skip_char(w, '"');
}

static void skip_word(struct walk *w) /* number, true, false, null */
{
    while (w->at < w->end && *w->at && !strchr(",]} \t\r\n", *w->at))
        w->at++;
}

static struct tt_where here(struct walk *w)
{
    skip_space(w);
    return (struct tt_where){w->file, (uint32_t)(w->at - w->begin)};
}

static int walk_value(struct walk *w, json_t *v, struct tt_doc *out);

static int walk_object(struct walk *w, json_t *v, struct tt_doc *out)
{
    const char *key;
    json_t *value;
    uint32_t i = 0;

    skip_char(w, '{');
    json_object_foreach(v, key, value)
    {
        struct tt_doc *child = &out->u.child[i];

        if (i++ > 0)
            skip_char(w, ',');
        child->key_where = here(w);
        child->key = tt_arena_strdup(w->texts, key);
        skip_string(w);
        skip_char(w, ':');
        if (!child->key || walk_value(w, value, child) != 0)
            return -1;
    }
    skip_char(w, '}');
    return 0;
}

static int walk_array(struct walk *w, json_t *v, struct tt_doc *out)
{
    skip_char(w, '[');
    for (uint32_t i = 0; i < out->n; i++) {
        if (i > 0)
            skip_char(w, ',');
        if (walk_value(w, json_array_get(v, i), &out->u.child[i]) != 0)
            return -1;
    }
    skip_char(w, ']');
    return 0;
}

static int walk_container(struct walk *w, json_t *v, struct tt_doc *out)
{
    size_t n = json_is_object(v) ? json_object_size(v) : json_array_size(v);

    out->kind = json_is_object(v) ? TT_DOC_OBJECT : TT_DOC_ARRAY;
    out->n = (uint32_t)n; /* fewer than bytes, which fit */
    out->u.child = tt_arena_alloc(w->nodes, n, sizeof(*out->u.child));
    if (!out->u.child)
        return -1;
    return json_is_object(v) ? walk_object(w, v, out) : walk_array(w, v, out);
}

static int walk_value(struct walk *w, json_t *v, struct tt_doc *out)
{
    out->where = here(w);
    switch (json_typeof(v)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        return walk_container(w, v, out);
    case JSON_STRING:
        out->kind = TT_DOC_TEXT;
        out->u.text = tt_arena_strdup(w->texts, json_string_value(v));
        skip_string(w);
        return out->u.text ? 0 : -1;
    case JSON_INTEGER:
        out->kind = TT_DOC_INTEGER;
        out->u.integer = json_integer_value(v);
        break;
    case JSON_REAL:
        out->kind = TT_DOC_NUMBER;
        out->u.number = json_real_value(v);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        out->kind = TT_DOC_BOOL;
        out->u.integer = json_is_true(v);
        break;
    case JSON_NULL:
        out->kind = TT_DOC_NULL;
        break;
    }
    skip_word(w);
    return 0;
}

static enum tt_code judge(const struct tt_scenario_file *f, tt_err *err)
{
    const unsigned char *t = (const unsigned char *)f->text;
    const char *nul;
    size_t blank = 0;

    if (f->n > TT_DOC_MAX)
        return tt_fail(err, TT_EINPUT,
                       "%s: text is %zu bytes long, more than %zu", f->path,
                       f->n, TT_DOC_MAX);
    while (blank < f->n && strchr(" \t\r\n", t[blank]) && t[blank])
        blank++;
    if (blank == f->n)
        return fail_at(f, 0, err, "", 0, "the text is empty");
    if (f->n >= 2 &&
        ((t[0] == 0xFF && t[1] == 0xFE) || (t[0] == 0xFE && t[1] == 0xFF)))
        return fail_at(f, 0, err, "", 0, "text is UTF-16; save it as UTF-8");
    /* jansson reads over one that follows a number */
    nul = memchr(f->text, '\0', f->n);
    return nul ? fail_at(f, (size_t)(nul - f->text), err, "", 0,
                         "a NUL byte is not JSON")
               : TT_OK;
}

enum tt_code tt_doc_judged(struct tt_doc *out, const struct tt_scenario_file *f,
                           uint32_t file, tt_arena *nodes, tt_arena *texts,
                           tt_err *err)
{
    struct walk w = {.at = f->text,
                     .begin = f->text,
                     .end = f->text + f->n,
                     .file = file,
                     .nodes = nodes,
                     .texts = texts};
    enum tt_code rc = judge(f, err);
    json_error_t e;
    json_t *v;
    int failed;

    if (rc != TT_OK)
        return rc;
    v = json_loadb(f->text, f->n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (!v)
        return fail_json(f, &e, err);
    *out = (struct tt_doc){0};
    failed = walk_value(&w, v, out);
    json_decref(v);
    return failed ? tt_fail(err, TT_ENOMEM, NO_MEMORY) : TT_OK;
}
