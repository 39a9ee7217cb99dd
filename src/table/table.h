/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_TABLE_H
#define TT_TABLE_TABLE_H

/* A table read from a file: results of a run, or input signals. The ending of
 * its name states the format.
 *
 * CSV, any other ending. The first line names the columns, the first column is
 * time. Separated by commas or semicolons (whichever comes first in the
 * header), else by tabs; .tsv always by tabs. Cells may be quoted (RFC 4180:
 * doubled quotes inside, also commas and line ends), blanks around cells do not
 * count, empty lines are skipped, line ends may be CRLF, a byte order mark is
 * ignored. Numbers are read without the locale, in C or Java form; NaN,
 * Infinity, true and false count as numbers (1 and 0), an empty cell as NaN. A
 * column with any other cell is a column of text.
 *
 * MAT v4 (.mat) in the layout of Modelica tools, and HDF5 (.h5, .hdf5) with a
 * dataset `time` and others of the same length: docs/concepts/results.md.
 *
 * Time is finite and never goes back; it may stand still (an event).
 * Immutable after loading, so it may be shared between threads. Columns are
 * counted without time. Messages about CSV begin with file:line:column.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/names.h"
#include "base/num.h"

#define TT_TABLE_MAX_BYTES   ((size_t)1 << 30)
#define TT_TABLE_MAX_COLUMNS 100000u
#define TT_TABLE_MAX_CELLS   ((size_t)1 << 27)

enum tt_format {
    TT_FORMAT_CSV,
    TT_FORMAT_MAT, /* .mat */
    TT_FORMAT_H5,  /* .h5, .hdf5 */
};
enum tt_format tt_format_of(const char *path);
/* .csv or .tsv, in either case, .mat or .h5: as a unit of a scenario it is a
 * signal. */
int tt_table_is_signal(const char *path);
/* .tsv: tabs separate, whatever else is in the names. */
int tt_table_is_tsv(const char *path);
/* Length of the name in "name [unit]", and where its unit is; without one, n
 * and *n_unit is 0. */
size_t tt_table_split_unit(const char *header, size_t n, const char **unit,
                           size_t *n_unit);
/* A time under this header becomes one in seconds: "time", "t [s]", "Time [h]".
 * 0, or -1: its unit is none of time. */
int tt_table_seconds(const char *header, size_t n, double *t);

typedef struct tt_table tt_table;

TT_NODISCARD enum tt_code tt_table_load(tt_table **out, const char *path,
                                        tt_err *err);
/* From the bytes of a CSV file; `file` is the name used in messages. */
TT_NODISCARD enum tt_code tt_table_parse(tt_table **out, const char *file,
                                         const char *data, size_t n,
                                         tt_err *err);
/* The same, of a MAT file. */
TT_NODISCARD enum tt_code tt_table_parse_mat(tt_table **out, const char *file,
                                             const char *data, size_t n,
                                             tt_err *err);
void tt_table_free(tt_table *t); /* accepts NULL */

const char *tt_table_file(const tt_table *t);
size_t tt_table_rows(const tt_table *t);
uint32_t tt_table_columns(const tt_table *t);
const double *tt_table_time(const tt_table *t);    /* one per row */
const char *tt_table_time_name(const tt_table *t); /* of the first column */
const char *tt_table_name(const tt_table *t, uint32_t column);

uint32_t tt_table_find(const tt_table *t, const char *name); /* or TT_NONE */
/* Must exist: the error names the file and the nearest name. */
TT_NODISCARD enum tt_code tt_table_get(const tt_table *t, const char *name,
                                       uint32_t *column, tt_err *err);
const char *tt_table_nearest(const tt_table *t, const char *name); /* or NULL */

int tt_table_is_text(const tt_table *t, uint32_t column);
/* Booleans, or whole numbers written without a decimal point in every cell:
 * such a column is drawn as steps. */
int tt_table_is_discrete(const tt_table *t, uint32_t column);
/* One double per row; cells of text columns that are not numbers are NaN. */
const double *tt_table_values(const tt_table *t, uint32_t column);
/* A cell of a text column (TT_ASSERTs that it is one). */
const char *tt_table_text(const tt_table *t, uint32_t column, size_t row);
/* A cell as text; of a column of numbers it is printed into `number`. */
const char *tt_table_cell(const tt_table *t, uint32_t column, size_t row,
                          char number[TT_NUM_MAX]);

#endif
