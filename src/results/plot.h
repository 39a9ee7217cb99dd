/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_PLOT_H
#define TT_RESULTS_PLOT_H

/* Plot a table of results: choose columns, group them into panels, draw. */

#include "base/buf.h"
#include "results/ascii.h"
#include "table/table.h"

#define TT_PLOT_MAX_BYTES       ((size_t)256 << 20)
#define TT_PLOT_MAX_PANELS      100u /* of an SVG */
#define TT_PLOT_MAX_TEXT_PANELS 12u  /* on a terminal */

struct tt_plot_opts {
    const char *const *pattern; /* see results/pattern.h; none: all columns */
    size_t n_pattern;
    const char *const *xy; /* "X,Y": x-y instead; see results/xy.h */
    size_t n_xy;
    const char *title;      /* or NULL: the table's file */
    const char *svg;        /* file to write, or NULL */
    struct tt_buf *picture; /* the same SVG, appended; or NULL */
    struct tt_buf *text;    /* for a terminal, appended; or NULL */
    struct tt_ascii_opts ascii;
};

/* Chosen columns are compared in common panels where their sizes allow it;
 * without a choice each instance has panels of its own. More panels than fit
 * are left out, and the picture states how many. */
TT_NODISCARD enum tt_code
tt_plot_table(const tt_table *t, const struct tt_plot_opts *opts, tt_err *err);
TT_NODISCARD enum tt_code
tt_plot_file(const char *path, const struct tt_plot_opts *opts, tt_err *err);

#endif
