/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CURVES_H
#define TT_RESULTS_CURVES_H

/* The course of every column in bounded memory, for plots of runs of any
 * length.
 *
 * Rows are gathered in buckets that keep first, least, greatest and last value.
 * At first a bucket is one row, so that short runs are kept exactly, with both
 * limits of an event; whenever all buckets are full, neighbours that lie close
 * together in time are merged. No peak is lost, only its place within a bucket,
 * which is too narrow to be seen: so a jump stays upright, however unevenly the
 * rows lie.
 *
 * All memory is taken at `begin`. Columns of text have no points.
 */

#include <stddef.h>
#include <stdint.h>

#include "results/observer.h"

#define TT_TRACE_BUCKETS   2000u
/* With very many columns there are fewer buckets, to stay below this. */
#define TT_TRACE_MAX_BYTES ((size_t)64 << 20)

/* Curves are an observer: cast with tt_curves_observer. */
typedef struct tt_curves tt_curves;

/* buckets: 0 for TT_TRACE_BUCKETS, at least 8. */
TT_NODISCARD enum tt_code tt_curves_new(tt_curves **out, uint32_t buckets,
                                        tt_err *err);
tt_observer *tt_curves_observer(tt_curves *t); /* tt_observer_free frees it */

uint32_t tt_curves_columns(const tt_curves *t);
const struct tt_column *tt_curves_column(const tt_curves *t, uint32_t column);
int tt_curves_is_text(const tt_curves *t, uint32_t column);

/* The points to draw: the same count and times for every column. A bucket of
 * one row gives one point, a larger one four. Values of text are NaN; so are
 * those of buckets in whose rows the column was absent, and only these are
 * absent. */
int tt_curves_is_absent(double value);
size_t tt_curves_points(const tt_curves *t);
void tt_curves_get_times(const tt_curves *t, double *time);
void tt_curves_get_values(const tt_curves *t, uint32_t column, double *value);

#endif
