/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_H5_IMPL_H
#define TT_RESULTS_H5_IMPL_H

/* The writer of HDF5 files from both sides: rows (h5.c) and continuing
 * (h5_again.c). Private to this folder. */

#include <stdio.h>

#include "results/compress.h"
#include "results/writer.h"
#include "table/h5_lib.h"

struct column {
    hid_t set;           /* owned, or < 0 */
    enum tt_type type;   /* in the file */
    enum tt_type native; /* of the record, if it may be absent */
    size_t at, present;  /* in the record */
    size_t size;         /* bytes of an element in the file */
    unsigned char *data; /* in h5.gather */
    struct tt_compress_past past;
};

/* A chunk in the file; full ones are written once and stay where they are. */
struct h5_chunk {
    uint64_t at;
    uint32_t size, mask, crc;
    uint32_t gap;
};

struct h5 {
    tt_writer base;
    const char *path;               /* borrowed */
    const struct tt_layout *layout; /* borrowed */
    hid_t file;                     /* owned, or < 0 */
    struct column *column;          /* owned; [0] is time */
    uint32_t n;                     /* with time */
    unsigned char *gather;          /* owned: a chunk of every column */
    size_t rows;                    /* per chunk */
    size_t used;                    /* rows gathered */
    struct tt_compress compress;
    uint64_t flushed_ns;
    int broken;
    tt_err why; /* if broken */
    /* of checkpoints */
    struct h5_chunk *chunk; /* owned: of each column, chunk after chunk */
    size_t n_chunk, cap_chunk;
    char *made; /* owned: a file continued is made here, then renamed; NULL: it
                   has its name */
    FILE *old;  /* owned: what is continued, while opening */
};

/* All of these with HDF5 taken (table/h5.h), unless stated otherwise. */

int tt_h5_fd(const struct h5 *h); /* -1: there is none */
/* Make room for so many bytes and HDF5's tables. 0, or an errno. */
int tt_h5_reserve(const struct h5 *h, uint64_t bytes);
/* The gathered binaries, each of its own length, to the rows from `at` on. 0,
 * or not. */
int tt_h5_put_bytes(struct h5 *h, struct column *c, hsize_t at);

/* Find what is continued, and where it will be made; HDF5 is not needed. */
TT_NODISCARD enum tt_code
tt_h5_find(struct h5 *h, const struct tt_writer_job *job, tt_err *err);
/* Copy its chunks to the new file, and gather the rows after them. */
TT_NODISCARD enum tt_code tt_h5_copy(struct h5 *h, struct tt_cursor *from,
                                     tt_err *err);

/* Operations of the writer; they take HDF5 themselves. */
enum tt_code tt_h5_keep(tt_writer *w, struct tt_buf *to, tt_err *err);
enum tt_code tt_h5_go_on(tt_writer *w, tt_err *err);

#endif
