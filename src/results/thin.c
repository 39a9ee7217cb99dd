/* SPDX-License-Identifier: MIT */
#include "results/thin.h"

#include <math.h>

#include "base/buf.h"
#include "base/mem.h"

/* What a piece of time has of one column: its two values, and from which row
 * of the piece they are. Texts are copied, since rows do not stay. */
struct pick {
    struct tt_rows_cell low, high;
    uint64_t low_row, high_row;
    double low_time, high_time;
    double last; /* number of the row before */
    struct tt_buf text[2];
};

struct tt_thin {
    struct tt_thin_spec spec;
    uint64_t pieces;
    uint64_t piece; /* the one at hand */
    uint64_t rows;  /* it has so far */
    double from, to;
    double jump, jump_at;      /* the greatest within an instant; 0: none */
    struct pick *pick;         /* owned, one per column */
    struct tt_rows_cell *cell; /* owned: a row to give away */
    int begun;
};

enum tt_code tt_thin_new(tt_thin **out, const struct tt_thin_spec *spec,
                         tt_err *err)
{
    tt_thin *t;

    TT_ASSERT(spec->points >= 2);
    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "thinning out rows");
    t->spec = *spec;
    t->pieces = (spec->points - 2) / 2;
    TT_NEW_ARRAY(t->pick, spec->columns);
    TT_NEW_ARRAY(t->cell, spec->columns);
    if (!t->pick || !t->cell) {
        tt_thin_free(t);
        return tt_fail(err, TT_ENOMEM, "thinning out rows");
    }
    for (size_t i = 0; i < 2 * spec->columns; i++)
        tt_buf_init(&t->pick[i / 2].text[i % 2], TT_ROWS_MAX_ROW);
    *out = t;
    return TT_OK;
}

void tt_thin_free(tt_thin *t)
{
    if (!t)
        return;
    for (size_t i = 0; t->pick && i < 2 * t->spec.columns; i++)
        tt_buf_fini(&t->pick[i / 2].text[i % 2]);
    TT_FREE_ALL(t->pick, t->cell, t);
}

/* --- a piece ---------------------------------------------------------------
 */

static enum tt_code keep_text(struct tt_buf *b, struct tt_rows_cell *to,
                              const struct tt_rows_cell *c, tt_err *err)
{
    tt_buf_clear(b);
    tt_buf_add(b, c->s, c->n);
    *to = *c;
    to->s = b->data ? b->data : "";
    return tt_buf_check(b, "rows", err);
}

/* Low is the first text, high the last; what is none counts only where there is
 * no text. */
static enum tt_code pick_text(struct pick *p, const struct tt_rows_cell *c,
                              uint64_t row, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!c->is_text)
        return TT_OK;
    if (row == 0 || !p->low.is_text) {
        rc = keep_text(&p->text[0], &p->low, c, err);
        p->low_row = row;
    }
    if (rc == TT_OK)
        rc = keep_text(&p->text[1], &p->high, c, err);
    p->high_row = row;
    return rc;
}

static enum tt_code pick_cell(struct pick *p, const struct tt_rows_cell *c,
                              uint64_t row, double time, tt_err *err)
{
    if (row == 0)
        p->low_row = p->high_row = 0;
    if (c->is_text || (row > 0 && p->low.is_text))
        return pick_text(p, c, row, err);
    if (row == 0 || isnan(p->low.v) || c->v < p->low.v) {
        p->low = *c;
        p->low_row = row;
        p->low_time = time;
    }
    if (row == 0 || isnan(p->high.v) || c->v > p->high.v) {
        p->high = *c;
        p->high_row = row;
        p->high_time = time;
    }
    p->low.s = p->high.s = NULL; /* the number is all there is to keep */
    return TT_OK;
}

/* Two rows of one time are the limits of an event. */
static void look_for_jump(tt_thin *t, const struct tt_row *row)
{
    int stands = t->rows > 0 && row->time == t->to;

    for (size_t i = 0; i < t->spec.columns; i++) {
        double size = fabs(row->cell[i].v - t->pick[i].last);

        t->pick[i].last = row->cell[i].v;
        if (!stands || row->cell[i].is_text || !(size > t->jump))
            continue;
        t->jump = size;
        t->jump_at = row->time;
    }
}

static enum tt_code take(tt_thin *t, const struct tt_row *row, tt_err *err)
{
    enum tt_code rc = TT_OK;

    look_for_jump(t, row);
    if (t->rows == 0)
        t->from = row->time;
    t->to = row->time;
    for (size_t i = 0; rc == TT_OK && i < t->spec.columns; i++)
        rc = pick_cell(&t->pick[i], &row->cell[i], t->rows, row->time, err);
    t->rows++;
    return rc;
}

static enum tt_code give(tt_thin *t, int second, double time, tt_err *err)
{
    struct tt_row row = {.time = time, .cell = t->cell};

    for (size_t i = 0; i < t->spec.columns; i++) {
        const struct pick *p = &t->pick[i];

        t->cell[i] = (p->high_row < p->low_row) == second ? p->low : p->high;
    }
    return t->spec.fn(t->spec.ctx, &row, err);
}

static enum tt_code end_piece(tt_thin *t, tt_err *err)
{
    const struct pick *p = t->pick;
    uint64_t rows = t->rows;
    double from = t->from, to = t->to;
    enum tt_code rc;

    t->rows = 0;
    if (rows == 0)
        return TT_OK;
    if (t->spec.columns == 1 && !p->low.is_text && p->low_row != p->high_row) {
        from = p->low_row < p->high_row ? p->low_time : p->high_time;
        to = p->low_row < p->high_row ? p->high_time : p->low_time;
    }
    if (t->jump > 0)
        from = to = t->jump_at;
    t->jump = 0;
    rc = give(t, 0, from, err);
    return rc == TT_OK && rows > 1 ? give(t, 1, to, err) : rc;
}

static uint64_t piece_of(const tt_thin *t, double time)
{
    double share = (time - t->spec.first) / (t->spec.last - t->spec.first);
    double piece = floor(share * (double)t->pieces);

    if (!(piece > 0)) /* also when all is at one time */
        return 0;
    return piece < (double)t->pieces ? (uint64_t)piece : t->pieces - 1;
}

enum tt_code tt_thin_row(tt_thin *t, const struct tt_row *row, int is_last,
                         tt_err *err)
{
    enum tt_code rc = TT_OK;
    uint64_t piece;

    if (!t->begun || is_last) {
        t->begun = 1;
        rc = end_piece(t, err);
        return rc == TT_OK ? t->spec.fn(t->spec.ctx, row, err) : rc;
    }
    if (t->pieces == 0)
        return TT_OK;
    piece = piece_of(t, row->time);
    if (piece != t->piece)
        rc = end_piece(t, err);
    t->piece = piece;
    return rc == TT_OK ? take(t, row, err) : rc;
}
