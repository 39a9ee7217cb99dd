/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_PACE_H
#define TT_RUN_PACE_H

/* Simulated time against a clock: when an instant is due, and how late we are.
 *
 * The instant t is due at wall_start + (t - t_start)/factor. Deadlines are
 * absolute: computed, never accumulated, so that nothing drifts, and a run
 * that was late catches up as soon as it can.
 *
 * Arithmetic only: the clock's readings (ns) are given. */

#include <stdint.h>

struct tt_pace_stats {
    double factor;     /* simulated seconds per second, as it is now */
    uint64_t steps;    /* that arrived */
    uint64_t overruns; /* of these, later than due by more than the tolerance */
    double worst;      /* s: the greatest lateness of an overrun */
    double worst_t;    /* s: the instant that was so late */
    double sum;        /* s: lateness of all overruns */
    double late;       /* s: of the last arrival; negative: time to spare */
};

struct tt_pace {
    double t_start;
    uint64_t wall_start; /* ns */
    double ns_per_s;     /* wall ns per simulated second */
    double tolerance;    /* s */
    struct tt_pace_stats stats;
};

/* t is now. factor > 0: simulated seconds per second. */
void tt_pace_start(struct tt_pace *p, double factor, double tolerance, double t,
                   uint64_t now);
/* From t on, which is due when it was. */
void tt_pace_change(struct tt_pace *p, double factor, double t);
/* When t is due; saturates, for instants that never come. */
uint64_t tt_pace_deadline(const struct tt_pace *p, double t);
/* All is computed up to t. Returns 1 when that is an overrun. */
int tt_pace_arrive(struct tt_pace *p, double t, uint64_t now);
/* Mean lateness of the overruns, s; 0 when there were none. */
double tt_pace_mean(const struct tt_pace_stats *s);

#endif
