/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_TICKS_H
#define TT_RESULTS_TICKS_H

/* Round places on an axis, and their labels.
 *
 * Tick i is at (first + i) * mantissa * 10^exponent, mantissa 1, 2 or 5, so
 * labels are printed from whole numbers and never show rounding. Very large
 * and very small values share a power of ten, `scale`, written once per axis.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/num.h"

#define TT_TICK_TEXT 48 /* enough for any label, with NUL */

struct tt_ticks {
    int64_t first;
    int n;
    int mantissa, exponent;
    int scale; /* labels are to be multiplied by 10^scale */
};

/* About `want` (at least 2) ticks within [lo, hi]; whole: none between whole
 * numbers. lo < hi, both finite and within 1e301. */
struct tt_ticks tt_ticks(double lo, double hi, int want, int whole);
double tt_tick_value(const struct tt_ticks *t, int i);
size_t tt_tick_label(char *out, const struct tt_ticks *t, int i);

/* What an axis shows for values within [lo, hi]: both padded a little, made
 * different when equal, kept finite. */
void tt_ticks_range(double *lo, double *hi);

#endif
