/* SPDX-License-Identifier: MIT */
/* What came of a sweep, as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "tune/sweep.h"

static void put_cell(struct tt_buf *b, const char *s)
{
    if (!strpbrk(s, ",;\"\t\r\n")) {
        tt_buf_str(b, s);
        return;
    }
    tt_buf_char(b, '"');
    for (; *s; s++) {
        if (*s == '"')
            tt_buf_char(b, '"');
        tt_buf_char(b, *s);
    }
    tt_buf_char(b, '"');
}

static void put_number(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    tt_buf_char(b, ',');
    if (!isnan(v)) /* an empty cell */
        tt_buf_str(b, text);
}

static void put_heads(struct tt_buf *b, const struct tt_sweep *s, unsigned take)
{
    for (uint32_t c = 0; c < s->n_column; c++)
        for (unsigned k = 0; k < TT_TALLY_N; k++) {
            if (!(take & 1u << k))
                continue;
            tt_buf_char(b, ',');
            put_cell(b, s->column[c]);
            tt_buf_fmt(b, ".%s", tt_tally_name[k]);
        }
}

void tt_sweep_put_table(struct tt_buf *b, const struct tt_sweep *s,
                        unsigned take)
{
    const struct tt_points *p = s->points;

    tt_buf_str(b, "point");
    for (uint32_t i = 0; i < p->n_name; i++) {
        tt_buf_char(b, ',');
        put_cell(b, p->name[i]);
    }
    put_heads(b, s, take);
    tt_buf_str(b, ",state,problem\n");
    for (uint32_t k = 0; k < p->n; k++) {
        const struct tt_sweep_record *r = tt_sweep_at(s, k);
        int ok = r->state == TT_SWEEP_DONE;

        tt_buf_fmt(b, "%u", k);
        for (uint32_t i = 0; i < p->n_name; i++) {
            tt_buf_char(b, ',');
            put_cell(b, tt_points_at(p, k, i));
        }
        for (uint32_t i = 0; i < s->n_column * TT_TALLY_N; i++)
            if (take & 1u << i % TT_TALLY_N)
                put_number(b, ok ? r->value[i] : (double)NAN);
        tt_buf_fmt(b, ",%s,", tt_sweep_state_name(r->state));
        put_cell(b, r->problem);
        tt_buf_char(b, '\n');
    }
}

/* --- bands ---------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

/* Of n sorted numbers, between neighbours linearly (type 7). */
static double quantile(const double *v, uint32_t n, double q)
{
    double at = q * (n - 1.0);
    uint32_t low = (uint32_t)at;

    if (n == 0)
        return (double)NAN;
    return low + 1 >= n ? v[n - 1]
                        : v[low] + (at - low) * (v[low + 1] - v[low]);
}

/* Values of a column at an instant, of all points that have one, sorted. */
static uint32_t gather(const struct tt_sweep *s, uint32_t column, uint32_t k,
                       double *v)
{
    size_t at =
        (size_t)s->n_column * TT_TALLY_N + (size_t)column * s->n_instant + k;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->points->n; i++) {
        const struct tt_sweep_record *r = tt_sweep_at(s, i);

        if (r->state == TT_SWEEP_DONE && !isnan(r->value[at]))
            v[n++] = r->value[at];
    }
    qsort(v, n, sizeof(*v), by_size);
    return n;
}

enum tt_code tt_sweep_put_bands(struct tt_buf *b, const struct tt_sweep *s,
                                const double *q, uint32_t n_q, tt_err *err)
{
    char text[TT_NUM_MAX];
    double *v;

    if (!TT_NEW_ARRAY(v, s->points->n))
        return tt_nomem(err, "the bands");
    tt_buf_str(b, "time");
    for (uint32_t c = 0; c < s->n_column; c++)
        for (uint32_t i = 0; i < n_q; i++) {
            tt_num_print_short(text, q[i]);
            tt_buf_char(b, ',');
            put_cell(b, s->column[c]);
            tt_buf_fmt(b, ".q%s", text);
        }
    tt_buf_char(b, '\n');
    for (uint32_t k = 0; k < s->n_instant; k++) {
        double t = s->start + (s->end - s->start) * k / (s->n_instant - 1.0);

        tt_num_print_short(text, k + 1 == s->n_instant ? s->end : t);
        tt_buf_str(b, text);
        for (uint32_t c = 0; c < s->n_column; c++) {
            uint32_t n = gather(s, c, k, v);

            for (uint32_t i = 0; i < n_q; i++)
                put_number(b, quantile(v, n, q[i]));
        }
        tt_buf_char(b, '\n');
    }
    tt_free(v);
    return TT_OK;
}

/* --- differences ---------------------------------------------------------- */

static double slope(const struct tt_sweep *s, uint32_t name, uint32_t i)
{
    const struct tt_sweep_record *up = tt_sweep_at(s, 1 + 2 * name);
    const struct tt_sweep_record *down = tt_sweep_at(s, 2 + 2 * name);

    if (up->state != TT_SWEEP_DONE || down->state != TT_SWEEP_DONE)
        return (double)NAN;
    return (up->value[i] - down->value[i]) / (2 * s->points->step[name]);
}

void tt_sweep_put_slopes(struct tt_buf *b, const struct tt_sweep *s,
                         unsigned take)
{
    const struct tt_points *p = s->points;

    tt_buf_str(b, "number,parameter,value,difference");
    put_heads(b, s, take);
    tt_buf_char(b, '\n');
    for (uint32_t k = 0; k < p->n_name; k++) {
        tt_buf_fmt(b, "%u,", k);
        put_cell(b, p->name[k]);
        put_number(b, p->base[k]);
        put_number(b, p->step[k]);
        for (uint32_t i = 0; i < s->n_column * TT_TALLY_N; i++)
            if (take & 1u << i % TT_TALLY_N)
                put_number(b, slope(s, k, i));
        tt_buf_char(b, '\n');
    }
}

void tt_sweep_put_point(struct tt_buf *b, const struct tt_points *p,
                        uint32_t point)
{
    for (uint32_t i = 0; i < p->n_name; i++)
        tt_buf_fmt(b, "%s%s=%s", i ? ", " : "", p->name[i],
                   tt_points_at(p, point, i));
}
