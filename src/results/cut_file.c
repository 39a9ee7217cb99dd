/* SPDX-License-Identifier: MIT */
/* A cut as a file of another format. Which columns are numbers is known when
 * all rows were seen: they are gone through twice. */
#include <string.h>

#include "base/mem.h"
#include "results/cut_impl.h"
#include "results/writer.h"

struct file_out {
    struct cut cut;
    unsigned char *is_text;          /* owned, one per column: some are */
    struct tt_layout_column *column; /* owned */
    struct tt_layout layout;
    char *record; /* owned */
    double last;  /* s: the time of the row before */
    tt_writer *w;
};

static enum tt_code look(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct file_out *f = ctx;

    (void)err;
    for (size_t i = 0; i < f->cut.n; i++)
        f->is_text[i] |= row->cell[i].is_text;
    return TT_OK;
}

static void lay_out(struct file_out *f)
{
    size_t at = TT_RECORD_FRONT;

    for (size_t i = 0; i < f->cut.n; i++) {
        enum tt_type type = f->is_text[i] ? TT_TEXT : TT_F64;

        f->column[i] = (struct tt_layout_column){
            .name = tt_cut_name(&f->cut, i), .type = type, .at = at};
        at += (tt_type_size(type) + 7) / 8 * 8;
    }
    f->layout = (struct tt_layout){.column = f->column,
                                   .n = (uint32_t)f->cut.n,
                                   .record = at,
                                   .start = f->cut.first};
    f->last = f->cut.first;
}

/* As it is meant: of doubled quotes one; what is too long is cut. */
static void put_text(struct tt_text *to, const struct tt_rows_cell *c)
{
    to->n = 0;
    for (size_t i = 0; c->s && i < c->n && to->n + 1 < TT_TEXT_MAX; i++) {
        to->s[to->n++] = c->s[i];
        if (c->quoted && c->s[i] == '"')
            i++;
    }
    to->s[to->n] = '\0';
}

static enum tt_code put_row(void *ctx, const struct tt_row *row, tt_err *err)
{
    struct file_out *f = ctx;
    double front[2] = {row->time, row->time - f->last};

    memcpy(f->record, front, sizeof(front));
    f->last = row->time;
    for (size_t i = 0; i < f->cut.n; i++) {
        char *to = f->record + f->column[i].at;

        if (f->is_text[i])
            put_text((struct tt_text *)(void *)to, &row->cell[i]);
        else
            memcpy(to, &row->cell[i].v, sizeof(double));
    }
    return f->w->ops->rows(f->w, f->record, 1, err);
}

static enum tt_code open_file(struct file_out *f, const char *path, tt_err *err)
{
    const struct tt_writer_job job = {.path = path, .layout = &f->layout};

    return tt_writer_open(&f->w, &job, err);
}

static enum tt_code write_all(struct file_out *f, const char *path, tt_err *err)
{
    enum tt_code rc = tt_cut_rows(&f->cut, look, f, err);

    if (rc != TT_OK)
        return rc;
    lay_out(f);
    f->record = tt_zalloc(1, f->layout.record);
    rc = f->record ? open_file(f, path, err) : tt_nomem(err, path);
    if (rc == TT_OK)
        rc = tt_cut_rows(&f->cut, put_row, f, err);
    return rc == TT_OK ? f->w->ops->close(f->w, err) : rc;
}

enum tt_code tt_cut_file(const char *path, const struct tt_cut_opts *o,
                         const char *to, tt_err *err)
{
    struct file_out f = {.w = NULL};
    enum tt_code rc = tt_cut_open(&f.cut, path, o, err);

    if (rc == TT_OK && (!TT_NEW_ARRAY(f.is_text, f.cut.n + 1) ||
                        !TT_NEW_ARRAY(f.column, f.cut.n + 1)))
        rc = tt_nomem(err, path);
    if (rc == TT_OK)
        rc = write_all(&f, to, err);
    if (f.w)
        f.w->ops->free(f.w);
    TT_FREE_ALL(f.is_text, f.column, f.record);
    tt_cut_close(&f.cut);
    return rc;
}
