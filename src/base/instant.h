/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_INSTANT_H
#define TT_BASE_INSTANT_H

/* An instant: a time and a microstep. 0 is the limit from the left, which a
 * step leads to; events at that time count on from 1, and the last of them is
 * the limit from the right. */

#include <float.h>
#include <stdint.h>

#include "base/err.h"

struct tt_instant {
    double t;
    uint32_t n;
};

/* Where no event is. */
static inline struct tt_instant tt_at(double t)
{
    return (struct tt_instant){.t = t};
}

/* From t to `to`, so that t plus it, as a unit computes it, does not pass `to`:
 * the difference, or the number before it. */
static inline double tt_h_after(double t, double to)
{
    double h = to - t;

    return TT_LIKELY(t + h <= to) ? h : h * (1 - DBL_EPSILON / 2);
}

/* The length to give a unit at t: h, unless t + h passes the stop time it was
 * given (0.2 + 0.1 > 0.3). */
static inline double tt_h_within(double t, double h, double stop)
{
    return TT_LIKELY(t + h <= stop) || t >= stop ? h : tt_h_after(t, stop);
}

#endif
