/* SPDX-License-Identifier: MIT */
/* Results as a CSV file.
 *
 * Numbers are written in their shortest form that reads back exactly, in
 * Java's spelling, independent of the locale. The file is made at once, grows
 * while the run plays (a person may watch it) and is never renamed. When it
 * takes no more, it is cut back to its last complete row; when it is
 * continued, to the row that is known to be there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/csv_impl.h"
#include "sys/file.h"
#include "sys/capture.h"

#define FLUSH_BYTES ((size_t)128 << 10)

struct csv {
    tt_writer base;
    const char *path; /* borrowed */
    enum tt_csv_dialect dialect;
    size_t record;
    struct csv_cell *cell; /* owned, in the order of the file */
    uint32_t n;
    size_t row_max; /* bytes of the longest possible row */
    char *text;     /* owned: rows not in the file yet */
    size_t used;
    uint64_t written; /* bytes the file has */
    FILE *file;       /* owned unless it is standard output */
    int broken;       /* errno of the write that failed, or 0 */
    int closed;       /* the reader of our standard output closed it */
};

/* --- writing ------------------------------------------------------------- */

/* All of data, or an errno; *sent counts what the file took. */
static int put(FILE *f, const char *data, size_t n, size_t *sent)
{
    while (*sent < n) {
        errno = 0;
        *sent += fwrite(data + *sent, 1, n - *sent, f);
        if (*sent < n && errno != EINTR)
            return errno ? errno : EIO;
        clearerr(f);
    }
    return f == tt_stdout() && fflush(f) != 0 ? errno : 0;
}

static enum tt_code report_broken(const struct csv *c, tt_err *err)
{
    return tt_writer_broke(c->path, c->broken,
                           c->file == tt_stdout() ? 0 : c->base.rows, err);
}

/* What the file took is cut back to a complete row; the rest is given up. */
static void give_up(struct csv *c, size_t sent)
{
    uint64_t lost = 0, in_data = 0;
    size_t kept = tt_csv_whole_rows(c->text, sent, &in_data);

    (void)tt_csv_whole_rows(c->text + kept, c->used - kept, &lost);
    if (c->written + kept == 0 && lost) /* the header is no row */
        lost--;
    c->base.rows -= lost;
    c->written += kept;
    (void)tt_file_cut(c->file, c->written);
}

static enum tt_code csv_flush(tt_writer *w, tt_err *err)
{
    struct csv *c = (struct csv *)w;
    size_t sent = 0;

    if (c->closed)
        return TT_ESTOPPED;
    if (c->broken)
        return report_broken(c, err);
    c->broken = put(c->file, c->text, c->used, &sent);
    if (c->broken && c->file == tt_stdout() && c->broken == EPIPE) {
        c->broken = 0;
        c->closed = 1;
        return TT_ESTOPPED;
    }
    if (c->broken) {
        if (c->file != tt_stdout()) /* which may be a pipe, or shared */
            give_up(c, sent);
        return report_broken(c, err);
    }
    c->written += c->used;
    c->used = 0;
    return TT_OK;
}

static enum tt_code csv_rows(tt_writer *w, const char *record, size_t n,
                             tt_err *err)
{
    struct csv *c = (struct csv *)w;

    for (; n > 0; n--, record += c->record) {
        char *end = tt_csv_put_row(c->text + c->used, c->dialect, record,
                                   c->cell, c->n);

        c->used = (size_t)(end - c->text);
        c->base.rows++;
        if (c->used >= FLUSH_BYTES) {
            enum tt_code rc = csv_flush(w, err);

            if (rc != TT_OK)
                return rc;
        }
    }
    return TT_OK;
}

static enum tt_code csv_keep(tt_writer *w, struct tt_buf *to, tt_err *err)
{
    struct csv *c = (struct csv *)w;
    enum tt_code rc = tt_writer_sync(w, c->file, c->path, err);

    return rc == TT_OK ? tt_position_put_end(to, c->path, 0, c->written, err)
                       : rc;
}

/* --- opening ------------------------------------------------------------- */

/* Unbuffered: the text is the buffer, and fwrite's count stays true. */
static enum tt_code open_new(struct csv *c, tt_err *err)
{
    if (strcmp(c->path, "-") == 0) {
        c->file = tt_stdout();
        return csv_flush(&c->base, err);
    }
    c->file = fopen(c->path, "wb");
    if (!c->file)
        return tt_writer_cannot(c->path, err);
    setvbuf(c->file, NULL, _IONBF, 0);
    return csv_flush(&c->base, err);
}

static int name_length(const char *s, size_t n)
{
    size_t k = 0;

    while (k < n && k < 80 && s[k] != ',' && s[k] != '\n')
        k++;
    return (int)k;
}

/* The header we would write is the one that is there. */
static enum tt_code check_header(struct csv *c, tt_err *err)
{
    char *there = tt_alloc(c->used);
    size_t n = there ? fread(there, 1, c->used, c->file) : 0, same = 0, from;
    enum tt_code rc = TT_OK;

    while (same < n && there[same] == c->text[same])
        same++;
    for (from = same; from > 0 && c->text[from - 1] != ',';)
        from--;
    if (!there)
        rc = tt_fail(err, TT_ENOMEM, "continuing %s", c->path);
    else if (same < c->used && !from)
        rc = tt_fail(err, TT_EINPUT,
                     "cannot continue %s: it is no CSV file of results",
                     c->path);
    else if (same < c->used)
        rc = tt_fail(err, TT_EINPUT,
                     "cannot continue %s: its columns are not those of this "
                     "run: '%.*s' instead of '%.*s'",
                     c->path, name_length(there + from, n - from), there + from,
                     name_length(c->text + from, c->used - from),
                     c->text + from);
    tt_free(there);
    return rc;
}

static enum tt_code open_again(struct csv *c, const struct tt_writer_job *job,
                               tt_err *err)
{
    enum tt_code rc = tt_file_open_again(&c->file, c->path, err);

    if (rc == TT_OK)
        rc = check_header(c, err);
    if (rc == TT_OK)
        rc = tt_position_find(job->from, c->file, c->path, 0, &c->written, err);
    c->used = 0;
    c->base.rows = job->rows;
    return rc;
}

static enum tt_code csv_go_on(tt_writer *w, tt_err *err)
{
    struct csv *c = (struct csv *)w;
    int e = tt_file_cut(c->file, c->written);

    return e ? tt_position_cannot(c->path, e, err) : TT_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct tt_layout_column *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static void put_header(struct csv *c, const struct tt_layout_column **order)
{
    char *p = c->text;
    const char *front =
        c->dialect == TT_CSV_MAESTRO1 ? "time,step-size" : "time";

    while (*front)
        *p++ = *front++;
    for (uint32_t i = 0; i < c->n; i++) {
        *p++ = ',';
        p = tt_csv_put_text(p, order[i]->name, strlen(order[i]->name), 0);
    }
    *p++ = '\n';
    c->used = (size_t)(p - c->text);
}

/* Room for a row beyond what makes us flush, and for the header. */
static int prepare(struct csv *c, const struct tt_layout *l,
                   const struct tt_layout_column **order)
{
    size_t header = 32;

    c->row_max = CSV_FRONT_MAX;
    for (uint32_t i = 0; i < l->n; i++) {
        order[i] = &l->column[i];
        c->row_max += tt_csv_cell_max(l->column[i].type);
        header += 2 * strlen(l->column[i].name) + 3;
    }
    if (c->dialect == TT_CSV_MAESTRO1)
        qsort(order, l->n, sizeof(const struct tt_layout_column *), by_name);
    TT_NEW_ARRAY(c->cell, l->n);
    c->text =
        tt_alloc((header > FLUSH_BYTES ? header : FLUSH_BYTES) + c->row_max);
    if (!c->cell || !c->text)
        return -1;
    for (uint32_t i = 0; i < l->n; i++)
        c->cell[i] =
            (struct csv_cell){order[i]->at, order[i]->present, order[i]->type};
    return 0;
}

/* --- closing ------------------------------------------------------------- */

static enum tt_code csv_close(tt_writer *w, tt_err *err)
{
    struct csv *c = (struct csv *)w;
    enum tt_code rc = csv_flush(w, err);
    FILE *f = c->file;

    c->file = NULL;
    if (f != tt_stdout() && fclose(f) != 0 && rc == TT_OK)
        rc = tt_writer_cannot(c->path, err);
    return rc;
}

static void csv_free(tt_writer *w)
{
    struct csv *c = (struct csv *)w;

    if (c->file && c->file != tt_stdout())
        (void)fclose(c->file); /* `close` is where errors are reported */
    TT_FREE_ALL(c->cell, c->text, c);
}

static const struct tt_writer_ops csv_ops = {
    TT_HOOKS(csv_, rows, flush, keep, go_on, close, free)};

enum tt_code tt_csv_open(tt_writer **out, const struct tt_writer_job *job,
                         tt_err *err)
{
    const struct tt_layout *layout = job->layout;
    const struct tt_layout_column **order = NULL;
    enum tt_code rc = TT_OK;
    struct csv *c;

    TT_NEW_ARRAY(order, layout->n);
    if (!TT_NEW(c) || !order) {
        TT_FREE_ALL(order, c);
        return tt_fail(err, TT_ENOMEM, "results of %u columns", layout->n);
    }
    c->base.ops = &csv_ops;
    c->path = job->path;
    c->dialect = job->dialect;
    c->n = layout->n;
    c->record = layout->record;
    if (prepare(c, layout, order) != 0) {
        rc = tt_fail(err, TT_ENOMEM, "results of %u columns", layout->n);
    } else {
        put_header(c, order);
        rc = job->from ? open_again(c, job, err) : open_new(c, err);
    }
    tt_free(order);
    if (rc != TT_OK && rc != TT_ESTOPPED) {
        csv_free(&c->base);
        return rc;
    }
    *out = &c->base; /* a reader gone already is reported with the first row */
    return TT_OK;
}
