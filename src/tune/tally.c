/* SPDX-License-Identifier: MIT */
#include "tune/tally.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

const char *const tt_tally_name[TT_TALLY_N] = {"final", "min", "max", "mean"};

struct tally {
    tt_observer base;
    struct tt_tally_opts o;
    const struct tt_rows *rows;
    double *last, *sum; /* per column */
    double t0, t;       /* of the first and the last row */
    uint32_t n_row, at; /* at: the next instant of the curves */
};

static double number(const struct tt_column *c)
{
    double v;

    if (c->type != TT_F64 || tt_column_is_absent(c))
        return tt_column_number(c);
    memcpy(&v, c->value, sizeof(v));
    return v;
}

static enum tt_code begin(tt_observer *o, const struct tt_rows *rows,
                          tt_err *err)
{
    struct tally *y = (struct tally *)o;

    (void)err;
    y->rows = rows;
    for (uint32_t i = 0; i < y->o.n * TT_TALLY_N; i++)
        y->o.out[i] = (double)NAN;
    for (size_t i = 0; y->o.curve && i < (size_t)y->o.n * y->o.n_instant; i++)
        y->o.curve[i] = (double)NAN;
    return TT_OK;
}

static double instant(const struct tally *y, uint32_t k)
{
    const struct tt_rows *r = y->rows;

    return k + 1 >= y->o.n_instant
               ? r->end
               : r->start + (r->end - r->start) * k / (y->o.n_instant - 1.0);
}

/* Values between the last row and this one; discrete ones hold. */
static void draw(struct tally *y, double t)
{
    double close = 1e-9 * fabs(y->rows->end - y->rows->start);

    for (; y->at < y->o.n_instant && instant(y, y->at) <= t + close; y->at++) {
        double s = instant(y, y->at), part = 1;

        if (y->n_row && t > y->t)
            part = fmin(1, (s - y->t) / (t - y->t));
        for (uint32_t i = 0; i < y->o.n; i++) {
            const struct tt_column *c = &y->rows->column[y->o.column[i]];
            double v = number(c);

            if ((part < 1 && c->discrete) || isnan(v))
                v = y->last[i]; /* also of what is absent between its ticks */
            else if (part < 1)
                v = y->last[i] + part * (v - y->last[i]);
            y->o.curve[(size_t)i * y->o.n_instant + y->at] = v;
        }
    }
}

static enum tt_code row(tt_observer *o, struct tt_instant at, double h,
                        tt_err *err)
{
    struct tally *y = (struct tally *)o;
    double t = at.t;

    (void)h;
    (void)err;
    if (y->o.curve)
        draw(y, t);
    if (!y->n_row)
        y->t0 = t;
    for (uint32_t i = 0; i < y->o.n; i++) {
        const struct tt_column *c = &y->rows->column[y->o.column[i]];
        double *out = y->o.out + (size_t)i * TT_TALLY_N;
        double v = number(c);

        if (isnan(v)) /* absent, or none: it has no part in these */
            continue;
        if (y->n_row && !isnan(y->last[i]))
            y->sum[i] +=
                (t - y->t) * (c->discrete ? y->last[i] : (y->last[i] + v) / 2);
        out[TT_TALLY_FINAL] = y->last[i] = v;
        if (!(out[TT_TALLY_MIN] <= v))
            out[TT_TALLY_MIN] = v;
        if (!(out[TT_TALLY_MAX] >= v))
            out[TT_TALLY_MAX] = v;
    }
    y->t = t;
    y->n_row++;
    return TT_OK;
}

static enum tt_code end(tt_observer *o, tt_err *err)
{
    struct tally *y = (struct tally *)o;
    double span = y->t - y->t0;

    (void)err;
    for (uint32_t i = 0; i < y->o.n; i++) {
        double *out = y->o.out + (size_t)i * TT_TALLY_N;

        out[TT_TALLY_MEAN] = span > 0 ? y->sum[i] / span : out[TT_TALLY_FINAL];
    }
    return TT_OK;
}

/* What is kept of the rows so far: numbers and places. */
static void each_piece(struct tally *y,
                       void (*fn)(void *ctx, void *p, size_t n), void *ctx)
{
    size_t n = y->o.n, one = sizeof(double);

    fn(ctx, y->o.out, n * TT_TALLY_N * one);
    if (y->o.curve)
        fn(ctx, y->o.curve, n * y->o.n_instant * one);
    fn(ctx, y->last, n * one);
    fn(ctx, y->sum, n * one);
    fn(ctx, &y->t0, one);
    fn(ctx, &y->t, one);
    fn(ctx, &y->n_row, sizeof(y->n_row));
    fn(ctx, &y->at, sizeof(y->at));
}

static void add_piece(void *ctx, void *p, size_t n)
{
    tt_buf_add(ctx, p, n);
}

static void save(const tt_observer *o, struct tt_buf *to)
{
    each_piece((struct tally *)(uintptr_t)o, add_piece, to);
}

struct taking {
    const char *at;
    size_t left;
    int bad;
};

static void take_piece(void *ctx, void *p, size_t n)
{
    struct taking *t = ctx;

    t->bad |= n > t->left;
    if (t->bad)
        return;
    memcpy(p, t->at, n);
    t->at += n;
    t->left -= n;
}

static enum tt_code restore(tt_observer *o, const void *data, size_t n,
                            tt_err *err)
{
    struct taking t = {data, n, 0};

    each_piece((struct tally *)o, take_piece, &t);
    return t.bad || t.left
               ? tt_fail(err, TT_EINPUT, "what was kept is of other columns")
               : TT_OK;
}

static void release(tt_observer *o)
{
    struct tally *y = (struct tally *)o;

    TT_FREE_ALL(y->last, y->sum, y);
}

static const struct tt_observer_ops ops = {.begin = begin,
                                           .row = row,
                                           .end = end,
                                           .save = save,
                                           .restore = restore,
                                           .free = release};

tt_observer *tt_tally_new(const struct tt_tally_opts *o)
{
    struct tally *y = tt_zalloc(1, sizeof(*y));

    if (!y)
        return NULL;
    y->base.ops = &ops;
    y->o = *o;
    if (!TT_NEW_ARRAY(y->last, o->n) || !TT_NEW_ARRAY(y->sum, o->n)) {
        release(&y->base);
        return NULL;
    }
    for (uint32_t i = 0; i < o->n; i++)
        y->last[i] = (double)NAN;
    return &y->base;
}
