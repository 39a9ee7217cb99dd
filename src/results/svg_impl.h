/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SVG_IMPL_H
#define TT_RESULTS_SVG_IMPL_H

/* From values to a path; private to this folder. */

#include "base/buf.h"
#include "results/series.h"

struct plot_frame {
    double x0, x1; /* px: left, right */
    double y0, y1; /* px: bottom, top (y1 < y0) */
    double t0, t1; /* s, t0 < t1 */
    double lo, hi; /* values, lo < hi */
};

double tt_plot_x(const struct plot_frame *f, double t);
double tt_plot_y(const struct plot_frame *f, double v); /* kept in the frame */

/* The content of a path's d attribute. */
void tt_plot_path(struct tt_buf *b, const struct plot_frame *f,
                  const struct tt_series *s);

#endif
