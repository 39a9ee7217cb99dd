/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CUT_H
#define TT_RESULTS_CUT_H

/* A part of a table of results: some columns, a range of time, no more rows
 * than can be looked at. CSV files are streamed, also while they are being
 * written (table/rows.h). */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct tt_cut_opts {
    const char *const *pattern; /* see results/pattern.h; none: all columns */
    size_t n_pattern;
    double from, to; /* s, both included; -INFINITY and INFINITY: all */
    uint64_t points; /* at most so many rows (results/thin.h); 0: all */
};

/* Takes the next bytes of the text. */
typedef enum tt_code (*tt_cut_fn)(void *ctx, const char *data, size_t n,
                                  tt_err *err);

/* {"columns":[...],"time":[...],"values":[[...],...],"rows_total":N,
 * "decimated":false}: a list of values for each column; rows_total counts the
 * rows in the range before they were thinned out. Numbers are the shortest
 * that read back, NaN and infinities null, Booleans 1 and 0, texts strings. */
TT_NODISCARD enum tt_code tt_cut_json(const char *path,
                                      const struct tt_cut_opts *o, tt_cut_fn fn,
                                      void *ctx, tt_err *err);
/* A table as the one cut from, cells as they are written there unless rows
 * were thinned out. */
TT_NODISCARD enum tt_code tt_cut_csv(const char *path,
                                     const struct tt_cut_opts *o, tt_cut_fn fn,
                                     void *ctx, tt_err *err);
/* A file of its own, in the format its ending names: .csv, .mat, .h5. Columns
 * of numbers are doubles. */
TT_NODISCARD enum tt_code tt_cut_file(const char *path,
                                      const struct tt_cut_opts *o,
                                      const char *to, tt_err *err);
/* For people: how many rows, and of each column the first and last value,
 * least, greatest, mean (of the rows that have a number). `points` does not
 * matter. */
TT_NODISCARD enum tt_code tt_cut_text(const char *path,
                                      const struct tt_cut_opts *o,
                                      struct tt_buf *out, tt_err *err);

#endif
