/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_TALLY_H
#define TT_TUNE_TALLY_H

/* An observer that keeps of each column how it ended, its least and greatest
 * value, and its mean over time; and its values at some instants. */

#include "results/observer.h"

enum tt_tally_what {
    TT_TALLY_FINAL,
    TT_TALLY_MIN,
    TT_TALLY_MAX,
    TT_TALLY_MEAN,
    TT_TALLY_N
};
extern const char *const tt_tally_name[TT_TALLY_N]; /* "final", ... */

struct tt_tally_opts {
    const uint32_t *column; /* which of the run's, n of them; borrowed */
    uint32_t n;
    double *out; /* borrowed: TT_TALLY_N per column; NaN without a row */
    /* At n_instant instants, ascending, from `start` to `end` of the run: the
     * values of a column one after the other; what is absent holds its last
     * value. NULL: none are kept. */
    double *curve;
    uint32_t n_instant;
};

/* NULL: out of memory. */
tt_observer *tt_tally_new(const struct tt_tally_opts *o);

#endif
