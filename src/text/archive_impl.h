/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_ARCHIVE_IMPL_H
#define TT_TEXT_ARCHIVE_IMPL_H

/* The two halves of an archive: what zips and folders share (archive.c) and
 * the zip itself (archive_zip.c). Private to fmi/. */

#include <zip.h>

#include "base/mem.h"
#include "base/names.h"
#include "sys/temp.h"
#include "text/archive.h"

struct archive_entry {
    const char *name; /* checked, '/' between components; in the arena */
    uint64_t index;   /* in the zip */
    uint64_t packed;  /* bytes in the zip, as it states */
    uint64_t size;    /* bytes it makes, as it states */
};

struct tt_archive {
    char *path; /* owned, as given */
    int is_dir;
    zip_t *zip;                  /* owned; NULL for a folder */
    uint64_t bytes;              /* size of the zip file */
    tt_arena *arena;             /* owned: names */
    struct archive_entry *entry; /* owned, sorted by name */
    size_t n, cap;
    uint32_t backslashes;        /* entries with such in their names */
    struct tt_names names;       /* owned: name to entry */
    struct tt_findings findings; /* owned */
    char *dir;                   /* owned: where the files are, or NULL */
    struct tt_temp temp;         /* removed at close, if there is one */
    struct tt_buf kept;          /* owned: the entry `of`, until unpacked */
    uint32_t of;
};

/* Check its name, relative to the archive, and add a copy of it. */
TT_NODISCARD enum tt_code
archive_add(tt_archive *a, const struct archive_entry *e, tt_err *err);

/* Open a->zip from a file or memory; list and check all entries. */
TT_NODISCARD enum tt_code archive_zip_open(tt_archive *a, tt_err *err);
TT_NODISCARD enum tt_code
archive_zip_open_memory(tt_archive *a, const void *data, size_t n, tt_err *err);
void archive_zip_close(tt_archive *a);

/* Inflate one entry, chunk by chunk. *total counts over entries and is
 * limited. */
typedef enum tt_code (*archive_chunk_fn)(void *ctx, const void *data, size_t n,
                                         tt_err *err);
TT_NODISCARD enum tt_code archive_zip_read(tt_archive *a,
                                           const struct archive_entry *e,
                                           uint64_t *total, archive_chunk_fn fn,
                                           void *ctx, tt_err *err);

/* A foreign name, fit to be shown: control characters as '?', cut. */
struct archive_shown {
    char s[100];
};
struct archive_shown archive_show(const char *name);

#endif
