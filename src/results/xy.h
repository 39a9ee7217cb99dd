/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_XY_H
#define TT_RESULTS_XY_H

/* Columns of a table over other columns: paths and phase portraits. */

#include "results/series.h"
#include "table/table.h"

/* One panel with a curve for each of the n pairs "X,Y". X and Y are patterns
 * (results/pattern.h), each of exactly one column, and not of text. Points are
 * joined in the order of the rows. Borrows the values from the table, which
 * must outlive p. */
TT_NODISCARD enum tt_code tt_xy_panel(struct tt_panels *p, const tt_table *t,
                                      const char *const *pair, size_t n,
                                      tt_err *err);

#endif
