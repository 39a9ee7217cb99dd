/* SPDX-License-Identifier: MIT */
#include "results/position.h"

#include <errno.h>
#include <inttypes.h>

#include "base/hash.h"
#include "sys/in.h"

#define TAIL ((size_t)4096) /* bytes that distinguish one file from another */

uint64_t tt_layout_hash(const struct tt_layout *l)
{
    uint64_t h = TT_HASH_START;

    for (uint32_t i = 0; i < l->n; i++) {
        const struct tt_layout_column *c = &l->column[i];

        h = tt_hash(h, c->name, strlen(c->name) + 1);
        h = tt_hash(h, &c->type, sizeof(c->type));
    }
    return h;
}

static size_t tail_length(uint64_t from, uint64_t end)
{
    return end - from < TAIL ? (size_t)(end - from) : TAIL;
}

/* The writer's file is open for writing only: it may be a pipe. */
enum tt_code tt_position_put_end(struct tt_buf *b, const char *path,
                                 uint64_t from, uint64_t end, tt_err *err)
{
    char data[TAIL];
    size_t n = tail_length(from, end), got = 0;
    tt_in *in = NULL;
    enum tt_code rc = tt_in_open(&in, path, err);

    if (rc == TT_OK)
        rc = tt_in_read(in, end - n, data, n, &got, err);
    if (rc == TT_OK && got < n)
        rc = tt_fail(err, TT_EIO, "%s was cut while it was written", path);
    tt_in_close(in);
    tt_position_u64(b, end);
    tt_position_u64(b, tt_hash(TT_HASH_START, data, got));
    return rc;
}

/* 0, or an errno; then we stand at the end. */
static int hash_tail(FILE *f, uint64_t from, uint64_t end, uint64_t *hash)
{
    char data[TAIL];
    size_t n = tail_length(from, end);

    errno = 0;
    if (fseek(f, (long)(end - n), SEEK_SET) != 0)
        return errno;
    if (fread(data, 1, n, f) < n)
        return errno ? errno : EIO;
    *hash = tt_hash(TT_HASH_START, data, n);
    return fseek(f, (long)end, SEEK_SET) != 0 ? errno : 0;
}

enum tt_code tt_position_damaged(const char *path, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "cannot continue %s: its position in the checkpoint is "
                   "damaged",
                   path);
}

enum tt_code tt_position_cannot(const char *path, int reason, tt_err *err)
{
    return tt_fail(err, TT_EIO, "cannot continue %s: %s", path,
                   strerror(reason));
}

enum tt_code tt_position_foreign(const char *path, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "cannot continue %s: its rows are not those of the "
                   "checkpoint",
                   path);
}

enum tt_code tt_position_need(FILE *f, const char *path, uint64_t bytes,
                              tt_err *err)
{
    long size;

    if (fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0)
        return tt_position_cannot(path, errno, err);
    if ((uint64_t)size < bytes)
        return tt_fail(err, TT_EINPUT,
                       "cannot continue %s: it has %ld bytes, and %" PRIu64
                       " at the checkpoint",
                       path, size, bytes);
    return TT_OK;
}

enum tt_code tt_position_find(struct tt_cursor *c, FILE *f, const char *path,
                              uint64_t from, uint64_t *end, tt_err *err)
{
    uint64_t want, hash = 0;
    enum tt_code rc;
    int e;

    *end = tt_cursor_u64(c);
    want = tt_cursor_u64(c);
    if (c->bad || *end < from)
        return tt_position_damaged(path, err);
    rc = tt_position_need(f, path, *end, err);
    if (rc != TT_OK)
        return rc;
    e = hash_tail(f, from, *end, &hash);
    if (e)
        return tt_position_cannot(path, e, err);
    return hash == want ? TT_OK : tt_position_foreign(path, err);
}
