/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_WAY_H
#define TT_TUNE_WAY_H

/* A way to play a scenario: master, order, iteration, approximation; as JSON to
 * be laid over it. */

#include "base/buf.h"
#include "base/mem.h"
#include "tune/known.h"

struct tt_tune_way {
    const char *master, *approximation;
    const char *iterate; /* JSON: 2, or "converged" in quotes; NULL: none */
    const char *acceleration;
    const char *order; /* a JSON array, or NULL: derived */
    const char *twice; /* the unit with two steps in each; NULL: none */
    const struct tt_tune_known *known; /* what all ways obey */
    /* Of variable steps: what is asked of them where the largest one is
     * `widest`, and instants from `start` on by this are met; 0: fixed. */
    double tolerance, widest, start;
    const char *name; /* in words */
};

#define TT_WAYS_MOST 32u
/* The ways for what is planned, those of greater weight first, into the arena;
 * how many, 0: out of memory. */
uint32_t tt_ways_list(struct tt_tune_way *out, const tt_plan *p,
                      tt_arena *arena);
/* The overlay that makes a scenario play this way, at this step: if it varies,
 * the largest one, and the tolerance as much smaller. */
void tt_way_put(struct tt_buf *b, const struct tt_tune_way *w, double step);

#endif
