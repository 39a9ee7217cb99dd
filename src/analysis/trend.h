/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_TREND_H
#define TT_ANALYSIS_TREND_H

/* Where small changes show nothing: how connected values went on in a plain
 * run. A matrix that leads from their last rates of change to the next is
 * fitted, and the size of its largest eigenvalue is an estimate, never a
 * verdict. */

#include "analysis/case.h"
#include "run/probe.h"

struct tt_trend {
    double rho;      /* per step that was made; NaN: there is none */
    double residual; /* what the matrix does not explain, relative */
    double time;     /* s, of the last row */
    uint32_t rows;   /* that it was fitted to */
};

/* Never fails: there may be none. */
void tt_trend_find(struct tt_trend *out, const struct tt_case *c);

/* Of what tt_probe_list has the connected numbers alone, moved to the front:
 * they are in memory, whatever an instance can do. Returns how many. */
uint32_t tt_trend_numbers(struct tt_probe_number *x, uint32_t n);

#endif
