/* SPDX-License-Identifier: MIT */
/* Results as a MAT v4 file in the layout of Modelica tools ("binTrans"):
 * matrices Aclass, name, description, dataInfo, data_1, data_2. A column of
 * data_2 is a row of results, so the file grows as the run does and only the
 * count in its header is set again.
 *
 * All values are doubles. Texts, which the layout does not know, are lines of
 * a further matrix `texts` (table/mat.h), written when the file is closed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/lines.h"
#include "results/writer.h"
#include "sys/file.h"
#include "table/mat.h"

#define FLUSH_BYTES ((size_t)256 << 10)
#define HEAD_MAX    ((size_t)1 << 30)

/* MOPT: little-endian; the element; full or text. */
enum { TYPE_F64 = 0, TYPE_I32 = 20, TYPE_CHAR = 51 };

struct mat {
    tt_writer base;
    const char *path;               /* borrowed */
    const struct tt_layout *layout; /* borrowed */
    FILE *file;                     /* owned */
    double *value;                  /* owned: rows not in the file yet */
    size_t used, cap;               /* rows */
    size_t width;                   /* doubles per row */
    uint64_t count_at, span_at;     /* where data_2's count, data_1 stand */
    uint64_t data_at;               /* where the values of data_2 begin */
    uint64_t written;               /* rows the file has */
    double first, last;             /* times */
    struct tt_lines lines;
    int broken; /* errno of what failed, or 0 */
    int full;   /* too many different texts */
};

/* --- what goes before the rows ------------------------------------------- */

static void add_u32(struct tt_buf *b, uint32_t v)
{
    tt_buf_add(b, &v, sizeof(v));
}

static void add_header(struct tt_buf *b, uint32_t type, size_t rows,
                       size_t cols, const char *name)
{
    add_u32(b, type);
    add_u32(b, (uint32_t)rows);
    add_u32(b, (uint32_t)cols);
    add_u32(b, 0);
    add_u32(b, (uint32_t)strlen(name) + 1);
    tt_buf_add(b, name, strlen(name) + 1);
}

/* A text padded with NULs. */
static void add_padded(struct tt_buf *b, const char *text, size_t width)
{
    size_t n = strlen(text);

    tt_buf_add(b, text, n);
    for (; n < width; n++)
        tt_buf_char(b, '\0');
}

/* Aclass is never transposed: 4 lines of 11 characters, column by column. */
static void add_class(struct tt_buf *b)
{
    static const char *const line[4] = {"Atrajectory", "1.1        ",
                                        "           ", "binTrans   "};

    add_header(b, TYPE_CHAR, 4, 11, "Aclass");
    for (size_t i = 0; i < 11; i++)
        for (size_t k = 0; k < 4; k++)
            tt_buf_char(b, line[k][i]);
}

static void add_names(struct tt_buf *b, const struct tt_layout *l)
{
    size_t width = strlen("time");

    for (uint32_t i = 0; i < l->n; i++)
        if (strlen(l->column[i].name) > width)
            width = strlen(l->column[i].name);
    add_header(b, TYPE_CHAR, width, (size_t)l->n + 1, "name");
    add_padded(b, "time", width);
    for (uint32_t i = 0; i < l->n; i++)
        add_padded(b, l->column[i].name, width);
}

/* "level of the tank [m]", as Modelica tools state it. */
static void describe(struct tt_buf *b, const struct tt_layout_column *c)
{
    if (tt_type_is_text(c->type))
        tt_buf_str(b, TT_MAT_TEXT);
    if (c->text)
        tt_buf_str(b, c->text);
    if (c->unit)
        tt_buf_fmt(b, "%s[%s]", c->text ? " " : "", c->unit);
}

static void add_descriptions(struct tt_buf *b, const struct tt_layout *l)
{
    static const char time[] = "Simulation time [s]";
    size_t width = strlen(time);
    struct tt_buf one;

    tt_buf_init(&one, HEAD_MAX);
    for (uint32_t i = 0; i < l->n; i++) {
        tt_buf_clear(&one);
        describe(&one, &l->column[i]);
        if (one.len > width)
            width = one.len;
    }
    add_header(b, TYPE_CHAR, width, (size_t)l->n + 1, "description");
    add_padded(b, time, width);
    for (uint32_t i = 0; i < l->n; i++) {
        tt_buf_clear(&one);
        describe(&one, &l->column[i]);
        add_padded(b, one.len ? one.data : "", width);
    }
    b->failed |= one.failed;
    tt_buf_fini(&one);
}

/* Per name: data matrix (0: time, of all), its column, linear interpolation,
 * not defined outside. */
static void add_info(struct tt_buf *b, const struct tt_layout *l)
{
    add_header(b, TYPE_I32, 4, (size_t)l->n + 1, "dataInfo");
    for (uint32_t i = 0; i <= l->n; i++) {
        add_u32(b, i ? 2 : 0);
        add_u32(b, i + 1);
        add_u32(b, 0);
        add_u32(b, (uint32_t)-1);
    }
}

static void add_head(struct mat *m, struct tt_buf *b)
{
    const struct tt_layout *l = m->layout;
    const double span[2] = {l->start, l->start};

    add_class(b);
    add_names(b, l);
    add_descriptions(b, l);
    add_info(b, l);
    add_header(b, TYPE_F64, 1, 2, "data_1");
    m->span_at = b->len;
    tt_buf_add(b, span, sizeof(span));
    m->count_at = b->len + 8;
    add_header(b, TYPE_F64, m->width, 0, "data_2");
    m->data_at = b->len;
}

/* --- writing ------------------------------------------------------------- */

/* 0, or an errno; *sent counts what the file took. */
static int put(struct mat *m, const void *data, size_t n, size_t *sent)
{
    const char *p = data;

    while (*sent < n) {
        errno = 0;
        *sent += fwrite(p + *sent, 1, n - *sent, m->file);
        if (*sent < n && errno != EINTR)
            return errno ? errno : EIO;
        clearerr(m->file);
    }
    return 0;
}

static int put_at(struct mat *m, uint64_t at, const void *data, size_t n)
{
    size_t sent = 0;

    if (fseek(m->file, (long)at, SEEK_SET) != 0)
        return errno;
    return put(m, data, n, &sent);
}

/* After the rows that the file has. */
static uint64_t rows_end(const struct mat *m)
{
    return m->data_at + m->written * m->width * sizeof(double);
}

/* The counts in the headers; these bytes are there, so a full disk takes them.
 * Then back to the end. */
static int put_counts(struct mat *m)
{
    const double span[2] = {m->first, m->last};
    uint32_t count = (uint32_t)m->written;
    int e = put_at(m, m->count_at, &count, sizeof(count));

    if (!e && m->written)
        e = put_at(m, m->span_at, span, sizeof(span));
    if (!e && fseek(m->file, (long)rows_end(m), SEEK_SET) != 0)
        e = errno;
    return e;
}

static enum tt_code report_broken(const struct mat *m, tt_err *err)
{
    if (m->full)
        return tt_fail(err, TT_EIO,
                       "cannot write %s: too many different texts for a MAT "
                       "file (more than %zu bytes); record them to .csv or "
                       ".h5",
                       m->path, TT_LINES_MAX_BYTES);
    return tt_writer_broke(m->path, m->broken, m->base.rows, err);
}

/* The file took so many of the waiting rows; others are not waiting. */
static void count_written(struct mat *m, size_t rows)
{
    if (rows && !m->written)
        m->first = m->value[0];
    if (rows)
        m->last = m->value[(rows - 1) * m->width];
    m->written += rows;
    m->used = 0;
}

/* Whole rows are kept, the rest is given up. */
static void give_up(struct mat *m, size_t sent)
{
    size_t row = m->width * sizeof(double);

    count_written(m, sent / row);
    m->base.rows = m->written;
    (void)put_counts(m);
    (void)tt_file_cut(m->file, rows_end(m));
}

/* The counts are set each time, so that the file can be read when this very
 * process is killed: the scribe of a fast run never rests. */
static int write_waiting(struct mat *m)
{
    size_t n = m->used * m->width * sizeof(double), sent = 0;
    int e =
        m->written + m->used > INT32_MAX ? EFBIG : put(m, m->value, n, &sent);

    if (e) {
        give_up(m, sent);
        return e;
    }
    count_written(m, m->used);
    return put_counts(m);
}

static enum tt_code mat_flush(tt_writer *w, tt_err *err)
{
    struct mat *m = (struct mat *)w;

    if (!m->broken && m->used)
        m->broken = write_waiting(m);
    return m->broken || m->full ? report_broken(m, err) : TT_OK;
}

static double text_number(struct mat *m, enum tt_type type,
                          const struct tt_text *t)
{
    char sum[TT_BYTES_SUM_MAX];
    size_t n;
    const char *s = tt_cell_text(t, sum, &n);
    uint32_t number;

    if (type == TT_BYTES) { /* a row of text for each would fill the memory */
        n = tt_bytes_sum_of(sum, t);
        s = sum;
    }
    number = tt_lines_add(&m->lines, s, n);
    if (!number && m->lines.bytes >= TT_LINES_MAX_BYTES - TT_TEXT_MAX)
        m->full = 1;
    else if (!number)
        m->broken = ENOMEM;
    return number;
}

static void take_row(struct mat *m, const char *record)
{
    const struct tt_layout_column *c = m->layout->column;
    double *to = m->value + m->used * m->width;

    *to++ = tt_record_time(record);
    for (uint32_t i = 0; i < m->layout->n; i++, c++) {
        const char *v = record + c->at;

        if (tt_record_lacks(record, c->present))
            *to++ = (double)NAN;
        else if (c->type == TT_F64)
            memcpy(to++, v, sizeof(*to));
        else if (tt_type_is_text(c->type))
            *to++ = text_number(m, c->type, (const void *)v);
        else
            *to++ = tt_value_as_double(c->type, v);
    }
    m->used++;
    m->base.rows++;
}

static enum tt_code mat_rows(tt_writer *w, const char *record, size_t n,
                             tt_err *err)
{
    struct mat *m = (struct mat *)w;

    for (; n > 0 && !m->broken && !m->full; n--) {
        take_row(m, record);
        record += m->layout->record;
        if (m->used == m->cap)
            m->broken = write_waiting(m);
    }
    return m->broken || m->full ? report_broken(m, err) : TT_OK;
}

/* Texts are written when the file is closed: a position has them. */
static enum tt_code mat_keep(tt_writer *w, struct tt_buf *to, tt_err *err)
{
    struct mat *m = (struct mat *)w;
    enum tt_code rc = tt_writer_sync(w, m->file, m->path, err);

    if (rc != TT_OK)
        return rc;
    rc = tt_position_put_end(to, m->path, m->data_at, rows_end(m), err);
    tt_buf_add(to, &m->first, sizeof(m->first));
    tt_buf_add(to, &m->last, sizeof(m->last));
    tt_position_u64(to, m->lines.n);
    for (size_t i = 0; i < m->lines.n; i++)
        tt_buf_add(to, m->lines.line[i], strlen(m->lines.line[i]) + 1);
    return rc;
}

/* --- closing ------------------------------------------------------------- */

static int put_lines(struct mat *m)
{
    struct tt_lines *l = &m->lines;
    size_t sent = 0, width = l->longest ? l->longest : 1;
    struct tt_buf b;
    int e = ENOMEM;

    if (!l->n)
        return 0;
    tt_buf_init(&b, HEAD_MAX);
    add_header(&b, TYPE_CHAR, width, l->n, "texts");
    for (size_t i = 0; i < l->n; i++)
        add_padded(&b, l->line[i], width);
    if (!b.failed)
        e = put(m, b.data, b.len, &sent);
    tt_buf_fini(&b);
    if (e)
        give_up(m, 0);
    return e;
}

static enum tt_code mat_close(tt_writer *w, tt_err *err)
{
    struct mat *m = (struct mat *)w;
    enum tt_code rc = mat_flush(w, err);
    FILE *f = m->file;

    if (rc == TT_OK) {
        m->broken = put_lines(m);
        rc = m->broken ? report_broken(m, err) : TT_OK;
    }
    m->file = NULL;
    if (fclose(f) != 0 && rc == TT_OK)
        rc = tt_writer_cannot(m->path, err);
    return rc;
}

static void mat_free(tt_writer *w)
{
    struct mat *m = (struct mat *)w;

    if (m->file)
        (void)fclose(m->file); /* `close` is where errors are reported */
    tt_lines_fini(&m->lines);
    TT_FREE_ALL(m->value, m);
}

/* --- opening ------------------------------------------------------------- */

static enum tt_code open_new(struct mat *m, const struct tt_buf *head,
                             tt_err *err)
{
    size_t sent = 0;

    m->file = fopen(m->path, "wb");
    if (!m->file)
        return tt_writer_cannot(m->path, err);
    setvbuf(m->file, NULL, _IONBF, 0);
    errno = put(m, head->data, head->len, &sent);
    return errno ? tt_writer_cannot(m->path, err) : TT_OK;
}

/* The head we would write is the one that is there, but for what changes with
 * the rows. */
static int is_head(const struct mat *m, const struct tt_buf *head, char *there)
{
    memcpy(there + m->count_at, head->data + m->count_at, sizeof(uint32_t));
    memcpy(there + m->span_at, head->data + m->span_at, 2 * sizeof(double));
    return memcmp(there, head->data, head->len) == 0;
}

static enum tt_code check_head(struct mat *m, const struct tt_buf *head,
                               tt_err *err)
{
    char *there = tt_alloc(head->len);
    size_t n = there ? fread(there, 1, head->len, m->file) : 0;
    enum tt_code rc = TT_OK;

    if (!there)
        rc = tt_fail(err, TT_ENOMEM, "continuing %s", m->path);
    else if (n < head->len || !is_head(m, head, there))
        rc = tt_fail(err, TT_EINPUT,
                     "cannot continue %s: it is no MAT file with the columns "
                     "of this run",
                     m->path);
    tt_free(there);
    return rc;
}

static int get_lines(struct mat *m, struct tt_cursor *c)
{
    uint64_t n = tt_cursor_u64(c);

    for (uint64_t i = 0; i < n && !c->bad; i++) {
        const char *line = c->at, *end = memchr(line, '\0', c->left);
        size_t length = end ? (size_t)(end - line) : TT_TEXT_MAX + 1;

        if (length > TT_TEXT_MAX || !tt_cursor_skip(c, length + 1) ||
            tt_lines_add(&m->lines, line, length) != i + 1)
            return -1;
    }
    return c->bad ? -1 : 0;
}

static enum tt_code open_again(struct mat *m, const struct tt_buf *head,
                               const struct tt_writer_job *job, tt_err *err)
{
    struct tt_cursor *c = job->from;
    uint64_t end = 0;
    enum tt_code rc = tt_file_open_again(&m->file, m->path, err);

    if (rc == TT_OK)
        rc = check_head(m, head, err);
    if (rc == TT_OK)
        rc = tt_position_find(c, m->file, m->path, m->data_at, &end, err);
    if (rc != TT_OK)
        return rc;
    tt_cursor_read(c, &m->first, sizeof(m->first));
    tt_cursor_read(c, &m->last, sizeof(m->last));
    m->base.rows = m->written = job->rows;
    if (get_lines(m, c) != 0 || end != rows_end(m))
        return tt_position_damaged(m->path, err);
    return TT_OK;
}

static enum tt_code mat_go_on(tt_writer *w, tt_err *err)
{
    struct mat *m = (struct mat *)w;
    int e = tt_file_cut(m->file, rows_end(m));

    if (!e)
        e = put_counts(m);
    return e ? tt_position_cannot(m->path, e, err) : TT_OK;
}

static enum tt_code open_file(struct mat *m, const struct tt_writer_job *job,
                              tt_err *err)
{
    struct tt_buf head;
    enum tt_code rc;

    tt_buf_init(&head, HEAD_MAX);
    add_head(m, &head);
    rc = tt_buf_check(&head, m->path, err);
    if (rc == TT_OK)
        rc = job->from ? open_again(m, &head, job, err)
                       : open_new(m, &head, err);
    tt_buf_fini(&head);
    return rc;
}

static const struct tt_writer_ops mat_ops = {
    TT_HOOKS(mat_, rows, flush, keep, go_on, close, free)};

enum tt_code tt_mat_open(tt_writer **out, const struct tt_writer_job *job,
                         tt_err *err)
{
    const struct tt_layout *layout = job->layout;
    struct mat *m;
    enum tt_code rc;

    if (!TT_NEW(m))
        return tt_fail(err, TT_ENOMEM, "results of %u columns", layout->n);
    m->base.ops = &mat_ops;
    m->path = job->path;
    m->layout = layout;
    m->width = (size_t)layout->n + 1;
    m->cap = FLUSH_BYTES / (m->width * sizeof(double)) + 1;
    TT_NEW_ARRAY(m->value, m->cap * m->width);
    if (tt_lines_init(&m->lines) != 0 || !m->value)
        rc = tt_fail(err, TT_ENOMEM, "results of %u columns", layout->n);
    else
        rc = open_file(m, job, err);
    return TT_HAND_OVER(rc, out, &m->base, mat_free);
}
