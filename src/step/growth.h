/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_GROWTH_H
#define TT_STEP_GROWTH_H

/* Does a value grow geometrically from step to step, and is that likely the
 * coupling's doing? Pure functions of values at equidistant instants.
 *
 * A coupling that is too stiff for its master multiplies what it exchanges by
 * the dominant eigenvalue z of the step, |z| > 1 (Gomes 2019, Example 16). The
 * delay of a step turns a restoring force around, so z lies on the negative
 * side of the plane: the value changes sign from step to step, or nearly. A
 * model that is unstable itself, and whose steps resolve it, has z = exp(lambda
 * h) near 1: it grows smoothly. A ramp has z = 1. */

#include <stdint.h>

#define TT_GROWTH_WINDOW 8 /* values of successive steps */

struct tt_growth_fit {
    double factor; /* |z| per step; 0: no geometric sequence */
    double angle;  /* of z, 0 .. pi: what the steps make of a swing */
    double swing;  /* the largest change in a step */
};

/* Of value x[0], x[stride], ...: their differences obey d_(n+1) = a d_n +
 * b d_(n-1) within a few per cent, and z is the larger root. */
struct tt_growth_fit tt_growth_fit(const double *x, uint32_t stride);

/* What is kept of a value from window to window; zeros at first. */
struct tt_growth_past {
    double swing; /* of the window in which it began to grow; 0: it does not */
    double since; /* when that began */
};

enum tt_growth_cause {
    TT_GROWTH_NONE,
    TT_GROWTH_COUPLING, /* changes sign from step to step */
    TT_GROWTH_LOOP,     /* on a loop of feed-through that is cut */
    TT_GROWTH_UNKNOWN,  /* too fast for the step: model or coupling */
    TT_GROWTH_RANGE,    /* far beyond what is declared; never judged here */
};

/* After each window, which began at `t`: whose growth is it, once it has
 * lasted long enough to be more than a transient? `looped`: it is on a loop of
 * feed-through that is cut. */
enum tt_growth_cause tt_growth_judge(struct tt_growth_past *past,
                                     const struct tt_growth_fit *fit,
                                     int looped, double t);

#endif
