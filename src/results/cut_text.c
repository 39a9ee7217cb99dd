/* SPDX-License-Identifier: MIT */
/* A cut for people: a line per column. */
#include <math.h>

#include "base/brief.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/show.h"
#include "results/cut_impl.h"

#define DIGITS 6
#define CELL   14 /* columns of a number: "-1.23456e-308" and a blank */

enum { FIRST, LAST, LEAST, GREATEST, MEAN, FACTS };

struct facts {
    double v[FACTS]; /* MEAN: the sum, until the end */
    uint64_t numbers;
    int is_text;
};

struct text {
    struct cut cut;
    struct facts *facts; /* owned, one per column */
    struct tt_brief brief;
    int begun;
};

static void look(struct facts *f, const struct tt_rows_cell *c, int first)
{
    f->is_text |= c->is_text;
    if (first)
        f->v[FIRST] = c->v;
    f->v[LAST] = c->v;
    if (isnan(c->v))
        return;
    if (f->numbers == 0 || c->v < f->v[LEAST])
        f->v[LEAST] = c->v;
    if (f->numbers == 0 || c->v > f->v[GREATEST])
        f->v[GREATEST] = c->v;
    f->v[MEAN] += c->v;
    f->numbers++;
}

static enum tt_code text_row(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct text *t = ctx;

    (void)err;
    for (size_t i = 0; i < t->cut.n; i++)
        look(&t->facts[i], &row->cell[i], !t->begun);
    t->begun = 1;
    return TT_OK;
}

static void put_facts(struct tt_buf *b, const struct facts *f)
{
    if (f->is_text) {
        tt_buf_str(b, "  (text)");
        return;
    }
    for (int k = 0; k < FACTS; k++) {
        double v = f->v[k];
        char number[TT_NUM_MAX];

        if (k >= LEAST && f->numbers == 0)
            v = (double)NAN;
        else if (k == MEAN)
            v /= (double)f->numbers;
        tt_num_print_digits(number, v, DIGITS);
        tt_show_pad(b, number, CELL, 1, 0);
    }
}

static const char *name(const struct text *t, size_t i)
{
    return tt_brief_name(&t->brief, tt_cut_name(&t->cut, i));
}

static size_t name_width(const struct text *t)
{
    size_t width = 0;

    for (size_t i = 0; i < t->cut.n; i++) {
        size_t w = tt_show_width(name(t, i));

        width = w > width ? w : width;
    }
    return width;
}

static void put_head(struct tt_buf *b, const struct text *t)
{
    static const char *const head[FACTS] = {"first", "last", "min", "max",
                                            "mean"};
    char from[TT_NUM_MAX], to[TT_NUM_MAX];

    tt_show_clean(b, tt_table_file(tt_rows_table(t->cut.rows)));
    tt_buf_str(b, "  ");
    tt_show_count(b, t->cut.total, "row", "rows");
    if (t->cut.total > 0) {
        tt_num_print_short(from, t->cut.first);
        tt_num_print_short(to, t->cut.last);
        tt_buf_fmt(b, " from t=%s to t=%s s", from, to);
    }
    tt_buf_str(b, ", ");
    tt_show_count(b, t->cut.n, "variable", "variables");
    tt_buf_char(b, '\n');
    if (t->cut.total == 0 || t->cut.n == 0)
        return;
    tt_show_pad(b, "", name_width(t) + 2, 0, 0);
    for (int k = 0; k < FACTS; k++)
        tt_show_pad(b, head[k], CELL, 1, 0);
    tt_buf_char(b, '\n');
}

static void put_all(struct tt_buf *b, const struct text *t)
{
    size_t width = name_width(t);

    put_head(b, t);
    for (size_t i = 0; t->cut.total > 0 && i < t->cut.n; i++) {
        tt_buf_str(b, "  ");
        tt_show_pad(b, name(t, i), width, 0, 0);
        put_facts(b, &t->facts[i]);
        tt_buf_char(b, '\n');
    }
}

enum tt_code tt_cut_text(const char *path, const struct tt_cut_opts *o,
                         struct tt_buf *out, tt_err *err)
{
    struct tt_cut_opts all = *o;
    struct text t = {.begun = 0};
    enum tt_code rc;

    all.points = 0;
    rc = tt_cut_open(&t.cut, path, &all, err);
    TT_NEW_ARRAY(t.facts, t.cut.n);
    if (rc == TT_OK && !t.facts)
        rc = tt_fail(err, TT_ENOMEM, "reading %s", path);
    if (rc == TT_OK)
        rc = tt_cut_rows(&t.cut, text_row, &t, err);
    tt_brief_init(&t.brief);
    for (size_t i = 0; rc == TT_OK && i < t.cut.n; i++)
        tt_brief_add(&t.brief, tt_cut_name(&t.cut, i));
    if (rc == TT_OK)
        put_all(out, &t);
    tt_brief_fini(&t.brief);
    tt_free(t.facts);
    tt_cut_close(&t.cut);
    return rc == TT_OK ? tt_buf_check(out, "results", err) : rc;
}
