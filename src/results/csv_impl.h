/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CSV_IMPL_H
#define TT_RESULTS_CSV_IMPL_H

/* Formatting of CSV rows; private to this folder. */

#include <stddef.h>
#include <stdint.h>

#include "results/writer.h"

struct csv_cell {
    size_t at, present; /* in the record */
    enum tt_type type;
};

/* At most how many bytes a cell of this type takes with its comma. */
size_t tt_csv_cell_max(enum tt_type type);
/* Time (and step size), at most this many bytes, then the cells, then LF. */
#define CSV_FRONT_MAX ((size_t)72)
/* The caller has room. Returns the end of the row. */
char *tt_csv_put_row(char *p, enum tt_csv_dialect dialect, const char *record,
                     const struct csv_cell *cell, size_t n);
/* A text of n bytes, quoted when it must be or `always`. At most 2n+2 bytes. */
char *tt_csv_put_text(char *p, const char *s, size_t n, int always);

/* How many bytes of data, which begins with a row, are complete rows, and how
 * many rows these are. A line break in quotes ends no row. */
size_t tt_csv_whole_rows(const char *data, size_t n, uint64_t *rows);

#endif
