/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CSV_IMPL_H
#define TT_RESULTS_CSV_IMPL_H

/* Formatting of CSV rows; private to this folder. */

#include <stddef.h>
#include <stdio.h>

#include "base/value.h"
#include "results/csv.h"

struct csv_cell {
    const void *value;
    enum tt_type type;
};

/* At most how many bytes a cell of this type takes with its comma. */
size_t tt_csv_cell_max(enum tt_type type);
/* Time (and step size), at most this many bytes, then the cells, then LF. */
#define CSV_FRONT_MAX ((size_t)72)
/* The caller has room. Returns the end of the row. */
char *tt_csv_put_row(char *p, enum tt_csv_dialect dialect, double t, double h,
                     const struct csv_cell *cell, size_t n);
/* A text of n bytes, quoted when it must be or `always`. At most 2n+2 bytes. */
char *tt_csv_put_text(char *p, const char *s, size_t n, int always);

/* Store a counter of the spill after everything before it. */
void tt_csv_publish(volatile uint64_t *counter, uint64_t value);
void tt_csv_set_held(struct tt_csv_spill *s, uint32_t held);

/* All of data, or an error; *sent counts what the file took. */
TT_NODISCARD enum tt_code tt_csv_put(FILE *f, const char *path,
                                     const char *data, size_t n, size_t *sent,
                                     tt_err *err);
/* How many bytes of data, which begins with a row, are complete rows, and how
 * many rows these are. A line break in quotes ends no row. */
size_t tt_csv_whole_rows(const char *data, size_t n, uint64_t *rows);
/* States errno's reason; errno stays. */
enum tt_code tt_csv_cannot_write(const char *path, tt_err *err);

/* Append the held row, if there is one, to the complete rows. */
TT_NODISCARD enum tt_code tt_csv_release_held(struct tt_csv_spill *s,
                                              tt_err *err);

/* Layout of one value of the held row. */
struct csv_held {
    uint32_t type;
    uint32_t at; /* in data */
};

#endif
