/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_BEAT_H
#define TT_STEP_BEAT_H

/* When a clock ticks: an exact time after a start, which intervals are added
 * to in integers, so that a million tenths are a hundred thousand. Plain
 * memory: it lies in the frame. */

#include "base/ratio.h"

struct tt_beat {
    double start;
    uint64_t whole;    /* seconds after it ... */
    uint64_t rem, den; /* ... and rem/den of one, less than 1 */
};

/* `after` is a time (tt_ratio_is). */
struct tt_beat tt_beat_at(double start, struct tt_ratio after);
/* Exact, unless the common denominator is more than TT_RATIO_DEN_MAX: then what
 * is there is rounded to the interval's. */
void tt_beat_add(struct tt_beat *b, struct tt_ratio interval);
/* The double for it. The same time in other terms gives the same one. */
double tt_beat_time(const struct tt_beat *b);

/* A clock in time. */
struct tt_tick {
    struct tt_beat last; /* its last tick; before the first, that one */
    struct tt_ratio interval;
    double next;      /* +inf: not known */
    uint32_t started; /* `last` has been */
    uint32_t done;    /* it ticked in this event */
};

void tt_tick_plan(struct tt_tick *k); /* next, from last and interval */
/* It ticks at t: next follows where the interval is known beforehand, of a
 * periodic clock. Ticks before t that were missed are left out. */
void tt_tick_now(struct tt_tick *k, int periodic, double t);

#endif
