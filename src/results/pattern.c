/* SPDX-License-Identifier: MIT */
#include "results/pattern.h"

#include <string.h>

#include "base/glob.h"

/* What follows the next dot, or NULL. */
static const char *after_dot(const char *name)
{
    const char *dot = name ? strchr(name, '.') : NULL;

    return dot && dot[1] ? dot + 1 : NULL;
}

int tt_pattern_match(const char *pattern, const char *name)
{
    const char *instance = after_dot(name);
    const char *variable = after_dot(instance);

    return tt_glob(pattern, name) || (instance && tt_glob(pattern, instance)) ||
           (variable && tt_glob(pattern, variable));
}

int tt_pattern_any(const char *const *pattern, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (tt_pattern_match(pattern[i], name))
            return 1;
    return n == 0;
}

/* The end of the first name in "a[1,2],b". */
static const char *name_end(const char *s)
{
    int depth = 0;

    for (; *s && (depth > 0 || *s != ','); s++) {
        if (strchr("{[(", *s))
            depth++;
        else if (strchr("}])", *s) && depth > 0)
            depth--;
    }
    return s;
}

static int split_one(struct tt_patterns *out, const char *list, tt_arena *arena)
{
    const char *end = name_end(list);

    for (;; list = end + 1, end = name_end(list)) {
        const char *one = tt_arena_strndup(arena, list, (size_t)(end - list));

        if (!one)
            return -1;
        if (*one)
            out->item[out->n++] = one;
        if (!*end)
            return 0;
    }
}

enum tt_code tt_pattern_split(struct tt_patterns *out, const char *const *list,
                              size_t n, tt_arena *arena, tt_err *err)
{
    size_t most = n;
    int bad = 0;

    for (size_t i = 0; i < n; i++)
        for (const char *p = list[i]; *p; p++)
            most += *p == ',';
    *out = (struct tt_patterns){
        .item = tt_arena_alloc(arena, most, sizeof(*out->item))};
    for (size_t i = 0; i < n && out->item && !bad; i++)
        bad = split_one(out, list[i], arena);
    return out->item && !bad ? TT_OK : tt_nomem(err, "choosing columns");
}

static const char *variable_name(const void *ctx, size_t i)
{
    const char *name = tt_table_name(ctx, (uint32_t)i);
    const char *variable = after_dot(after_dot(name));

    return variable ? variable : name;
}

static const char *instance_name(const void *ctx, size_t i)
{
    const char *name = tt_table_name(ctx, (uint32_t)i);
    const char *instance = after_dot(name);

    return instance ? instance : name;
}

static enum tt_code no_match(const tt_table *t, const char *pattern,
                             tt_err *err)
{
    uint32_t n = tt_table_columns(t);
    const char *near = tt_table_nearest(t, pattern);

    if (!near)
        near = tt_names_nearest(pattern, n, instance_name, t);
    if (!near)
        near = tt_names_nearest(pattern, n, variable_name, t);
    if (near)
        return tt_fail(err, TT_EINPUT,
                       "%s has no column '%s'; did you mean '%s'?",
                       tt_table_file(t), pattern, near);
    return tt_fail(err, TT_EINPUT, "%s has no column '%s'", tt_table_file(t),
                   pattern);
}

/* Add the columns one pattern chooses; 0 when there is none. */
static int add_matching(const tt_table *t, const char *pattern,
                        unsigned char *taken, uint32_t *chosen, size_t *count)
{
    int any = 0;

    for (uint32_t c = 0; c < tt_table_columns(t); c++) {
        if (!tt_pattern_match(pattern, tt_table_name(t, c)))
            continue;
        any = 1;
        if (!taken[c])
            chosen[(*count)++] = c;
        taken[c] = 1;
    }
    return any;
}

enum tt_code tt_pattern_select(const tt_table *t, const char *const *pattern,
                               size_t n, uint32_t **column, size_t *n_column,
                               tt_err *err)
{
    uint32_t columns = tt_table_columns(t);
    uint32_t *chosen = tt_zalloc(columns, sizeof(*chosen));
    unsigned char *taken = tt_zalloc(columns, 1);
    enum tt_code rc = TT_OK;
    size_t count = 0;

    if (!chosen || !taken) {
        TT_FREE_ALL(chosen, taken);
        return tt_fail(err, TT_ENOMEM, "choosing columns of %s",
                       tt_table_file(t));
    }
    if (n == 0)
        add_matching(t, "*", taken, chosen, &count);
    for (size_t i = 0; rc == TT_OK && i < n; i++)
        if (!add_matching(t, pattern[i], taken, chosen, &count))
            rc = no_match(t, pattern[i], err);
    tt_free(taken);
    if (rc != TT_OK) {
        tt_free(chosen);
        return rc;
    }
    *column = chosen;
    *n_column = count;
    return TT_OK;
}
