/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_DELAY_H
#define TT_ANALYSIS_DELAY_H

/* How late may switching be? A planar system with two modes: mode 1 where g <=
 * 0, mode 2 where g >= 0, no resets, and the equilibrium of mode 1 inside its
 * domain. Each switch may come late by up to H. The largest delay below which
 * all motions still come to rest is the least H for which an orbit closes
 * (C. Gomes, Property Preservation in Co-simulation, 2019, chapter 6):
 *
 *     from a turning point x of mode 1 to g = 0; h1 more in mode 1; in mode 2
 *     back to g = 0; h2 more in mode 2; in mode 1 to its turning point, which
 *     is x again; the least max(h1, h2) over all x and h1.
 */

#include "base/err.h"

struct tt_planar {
    void *ctx;
    /* dx = f(mode, x), mode 1 or 2; g(x) */
    enum tt_code (*rate_cb)(void *ctx, int mode, const double *x, double *dx,
                            tt_err *err);
    enum tt_code (*side_cb)(void *ctx, const double *x, double *g, tt_err *err);
    double near[2]; /* where to look for the equilibrium */
};

#define TT_DELAY_POINTS 600

struct tt_delay {
    double delay;   /* s: the least max(h1, h2) */
    double h1, h2;  /* out of mode 1, out of mode 2 */
    double turn[2]; /* the turning point of the orbit */
    double rest[2]; /* the equilibrium */
    int at_end; /* the orbit is the farthest or nearest that was tried: there
                   may be less beyond */
    double x[TT_DELAY_POINTS], y[TT_DELAY_POINTS]; /* the orbit, a round */
    unsigned n;
};

TT_NODISCARD enum tt_code tt_delay_find(struct tt_delay *out,
                                        const struct tt_planar *p, tt_err *err);

#endif
