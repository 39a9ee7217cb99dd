/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SERIES_IMPL_H
#define TT_RESULTS_SERIES_IMPL_H

/* What makes series of files and of curves; private to this folder. */

#include "results/series.h"

/* series_words.c: a column of texts, in the arena; empty ones are none. NULL:
 * out of memory. */
const char *const *series_words(const tt_table *t, uint32_t column,
                                tt_arena *arena);
/* The different words of a panel of bands, into it. */
int series_collect(struct tt_panel *p, tt_arena *arena);
/* The outputs of a list of events that the patterns choose, in the order they
 * appear. */
TT_NODISCARD enum tt_code series_from_events(struct tt_series **out, size_t *n,
                                             const tt_table *t,
                                             const char *const *pattern,
                                             size_t n_pattern, tt_arena *arena,
                                             tt_err *err);

#endif
