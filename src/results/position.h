/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_POSITION_H
#define TT_RESULTS_POSITION_H

/* Where a result file stands at a checkpoint: what is needed to cut off the
 * rows that follow and to go on, so that the file becomes the one of a run that
 * was not interrupted. Bytes in the machine's order, written by a scribe
 * (scribe.h) when rows so far are on disk; private to this folder.
 *
 * A position is read from a checkpoint file, which may be damaged: a reader
 * that meets its end is `bad` and reads zeros from there on; check once. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "base/err.h"
#include "results/layout.h"

static inline void tt_position_u64(struct tt_buf *b, uint64_t v)
{
    tt_buf_add(b, &v, sizeof(v));
}

/* Names and types of the columns. */
uint64_t tt_layout_hash(const struct tt_layout *l);

/* The end of a file that only grows: where it is, and what the last bytes
 * before it are, of those from `from` on. */
TT_NODISCARD enum tt_code tt_position_put_end(struct tt_buf *b,
                                              const char *path, uint64_t from,
                                              uint64_t end, tt_err *err);
/* Check that the file is the one, and stand there. */
TT_NODISCARD enum tt_code tt_position_find(struct tt_cursor *c, FILE *f,
                                           const char *path, uint64_t from,
                                           uint64_t *end, tt_err *err);

/* "cannot continue PATH: " and why. */
enum tt_code tt_position_damaged(const char *path, tt_err *err);
enum tt_code tt_position_cannot(const char *path, int reason, tt_err *err);
enum tt_code tt_position_foreign(const char *path, tt_err *err);
/* The file has so many bytes, or why not. */
TT_NODISCARD enum tt_code tt_position_need(FILE *f, const char *path,
                                           uint64_t bytes, tt_err *err);

#endif
