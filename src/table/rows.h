/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_ROWS_H
#define TT_TABLE_ROWS_H

/* The rows of a table one after the other.
 *
 * A CSV file (table.h states what that is) is streamed: it may be larger than
 * memory, and a run may be writing it right now. A last line without its line
 * end is therefore no row. Other formats are loaded first.
 *
 * Only what is asked for is looked at: of a CSV row the time and the cells up
 * to the last chosen column. Messages about it begin with file:line:column. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "table/table.h"

#define TT_ROWS_MAX_ROW ((size_t)64 << 20) /* bytes of a CSV row */

typedef struct tt_rows tt_rows;

/* A value. `s` is how it is written in the file, or NULL: only as a number. */
struct tt_rows_cell {
    double v; /* NaN when it is empty or a text */
    const char *s;
    size_t n;
    unsigned is_text : 1;
    unsigned is_whole : 1; /* a Boolean, or written without a point */
    unsigned quoted : 1;   /* s stood in quotes: in it two mean one */
};

/* Adds the text as it is meant: of doubled quotes one. */
void tt_rows_cell_text(struct tt_buf *b, const struct tt_rows_cell *c);

struct tt_row {
    double time;
    const struct tt_rows_cell *cell; /* one per chosen column */
};

TT_NODISCARD enum tt_code tt_rows_open(tt_rows **out, const char *path,
                                       tt_err *err);
void tt_rows_close(tt_rows *r); /* accepts NULL */

/* Its columns by name; it may have no rows. */
const tt_table *tt_rows_table(const tt_rows *r);
/* Which columns the rows shall have, in this order; at first none. */
TT_NODISCARD enum tt_code tt_rows_choose(tt_rows *r, const uint32_t *column,
                                         size_t n, tt_err *err);
/* Go on with the first row that is not before `from` (-INFINITY: the first).
 * A large file of plain numbers is not read up to there. */
TT_NODISCARD enum tt_code tt_rows_seek(tt_rows *r, double from, tt_err *err);
/* The byte of a CSV file where the next row begins, or will. */
uint64_t tt_rows_at(const tt_rows *r);
/* The next row, valid until the next call; *more is 0 when there is none. */
TT_NODISCARD enum tt_code tt_rows_next(tt_rows *r, struct tt_row *row,
                                       int *more, tt_err *err);

#endif
