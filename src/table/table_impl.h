/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_TABLE_IMPL_H
#define TT_TABLE_TABLE_IMPL_H

/* How a table lies in memory, for the readers in this folder. */

#include "base/mem.h"
#include "table/table.h"

struct column {
    const char *name;  /* in the arena */
    const char **text; /* in the arena, one per row, or NULL: numbers */
    double *value;     /* one per row, inside tt_table.cell */
    int is_text;
    int has_point; /* some cell has a decimal point or an exponent */
};

struct tt_table {
    tt_arena *arena; /* owned: names and texts */
    const char *file;
    struct column *column; /* owned; [0] is time */
    uint32_t n;            /* with time */
    double *cell;          /* owned: column after column */
    size_t rows, rows_cap;
    struct tt_names names; /* without time */
};

TT_NODISCARD enum tt_code table_new(tt_table **out, const char *file,
                                    tt_err *err);
/* Columns (with time, at least 1) and cells of zero. */
TT_NODISCARD enum tt_code table_make_room(tt_table *t, uint32_t n, size_t rows,
                                          tt_err *err);
TT_NODISCARD enum tt_code table_set_name(tt_table *t, uint32_t column,
                                         const char *name, size_t n,
                                         tt_err *err);
TT_NODISCARD enum tt_code table_check_times(const tt_table *t, tt_err *err);

struct scan;
/* Columns and their names, from the first line of a CSV text. */
TT_NODISCARD enum tt_code table_read_header(tt_table *t, struct scan *s,
                                            tt_err *err);

/* h5.c, h5_absent.c */
TT_NODISCARD enum tt_code table_load_h5(tt_table **out, const char *path,
                                        tt_err *err);

#endif
