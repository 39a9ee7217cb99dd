/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CUT_IMPL_H
#define TT_RESULTS_CUT_IMPL_H

/* The rows of a cut, for those that write them; private to this folder. */

#include "results/cut.h"
#include "results/thin.h"
#include "table/rows.h"

struct cut {
    const struct tt_cut_opts *opts; /* borrowed */
    tt_rows *rows;                  /* owned */
    uint32_t *column;               /* owned: the chosen ones */
    size_t n;
    /* Known when tt_cut_rows() gives the first row: */
    uint64_t total;     /* rows in the range */
    double first, last; /* s: their times */
    int thinned;
};

/* close takes what open left in either case. */
TT_NODISCARD enum tt_code tt_cut_open(struct cut *c, const char *path,
                                      const struct tt_cut_opts *o, tt_err *err);
void tt_cut_close(struct cut *c);
const char *tt_cut_name(const struct cut *c, size_t i);
/* The chosen columns of the rows in the range, thinned out if need be. */
TT_NODISCARD enum tt_code tt_cut_rows(struct cut *c, tt_row_fn fn, void *ctx,
                                      tt_err *err);

#endif
