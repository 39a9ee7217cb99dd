/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_SIGNAL_IMPL_H
#define TT_KINDS_SIGNAL_IMPL_H

/* The table behind the kind `signal`. Private to the kind.
 *
 * Read from CSV text: one header row of names, then rows of values, the first
 * column being the time in seconds, which never decreases. Between two rows a
 * column is linear. Two rows of one time are a step: the first of them is the
 * limit from the left, the last one holds at that time and after it. Before
 * the first row and after the last one values hold.
 *
 * A column whose cells are all `true` or `false` is boolean, one whose first
 * cell is quoted and no number is text; both hold each value until the next
 * row. Cells are separated by ',' or, if the header has
 * none, by ';' or a tab; in a .tsv file by tabs. Names and cells may be
 * quoted. A name may end in its physical unit: "speed [km/h]".
 *
 * Results in MAT and HDF5 files are such tables, too, with their columns of
 * numbers.
 *
 * Immutable once read.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/names.h"
#include "unit/desc.h"

#define TT_SIGNAL_MAX_BYTES ((size_t)1 << 30)
#define TT_SIGNAL_MAX_COLS  65536u

/* Columns that are constant between rows. */
enum tt_signal_held {
    TT_SIGNAL_LINES, /* it is not */
    TT_SIGNAL_BOOL,
    TT_SIGNAL_TEXT,
};

struct tt_signal_table {
    tt_arena *arena;     /* owned: the names */
    const char **name;   /* of the columns but the time */
    const char **header; /* the same as written: "name [unit]" */
    const struct tt_quantity **quantity; /* per column, or NULL: no unit */
    uint8_t *held;                       /* per column: enum tt_signal_held */
    uint32_t n_col;                      /* without the time */
    const char **text; /* owned array; a value of text is a place in it */
    size_t n_text, cap_text;
    struct tt_names texts; /* where each is */
    double *time;          /* owned, n_row */
    double *value;         /* owned, n_row * n_col, row by row */
    size_t n_row, cap_row;
    double *jump; /* owned: times at which some column steps, increasing */
    size_t n_jump, cap_jump;
};

/* The unit of that name; what is not known has no base. NULL: no memory. */
const struct tt_quantity *tt_signal_quantity(tt_arena *arena, const char *s,
                                             size_t n);

/* Messages are "name:line:column: fact". */
TT_NODISCARD enum tt_code tt_signal_parse(struct tt_signal_table *t,
                                          const char *name, const char *text,
                                          size_t n, tt_err *err);
/* From a file of results: MAT or HDF5, by its ending. */
TT_NODISCARD enum tt_code tt_signal_load(struct tt_signal_table *t,
                                         const char *path, tt_err *err);
/* Where columns step; the last part of reading. */
TT_NODISCARD enum tt_code tt_signal_find_jumps(struct tt_signal_table *t,
                                               const char *name, tt_err *err);
void tt_signal_fini(struct tt_signal_table *t); /* accepts half-read ones */

/* The last row whose time is not after t; 0 when there is none. `hint` is a
 * row to look at first. */
size_t tt_signal_row(const struct tt_signal_table *t, double at, size_t hint);
/* Value of a column at a time, given the row of that time. */
double tt_signal_at(const struct tt_signal_table *t, uint32_t col, double at,
                    size_t row);
/* The same from the left: before a step at exactly that time. */
double tt_signal_left(const struct tt_signal_table *t, uint32_t col, double at,
                      size_t row);
/* Its slope right of that time. */
double tt_signal_slope(const struct tt_signal_table *t, uint32_t col, double at,
                       size_t row);
/* The first step after a time; +inf when there is none. */
double tt_signal_next_jump(const struct tt_signal_table *t, double at);

#endif
