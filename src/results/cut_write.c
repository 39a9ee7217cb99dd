/* SPDX-License-Identifier: MIT */
/* A cut as JSON and CSV. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/show.h"
#include "results/csv_impl.h"
#include "results/cut_impl.h"

#define CUT_MAX     ((size_t)1 << 40) /* cells are counted instead */
#define FLUSH_BYTES ((size_t)64 << 10)

/* --- JSON ------------------------------------------------------------------
 */

struct json {
    struct cut cut;
    struct tt_buf time;
    struct tt_buf *value; /* owned, one per column */
    struct tt_buf text;   /* of one cell */
    size_t cells;
};

static void json_text(struct json *j, struct tt_buf *b,
                      const struct tt_rows_cell *c)
{
    tt_buf_clear(&j->text);
    tt_rows_cell_text(&j->text, c);
    tt_buf_json(b, j->text.data ? j->text.data : "");
}

static enum tt_code json_row(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct json *j = ctx;

    j->cells += j->cut.n + 1;
    if (j->cells > TT_TABLE_MAX_CELLS)
        return tt_fail(err, TT_EINPUT,
                       "%s: these are more than the limit of %zu values; ask "
                       "for fewer points, fewer variables or a shorter time",
                       tt_table_file(tt_rows_table(j->cut.rows)),
                       TT_TABLE_MAX_CELLS);
    tt_buf_str(&j->time, j->time.len ? "," : "");
    tt_show_json_num(&j->time, row->time);
    for (size_t i = 0; i < j->cut.n; i++) {
        struct tt_buf *b = &j->value[i];

        tt_buf_str(b, b->len ? "," : "");
        if (row->cell[i].is_text)
            json_text(j, b, &row->cell[i]);
        else
            tt_show_json_num(b, row->cell[i].v);
    }
    return TT_OK;
}

static enum tt_code put(const struct tt_buf *b, tt_cut_fn fn, void *ctx,
                        tt_err *err)
{
    enum tt_code rc = tt_buf_check(b, "results", err);

    return rc == TT_OK && b->len ? fn(ctx, b->data, b->len, err) : rc;
}

static enum tt_code json_put(struct json *j, tt_cut_fn fn, void *ctx,
                             tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_buf_str(&b, "{\"columns\":[");
    for (size_t i = 0; i < j->cut.n; i++) {
        tt_buf_str(&b, i ? "," : "");
        tt_buf_json(&b, tt_cut_name(&j->cut, i));
    }
    tt_buf_str(&b, "],\"time\":[");
    rc = put(&b, fn, ctx, err);
    if (rc == TT_OK)
        rc = put(&j->time, fn, ctx, err);
    if (rc == TT_OK)
        rc = fn(ctx, "],\"values\":[", strlen("],\"values\":["), err);
    for (size_t i = 0; rc == TT_OK && i < j->cut.n; i++) {
        rc = fn(ctx, i ? ",[" : "[", i ? 2 : 1, err);
        if (rc == TT_OK)
            rc = put(&j->value[i], fn, ctx, err);
        if (rc == TT_OK)
            rc = fn(ctx, "]", 1, err);
    }
    tt_buf_clear(&b);
    tt_buf_fmt(&b, "],\"rows_total\":%llu,\"decimated\":%s}\n",
               (unsigned long long)j->cut.total,
               j->cut.thinned ? "true" : "false");
    if (rc == TT_OK)
        rc = put(&b, fn, ctx, err);
    tt_buf_fini(&b);
    return rc;
}

enum tt_code tt_cut_json(const char *path, const struct tt_cut_opts *o,
                         tt_cut_fn fn, void *ctx, tt_err *err)
{
    struct json j = {.cells = 0};
    enum tt_code rc = tt_cut_open(&j.cut, path, o, err);

    tt_buf_init(&j.time, CUT_MAX);
    tt_buf_init(&j.text, CUT_MAX);
    TT_NEW_ARRAY(j.value, j.cut.n);
    if (rc == TT_OK && !j.value)
        rc = tt_fail(err, TT_ENOMEM, "cutting %s", path);
    for (size_t i = 0; j.value && i < j.cut.n; i++)
        tt_buf_init(&j.value[i], CUT_MAX);
    if (rc == TT_OK)
        rc = tt_cut_rows(&j.cut, json_row, &j, err);
    if (rc == TT_OK)
        rc = json_put(&j, fn, ctx, err);
    for (size_t i = 0; j.value && i < j.cut.n; i++)
        tt_buf_fini(&j.value[i]);
    tt_free(j.value);
    tt_buf_fini(&j.time);
    tt_buf_fini(&j.text);
    tt_cut_close(&j.cut);
    return rc;
}

/* --- CSV -------------------------------------------------------------------
 */

struct csv_out {
    struct cut cut;
    struct tt_buf b;
    tt_cut_fn fn;
    void *ctx;
};

static enum tt_code csv_flush(struct csv_out *c, tt_err *err)
{
    enum tt_code rc = put(&c->b, c->fn, c->ctx, err);

    tt_buf_clear(&c->b);
    return rc;
}

static void csv_quoted(struct tt_buf *b, const char *s, size_t n)
{
    char *room = tt_alloc(2 * n + 2);

    if (room)
        tt_buf_add(b, room, (size_t)(tt_csv_put_text(room, s, n, 0) - room));
    else
        b->failed = 1;
    tt_free(room);
}

static void csv_cell(struct tt_buf *b, const struct tt_rows_cell *c)
{
    char number[TT_NUM_MAX];

    if (c->s && c->quoted) {
        tt_buf_char(b, '"');
        tt_buf_add(b, c->s, c->n);
        tt_buf_char(b, '"');
    } else if (c->s) {
        csv_quoted(b, c->s, c->n);
    } else if (c->is_whole && fabs(c->v) < 9e15) {
        tt_buf_add(b, number, tt_num_print_i64(number, (int64_t)c->v));
    } else {
        tt_buf_num(b, c->v);
    }
}

static enum tt_code csv_row(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct csv_out *c = ctx;

    tt_buf_num(&c->b, row->time);
    for (size_t i = 0; i < c->cut.n; i++) {
        tt_buf_char(&c->b, ',');
        csv_cell(&c->b, &row->cell[i]);
    }
    tt_buf_char(&c->b, '\n');
    return c->b.len < FLUSH_BYTES ? TT_OK : csv_flush(c, err);
}

static void csv_header(struct csv_out *c)
{
    const char *name = tt_table_time_name(tt_rows_table(c->cut.rows));

    csv_quoted(&c->b, name, strlen(name));
    for (size_t i = 0; i < c->cut.n; i++) {
        name = tt_cut_name(&c->cut, i);
        tt_buf_char(&c->b, ',');
        csv_quoted(&c->b, name, strlen(name));
    }
    tt_buf_char(&c->b, '\n');
}

enum tt_code tt_cut_csv(const char *path, const struct tt_cut_opts *o,
                        tt_cut_fn fn, void *ctx, tt_err *err)
{
    struct csv_out c = {.fn = fn, .ctx = ctx};
    enum tt_code rc = tt_cut_open(&c.cut, path, o, err);

    tt_buf_init(&c.b, CUT_MAX);
    if (rc == TT_OK) {
        csv_header(&c);
        rc = tt_cut_rows(&c.cut, csv_row, &c, err);
    }
    if (rc == TT_OK)
        rc = csv_flush(&c, err);
    tt_buf_fini(&c.b);
    tt_cut_close(&c.cut);
    return rc;
}
