/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_TRACE_H
#define TT_RESULTS_TRACE_H

/* The course of every column in bounded memory, for plots of runs of any
 * length.
 *
 * Rows are gathered in buckets that keep first, least, greatest and last value.
 * At first a bucket is one row, so that short runs are kept exactly; whenever
 * all buckets are full, neighbours are merged and each bucket covers twice as
 * many rows. No peak is lost, only its place within a bucket. Buckets count
 * rows, not seconds: runs without an end need no scale, and where a variable
 * step took many small steps the trace is fine.
 *
 * All memory is taken at `begin`. Columns of text have no points.
 */

#include <stddef.h>
#include <stdint.h>

#include "results/observer.h"

#define TT_TRACE_BUCKETS   2000u
/* With very many columns there are fewer buckets, to stay below this. */
#define TT_TRACE_MAX_BYTES ((size_t)64 << 20)

/* A trace is an observer: cast with tt_trace_observer. */
typedef struct tt_trace tt_trace;

/* buckets: 0 for TT_TRACE_BUCKETS, at least 8. */
TT_NODISCARD enum tt_code tt_trace_new(tt_trace **out, uint32_t buckets,
                                       tt_err *err);
tt_observer *tt_trace_observer(tt_trace *t); /* tt_observer_free frees it */

uint64_t tt_trace_rows(const tt_trace *t);
uint32_t tt_trace_columns(const tt_trace *t);
const struct tt_column *tt_trace_column(const tt_trace *t, uint32_t column);
int tt_trace_is_text(const tt_trace *t, uint32_t column);

/* The points to draw: the same count and times for every column. A bucket of
 * one row gives one point, a larger one four. Values of text are NaN. */
size_t tt_trace_points(const tt_trace *t);
void tt_trace_get_times(const tt_trace *t, double *time);
void tt_trace_get_values(const tt_trace *t, uint32_t column, double *value);

#endif
