/* SPDX-License-Identifier: MIT */
/* HDF5 files that are continued.
 *
 * HDF5 changes its tables in place: a file whose writer was killed may be
 * unreadable. But full chunks are written once and stay where they are, so a
 * position has their places, and the rows that fill no chunk yet. To continue,
 * a new file is made, the chunks are copied to it byte by byte out of the old
 * one, and it takes the old one's place. HDF5 lays it out as it did the old
 * one, since it is asked for the same things in the same order: a position in
 * the old file holds in the new one, should that be killed before the next
 * checkpoint. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "results/h5_impl.h"
#include "sys/file.h"
#include "sys/in.h"
#include "table/h5.h"

#define SIGNATURE "\211HDF\r\n\032\n"
#define ENDING    ".part"

/* --- positions ----------------------------------------------------------- */

static uint32_t sum_of(const void *data, size_t n)
{
    return (uint32_t)crc32(0, data, (uInt)n);
}

static int has_bytes(const struct h5 *h)
{
    for (uint32_t i = 0; i < h->n; i++)
        if (h->column[i].type == TT_BYTES)
            return 1;
    return 0;
}

/* Where HDF5 put a chunk, and what is there. */
static int find_chunk(struct h5 *h, tt_in *in, size_t i, struct h5_chunk *k)
{
    const hsize_t row = i / h->n * h->rows;
    unsigned mask = 0;
    haddr_t at = 0;
    hsize_t size = 0;
    size_t got = 0;
    char *data;
    int failed = H5Dget_chunk_info_by_coord(h->column[i % h->n].set, &row,
                                            &mask, &at, &size) < 0 ||
                 !size || size > UINT32_MAX;

    data = failed ? NULL : tt_alloc((size_t)size);
    failed = !data ||
             tt_in_read(in, at, data, (size_t)size, &got, NULL) != TT_OK ||
             got < size;
    if (!failed)
        *k = (struct h5_chunk){.at = at,
                               .size = (uint32_t)size,
                               .mask = mask,
                               .crc = sum_of(data, (size_t)size)};
    tt_free(data);
    return failed ? -1 : 0;
}

/* The chunks since the last time; `full`: all there are. */
static int list_chunks(struct h5 *h, size_t full)
{
    tt_in *in = NULL;
    int failed = 0;

    if (h->n_chunk == full)
        return 0;
    if (tt_in_open(&in, h->path, NULL) != TT_OK)
        return -1;
    while (h->n_chunk < full && !failed) {
        failed = TT_GROW(h->chunk, h->n_chunk, h->cap_chunk) ||
                 find_chunk(h, in, h->n_chunk, &h->chunk[h->n_chunk]);
        h->n_chunk += !failed;
    }
    tt_in_close(in);
    return failed ? -1 : 0;
}

/* Texts are mostly shorter than their place. */
static void put_gathered(struct tt_buf *b, const struct column *c, size_t n)
{
    const unsigned char *p = c->data;

    if (c->size <= TT_COMPRESS_PLANES) {
        tt_buf_add(b, p, n * c->size);
        return;
    }
    for (; n > 0; n--, p += c->size) {
        uint64_t used = c->size;

        while (used && !p[used - 1])
            used--;
        tt_position_u64(b, used);
        tt_buf_add(b, p, (size_t)used);
    }
}

static void get_gathered(struct tt_cursor *from, struct column *c, size_t n)
{
    unsigned char *p = c->data;

    if (c->size <= TT_COMPRESS_PLANES) {
        tt_cursor_read(from, p, n * c->size);
        return;
    }
    for (; n > 0 && !from->bad; n--, p += c->size) {
        uint64_t used = tt_cursor_u64(from);

        from->bad |= used > c->size;
        memset(p, 0, c->size);
        tt_cursor_read(from, p, from->bad ? 0 : (size_t)used);
    }
}

static void put_position(const struct h5 *h, struct tt_buf *to)
{
    tt_position_u64(to, h->rows);
    tt_position_u64(to, h->n_chunk);
    tt_buf_add(to, h->chunk, h->n_chunk * sizeof(*h->chunk));
    tt_position_u64(to, h->used);
    for (uint32_t i = 0; i < h->n; i++) {
        tt_buf_add(to, &h->column[i].past, sizeof(h->column[i].past));
        put_gathered(to, &h->column[i], h->used);
    }
}

enum tt_code tt_h5_keep(tt_writer *w, struct tt_buf *to, tt_err *err)
{
    struct h5 *h = (struct h5 *)w;
    size_t full = (size_t)(h->base.rows / h->rows) * h->n;
    int failed, e = 0, fd;

    if (h->broken)
        return tt_fail(err, TT_EIO, "%s", h->why.msg);
    tt_h5_take();
    fd = tt_h5_fd(h);
    failed = list_chunks(h, full) != 0;
    /* binaries lie among HDF5's tables */
    if (!failed && has_bytes(h))
        failed = H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0;
    if (failed)
        (void)tt_h5_fail("write", h->path, err);
    else if (fd >= 0)
        e = tt_file_sync_fd(fd, h->path);
    tt_h5_give();
    put_position(h, to);
    errno = e;
    return failed ? TT_EIO : e ? tt_writer_cannot(h->path, err) : TT_OK;
}

/* --- finding what is continued ------------------------------------------- */

static enum tt_code check_old(struct h5 *h, tt_err *err)
{
    char head[8] = {0};
    uint64_t end = 0;

    if (fread(head, 1, sizeof(head), h->old) < sizeof(head) ||
        memcmp(head, SIGNATURE, sizeof(head)) != 0)
        return tt_fail(err, TT_EINPUT, "cannot continue %s: it is no HDF5 file",
                       h->path);
    for (size_t i = 0; i < h->n_chunk; i++)
        if (h->chunk[i].at + h->chunk[i].size > end)
            end = h->chunk[i].at + h->chunk[i].size;
    return tt_position_need(h->old, h->path, end, err);
}

static int get_position(struct h5 *h, struct tt_cursor *c, uint64_t rows)
{
    uint64_t chunk_rows = tt_cursor_u64(c), n = tt_cursor_u64(c);

    if (c->bad || !chunk_rows || chunk_rows != h->rows ||
        n > c->left / sizeof(*h->chunk) || n != rows / h->rows * h->n)
        return -1;
    h->chunk = tt_alloc(n * sizeof(*h->chunk));
    if (!h->chunk)
        return -1;
    h->n_chunk = h->cap_chunk = (size_t)n;
    tt_cursor_read(c, h->chunk, h->n_chunk * sizeof(*h->chunk));
    h->base.rows = rows;
    return 0;
}

/* What fills no chunk yet. */
static int get_rest(struct h5 *h, struct tt_cursor *c)
{
    uint64_t used = tt_cursor_u64(c);

    if (used != h->base.rows % h->rows)
        return -1;
    h->used = (size_t)used;
    for (uint32_t i = 0; i < h->n; i++) {
        tt_cursor_read(c, &h->column[i].past, sizeof(h->column[i].past));
        get_gathered(c, &h->column[i], h->used);
    }
    return c->bad ? -1 : 0;
}

enum tt_code tt_h5_find(struct h5 *h, const struct tt_writer_job *job,
                        tt_err *err)
{
    struct tt_buf made;
    enum tt_code rc;

    tt_buf_init(&made, (size_t)1 << 16);
    tt_buf_str(&made, h->path);
    tt_buf_str(&made, ENDING);
    h->made = tt_buf_take(&made);
    if (!h->made)
        return tt_fail(err, TT_ENOMEM, "continuing %s", h->path);
    if (get_position(h, job->from, job->rows) != 0)
        return tt_position_damaged(h->path, err);
    rc = tt_file_open_again(&h->old, h->path, err);
    return rc == TT_OK ? check_old(h, err) : rc;
}

/* --- copying ------------------------------------------------------------- */

/* n bytes of the old file. 0, or not. */
static int read_old(struct h5 *h, uint64_t at, void *to, size_t n)
{
    return at > INT64_MAX || fseek(h->old, (long)at, SEEK_SET) != 0 ||
           fread(to, 1, n, h->old) < n;
}

/* A binary in a dataset is a reference: its length, the collection it is in,
 * its number there. HDF5 File Format Specification 3.0, III.E and VIII.B.
 * Collections only grow: what was there when we kept is there. */
struct reference {
    uint32_t n, number;
    uint64_t collection;
};

#define REFERENCE_SIZE 16u /* in the file: n, collection, number */

static struct reference reference_at(const char *p)
{
    struct reference r;

    memcpy(&r.n, p, 4);
    memcpy(&r.collection, p + 4, 8);
    memcpy(&r.number, p + 12, 4);
    return r;
}

struct collection_head {
    char magic[4];
    uint32_t version;
    uint64_t size;
};

struct object_head {
    uint16_t number, count;
    uint32_t gap;
    uint64_t size;
};

/* The collection at hand; neighbours are mostly in the same. */
struct collection {
    uint64_t at, size;
    char *data; /* owned */
};

#define COLLECTION_MAX ((uint64_t)1 << 30)

static int read_collection(struct h5 *h, struct collection *c, uint64_t at)
{
    struct collection_head head;

    if (c->data && c->at == at)
        return 0;
    tt_free(c->data);
    c->data = NULL;
    if (read_old(h, at, &head, sizeof(head)) ||
        memcmp(head.magic, "GCOL", sizeof(head.magic)) != 0 ||
        head.size > COLLECTION_MAX)
        return -1;
    c->at = at;
    c->size = head.size;
    c->data = tt_alloc((size_t)head.size);
    return !c->data || read_old(h, at, c->data, (size_t)head.size);
}

/* NULL: it is not there. */
static const char *find_object(const struct collection *c,
                               const struct reference *r)
{
    uint64_t at = sizeof(struct collection_head);

    while (at + sizeof(struct object_head) <= c->size) {
        struct object_head one;

        memcpy(&one, c->data + at, sizeof(one));
        at += sizeof(one);
        if (!one.number || one.size > c->size - at)
            break;
        if (one.number == r->number)
            return one.size >= r->n ? c->data + at : NULL;
        at += (one.size + 7) / 8 * 8;
    }
    return NULL;
}

static int read_bytes(struct h5 *h, struct collection *c,
                      const struct reference *r, struct tt_text *to)
{
    const char *s;

    memset(to, 0, sizeof(*to));
    if (!r->n)
        return 0;
    if (r->n > TT_TEXT_MAX || read_collection(h, c, r->collection))
        return -1;
    s = find_object(c, r);
    if (!s)
        return -1;
    to->n = r->n;
    memcpy(to->s, s, r->n);
    return 0;
}

static int copy_bytes(struct h5 *h, struct column *c, const struct h5_chunk *k,
                      const void *data, hsize_t row)
{
    struct collection heap = {0};
    const uLongf want = h->rows * REFERENCE_SIZE;
    uLongf n = want;
    char *all = tt_alloc(n);
    int failed = !all;

    if (!failed && (k->mask & 1)) { /* it would not shrink */
        n = k->size;
        memcpy(all, data, n < want ? n : want);
    } else if (!failed) {
        failed = uncompress((Bytef *)all, &n, data, k->size) != Z_OK;
    }
    failed |= n != want;
    for (size_t i = 0; i < h->rows && !failed; i++) {
        struct reference r = reference_at(all + i * REFERENCE_SIZE);

        failed = read_bytes(h, &heap, &r,
                            (struct tt_text *)(void *)(c->data + i * c->size));
    }
    TT_FREE_ALL(heap.data, all);
    return failed || tt_h5_put_bytes(h, c, row);
}

static enum tt_code copy_chunk(struct h5 *h, size_t i, tt_err *err)
{
    const struct h5_chunk *k = &h->chunk[i];
    const hsize_t row = i / h->n * h->rows, rows = row + h->rows;
    struct column *c = &h->column[i % h->n];
    char *data = tt_alloc(k->size);
    enum tt_code rc = TT_OK;
    int failed;

    if (!data)
        return tt_fail(err, TT_ENOMEM, "continuing %s", h->path);
    if (read_old(h, k->at, data, k->size) || sum_of(data, k->size) != k->crc) {
        rc = tt_position_foreign(h->path, err);
    } else {
        failed = H5Dset_extent(c->set, &rows) < 0;
        if (!failed && c->type == TT_BYTES)
            failed = copy_bytes(h, c, k, data, row);
        else if (!failed)
            failed = H5Dwrite_chunk(c->set, H5P_DEFAULT, k->mask, &row, k->size,
                                    data) < 0;
        if (failed)
            rc = tt_h5_fail("continue", h->path, err);
    }
    tt_free(data);
    return rc;
}

/* Binaries pass through the place of gathered rows, so these come last. */
enum tt_code tt_h5_copy(struct h5 *h, struct tt_cursor *from, tt_err *err)
{
    uint64_t bytes = 0;
    enum tt_code rc = TT_OK;
    int e;

    for (size_t i = 0; i < h->n_chunk; i++)
        bytes += h->chunk[i].size;
    e = tt_h5_reserve(h, bytes);
    if (e)
        return tt_position_cannot(h->path, e, err);
    h->used = h->rows;
    for (size_t i = 0; i < h->n_chunk && rc == TT_OK; i++)
        rc = copy_chunk(h, i, err);
    h->n_chunk = 0; /* the next position lists those of the new file */
    if (rc == TT_OK && get_rest(h, from) != 0)
        rc = tt_position_damaged(h->path, err);
    return rc;
}

/* What takes the old file's place is as good as that was. */
enum tt_code tt_h5_go_on(tt_writer *w, tt_err *err)
{
    struct h5 *h = (struct h5 *)w;
    int failed, fd, e = 0;

    tt_h5_take();
    fd = tt_h5_fd(h);
    failed = H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0;
    if (failed)
        (void)tt_h5_fail("continue", h->path, err);
    tt_h5_give();
    if (failed)
        return TT_EIO;
    if (fd >= 0)
        e = tt_file_sync_fd(fd, h->made);
    if (!e)
        e = tt_file_rename(h->made, h->path);
    if (e)
        return tt_position_cannot(h->path, e, err);
    tt_free(h->made);
    h->made = NULL;
    return TT_OK;
}
