/* SPDX-License-Identifier: MIT */
#include "results/xy.h"

#include <string.h>

#include "base/brief.h"
#include "base/buf.h"
#include "results/pattern.h"

#define NAMES_MAX TT_TABLE_MAX_BYTES /* none is longer than its table */

/* The one column of numbers a pattern means. */
static enum tt_code one_column(const tt_table *t, const char *pattern,
                               uint32_t *out, tt_err *err)
{
    uint32_t *column = NULL;
    size_t n = 0;
    enum tt_code rc = tt_pattern_select(t, &pattern, 1, &column, &n, err);

    if (rc != TT_OK)
        return rc;
    *out = column[0];
    if (n > 1)
        rc = tt_fail(err, TT_EINPUT,
                     "%s: '%s' is %zu columns, among them '%s' and '%s'; an "
                     "x-y plot needs one",
                     tt_table_file(t), pattern, n, tt_table_name(t, column[0]),
                     tt_table_name(t, column[1]));
    else if (tt_table_is_text(t, *out))
        rc = tt_fail(err, TT_EINPUT, "%s: column '%s' has no numbers to plot",
                     tt_table_file(t), tt_table_name(t, *out));
    tt_free(column);
    return rc;
}

static enum tt_code two_columns(const tt_table *t, const char *pair,
                                tt_arena *arena, uint32_t *x, uint32_t *y,
                                tt_err *err)
{
    struct tt_patterns names;
    enum tt_code rc = tt_pattern_split(&names, &pair, 1, arena, err);

    if (rc == TT_OK && names.n != 2)
        rc = tt_fail(err, TT_EINPUT, "'%s' is not a pair of columns 'X,Y'",
                     pair);
    if (rc == TT_OK)
        rc = one_column(t, names.item[0], x, err);
    if (rc == TT_OK)
        rc = one_column(t, names.item[1], y, err);
    return rc;
}

/* Names of another form than "{k}.i.v" are kept whole. */
static const char *variable_of(const char *name)
{
    const char *variable = tt_series_variable(name);

    return variable ? variable : name;
}

/* What was written, in the arena; ends the buffer. */
static const char *keep(struct tt_buf *b, tt_arena *arena)
{
    const char *text =
        b->failed ? NULL : tt_arena_strndup(arena, b->data, b->len);

    tt_buf_fini(b);
    return text;
}

/* "i.x, y" where both are of one instance, else "i.x, j.y". */
static const char *curve_name(const char *x, const char *y,
                              const struct tt_brief *brief, tt_arena *arena)
{
    size_t common = (size_t)(variable_of(x) - x);
    struct tt_buf b;

    tt_buf_init(&b, NAMES_MAX);
    tt_buf_fmt(&b, "%s, %s", tt_brief_name(brief, x),
               common && strncmp(x, y, common) == 0 ? y + common
                                                    : tt_brief_name(brief, y));
    return keep(&b, arena);
}

/* The variables at an axis, none twice: "x, lineX". */
static const char *axis_name(const tt_table *t, const uint32_t *column,
                             size_t n, tt_arena *arena)
{
    struct tt_buf b;

    tt_buf_init(&b, NAMES_MAX);
    for (size_t i = 0; i < n; i++) {
        const char *v = variable_of(tt_table_name(t, column[i]));
        size_t k = 0;

        while (k < i &&
               strcmp(variable_of(tt_table_name(t, column[k])), v) != 0)
            k++;
        if (k == i)
            tt_buf_fmt(&b, "%s%s", i ? ", " : "", v);
    }
    return keep(&b, arena);
}

static enum tt_code fill(struct tt_panels *p, const tt_table *t,
                         const char *const *pair, size_t n,
                         const struct tt_brief *brief, tt_err *err)
{
    struct tt_series *s = tt_arena_alloc(p->arena, n, sizeof(*s));
    uint32_t x[TT_PANEL_SERIES], y[TT_PANEL_SERIES];

    p->panel = tt_arena_alloc(p->arena, 1, sizeof(*p->panel));
    if (!s || !p->panel)
        return tt_nomem(err, "x-y plot");
    for (size_t i = 0; i < n; i++) {
        enum tt_code rc = two_columns(t, pair[i], p->arena, &x[i], &y[i], err);

        if (rc != TT_OK)
            return rc;
        s[i] = (struct tt_series){.name = curve_name(tt_table_name(t, x[i]),
                                                     tt_table_name(t, y[i]),
                                                     brief, p->arena),
                                  .t = tt_table_values(t, x[i]),
                                  .y = tt_table_values(t, y[i]),
                                  .n = tt_table_rows(t)};
        if (!s[i].name)
            return tt_nomem(err, "x-y plot");
    }
    *p->panel = (struct tt_panel){.unit = axis_name(t, y, n, p->arena),
                                  .x_name = axis_name(t, x, n, p->arena),
                                  .series = s,
                                  .n = n};
    p->n = 1;
    return p->panel->unit && p->panel->x_name ? TT_OK
                                              : tt_nomem(err, "x-y plot");
}

enum tt_code tt_xy_panel(struct tt_panels *p, const tt_table *t,
                         const char *const *pair, size_t n, tt_err *err)
{
    struct tt_brief brief;
    enum tt_code rc;

    if (n > TT_PANEL_SERIES)
        return tt_fail(
            err, TT_EINPUT,
            "%zu x-y curves in one picture: at most %u can be distinguished", n,
            TT_PANEL_SERIES);
    *p = (struct tt_panels){.arena = tt_arena_new()};
    tt_brief_init(&brief);
    for (uint32_t i = 0; i < tt_table_columns(t); i++)
        tt_brief_add(&brief, tt_table_name(t, i));
    rc =
        p->arena ? fill(p, t, pair, n, &brief, err) : tt_nomem(err, "x-y plot");
    tt_brief_fini(&brief);
    if (rc != TT_OK)
        tt_panels_fini(p);
    return rc;
}
