/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SVG_IMPL_H
#define TT_RESULTS_SVG_IMPL_H

/* From values to a path; private to this folder. */

#include "base/buf.h"
#include "results/series.h"

struct plot_frame {
    double x0, x1; /* px: left, right */
    double y0, y1; /* px: bottom, top (y1 < y0) */
    double t0, t1; /* s (or x), t0 < t1 */
    double lo, hi; /* values, lo < hi */
};

/* What the axes show of a panel, from its values: t0, t1, lo and hi. */
void tt_plot_ranges(struct plot_frame *f, const struct tt_panel *p);
/* Whether x and y of an x-y panel are drawn to one scale: where neither range
 * is a small part of the other, so that a circle is round. */
int tt_plot_to_scale(const struct plot_frame *f, const struct tt_panel *p);
/* Widens one of the ranges until that is so; a dot is `aspect` times as high as
 * it is wide. */
void tt_plot_scale(struct plot_frame *f, double aspect);

double tt_plot_x(const struct plot_frame *f, double t);
double tt_plot_y(const struct plot_frame *f, double v); /* kept in the frame */

/* Where stems begin: at zero, or the edge of the frame next to it. */
double tt_plot_base(const struct plot_frame *f);

/* The content of a path's d attribute; of stems their lines, of marks the
 * points. */
void tt_plot_path(struct tt_buf *b, const struct plot_frame *f,
                  const struct tt_series *s);
/* The values, "t y,t y", nothing between two commas for a gap: all of a short
 * series, of others what is drawn four times as coarse as the path. */
void tt_plot_values(struct tt_buf *b, const struct plot_frame *f,
                    const struct tt_series *s);

/* svg.c. class: also carries further attributes, as in:
 * dim" text-anchor="end */
void tt_svg_text_at(struct tt_buf *b, double x, double y, const char *class);
double tt_svg_text_width(const char *s, size_t most); /* px, about */

/* svg_bands.c: texts over time; what they take, left of the frame too. */
double tt_svg_bands_height(const struct tt_panel *p);
double tt_svg_bands_left(const struct tt_panel *p);
void tt_svg_bands(struct tt_buf *b, const struct plot_frame *f,
                  const struct tt_panel *p);

#endif
