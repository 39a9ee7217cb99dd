/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "serve/feed_impl.h"

#define RATE      20.0
#define RATE_MAX  100.0
#define ROWS      500u
#define ROWS_MAX  10000u
#define NAMES_MAX 100000u

void tt_selection_init(struct tt_selection *c)
{
    *c = (struct tt_selection){
        .rate = RATE, .rows = ROWS, .from = -(double)INFINITY};
}

void tt_selection_fini(struct tt_selection *c)
{
    for (size_t i = 0; c->name && i < c->n; i++)
        tt_free(c->name[i]);
    tt_free(c->name);
    *c = (struct tt_selection){0};
}

int tt_selection_same(const struct tt_selection *a,
                      const struct tt_selection *b)
{
    if (a->n != b->n || !a->name != !b->name || a->rate != b->rate ||
        a->rows != b->rows)
        return 0;
    if (!a->name) /* all variables */
        return 1;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->name[i], b->name[i]) != 0)
            return 0;
    return 1;
}

/* --- reading one ---------------------------------------------------------- */

static enum tt_code read_names(struct tt_selection *c, const json_t *v,
                               tt_err *err)
{
    size_t n = json_array_size(v);

    if (!json_is_array(v) || n > NAMES_MAX)
        return tt_fail(err, TT_EINPUT,
                       "'variables' must be an array of texts, or null");
    if (!TT_NEW_ARRAY(c->name, n + 1))
        return tt_nomem(err, "a selection");
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(v, i));

        if (!name)
            return tt_fail(err, TT_EINPUT,
                           "'variables' must be an array of texts, or null");
        if (!(c->name[i] = tt_strdup(name)))
            return tt_nomem(err, "a selection");
        c->n++;
    }
    return TT_OK;
}

static enum tt_code read_rate(struct tt_selection *c, const json_t *v,
                              tt_err *err)
{
    double rate = json_number_value(v);

    if (!json_is_number(v) || !(rate > 0) || rate > RATE_MAX)
        return tt_fail(err, TT_EINPUT,
                       "'rate' must be a number above 0, at most %d",
                       (int)RATE_MAX);
    c->rate = rate;
    return TT_OK;
}

static enum tt_code read_rows(struct tt_selection *c, const json_t *v,
                              tt_err *err)
{
    json_int_t rows = json_integer_value(v);

    if (!json_is_integer(v) || rows < 2 || rows > ROWS_MAX)
        return tt_fail(err, TT_EINPUT,
                       "'rows' must be a whole number from 2 to %u", ROWS_MAX);
    c->rows = (unsigned)rows;
    return TT_OK;
}

static enum tt_code read_from(struct tt_selection *c, const json_t *v,
                              tt_err *err)
{
    if (!json_is_number(v))
        return tt_fail(err, TT_EINPUT, "'from' must be a number");
    c->from = json_number_value(v);
    return TT_OK;
}

static const struct {
    const char *name;
    enum tt_code (*read)(struct tt_selection *c, const json_t *v, tt_err *err);
} member[] = {
    {"variables", read_names},
    {"rate", read_rate},
    {"rows", read_rows},
    {"from", read_from},
};
#define MEMBERS (sizeof(member) / sizeof(*member))

static const char *member_name(const void *ctx, size_t i)
{
    (void)ctx;
    return member[i].name;
}

static enum tt_code read_member(struct tt_selection *c, const char *key,
                                const json_t *v, tt_err *err)
{
    const char *near;

    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(member[i].name, key) == 0)
            return json_is_null(v) ? TT_OK : member[i].read(c, v, err);
    near = tt_names_nearest(key, MEMBERS, member_name, NULL);
    return tt_fail(err, TT_EINPUT, "there is no '%s' here%s%s%s", key,
                   near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

enum tt_code tt_selection_parse(struct tt_selection *c, const char *text,
                                size_t n, tt_err *err)
{
    json_error_t where;
    json_t *v = json_loadb(text, n, JSON_REJECT_DUPLICATES, &where), *item;
    enum tt_code rc = TT_OK;
    const char *key;

    tt_selection_init(c);
    if (!v)
        return tt_fail(err, TT_EINPUT, "line %d, column %d: %s", where.line,
                       where.column, where.text);
    if (!json_is_object(v))
        rc = tt_fail(err, TT_EINPUT, "a selection must be an object");
    json_object_foreach(v, key, item)
    {
        if (rc == TT_OK)
            rc = read_member(c, key, item, err);
    }
    json_decref(v);
    if (rc != TT_OK)
        tt_selection_fini(c);
    return rc;
}
