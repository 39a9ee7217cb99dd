/* SPDX-License-Identifier: MIT */
#include "results/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/csv_impl.h"
#include "sys/clock.h"
#include "sys/file.h"

#define OWN_SPILL     ((size_t)512 << 10)
#define FLUSH_BYTES   ((uint64_t)128 << 10)
#define FLUSH_NS      UINT64_C(250000000) /* a person watching sees this lag */
#define CLOCK_ROWS    16u /* rows between looks at the clock, at most */
#define FAST_CHECK_NS UINT64_C(1000000)

struct csv {
    tt_observer base;
    char *path; /* owned */
    enum tt_csv_dialect dialect;
    double interval;
    struct tt_csv_spill *spill;
    struct tt_csv_spill *own; /* owned: the spill when none was given */

    struct csv_cell *cell; /* owned, in the order of the file */
    uint32_t n;
    size_t row_max;  /* bytes of the longest possible row */
    size_t text_cap; /* bytes of the spill's data used for rows */

    FILE *file;        /* owned unless it is stdout */
    int broken;        /* errno of the write that failed, or 0 */
    double start, due; /* sampling: first instant, next instant to write */
    uint64_t rows_seen;
    unsigned until_clock, clock_every;
    uint64_t checked_ns, flushed_ns;
};

/* --- writing ----------------------------------------------------------- */

/* "cannot write out.csv: No space left on device; the first 83 rows are
 * kept" */
static enum tt_code tell_broken(const struct csv *c, tt_err *err)
{
    tt_err why;
    uint64_t rows = c->spill->rows;

    errno = c->broken;
    tt_csv_cannot_write(c->path, &why);
    if (c->file == stdout || !rows)
        return tt_fail(err, TT_EIO, "%s", why.msg);
    if (rows == 1)
        return tt_fail(err, TT_EIO, "%s; the first row is kept", why.msg);
    return tt_fail(err, TT_EIO, "%s; the first %" PRIu64 " rows are kept",
                   why.msg, rows);
}

/* What the file took is cut back to a complete row; the rest is given up, so
 * that nobody appends it later. */
static void give_up(struct csv *c, size_t sent)
{
    struct tt_csv_spill *s = c->spill;
    size_t waiting = (size_t)(s->filled - s->written);
    uint64_t lost = 0, in_data = 0;
    size_t kept = tt_csv_whole_rows(s->data, sent, &in_data);

    (void)tt_csv_whole_rows(s->data + kept, waiting - kept, &lost);
    if (s->written + kept == 0 && lost) /* the header is no row */
        lost--;
    s->rows = s->rows - lost;
    s->held = 0;
    s->filled = s->written + kept;
    tt_csv_publish(&s->written, s->filled);
    tt_file_cut(c->file, s->written);
}

static enum tt_code flush(struct csv *c, tt_err *err)
{
    struct tt_csv_spill *s = c->spill;
    size_t sent = 0;
    enum tt_code rc;

    if (s->closed)
        return TT_ESTOPPED;
    if (c->broken)
        return tell_broken(c, err);
    rc = tt_csv_put(c->file, c->path, s->data, (size_t)(s->filled - s->written),
                    &sent, NULL);
    if (rc == TT_OK) {
        tt_csv_publish(&s->written, s->filled);
        return TT_OK;
    }
    c->broken = errno;
    if (c->file == stdout && c->broken == EPIPE) {
        s->closed = 1;
        return TT_ESTOPPED;
    }
    if (c->file != stdout) /* which may be a pipe, or shared */
        give_up(c, sent);
    return tell_broken(c, err);
}

/* Unbuffered: the spill is the buffer, and fwrite's count stays true. */
static enum tt_code open_file(struct csv *c, tt_err *err)
{
    if (strcmp(c->path, "-") == 0) {
        c->file = stdout;
        return TT_OK;
    }
    c->file = fopen(c->path, "wb");
    if (!c->file)
        return tt_csv_cannot_write(c->path, err);
    setvbuf(c->file, NULL, _IONBF, 0);
    return TT_OK;
}

static enum tt_code close_file(struct csv *c, tt_err *err)
{
    FILE *f = c->file;

    c->file = NULL;
    if (f && f != stdout && fclose(f) != 0)
        return tt_csv_cannot_write(c->path, err);
    return TT_OK;
}

/* --- begin ------------------------------------------------------------- */

struct entry { /* a column, in the order of the file */
    const struct tt_column *column;
};

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return strcmp(x->column->name, y->column->name);
}

/* Columns in the order of the file; NULL when out of memory. */
static struct entry *file_order(const struct csv *c, const struct tt_rows *rows)
{
    struct entry *order;

    TT_NEW_ARRAY(order, rows->n);
    if (!order)
        return NULL;
    for (uint32_t i = 0; i < rows->n; i++)
        order[i].column = &rows->column[i];
    if (c->dialect == TT_CSV_MAESTRO1)
        qsort(order, rows->n, sizeof(*order), by_name);
    return order;
}

static size_t round_up(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* Place the layout of the held row and its values at the end of the data. */
static size_t held_size(const struct csv *c)
{
    size_t size = round_up(c->n * sizeof(struct csv_held));

    for (uint32_t i = 0; i < c->n; i++)
        size += round_up(tt_type_size(c->cell[i].type));
    return c->interval > 0 ? size + 16 : 0;
}

static void place_held(struct csv *c)
{
    struct tt_csv_spill *s = c->spill;
    struct csv_held h;
    size_t at = s->held_at + round_up(c->n * sizeof(h));

    if (!(c->interval > 0))
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        h = (struct csv_held){(uint32_t)c->cell[i].type, (uint32_t)at};
        memcpy(s->data + s->held_at + i * sizeof(h), &h, sizeof(h));
        at += round_up(tt_type_size(c->cell[i].type));
    }
}

/* The header may be longer than a row, the held row needs a place of its own,
 * and two rows must always fit: the next one and the held one. */
static enum tt_code lay_out(struct csv *c, size_t header, tt_err *err)
{
    size_t held = held_size(c), need;

    need = (header > 2 * c->row_max ? header : 2 * c->row_max) + held;
    if (!c->spill) {
        size_t size = sizeof(*c->own) + OWN_SPILL + need;

        c->own = tt_alloc(size);
        c->spill = tt_csv_spill_init(c->own, size);
        if (!c->spill)
            return tt_fail(err, TT_ENOMEM, "results of %u columns", c->n);
    }
    if (need > c->spill->cap || c->spill->cap > UINT32_MAX)
        return tt_fail(err, TT_ENOMEM,
                       "results of %u columns need a buffer of %zu bytes, "
                       "there are %zu",
                       c->n, need, c->spill->cap);
    c->text_cap = (c->spill->cap - held) / 16 * 16;
    c->spill->held_at = c->text_cap;
    c->spill->n = c->n;
    c->spill->dialect = (uint32_t)c->dialect;
    place_held(c);
    return TT_OK;
}

static void put_header(struct csv *c, const struct entry *order)
{
    struct tt_csv_spill *s = c->spill;
    char *p = s->data;
    const char *front =
        c->dialect == TT_CSV_MAESTRO1 ? "time,step-size" : "time";

    while (*front)
        *p++ = *front++;
    for (uint32_t i = 0; i < c->n; i++) {
        *p++ = ',';
        p = tt_csv_put_text(p, order[i].column->name,
                            strlen(order[i].column->name), 0);
    }
    *p++ = '\n';
    tt_csv_publish(&s->filled, (uint64_t)(p - s->data));
}

static enum tt_code prepare(struct csv *c, const struct entry *order,
                            tt_err *err)
{
    size_t header = 32;

    TT_NEW_ARRAY(c->cell, c->n);
    if (!c->cell)
        return tt_fail(err, TT_ENOMEM, "results of %u columns", c->n);
    c->row_max = CSV_FRONT_MAX;
    for (uint32_t i = 0; i < c->n; i++) {
        c->cell[i] =
            (struct csv_cell){order[i].column->value, order[i].column->type};
        c->row_max += tt_csv_cell_max(order[i].column->type);
        header += 2 * strlen(order[i].column->name) + 3;
    }
    return lay_out(c, header, err);
}

static enum tt_code csv_begin(tt_observer *o, const struct tt_rows *rows,
                              tt_err *err)
{
    struct csv *c = (struct csv *)o;
    struct entry *order = file_order(c, rows);
    enum tt_code rc;

    if (!order)
        return tt_fail(err, TT_ENOMEM, "results of %u columns", rows->n);
    c->n = rows->n;
    rc = prepare(c, order, err);
    if (rc == TT_OK)
        rc = open_file(c, err);
    if (rc == TT_OK) {
        TT_ASSERT(c->spill);
        /* tt_csv_new saw that it fits */
        memcpy(c->spill->path, c->path, strlen(c->path) + 1);
        put_header(c, order);
        c->clock_every = c->until_clock = 1;
        c->flushed_ns = c->checked_ns = tt_clock_ns();
        rc = flush(c, err);
        if (rc == TT_ESTOPPED) /* to be said with the first row */
            rc = TT_OK;
    }
    tt_free(order);
    return rc;
}

/* --- rows -------------------------------------------------------------- */

/* Is this row one to write? The grid is start + k*interval, computed, never
 * accumulated; t may miss it by rounding. */
static int is_due(struct csv *c, double t)
{
    double slack = 1e-9 * fmax(fabs(t), c->interval);

    if (slack > c->interval / 4)
        slack = c->interval / 4;
    if (c->rows_seen++ == 0)
        c->start = c->due = t;
    if (t + slack < c->due)
        return 0;
    c->due = c->start +
             (floor((t - c->start + slack) / c->interval) + 1) * c->interval;
    return 1;
}

static void hold(struct csv *c, double t, double h)
{
    struct tt_csv_spill *s = c->spill;
    char *to = s->data + s->held_at + round_up(c->n * sizeof(struct csv_held));

    tt_csv_set_held(s, 0);
    s->held_t = t;
    s->held_h = h;
    for (uint32_t i = 0; i < c->n; i++) {
        size_t size = tt_type_size(c->cell[i].type);

        memcpy(to, c->cell[i].value, size);
        to += round_up(size);
    }
    tt_csv_set_held(s, 1);
}

/* Rows go to the file in large pieces, but a person who watches a slow run
 * sees each within FLUSH_NS. Looking at the clock costs as much as printing a
 * number, so fast runs look only now and then. */
static int is_time_to_flush(struct csv *c)
{
    uint64_t now;

    if (--c->until_clock > 0)
        return 0;
    now = tt_clock_ns();
    if (now - c->checked_ns > FAST_CHECK_NS)
        c->clock_every = 1;
    else if (c->clock_every < CLOCK_ROWS)
        c->clock_every *= 2;
    c->checked_ns = now;
    c->until_clock = c->clock_every;
    if (now - c->flushed_ns < FLUSH_NS)
        return 0;
    c->flushed_ns = now;
    return 1;
}

static enum tt_code csv_row(tt_observer *o, double t, double h, tt_err *err)
{
    struct csv *c = (struct csv *)o;
    struct tt_csv_spill *s = c->spill;
    size_t used = (size_t)(s->filled - s->written);
    enum tt_code rc;
    char *end;

    if (s->closed)
        return TT_ESTOPPED;
    if (c->interval > 0 && !is_due(c, t)) {
        hold(c, t, h);
        return TT_OK;
    }
    if (c->text_cap - used < 2 * c->row_max) {
        rc = flush(c, err);
        if (rc != TT_OK)
            return rc;
        used = 0;
    }
    end = tt_csv_put_row(s->data + used, c->dialect, t, h, c->cell, c->n);
    s->held = 0;
    tt_csv_publish(&s->filled, s->written + (uint64_t)(end - s->data));
    s->rows = s->rows + 1;
    if (s->filled - s->written >= FLUSH_BYTES || is_time_to_flush(c))
        return flush(c, err);
    return TT_OK;
}

static enum tt_code csv_end(tt_observer *o, tt_err *err)
{
    struct csv *c = (struct csv *)o;
    enum tt_code rc, late;

    if (!c->file)
        return TT_OK; /* never began, or ended before */
    rc = tt_csv_release_held(c->spill, err);
    if (rc == TT_OK)
        rc = flush(c, err);
    if (rc == TT_ESTOPPED)
        rc = TT_OK;
    late = close_file(c, rc == TT_OK ? err : NULL);
    return rc == TT_OK ? late : rc;
}

static void csv_free(tt_observer *o)
{
    struct csv *c = (struct csv *)o;

    (void)!close_file(c, NULL); /* `end` is where errors are told */
    tt_free(c->path);
    tt_free(c->cell);
    tt_free(c->own);
    tt_free(c);
}

static const struct tt_observer_ops csv_ops = {
    .name = "csv",
    .begin = csv_begin,
    .row = csv_row,
    .end = csv_end,
    .free = csv_free,
};

enum tt_code tt_csv_new(tt_observer **out, const struct tt_csv_opts *opts,
                        tt_err *err)
{
    struct csv *c;

    if (strlen(opts->path) >= TT_CSV_PATH_MAX)
        return tt_fail(err, TT_EINPUT,
                       "the name of the result file is longer than %u bytes",
                       TT_CSV_PATH_MAX - 1);
    if (!(opts->interval >= 0) || isinf(opts->interval))
        return tt_fail(err, TT_EINPUT,
                       "the interval between result rows must be a number of "
                       "seconds, 0 or more");
    if (!TT_NEW(c))
        return tt_fail(err, TT_ENOMEM, "results to %s", opts->path);
    c->base.ops = &csv_ops;
    c->dialect = opts->dialect;
    c->interval = opts->interval;
    c->spill = opts->spill;
    c->path = tt_strdup(opts->path);
    if (!c->path) {
        csv_free(&c->base);
        return tt_fail(err, TT_ENOMEM, "results to %s", opts->path);
    }
    *out = &c->base;
    return TT_OK;
}

uint64_t tt_csv_rows(const tt_observer *o)
{
    const struct csv *c = (const struct csv *)o;

    TT_ASSERT(o->ops == &csv_ops);
    return c->spill ? c->spill->rows : 0;
}
