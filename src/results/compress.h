/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_COMPRESS_H
#define TT_RESULTS_COMPRESS_H

/* Chunks of a column, compressed as HDF5's filters "shuffle" and "deflate"
 * would: all first bytes of the values, all second bytes, ..., as one zlib
 * stream.
 *
 * Of a smooth signal the first bytes hardly change and the last are noise.
 * Deflating noise takes most of the time and gains nothing, so each such plane
 * of bytes is tried now and then (at first it is guessed at, since short runs
 * have few chunks) and otherwise stored, within the same stream.
 */

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#define TT_COMPRESS_PLANES 8u

/* What is known of one column; zeroed is nothing. */
struct tt_compress_past {
    uint32_t chunks;
    uint8_t store; /* bit per plane: does not compress */
};

struct tt_compress {
    z_stream z;
    unsigned char *plane; /* owned: the bytes shuffled */
    unsigned char *out;   /* owned: the stream */
    size_t out_cap;
    int ready;
};

/* 0, or -1: out of memory. fini accepts what init left in either case. */
int tt_compress_init(struct tt_compress *q, size_t cap);
void tt_compress_fini(struct tt_compress *q);
/* n values of `size` bytes each; sizes above 8 are one plane. Returns bytes of
 * the stream in q->out; 0: it would not be shorter, leave the filters out. */
size_t tt_compress_chunk(struct tt_compress *q, struct tt_compress_past *past,
                         const void *value, size_t size, size_t n);

#endif
