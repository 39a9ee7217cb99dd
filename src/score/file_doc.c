/* SPDX-License-Identifier: MIT */
/* Values of a score file: fields that are known, of the right kind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "score/file_impl.h"

enum tt_code file_fail(struct tt_reading *r, struct tt_where at,
                       const char *fmt, ...)
{
    char text[TT_ERR_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return tt_scenario_fail(r->w->plan->scenario, at, r->err, TT_EINPUT, "%s",
                            text);
}

static size_t length(const char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

const char *file_hint(char *out, size_t size, const char *wrong, size_t n,
                      tt_name_fn get, const void *ctx)
{
    const char *near = tt_names_nearest(wrong, n, get, ctx);

    *out = '\0';
    if (near)
        snprintf(out, size, ", did you mean '%s'?", near);
    return out;
}

enum tt_code file_wrong(struct tt_reading *r, const struct tt_doc *d,
                        const char *wanted)
{
    return file_fail(r, d->where, "%s%s%s must be %s, not %s",
                     d->key ? "'" : "", d->key ? d->key : "this",
                     d->key ? "'" : "", wanted, tt_doc_kind_text(d->kind));
}

enum tt_code file_object(struct tt_reading *r, const struct tt_doc *d,
                         const char *const *known)
{
    char hint[512];

    if (d->kind != TT_DOC_OBJECT)
        return file_wrong(r, d, "an object");
    for (uint32_t i = 0; i < d->n; i++) {
        const struct tt_doc *f = &d->u.child[i];
        size_t k = 0;

        if (strcmp(f->key, "comment") == 0) {
            if (f->kind != TT_DOC_TEXT)
                return file_wrong(r, f, "a string");
            continue;
        }
        while (known[k] && strcmp(known[k], f->key) != 0)
            k++;
        if (!known[k])
            return file_fail(r, f->key_where, "there is no field '%s' here%s",
                             f->key,
                             file_hint(hint, sizeof(hint), f->key,
                                       length(known), tt_name_in, known));
    }
    return TT_OK;
}

enum tt_code file_field(struct tt_reading *r, const struct tt_doc *d,
                        const char *name, enum tt_doc_kind kind,
                        const struct tt_doc **out)
{
    static const char *const wanted[] = {
        [TT_DOC_NULL] = "null",
        [TT_DOC_BOOL] = "true or false",
        [TT_DOC_INTEGER] = "a whole number",
        [TT_DOC_NUMBER] = "a number",
        [TT_DOC_TEXT] = "a string",
        [TT_DOC_ARRAY] = "an array",
        [TT_DOC_OBJECT] = "an object",
    };
    const struct tt_doc *f = tt_doc_find(d, name);

    *out = f;
    if (!f)
        return file_fail(r, d->where, "the field '%s' is missing", name);
    if (f->kind != kind)
        return file_wrong(r, f, wanted[kind]);
    return TT_OK;
}

enum tt_code file_flag(struct tt_reading *r, const struct tt_doc *d,
                       const char *name, unsigned bit, uint8_t *flags)
{
    const struct tt_doc *f;
    enum tt_code rc;

    if (!tt_doc_find(d, name))
        return TT_OK;
    rc = file_field(r, d, name, TT_DOC_BOOL, &f);
    if (rc == TT_OK && f->u.integer)
        *flags |= (uint8_t)bit;
    return rc;
}

enum tt_code file_word(struct tt_reading *r, const struct tt_doc *d,
                       const char *name, const char *const *words,
                       uint32_t *out)
{
    const struct tt_doc *f;
    char hint[512];
    enum tt_code rc;

    if (!tt_doc_find(d, name))
        return TT_OK;
    rc = file_field(r, d, name, TT_DOC_TEXT, &f);
    for (uint32_t i = 0; rc == TT_OK && words[i]; i++)
        if (strcmp(words[i], f->u.text) == 0) {
            *out = i;
            return TT_OK;
        }
    if (rc != TT_OK)
        return rc;
    return file_fail(r, f->where, "there is no %s '%s'%s", name, f->u.text,
                     file_hint(hint, sizeof(hint), f->u.text, length(words),
                               tt_name_in, words));
}

enum tt_code file_count(struct tt_reading *r, const struct tt_doc *d,
                        const char *name, int64_t least, int64_t most,
                        uint32_t *out)
{
    const struct tt_doc *f;
    enum tt_code rc = file_field(r, d, name, TT_DOC_INTEGER, &f);

    if (rc != TT_OK)
        return rc;
    if (f->u.integer < least || f->u.integer > most)
        return file_fail(r, f->where, "'%s' must be from %lld to %lld", name,
                         (long long)least, (long long)most);
    *out = (uint32_t)f->u.integer;
    return TT_OK;
}

enum tt_code file_number(struct tt_reading *r, const struct tt_doc *d,
                         const char *name, double *out)
{
    const struct tt_doc *f = tt_doc_find(d, name);
    double v;

    if (!f)
        return TT_OK;
    if (f->kind != TT_DOC_INTEGER && f->kind != TT_DOC_NUMBER)
        return file_wrong(r, f, "a number");
    v = f->kind == TT_DOC_INTEGER ? (double)f->u.integer : f->u.number;
    if (!(v >= 0) || !isfinite(v))
        return file_fail(r, f->where, "'%s' must be 0 or more", name);
    *out = v;
    return TT_OK;
}
