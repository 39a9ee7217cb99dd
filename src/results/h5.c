/* SPDX-License-Identifier: MIT */
/* Results as an HDF5 file: a dataset per variable, `time` first, chunked and
 * compressed, with `unit` and `description` as attributes. The layout is in
 * docs/concepts/results.md.
 *
 * Rows are gathered into columns; when a chunk of each is full, all are
 * compressed (compress.h) and handed to HDF5 as they are. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "results/h5_impl.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "table/h5.h"

#define CHUNK_ROWS    ((size_t)4096)
#define CHUNK_LEAST   ((size_t)64)
#define GATHER_BYTES  ((size_t)32 << 20) /* all columns of a chunk, about */
#define FLUSH_NS      UINT64_C(2000000000)
/* What HDF5's own tables may grow by with a chunk of a column (a B-tree of two
 * levels, all nodes split), and besides. */
#define TABLES_COLUMN ((uint64_t)6 << 10)
#define TABLES_FILE   ((uint64_t)64 << 10)

/* --- types --------------------------------------------------------------- */

/* As h5py has it. */
static hid_t bool_type(void)
{
    hid_t t = H5Tenum_create(H5T_STD_I8LE);
    const signed char no = 0, yes = 1;

    if (t >= 0 && (H5Tenum_insert(t, "FALSE", &no) < 0 ||
                   H5Tenum_insert(t, "TRUE", &yes) < 0)) {
        H5Tclose(t);
        return -1;
    }
    return t;
}

static hid_t text_type(size_t size)
{
    hid_t t = H5Tcopy(H5T_C_S1);

    if (t >= 0 &&
        (H5Tset_size(t, size) < 0 || H5Tset_strpad(t, H5T_STR_NULLPAD) < 0 ||
         H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
        H5Tclose(t);
        return -1;
    }
    return t;
}

/* The type in the file; the caller closes it. */
static hid_t file_type(enum tt_type t)
{
    const hid_t number[TT_TYPE_N] = {
        [TT_F64] = H5T_IEEE_F64LE,   [TT_F32] = H5T_IEEE_F32LE,
        [TT_I8] = H5T_STD_I8LE,      [TT_U8] = H5T_STD_U8LE,
        [TT_I16] = H5T_STD_I16LE,    [TT_U16] = H5T_STD_U16LE,
        [TT_I32] = H5T_STD_I32LE,    [TT_U32] = H5T_STD_U32LE,
        [TT_I64] = H5T_STD_I64LE,    [TT_U64] = H5T_STD_U64LE,
        [TT_ENUM32] = H5T_STD_I32LE, [TT_ENUM64] = H5T_STD_I64LE};

    if (tt_type_is_bool(t) || t == TT_CLOCK)
        return bool_type();
    if (t == TT_TEXT)
        return text_type(TT_TEXT_MAX);
    return t == TT_BYTES ? H5Tvlen_create(H5T_STD_U8LE) : H5Tcopy(number[t]);
}

static size_t file_size(enum tt_type t)
{
    if (t == TT_TEXT)
        return TT_TEXT_MAX;
    if (t == TT_BYTES)
        return sizeof(struct tt_text); /* until it is written */
    return t == TT_BOOL32 ? 1 : tt_type_size(t);
}

/* --- datasets ------------------------------------------------------------ */

static int add_attribute(hid_t to, const char *name, const char *value)
{
    hid_t type, space, a = -1;
    int done;

    if (!value || !*value)
        return 0;
    type = text_type(strlen(value));
    space = H5Screate(H5S_SCALAR);
    a = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    done = a >= 0 && H5Awrite(a, type, value) >= 0;
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    return done ? 0 : -1;
}

/* What datasets have in common; making it anew for each would take longer
 * than making the dataset. */
struct mould {
    hid_t space;
    hid_t access;
    hid_t storage[3]; /* of texts, of other values, of binaries */
    hid_t type[TT_TYPE_N];
};

/* How a dataset is stored: chunks of `rows`, to be unfiltered by anyone. */
static hid_t storage(size_t rows, int shuffled, int filled)
{
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = rows;

    /* times would make files of equal runs differ */
    if (H5Pset_obj_track_times(p, 0) < 0 || H5Pset_chunk(p, 1, &chunk) < 0 ||
        (shuffled && H5Pset_shuffle(p) < 0) || H5Pset_deflate(p, 1) < 0 ||
        (!filled && H5Pset_fill_time(p, H5D_FILL_TIME_NEVER) < 0)) {
        H5Pclose(p);
        return -1;
    }
    return p;
}

static int mould_init(struct mould *m, size_t rows)
{
    const hsize_t none = 0, any = H5S_UNLIMITED;
    int whole;

    m->space = H5Screate_simple(1, &none, &any);
    m->access = H5Pcreate(H5P_DATASET_ACCESS);
    m->storage[0] = storage(rows, 0, 0);
    m->storage[1] = storage(rows, 1, 0);
    m->storage[2] = storage(rows, 0, 1); /* HDF5 wants it of what varies */
    whole = m->space >= 0;
    for (int i = 0; i < 3; i++)
        whole = whole && m->storage[i] >= 0;
    for (int t = 0; t < TT_TYPE_N; t++) {
        m->type[t] = file_type((enum tt_type)t);
        whole = whole && m->type[t] >= 0;
    }
    /* chunks come ready: a cache would only copy them */
    return whole && H5Pset_chunk_cache(m->access, 0, 0, 0) >= 0 ? 0 : -1;
}

static void mould_fini(struct mould *m)
{
    for (int t = 0; t < TT_TYPE_N; t++)
        H5Tclose(m->type[t]);
    for (int i = 0; i < 3; i++)
        H5Pclose(m->storage[i]);
    H5Pclose(m->access);
    H5Sclose(m->space);
}

/* A slash separates groups in HDF5, so a name has another one there. */
static void link_name(struct tt_buf *b, const char *name)
{
    for (; *name; name++)
        if (*name == '/')
            tt_buf_str(b, "\xe2\x88\x95"); /* U+2215 */
        else
            tt_buf_char(b, *name);
}

static int add_column(struct h5 *h, struct column *c, const struct mould *m,
                      const struct tt_layout_column *from)
{
    int how = c->type == TT_BYTES ? 2 : c->size <= TT_COMPRESS_PLANES;
    struct tt_buf link;
    int failed;

    tt_buf_init(&link, (size_t)1 << 20);
    link_name(&link, from->name);
    if (!link.failed && link.data)
        c->set = H5Dcreate2(h->file, link.data, m->type[c->type], m->space,
                            H5P_DEFAULT, m->storage[how], m->access);
    failed = c->set < 0 || !link.data ||
             add_attribute(c->set, "unit", from->unit) ||
             add_attribute(c->set, "description", from->text) ||
             (strcmp(link.data, from->name) != 0 &&
              add_attribute(c->set, "name", from->name));
    tt_buf_fini(&link);
    return failed ? -1 : 0;
}

/* --- chunks -------------------------------------------------------------- */

/* The gathered binaries, each of its own length, to the rows from `at` on. */
int tt_h5_put_bytes(struct h5 *h, struct column *c, hsize_t at)
{
    const hsize_t n = h->used;
    hvl_t *value = tt_zalloc(h->used, sizeof(*value));
    hid_t type = H5Tvlen_create(H5T_NATIVE_UCHAR);
    hid_t memory = H5Screate_simple(1, &n, NULL);
    hid_t file = H5Dget_space(c->set);
    int failed;

    for (size_t i = 0; value && i < h->used; i++) {
        struct tt_text *t = (void *)(c->data + i * c->size);

        value[i].len = t->n;
        value[i].p = t->s;
    }
    failed =
        !value ||
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &at, NULL, &n, NULL) < 0 ||
        H5Dwrite(c->set, type, memory, file, H5P_DEFAULT, value) < 0;
    H5Sclose(file);
    H5Sclose(memory);
    H5Tclose(type);
    tt_free(value);
    return failed;
}

static int put_chunk(struct h5 *h, struct column *c, hsize_t at)
{
    const hsize_t rows = at + h->used;
    size_t size = c->size * h->rows, n;

    if (H5Dset_extent(c->set, &rows) < 0)
        return -1;
    if (c->type == TT_BYTES)
        return tt_h5_put_bytes(h, c, at);
    n = tt_compress_chunk(&h->compress, &c->past, c->data, c->size, h->rows);
    if (n)
        return H5Dwrite_chunk(c->set, H5P_DEFAULT, 0, &at, n, h->compress.out) <
               0;
    return H5Dwrite_chunk(c->set, H5P_DEFAULT, UINT32_MAX, &at, size, c->data) <
           0;
}

static void break_down(struct h5 *h)
{
    tt_err why;

    tt_h5_fail("write", h->path, &why);
    tt_fail(&h->why, TT_EIO, "%s; what it holds may not be readable", why.msg);
    h->broken = 1;
}

/* Bytes of the gathered chunks as they will be written. */
static uint64_t compressed_bytes(struct h5 *h)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < h->n; i++) {
        struct column *c = &h->column[i];
        size_t n = tt_compress_chunk(&h->compress, &c->past, c->data, c->size,
                                     h->rows);

        sum += n ? n : c->size * h->rows;
    }
    return sum;
}

int tt_h5_fd(const struct h5 *h)
{
    void *fd = NULL;

    return H5Fget_vfd_handle(h->file, H5P_DEFAULT, &fd) < 0 || !fd ? -1
                                                                   : *(int *)fd;
}

int tt_h5_reserve(const struct h5 *h, uint64_t bytes)
{
    uint64_t tables = TABLES_FILE + h->n * TABLES_COLUMN;
    int fd = tt_h5_fd(h);
    haddr_t end;

    if (fd < 0 || H5Fget_eoa(h->file, &end) < 0)
        return 0;
    return tt_file_reserve(fd, end, bytes + tables);
}

/* A disk that fills up in the middle of a table of HDF5's leaves a file that
 * nothing can read. So room is made for the chunks and all tables, those of
 * closing too, before anything is written: as if nothing shrank, or, if that is
 * too much, for what there is. 0, or an errno. */
static int reserve(struct h5 *h)
{
    uint64_t raw = 0;
    int e;

    for (uint32_t i = 0; i < h->n; i++)
        raw += h->column[i].size * h->rows;
    e = tt_h5_reserve(h, raw);
    return e ? tt_h5_reserve(h, compressed_bytes(h)) : 0;
}

/* The gathered rows are given up; those before are safe. */
static void give_up(struct h5 *h, int reason)
{
    h->base.rows -= h->used;
    (void)tt_writer_broke(h->path, reason, h->base.rows, &h->why);
    h->broken = 1;
}

/* What is not a row yet is not noise either. */
static void fill_up(struct h5 *h)
{
    for (uint32_t i = 0; i < h->n && h->used < h->rows; i++) {
        struct column *c = &h->column[i];

        memset(c->data + c->size * h->used, 0, c->size * (h->rows - h->used));
    }
}

/* All columns, then now and then the file's own tables, so that the file can
 * be read up to there should the machine fail. */
static enum tt_code put_chunks(struct h5 *h, tt_err *err)
{
    hsize_t at = (h->base.rows - 1) / h->rows * h->rows;
    uint64_t now = tt_clock_ns();
    int failed = 0, full;

    fill_up(h);
    tt_h5_take();
    full = reserve(h);
    if (full)
        give_up(h, full);
    for (uint32_t i = 0; i < h->n && !failed && !full; i++)
        failed = put_chunk(h, &h->column[i], at) != 0;
    if (!failed && !full && now - h->flushed_ns > FLUSH_NS) {
        failed = H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0;
        h->flushed_ns = now;
    }
    if (failed)
        break_down(h);
    tt_h5_give();
    h->used = 0;
    return h->broken ? tt_fail(err, TT_EIO, "%s", h->why.msg) : TT_OK;
}

static void gather_text(unsigned char *to, const struct column *c,
                        const struct tt_text *t)
{
    char sum[TT_BYTES_SUM_MAX];
    size_t n;
    const char *s = tt_cell_text(t, sum, &n);

    memset(to, 0, c->size);
    if (c->type == TT_BYTES)
        tt_bytes_set((struct tt_text *)(void *)to, s, n);
    else
        memcpy(to, s, n);
}

/* Numbers that may be absent are doubles in the file, and NaN then. */
static void gather_some(const struct h5 *h, const struct column *c,
                        const char *record, size_t n)
{
    unsigned char *to = c->data + h->used * c->size;

    for (; n > 0; n--, record += h->layout->record, to += c->size) {
        int lacks = tt_record_lacks(record, c->present);
        double v = (double)NAN;

        if (!tt_type_is_text(c->type) && !lacks)
            v = tt_value_as_double(c->native, record + c->at);
        if (!tt_type_is_text(c->type))
            memcpy(to, &v, sizeof(v));
        else if (lacks)
            memset(to, 0, c->size);
        else
            gather_text(to, c, (const void *)(record + c->at));
    }
}

static void gather(const struct h5 *h, const struct column *c,
                   const char *record, size_t n)
{
    unsigned char *to = c->data + h->used * c->size;
    const char *from = record + c->at;
    size_t stride = h->layout->record;

    if (c->present) {
        gather_some(h, c, record, n);
        return;
    }
    for (; n > 0; n--, from += stride, to += c->size) {
        if (c->type == TT_F64)
            memcpy(to, from, 8);
        else if (c->type == TT_BOOL32 || c->type == TT_BOOL ||
                 c->type == TT_CLOCK)
            *to = tt_value_as_double(c->type, from) != 0;
        else if (tt_type_is_text(c->type))
            gather_text(to, c, (const void *)from);
        else
            memcpy(to, from, c->size);
    }
}

static enum tt_code h5_rows(tt_writer *w, const char *record, size_t n,
                            tt_err *err)
{
    struct h5 *h = (struct h5 *)w;
    enum tt_code rc = TT_OK;

    while (n > 0 && rc == TT_OK) {
        size_t some = h->rows - h->used < n ? h->rows - h->used : n;

        for (uint32_t i = 0; i < h->n; i++)
            gather(h, &h->column[i], record, some);
        h->used += some;
        h->base.rows += some;
        record += some * h->layout->record;
        n -= some;
        if (h->used == h->rows)
            rc = put_chunks(h, err);
    }
    return rc;
}

/* An HDF5 file that is being written cannot be read. */
static enum tt_code h5_flush(tt_writer *w, tt_err *err)
{
    (void)w;
    (void)err;
    return TT_OK;
}

/* --- opening and closing ------------------------------------------------- */

static int close_sets(struct h5 *h)
{
    int failed = 0;

    for (uint32_t i = 0; i < h->n && h->column; i++) {
        if (h->column[i].set >= 0)
            failed |= H5Dclose(h->column[i].set) < 0;
        h->column[i].set = -1;
    }
    if (h->file >= 0)
        failed |= H5Fclose(h->file) < 0;
    h->file = -1;
    return failed;
}

static enum tt_code h5_close(tt_writer *w, tt_err *err)
{
    struct h5 *h = (struct h5 *)w;
    enum tt_code rc = TT_OK;

    if (!h->broken && h->used)
        rc = put_chunks(h, err);
    tt_h5_take();
    if (close_sets(h) && !h->broken)
        break_down(h);
    tt_h5_give();
    tt_file_trim(h->path);
    if (rc == TT_OK && h->broken)
        rc = tt_fail(err, TT_EIO, "%s", h->why.msg);
    return rc;
}

static void h5_free(tt_writer *w)
{
    struct h5 *h = (struct h5 *)w;

    tt_h5_take();
    (void)close_sets(h);
    tt_h5_give();
    if (h->made)
        (void)remove(h->made); /* what it would replace stays as it is */
    TT_FREE_ALL(h->made, h->chunk);
    tt_compress_fini(&h->compress);
    TT_FREE_ALL(h->gather, h->column, h);
}

static const struct tt_writer_ops h5_ops = {
    TT_HOOKS(h5_, rows, flush, close, free), TT_HOOKS(tt_h5_, keep, go_on)};

/* Columns, and room for a chunk of each. */
static int prepare(struct h5 *h)
{
    const struct tt_layout *l = h->layout;
    size_t row = sizeof(double), widest = sizeof(double), at;

    TT_NEW_ARRAY(h->column, h->n);
    if (!h->column)
        return -1;
    h->column[0] = (struct column){.set = -1, .type = TT_F64, .size = row};
    for (uint32_t i = 0; i < l->n; i++) {
        struct column *c = &h->column[i + 1];

        *c = (struct column){.set = -1,
                             .type = l->column[i].type,
                             .native = l->column[i].type,
                             .at = l->column[i].at,
                             .present = l->column[i].present};
        if (c->present && !tt_type_is_text(c->type))
            c->type = TT_F64;
        c->size = file_size(c->type);
        row += c->size;
        widest = c->size > widest ? c->size : widest;
    }
    h->rows = GATHER_BYTES / row / 8 * 8;
    h->rows = h->rows > CHUNK_ROWS    ? CHUNK_ROWS
              : h->rows < CHUNK_LEAST ? CHUNK_LEAST
                                      : h->rows;
    h->gather = tt_zalloc(h->rows, row);
    at = 0;
    for (uint32_t i = 0; i < h->n && h->gather; i++) {
        h->column[i].data = h->gather + at;
        at += h->rows * h->column[i].size;
    }
    return h->gather ? tt_compress_init(&h->compress, h->rows * widest) : -1;
}

/* Links keep the order they were made in. */
static hid_t create(const char *path)
{
    hid_t p = H5Pcreate(H5P_FILE_CREATE), f = -1;

    if (H5Pset_link_creation_order(p, H5P_CRT_ORDER_TRACKED |
                                          H5P_CRT_ORDER_INDEXED) >= 0)
        f = H5Fcreate(path, H5F_ACC_TRUNC, p, H5P_DEFAULT);
    H5Pclose(p);
    return f;
}

static int add_columns(struct h5 *h, const struct mould *m)
{
    static const struct tt_layout_column time = {
        .name = "time", .unit = "s", .text = "Simulation time"};
    int failed = add_column(h, &h->column[0], m, &time);

    for (uint32_t i = 0; i < h->layout->n && !failed; i++)
        failed = add_column(h, &h->column[i + 1], m, &h->layout->column[i]);
    return failed;
}

static int make_file(struct h5 *h)
{
    struct mould m;
    int failed;

    h->file = create(h->made ? h->made : h->path);
    if (h->file < 0 || add_attribute(h->file, "creator", "Tutti") != 0)
        return -1;
    failed = mould_init(&m, h->rows) != 0 || add_columns(h, &m) != 0;
    mould_fini(&m);
    return failed || H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0 ? -1 : 0;
}

static enum tt_code open_file(struct h5 *h, const struct tt_writer_job *job,
                              tt_err *err)
{
    enum tt_code rc = TT_OK;
    int made;

    if (job->from)
        rc = tt_h5_find(h, job, err);
    if (rc != TT_OK)
        return rc;
    tt_h5_take();
    made = make_file(h) == 0;
    if (!made)
        rc = tt_h5_fail(job->from ? "continue" : "write", h->path, err);
    if (made && job->from)
        rc = tt_h5_copy(h, job->from, err);
    tt_h5_give();
    return rc;
}

enum tt_code tt_h5_open(tt_writer **out, const struct tt_writer_job *job,
                        tt_err *err)
{
    const struct tt_layout *layout = job->layout;
    enum tt_code rc = TT_OK;
    struct h5 *h;

    if (!tt_h5_is_there())
        return tt_h5_missing("write", job->path, err);
    if (!TT_NEW(h))
        return tt_fail(err, TT_ENOMEM, "results of %u columns", layout->n);
    h->base.ops = &h5_ops;
    h->path = job->path;
    h->layout = layout;
    h->file = -1;
    h->n = layout->n + 1;
    h->flushed_ns = tt_clock_ns();
    if (prepare(h) != 0)
        rc = tt_fail(err, TT_ENOMEM, "results of %u columns", layout->n);
    if (rc == TT_OK)
        rc = open_file(h, job, err);
    if (h->old)
        (void)fclose(h->old); /* only read */
    h->old = NULL;
    return TT_HAND_OVER(rc, out, &h->base, h5_free);
}
