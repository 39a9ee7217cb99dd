/* SPDX-License-Identifier: MIT */
#include "results/curves.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "results/position.h"

#define LEAST_BUCKETS 8u

struct bucket {
    double first, min, max, last;
};

struct span {
    double first, last; /* s */
    uint64_t rows;
};

struct tt_curves {
    tt_observer base;
    const struct tt_rows *rows; /* borrowed: outlives us */
    uint32_t cap;               /* buckets, even */
    uint32_t n;                 /* buckets begun */
    double width;               /* s: most a bucket covers; below 0: one row */
    uint64_t seen;
    struct span *span;     /* owned: one per bucket */
    struct bucket *bucket; /* owned: column after column */
};

static enum tt_code curves_begin(tt_observer *o, const struct tt_rows *rows,
                                 tt_err *err)
{
    tt_curves *t = (tt_curves *)o;
    size_t most = TT_TRACE_MAX_BYTES / sizeof(struct bucket);

    if (rows->n > 0 && t->cap > most / rows->n)
        t->cap = (uint32_t)(most / rows->n) / 2 * 2;
    if (t->cap < LEAST_BUCKETS)
        t->cap = LEAST_BUCKETS;
    t->rows = rows;
    t->width = -1;
    TT_NEW_ARRAY(t->span, t->cap);
    TT_NEW_ARRAY(t->bucket, (size_t)t->cap * rows->n);
    if (!t->span || !t->bucket)
        return tt_fail(err, TT_ENOMEM, "keeping the course of %u columns",
                       rows->n);
    return TT_OK;
}

/* A NaN of its own, with a payload, which nothing calculates with. */
static const uint64_t absent_bits = UINT64_C(0x7ff8000000ab5e47);

static double absent(void)
{
    double v;

    memcpy(&v, &absent_bits, sizeof(v));
    return v;
}

int tt_curves_is_absent(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits == absent_bits;
}

/* A NaN loses against any number: comparisons with it are false, and fmin and
 * fmax return the other one. */
static struct bucket merged(struct bucket a, struct bucket b)
{
    if (tt_curves_is_absent(a.first))
        return b;
    if (tt_curves_is_absent(b.first))
        return a;
    return (struct bucket){.first = a.first,
                           .min = fmin(a.min, b.min),
                           .max = fmax(a.max, b.max),
                           .last = b.last};
}

/* Bucket `from` behind what bucket `to` has, of every column. */
static void merge_into(tt_curves *t, uint32_t to, uint32_t from)
{
    t->span[to].last = t->span[from].last;
    t->span[to].rows += t->span[from].rows;
    for (uint32_t c = 0; c < t->rows->n; c++) {
        struct bucket *b = t->bucket + (size_t)c * t->cap;

        b[to] = merged(b[to], b[from]);
    }
}

static void move_to(tt_curves *t, uint32_t to, uint32_t from)
{
    if (to == from)
        return;
    t->span[to] = t->span[from];
    for (uint32_t c = 0; c < t->rows->n; c++) {
        struct bucket *b = t->bucket + (size_t)c * t->cap;

        b[to] = b[from];
    }
}

/* Neighbours that are together no longer than the width become one. */
static void merge_neighbours(tt_curves *t)
{
    uint32_t n = 1;

    for (uint32_t i = 1; i < t->n; i++) {
        if (t->span[i].last - t->span[n - 1].first <= t->width)
            merge_into(t, n - 1, i);
        else
            move_to(t, n++, i);
    }
    t->n = n;
}

/* Wider buckets, until a quarter of them is free. A run whose time stands
 * still becomes one bucket. */
static void make_room(tt_curves *t)
{
    double all = t->span[t->n - 1].last - t->span[0].first;

    t->width = fmax(2 * t->width, 2 * all / t->cap);
    merge_neighbours(t);
    while (t->n > t->cap / 4 * 3) {
        t->width *= 2;
        merge_neighbours(t);
    }
}

static int is_within_last(const tt_curves *t, double time)
{
    return t->n > 0 && time - t->span[t->n - 1].first <= t->width;
}

static enum tt_code curves_row(tt_observer *o, struct tt_instant at, double h,
                               tt_err *err)
{
    tt_curves *t = (tt_curves *)o;
    int fresh;

    (void)h;
    (void)err;
    if (t->n == t->cap && !is_within_last(t, at.t))
        make_room(t);
    fresh = !is_within_last(t, at.t);
    if (fresh)
        t->span[t->n++] = (struct span){.first = at.t};
    t->seen++;
    t->span[t->n - 1].rows++;
    t->span[t->n - 1].last = at.t;
    for (uint32_t c = 0; c < t->rows->n; c++) {
        const struct tt_column *col = &t->rows->column[c];
        struct bucket *b = t->bucket + (size_t)c * t->cap + t->n - 1;
        double v;

        if (tt_type_is_text(col->type))
            continue;
        v = tt_column_is_absent(col) ? absent() : tt_column_number(col);
        if (fresh)
            *b = (struct bucket){v, v, v, v};
        else
            *b = merged(*b, (struct bucket){v, v, v, v});
    }
    return TT_OK;
}

/* --- taking up again ----------------------------------------------------- */

struct state { /* before spans, and buckets column by column */
    uint64_t cap, n, columns, seen;
    double width;
};

static void curves_save(const tt_observer *o, struct tt_buf *to)
{
    const tt_curves *t = (const tt_curves *)o;
    struct state s = {t->cap, t->n, t->rows->n, t->seen, t->width};

    tt_buf_add(to, &s, sizeof(s));
    tt_buf_add(to, t->span, t->n * sizeof(*t->span));
    for (uint32_t c = 0; c < t->rows->n; c++)
        tt_buf_add(to, t->bucket + (size_t)c * t->cap,
                   t->n * sizeof(*t->bucket));
}

static enum tt_code curves_restore(tt_observer *o, const void *data, size_t n,
                                   tt_err *err)
{
    tt_curves *t = (tt_curves *)o;
    struct tt_cursor c = {.at = data, .left = n};
    struct state s;

    tt_cursor_read(&c, &s, sizeof(s));
    if (c.bad || s.cap != t->cap || s.columns != t->rows->n || s.n > s.cap ||
        isnan(s.width) ||
        c.left != s.n * (sizeof(*t->span) + s.columns * sizeof(*t->bucket)))
        return tt_fail(err, TT_EINPUT,
                       "what plots need of the run so far is damaged in the "
                       "checkpoint");
    t->n = (uint32_t)s.n;
    t->width = s.width;
    t->seen = s.seen;
    tt_cursor_read(&c, t->span, t->n * sizeof(*t->span));
    for (uint32_t i = 0; i < t->rows->n; i++)
        tt_cursor_read(&c, t->bucket + (size_t)i * t->cap,
                       t->n * sizeof(*t->bucket));
    return TT_OK;
}

static void curves_free(tt_observer *o)
{
    tt_curves *t = (tt_curves *)o;

    TT_FREE_ALL(t->span, t->bucket, t);
}

static const struct tt_observer_ops curves_ops = {
    TT_HOOKS(curves_, begin, row, save, restore, free)};

enum tt_code tt_curves_new(tt_curves **out, uint32_t buckets, tt_err *err)
{
    tt_curves *t;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "keeping the course of the run");
    t->base.ops = &curves_ops;
    t->cap = buckets ? buckets / 2 * 2 : TT_TRACE_BUCKETS;
    *out = t;
    return TT_OK;
}

tt_observer *tt_curves_observer(tt_curves *t)
{
    return &t->base;
}

uint32_t tt_curves_columns(const tt_curves *t)
{
    return t->rows ? t->rows->n : 0;
}

const struct tt_column *tt_curves_column(const tt_curves *t, uint32_t column)
{
    TT_ASSERT(column < tt_curves_columns(t));
    return &t->rows->column[column];
}

int tt_curves_is_text(const tt_curves *t, uint32_t column)
{
    return tt_type_is_text(tt_curves_column(t, column)->type);
}

size_t tt_curves_points(const tt_curves *t)
{
    size_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += t->span[i].rows == 1 ? 1 : 4;
    return n;
}

void tt_curves_get_times(const tt_curves *t, double *time)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct span s = t->span[i];
        double third = (s.last - s.first) / 3;

        *time++ = s.first;
        if (s.rows == 1)
            continue;
        *time++ = s.first + third;
        *time++ = s.last - third;
        *time++ = s.last;
    }
}

void tt_curves_get_values(const tt_curves *t, uint32_t column, double *value)
{
    const struct bucket *b = t->bucket + (size_t)column * t->cap;
    int text = tt_curves_is_text(t, column);

    for (uint32_t i = 0; i < t->n; i++) {
        struct bucket v = b[i];

        if (text)
            v.first = v.min = v.max = v.last = (double)NAN;
        *value++ = v.first;
        if (t->span[i].rows == 1)
            continue;
        /* in the order in which a signal without turns has them */
        *value++ = v.first > v.last ? v.max : v.min;
        *value++ = v.first > v.last ? v.min : v.max;
        *value++ = v.last;
    }
}
