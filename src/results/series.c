/* SPDX-License-Identifier: MIT */
#include "results/series_impl.h"

#include <math.h>
#include <string.h>

#include "base/brief.h"

#define SCALE_FACTOR 20.0

/* Columns that state of a row what it is. */
#define BETWEEN "intermediate"
#define MICRO   "microstep"

void tt_panels_fini(struct tt_panels *p)
{
    tt_arena_free(p->arena);
    *p = (struct tt_panels){0};
}

/* --- ranges ------------------------------------------------------------ */

static int numbers_range(const double *v, size_t n, double *lo, double *hi)
{
    int any = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            continue;
        if (!any || v[i] < *lo)
            *lo = v[i];
        if (!any || v[i] > *hi)
            *hi = v[i];
        any = 1;
    }
    return any;
}

int tt_series_range(const struct tt_series *s, double *lo, double *hi)
{
    return s->y && numbers_range(s->y, s->n, lo, hi);
}

static int panel_range(const struct tt_panel *p, int across, double *lo,
                       double *hi)
{
    double a = 0, b = 0;
    int any = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct tt_series *s = &p->series[i];

        if (across ? !numbers_range(s->t, s->n, &a, &b)
                   : !tt_series_range(s, &a, &b))
            continue;
        if (s->stems && !across) { /* they stand on zero */
            a = fmin(a, 0);
            b = fmax(b, 0);
        }
        *lo = any ? fmin(*lo, a) : a;
        *hi = any ? fmax(*hi, b) : b;
        any = 1;
    }
    return any;
}

int tt_panel_range(const struct tt_panel *p, double *lo, double *hi)
{
    return panel_range(p, 0, lo, hi);
}

int tt_panel_times(const struct tt_panel *p, double *lo, double *hi)
{
    int any = panel_range(p, 1, lo, hi);

    if (!(p->from < p->to))
        return any;
    *lo = any ? fmin(*lo, p->from) : p->from;
    *hi = any ? fmax(*hi, p->to) : p->to;
    return 1;
}

int tt_panel_is_whole(const struct tt_panel *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct tt_series *s = &p->series[i];

        if (!s->steps || !s->y)
            return 0;
        for (size_t k = 0; k < s->n; k++)
            if (isfinite(s->y[k]) && s->y[k] != floor(s->y[k]))
                return 0;
    }
    return 1;
}

int tt_panel_is_binary(const struct tt_panel *p)
{
    double lo = 0, hi = 0;

    return tt_panel_is_whole(p) && tt_panel_range(p, &lo, &hi) && hi - lo <= 1;
}

/* --- grouping ---------------------------------------------------------- */

struct item { /* a series looking for its panel */
    struct tt_series series;
    const char *instance; /* "{k}.i", or NULL */
    double size;          /* greatest magnitude */
};

const char *tt_series_variable(const char *name)
{
    const char *dot = strchr(name, '.');

    dot = dot ? strchr(dot + 1, '.') : NULL;
    return dot && dot[1] ? dot + 1 : NULL;
}

static int name_item(struct item *it, tt_arena *arena, int by_instance)
{
    const char *variable = tt_series_variable(it->series.full);

    it->series.name = it->series.full;
    if (!by_instance || !variable)
        return 0;
    it->series.name = variable;
    it->instance = tt_arena_strndup(arena, it->series.full,
                                    (size_t)(variable - 1 - it->series.full));
    return it->instance ? 0 : -1;
}

/* Values that are there at single instants, and not between them. */
static int is_sparse(const struct tt_series *s)
{
    size_t last = s->n, count = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (s->word ? !s->word[i] : isnan(s->y[i]))
            continue;
        if (last + 1 == i && s->t[last] < s->t[i])
            return 0;
        last = i;
        count++;
    }
    return count > 0 && count < s->n;
}

static int same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static int fits(const struct item *a, const struct item *b)
{
    if (!same(a->instance, b->instance) ||
        !same(a->series.unit, b->series.unit) ||
        !a->series.word != !b->series.word)
        return 0;
    if (a->series.word)
        return 1;
    if (a->series.steps != b->series.steps ||
        a->series.stems != b->series.stems)
        return 0;
    if (a->size == 0 || b->size == 0) /* zero goes with anything */
        return 1;
    return a->size <= b->size * SCALE_FACTOR &&
           b->size <= a->size * SCALE_FACTOR;
}

struct place {               /* beside each panel while it fills */
    const struct item *lead; /* its first member with a number but zero */
    struct tt_series *series;
};

/* The first panel where the item fits; p->n when it needs a new one. Fitting
 * the leader is enough to keep a panel readable. */
static size_t find_panel(const struct tt_panels *p, const struct place *place,
                         const struct item *it)
{
    size_t k = 0;

    while (k < p->n &&
           (p->panel[k].n >= TT_PANEL_SERIES || !fits(place[k].lead, it)))
        k++;
    return k;
}

static int new_panel(struct tt_panels *p, struct place *place,
                     const struct item *it)
{
    place->lead = it;
    if (!TT_NEW_IN(p->arena, place->series, TT_PANEL_SERIES))
        return -1;
    p->panel[p->n++] = (struct tt_panel){.title = it->instance,
                                         .unit = it->series.unit,
                                         .series = place->series};
    return 0;
}

/* Names as people read them. */
static void shorten(struct item *item, size_t n)
{
    struct tt_brief brief;

    tt_brief_init(&brief);
    for (size_t i = 0; i < n; i++)
        tt_brief_add(&brief, item[i].series.full);
    for (size_t i = 0; i < n; i++) {
        item[i].series.name = tt_brief_name(&brief, item[i].series.name);
        if (item[i].instance)
            item[i].instance = tt_brief_name(&brief, item[i].instance);
    }
    tt_brief_fini(&brief);
}

static enum tt_code group(struct tt_panels *p, const struct item *item,
                          size_t n, tt_err *err)
{
    struct place *place = tt_arena_alloc(p->arena, n, sizeof(*place));

    p->panel = tt_arena_alloc(p->arena, n, sizeof(*p->panel));
    if (!p->panel || !place)
        return tt_fail(err, TT_ENOMEM, "plot of %zu series", n);
    for (size_t i = 0; i < n; i++) {
        size_t k = find_panel(p, place, &item[i]);

        if (k == p->n && new_panel(p, &place[k], &item[i]) != 0)
            return tt_fail(err, TT_ENOMEM, "plot of %zu series", n);
        if (place[k].lead->size == 0 && item[i].size > 0)
            place[k].lead = &item[i];
        place[k].series[p->panel[k].n++] = item[i].series;
    }
    for (size_t k = 0; k < p->n; k++)
        if (tt_panel_is_bands(&p->panel[k]) &&
            series_collect(&p->panel[k], p->arena) != 0)
            return tt_fail(err, TT_ENOMEM, "plot of %zu series", n);
    return TT_OK;
}

static enum tt_code finish(struct tt_panels *p, const struct tt_series *series,
                           size_t n, int by_instance, tt_err *err)
{
    struct item *item = tt_arena_alloc(p->arena, n, sizeof(*item));

    if (!item)
        return tt_fail(err, TT_ENOMEM, "plot of %zu series", n);
    for (size_t i = 0; i < n; i++) {
        double lo = 0, hi = 0;

        item[i].series = series[i];
        if (name_item(&item[i], p->arena, by_instance) != 0)
            return tt_fail(err, TT_ENOMEM, "plot of %zu series", n);
        if (tt_series_range(&item[i].series, &lo, &hi))
            item[i].size = fmax(fabs(lo), fabs(hi));
        item[i].series.stems |= is_sparse(&item[i].series);
    }
    shorten(item, n);
    return group(p, item, n, err);
}

static int is_about(const char *name)
{
    return strcmp(name, BETWEEN) == 0 || strcmp(name, MICRO) == 0;
}

static int is_absent(double v)
{
    return tt_curves_is_absent(v);
}

static int is_nan(double v)
{
    return isnan(v);
}

/* Points within steps of other instances, where this series has no value, are
 * no gaps in its line. among: 0 where a point is kept whatever it is. */
static int leave_out(tt_arena *arena, struct tt_series *s,
                     int (*is_out)(double v), const double *among)
{
    double *t = tt_arena_alloc(arena, s->n, sizeof(*t));
    double *y = tt_arena_alloc(arena, s->n, sizeof(*y));
    size_t n = 0;

    if (!t || !y)
        return -1;
    for (size_t i = 0; i < s->n; i++) {
        if (is_out(s->y[i]) && (!among || among[i] != 0))
            continue;
        t[n] = s->t[i];
        y[n++] = s->y[i];
    }
    s->t = t;
    s->y = y;
    s->n = n;
    return 0;
}

static enum tt_code from_curves(struct tt_panels *p, const tt_curves *curves,
                                int by_instance, tt_err *err)
{
    size_t points = tt_curves_points(curves), n = 0;
    struct tt_series *series =
        tt_arena_alloc(p->arena, tt_curves_columns(curves), sizeof(*series));
    double *t = tt_arena_alloc(p->arena, points, sizeof(*t)), *y;

    if (!series || !t)
        return tt_fail(err, TT_ENOMEM, "plot of %u columns",
                       tt_curves_columns(curves));
    tt_curves_get_times(curves, t);
    for (uint32_t i = 0; i < tt_curves_columns(curves); i++) {
        const struct tt_column *c = tt_curves_column(curves, i);

        if (tt_curves_is_text(curves, i) || (by_instance && is_about(c->name)))
            continue;
        if (!TT_NEW_IN(p->arena, y, points))
            return tt_fail(err, TT_ENOMEM, "plot of %u columns",
                           tt_curves_columns(curves));
        tt_curves_get_values(curves, i, y);
        series[n] = (struct tt_series){.full = c->name,
                                       .unit = c->unit,
                                       .t = t,
                                       .y = y,
                                       .n = points,
                                       .steps = c->discrete,
                                       .stems = c->discrete && c->present};
        if (c->present && !c->discrete &&
            leave_out(p->arena, &series[n], is_absent, NULL))
            return tt_fail(err, TT_ENOMEM, "plot of %u columns",
                           tt_curves_columns(curves));
        n++;
    }
    return finish(p, series, n, by_instance, err);
}

/* One column; its values are borrowed. */
static int read_column(struct tt_series *s, const tt_table *t, uint32_t c,
                       const double *between, tt_arena *arena)
{
    *s = (struct tt_series){.full = tt_table_name(t, c),
                            .t = tt_table_time(t),
                            .n = tt_table_rows(t),
                            .steps = tt_table_is_discrete(t, c)};
    if (tt_table_is_text(t, c)) {
        s->steps = 0;
        s->word = series_words(t, c, arena);
        return s->word ? 0 : -1;
    }
    s->y = tt_table_values(t, c);
    return between ? leave_out(arena, s, is_nan, between) : 0;
}

static enum tt_code from_table(struct tt_panels *p, const tt_table *table,
                               const uint32_t *column, size_t n_column,
                               int by_instance, tt_err *err)
{
    struct tt_series *series =
        tt_arena_alloc(p->arena, n_column, sizeof(*series));
    uint32_t mark = tt_table_find(table, BETWEEN);
    const double *between = NULL;
    size_t n = 0;

    if (!series)
        return tt_fail(err, TT_ENOMEM, "plot of %zu columns", n_column);
    if (mark != TT_NONE && !tt_table_is_text(table, mark))
        between = tt_table_values(table, mark);
    for (size_t i = 0; i < n_column; i++) {
        uint32_t c = column[i];

        if (by_instance && is_about(tt_table_name(table, c)))
            continue;
        if (read_column(&series[n++], table, c, between, p->arena) != 0)
            return tt_fail(err, TT_ENOMEM, "plot of %zu columns", n_column);
    }
    return finish(p, series, n, by_instance, err);
}

static enum tt_code begin(struct tt_panels *p, tt_err *err)
{
    *p = (struct tt_panels){.arena = tt_arena_new()};
    return p->arena ? TT_OK : tt_fail(err, TT_ENOMEM, "plot");
}

enum tt_code tt_panels_from_curves(struct tt_panels *p, const tt_curves *curves,
                                   int by_instance, tt_err *err)
{
    enum tt_code rc = begin(p, err);

    if (rc == TT_OK)
        rc = from_curves(p, curves, by_instance, err);
    if (rc != TT_OK)
        tt_panels_fini(p);
    return rc;
}

enum tt_code tt_panels_from_table(struct tt_panels *p, const tt_table *table,
                                  const uint32_t *column, size_t n,
                                  int by_instance, tt_err *err)
{
    enum tt_code rc = begin(p, err);

    if (rc == TT_OK)
        rc = from_table(p, table, column, n, by_instance, err);
    if (rc != TT_OK)
        tt_panels_fini(p);
    return rc;
}

enum tt_code tt_panels_from_events(struct tt_panels *p, const tt_table *list,
                                   const char *const *pattern, size_t n_pattern,
                                   tt_err *err)
{
    struct tt_series *series = NULL;
    size_t n = 0;
    enum tt_code rc = begin(p, err);

    if (rc == TT_OK)
        rc = series_from_events(&series, &n, list, pattern, n_pattern, p->arena,
                                err);
    if (rc == TT_OK)
        rc = finish(p, series, n, n_pattern == 0, err);
    for (size_t i = 0; rc == TT_OK && i < p->n; i++) { /* one axis for all */
        p->panel[i].from = tt_table_time(list)[0];
        p->panel[i].to = tt_table_time(list)[tt_table_rows(list) - 1];
    }
    if (rc != TT_OK)
        tt_panels_fini(p);
    return rc;
}
