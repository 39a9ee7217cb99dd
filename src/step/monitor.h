/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_MONITOR_H
#define TT_STEP_MONITOR_H

/* Properties of a run, looked at from instant to instant: families of patterns,
 * each in a scope. What is looked at are margins: by how much a condition holds
 * now, less than 0 where it does not.
 *
 * A scope is a list of segments. `opens` holding begins one (or the start of
 * the run does), `closes` holding ends it; a property is judged in each segment
 * alone. With `pending` a violation counts only when its segment closes:
 * "before E" and "between E1 and E2" state nothing where E never comes.
 *
 * Pure: the memory may be copied and taken back. */

#include <stdint.h>

enum tt_monitor_family {
    TT_MONITOR_ALWAYS,  /* p holds */
    TT_MONITOR_ONCE,    /* p holds once, within `within` */
    TT_MONITOR_FINAL,   /* p holds in the end */
    TT_MONITOR_SETTLES, /* ... and from some instant on, within `within` */
    TT_MONITOR_OCCURS,  /* p begins to hold from `low` to `high` times */
    TT_MONITOR_FOLLOWS, /* whenever q begins to hold, each of p does after it,
                           one after the other, all within `within` */
    TT_MONITOR_STAYS,   /* whenever q begins to hold, p does for `within` */
    TT_MONITOR_LASTS,   /* p holds from `low` to `high` seconds at a time */
    TT_MONITOR_RECURS,  /* p holds at least once in any `within` */
    TT_MONITOR_PERIOD,  /* p begins to hold every `low` to `high` seconds */
    TT_MONITOR_FALLS,   /* x never rises, but for `high` */
    TT_MONITOR_SMOOTH,  /* x does not chatter: see tt_monitor_roughness() */
};

#define TT_MONITOR_CHAIN  4u /* conditions that follow, at most */
#define TT_MONITOR_SCALES 3u

struct tt_monitor_spec {
    enum tt_monitor_family family;
    double low, high, within; /* infinite: none */
    uint32_t n_chain;         /* of FOLLOWS */
    int opens, closes;        /* are there such conditions? */
    int pending;
};

/* At an instant. Margins of what is not there are not looked at. */
struct tt_monitor_sight {
    double t;
    double p[TT_MONITOR_CHAIN]; /* of FALLS and SMOOTH: the value */
    double q, opens, closes;
};

enum tt_monitor_is { TT_MONITOR_OPEN, TT_MONITOR_HELD, TT_MONITOR_VIOLATED };

struct tt_monitor {
    enum tt_monitor_is is;
    int counted;  /* a segment has begun */
    int inside;   /* ... and not ended */
    double since; /* it began */
    double t; /* of the first violation; where ONCE held; since when SETTLES */
    double margin;   /* by how much it held at its worst; NaN: not known */
    double measured; /* of the violation: times, seconds, roughness, or by how
                        much it rose; NaN: nothing of these */
    double cause;    /* ... and where what led to it began; NaN: nothing did */
    int late;        /* ... which shows at the end of a segment only */
    uint32_t n_closed; /* segments that ended */
    /* Of the segment: */
    double worst; /* margin; NaN: none yet */
    int broken;   /* it is violated, which is pending ... */
    double broken_t;
    int looked, held_p, held_q; /* before */
    double last_t, last_p;      /* ... and margins then */
    double began; /* p holds since; NaN: it does not, or not known since when */
    double asked; /* q began, what follows is due; NaN: nothing is */
    uint32_t n; /* times that it began; of FOLLOWS, those that have followed */
    /* Of SMOOTH: of every row, of every other one, of every fourth: how many,
     * the last values, newest first, and the sum of third differences. FALLS
     * has its least value in the first. */
    struct tt_monitor_scale {
        uint32_t n;
        double x[3], sum;
    } scale[TT_MONITOR_SCALES];
};

void tt_monitor_start(struct tt_monitor *m);
/* 1: a violation begins here, be it pending. `is` states whether it stands. */
int tt_monitor_look(struct tt_monitor *m, const struct tt_monitor_spec *s,
                    const struct tt_monitor_sight *at);
/* The run has ended at t. Likewise. */
int tt_monitor_end(struct tt_monitor *m, const struct tt_monitor_spec *s,
                   double t);

/* How rough a signal is: the total variation of its second differences from
 * row to row, over that of every other row, or of every other row, over that of
 * every fourth, if there are 64 rows and it is more. 1/4 of what is smooth, 1/2
 * to 1 of a kink, 1 of a leap, 2 of noise, and more of what swings within six
 * rows. 0 of a constant. */
double tt_monitor_roughness(const struct tt_monitor *m);

#endif
