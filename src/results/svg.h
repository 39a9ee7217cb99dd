/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SVG_H
#define TT_RESULTS_SVG_H

/* Line plots, over time or x-y, as SVG: self-contained, no scripts, no fonts or
 * files from elsewhere, readable in light and dark. However many points a
 * series has, the picture keeps at most four per half pixel it goes across, so
 * that peaks stay. */

#include "base/buf.h"
#include "results/series.h"

struct tt_svg_opts {
    int width;         /* px; 0 is 760 */
    int panel_height;  /* px; 0 is 230 */
    const char *title; /* above all panels, or NULL */
    int embedded; /* in a page that has tt_svg_style: no style of its own */
    const double *instant; /* s: where panels over time have a line upright */
    size_t n_instant;
    int live; /* with values and frames, for the page's script (report.js) */
};

/* The rules that colour the pictures, for a page's <style>. */
const char *tt_svg_style(void);

/* One picture with the panels below each other. */
void tt_svg_panels(struct tt_buf *b, const struct tt_panel *panel, size_t n,
                   const struct tt_svg_opts *opts);

#endif
