/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_ASCII_H
#define TT_RESULTS_ASCII_H

/* A rough plot for a terminal. Lines are drawn with braille dots where the
 * terminal knows UTF-8 and the series can be distinguished by colour (or there
 * is only one); otherwise each series has a letter of its own. */

#include "base/buf.h"
#include "results/series.h"

struct tt_ascii_opts {
    int width;  /* characters, with axes; 0 is 80, at least 30 */
    int height; /* lines of the plot proper; 0 is 12 (x-y: 20), at least 4 */
    int utf8;
    int color; /* the terminal understands ANSI colours */
};

TT_NODISCARD enum tt_code tt_ascii_panel(struct tt_buf *b,
                                         const struct tt_panel *p,
                                         const struct tt_ascii_opts *opts,
                                         tt_err *err);

#endif
