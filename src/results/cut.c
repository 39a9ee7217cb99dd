/* SPDX-License-Identifier: MIT */
#include "results/cut.h"

#include <math.h>

#include "base/mem.h"
#include "results/cut_impl.h"
#include "results/pattern.h"

enum tt_code tt_cut_open(struct cut *c, const char *path,
                         const struct tt_cut_opts *o, tt_err *err)
{
    enum tt_code rc;

    *c = (struct cut){.opts = o};
    rc = tt_rows_open(&c->rows, path, err);
    if (rc == TT_OK)
        rc = tt_pattern_select(tt_rows_table(c->rows), o->pattern, o->n_pattern,
                               &c->column, &c->n, err);
    return rc;
}

void tt_cut_close(struct cut *c)
{
    tt_rows_close(c->rows);
    tt_free(c->column);
}

const char *tt_cut_name(const struct cut *c, size_t i)
{
    return tt_table_name(tt_rows_table(c->rows), c->column[i]);
}

/* All rows in the range; of a file that grows at most c->total. */
static enum tt_code walk(struct cut *c, uint64_t most, tt_row_fn fn, void *ctx,
                         tt_err *err)
{
    enum tt_code rc = tt_rows_seek(c->rows, c->opts->from, err);
    int more = 1;

    for (uint64_t i = 0; rc == TT_OK && i < most; i++) {
        struct tt_row row;

        rc = tt_rows_next(c->rows, &row, &more, err);
        if (rc != TT_OK || !more || row.time > c->opts->to)
            break;
        rc = fn(ctx, &row, err);
    }
    return rc;
}

/* --- first which rows there are, then what is in them -------------------- */

static enum tt_code count(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct cut *c = ctx;

    (void)err;
    if (c->total++ == 0)
        c->first = row->time;
    c->last = row->time;
    return TT_OK;
}

struct thinning {
    tt_thin *thin;
    uint64_t left; /* rows */
};

static enum tt_code thin_row(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct thinning *t = ctx;

    return tt_thin_row(t->thin, row, --t->left == 0, err);
}

static enum tt_code walk_thinned(struct cut *c, tt_row_fn fn, void *ctx,
                                 tt_err *err)
{
    struct tt_thin_spec spec = {.columns = c->n,
                                .points = c->opts->points,
                                .first = c->first,
                                .last = c->last,
                                .fn = fn,
                                .ctx = ctx};
    struct thinning t = {.left = c->total};
    enum tt_code rc = tt_thin_new(&t.thin, &spec, err);

    if (rc == TT_OK)
        rc = walk(c, c->total, thin_row, &t, err);
    tt_thin_free(t.thin);
    return rc;
}

enum tt_code tt_cut_rows(struct cut *c, tt_row_fn fn, void *ctx, tt_err *err)
{
    enum tt_code rc = tt_rows_choose(c->rows, NULL, 0, err);

    c->total = 0;
    if (rc == TT_OK)
        rc = walk(c, UINT64_MAX, count, c, err);
    if (rc == TT_OK)
        rc = tt_rows_choose(c->rows, c->column, c->n, err);
    if (rc != TT_OK)
        return rc;
    c->thinned = c->opts->points && c->total > c->opts->points;
    return c->thinned ? walk_thinned(c, fn, ctx, err)
                      : walk(c, c->total, fn, ctx, err);
}
