/* SPDX-License-Identifier: MIT */
/* In place of archive_zip.c where there is no libzip: only folders are read. */
#include "text/archive_impl.h"

static enum tt_code refuse(const tt_archive *a, tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED,
                   "%s: it is not a folder, and archives cannot be read here",
                   a->path);
}

enum tt_code archive_zip_open(tt_archive *a, tt_err *err)
{
    return refuse(a, err);
}

enum tt_code archive_zip_open_memory(tt_archive *a, const void *data, size_t n,
                                     tt_err *err)
{
    (void)data;
    (void)n;
    return refuse(a, err);
}

void archive_zip_close(tt_archive *a)
{
    (void)a;
}

/* The parameters are those of the real one. */
enum tt_code archive_zip_read(tt_archive *a, const struct archive_entry *e,
                              uint64_t *total, archive_chunk_fn fn, void *ctx,
                              tt_err *err)
{
    (void)e;
    (void)total;
    (void)fn;
    (void)ctx;
    return refuse(a, err);
}
