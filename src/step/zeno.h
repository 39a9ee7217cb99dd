/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_ZENO_H
#define TT_STEP_ZENO_H

/* Events of one source whose intervals shrink geometrically, as those of a ball
 * that bounces less high each time: they come to an end at a finite time, and
 * no step leads there. One block without pointers; zeros: no event yet. */

#include <stdint.h>

#define TT_ZENO_RATIOS 8 /* in a row, each below TT_ZENO_RATIO */
#define TT_ZENO_RATIO  0.99
/* An interval so much shorter than all since the first of them is none. */
#define TT_ZENO_REST   1e-6

struct tt_zeno {
    uint64_t n;      /* events */
    uint32_t shrunk; /* intervals in a row that were shorter than the last */
    uint32_t at;     /* of the newest interval */
    double last;     /* event */
    double began;    /* where the first of the intervals in a row did */
    double interval[TT_ZENO_RATIOS + 1]; /* a ring */
};

/* An event at t, not before the last; several at one time are one. */
void tt_zeno_note(struct tt_zeno *z, double t);

struct tt_zeno_verdict {
    int found;    /* the last TT_ZENO_RATIOS ratios are small enough */
    int rests;    /* ... and the last interval is as good as none */
    double end;   /* where they accumulate */
    double ratio; /* geometric mean */
};
struct tt_zeno_verdict tt_zeno_judge(const struct tt_zeno *z);

#endif
