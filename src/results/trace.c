/* SPDX-License-Identifier: MIT */
#include "results/trace.h"

#include <math.h>

#include "base/mem.h"

#define LEAST_BUCKETS 8u

struct bucket {
    double first, min, max, last;
};

struct span {
    double first, last; /* s */
};

struct tt_trace {
    tt_observer base;
    const struct tt_rows *rows; /* borrowed: outlives us */
    uint32_t cap;               /* buckets, even */
    uint32_t n;                 /* buckets begun */
    uint64_t width;             /* rows per full bucket, a power of two */
    uint64_t fill;              /* rows in the last bucket */
    uint64_t seen;
    struct span *span;     /* owned: one per bucket */
    struct bucket *bucket; /* owned: column after column */
};

static int is_text(enum tt_type t)
{
    return t == TT_TEXT || t == TT_BYTES;
}

static enum tt_code trace_begin(tt_observer *o, const struct tt_rows *rows,
                                tt_err *err)
{
    tt_trace *t = (tt_trace *)o;
    size_t most = TT_TRACE_MAX_BYTES / sizeof(struct bucket);

    if (rows->n > 0 && t->cap > most / rows->n)
        t->cap = (uint32_t)(most / rows->n) / 2 * 2;
    if (t->cap < LEAST_BUCKETS)
        t->cap = LEAST_BUCKETS;
    t->rows = rows;
    t->width = 1;
    TT_NEW_ARRAY(t->span, t->cap);
    TT_NEW_ARRAY(t->bucket, (size_t)t->cap * rows->n);
    if (!t->span || !t->bucket)
        return tt_fail(err, TT_ENOMEM, "keeping the course of %u columns",
                       rows->n);
    return TT_OK;
}

/* A NaN loses against any number: comparisons with it are false, and fmin and
 * fmax return the other one. */
static struct bucket merged(struct bucket a, struct bucket b)
{
    return (struct bucket){.first = a.first,
                           .min = fmin(a.min, b.min),
                           .max = fmax(a.max, b.max),
                           .last = b.last};
}

/* Twice as many rows per bucket, half as many buckets. */
static void merge_neighbours(tt_trace *t)
{
    for (size_t i = 0; i < t->cap / 2; i++)
        t->span[i] =
            (struct span){t->span[2 * i].first, t->span[2 * i + 1].last};
    for (uint32_t c = 0; c < t->rows->n; c++) {
        struct bucket *b = t->bucket + (size_t)c * t->cap;

        for (size_t i = 0; i < t->cap / 2; i++)
            b[i] = merged(b[2 * i], b[2 * i + 1]);
    }
    t->n = t->cap / 2;
    t->width *= 2;
    t->fill = t->width;
}

static enum tt_code trace_row(tt_observer *o, double time, double h,
                              tt_err *err)
{
    tt_trace *t = (tt_trace *)o;
    int fresh;

    (void)h;
    (void)err;
    if (t->n == t->cap && t->fill == t->width)
        merge_neighbours(t);
    fresh = t->n == 0 || t->fill == t->width;
    if (fresh) {
        t->span[t->n++].first = time;
        t->fill = 0;
    }
    t->fill++;
    t->seen++;
    t->span[t->n - 1].last = time;
    for (uint32_t c = 0; c < t->rows->n; c++) {
        const struct tt_column *col = &t->rows->column[c];
        struct bucket *b = t->bucket + (size_t)c * t->cap + t->n - 1;
        double v;

        if (is_text(col->type))
            continue;
        v = tt_value_as_double(col->type, col->value);
        if (fresh)
            *b = (struct bucket){v, v, v, v};
        else
            *b = merged(*b, (struct bucket){v, v, v, v});
    }
    return TT_OK;
}

static enum tt_code trace_end(tt_observer *o, tt_err *err)
{
    (void)o;
    (void)err;
    return TT_OK;
}

static void trace_free(tt_observer *o)
{
    tt_trace *t = (tt_trace *)o;

    tt_free(t->span);
    tt_free(t->bucket);
    tt_free(t);
}

static const struct tt_observer_ops trace_ops = {
    .name = "trace",
    .begin = trace_begin,
    .row = trace_row,
    .end = trace_end,
    .free = trace_free,
};

enum tt_code tt_trace_new(tt_trace **out, uint32_t buckets, tt_err *err)
{
    tt_trace *t;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "keeping the course of the run");
    t->base.ops = &trace_ops;
    t->cap = buckets ? buckets / 2 * 2 : TT_TRACE_BUCKETS;
    *out = t;
    return TT_OK;
}

tt_observer *tt_trace_observer(tt_trace *t)
{
    return &t->base;
}

uint64_t tt_trace_rows(const tt_trace *t)
{
    return t->seen;
}

uint32_t tt_trace_columns(const tt_trace *t)
{
    return t->rows ? t->rows->n : 0;
}

const struct tt_column *tt_trace_column(const tt_trace *t, uint32_t column)
{
    TT_ASSERT(column < tt_trace_columns(t));
    return &t->rows->column[column];
}

int tt_trace_is_text(const tt_trace *t, uint32_t column)
{
    return is_text(tt_trace_column(t, column)->type);
}

size_t tt_trace_points(const tt_trace *t)
{
    return (size_t)t->n * (t->width == 1 ? 1 : 4);
}

void tt_trace_get_times(const tt_trace *t, double *time)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct span s = t->span[i];
        double third = (s.last - s.first) / 3;

        *time++ = s.first;
        if (t->width == 1)
            continue;
        *time++ = s.first + third;
        *time++ = s.last - third;
        *time++ = s.last;
    }
}

void tt_trace_get_values(const tt_trace *t, uint32_t column, double *value)
{
    const struct bucket *b = t->bucket + (size_t)column * t->cap;
    int text = tt_trace_is_text(t, column);

    for (uint32_t i = 0; i < t->n; i++) {
        struct bucket v = b[i];

        if (text)
            v.first = v.min = v.max = v.last = (double)NAN;
        *value++ = v.first;
        if (t->width == 1)
            continue;
        /* in the order in which a signal without turns has them */
        *value++ = v.first > v.last ? v.max : v.min;
        *value++ = v.first > v.last ? v.min : v.max;
        *value++ = v.last;
    }
}
