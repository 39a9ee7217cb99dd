/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_SCAN_IMPL_H
#define TT_TABLE_SCAN_IMPL_H

/* Walks over the cells of a CSV text; private to this folder. */

#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

struct scan {
    const char *file; /* for messages */
    const char *p, *end;
    const char *line_start;
    size_t line; /* from 1 */
    char sep;
};

struct cell {
    const char *s; /* without blanks around and without outer quotes */
    size_t n;
    size_t line, col; /* where it begins, from 1 */
    int quoted;
    int last; /* the row ends here */
};

TT_NODISCARD enum tt_code tt_scan_init(struct scan *s, const char *file,
                                       const char *data, size_t n, tt_err *err);
/* Skip empty lines; 0 at the end of the text. */
int tt_scan_row(struct scan *s);
/* Choose the separator from the line at hand. */
void tt_scan_separator(struct scan *s);
TT_NODISCARD enum tt_code tt_scan_cell(struct scan *s, struct cell *c,
                                       tt_err *err);
/* At most how many rows follow. */
size_t tt_scan_lines(const struct scan *s);
/* The cell's text with doubled quotes made single; NULL: out of memory. */
char *tt_cell_dup(tt_arena *a, const struct cell *c);

enum cell_kind {
    CELL_TEXT,
    CELL_NUMBER,
    CELL_WHOLE, /* a Boolean, or written without a decimal point */
};
/* Its number, and what it is; NaN when it is empty or a text. */
enum cell_kind tt_cell_number(const struct cell *c, double *v);

/* "file:line:column: ..." at a cell, or where the scan is when c is NULL. */
TT_PRINTF(4, 5)
enum tt_code tt_scan_fail(const struct scan *s, const struct cell *c,
                          tt_err *err, const char *fmt, ...);

#endif
