/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_THIN_H
#define TT_RESULTS_THIN_H

/* Fewer rows that look the same when drawn. The first and the last row stay.
 * The time between them is divided evenly; of each piece two rows remain, in
 * which every column has its least and its greatest value of the piece, in the
 * order they came (texts: the first and the last). Their times are those of
 * the piece's first and last row, or with one column of the values themselves;
 * in a piece with an event (rows of one time whose values differ) both have the
 * time of its greatest jump, which stays upright. NaN counts only where there
 * is nothing else. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "table/rows.h"

typedef enum tt_code (*tt_row_fn)(void *ctx, const struct tt_row *row,
                                  tt_err *err);

typedef struct tt_thin tt_thin;

struct tt_thin_spec {
    size_t columns;
    uint64_t points;    /* at most so many rows, at least 2 */
    double first, last; /* s: times of the first and the last row */
    tt_row_fn fn;       /* gets them */
    void *ctx;
};

TT_NODISCARD enum tt_code
tt_thin_new(tt_thin **out, const struct tt_thin_spec *spec, tt_err *err);
void tt_thin_free(tt_thin *t); /* accepts NULL */
/* The next row. Which one is the last, the caller knows. */
TT_NODISCARD enum tt_code tt_thin_row(tt_thin *t, const struct tt_row *row,
                                      int is_last, tt_err *err);

#endif
