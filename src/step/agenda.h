/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_AGENDA_H
#define TT_STEP_AGENDA_H

/* Where instants come from: one place, so that all others copy doubles and
 * compare them exactly.
 *
 * Fixed grid: t_n = start + n*H, computed, never accumulated. The number of
 * steps is (end - start)/H when that is within 1e-9 of a whole number, or of
 * four units in the last place of the times; otherwise a last, shorter step
 * ends at `end` exactly.
 *
 * With an infinite H there is no grid, only events and the end.
 *
 * An event of a unit that comes before the next point of the grid is an
 * instant, too; the grid goes on behind it. */

#include <stdint.h>

struct tt_agenda {
    double start, end, step;
    uint64_t n_full; /* steps of length H; UINT64_MAX: no end */
    int short_last;  /* then one more that ends at `end` */
    uint64_t n;      /* points of the grid reached */
    uint64_t passed; /* ... without a step that ended there */
    uint64_t off;    /* steps that ended between them, ... */
    int between;     /* ... and the last one did */
    double event;    /* the next event of a unit; +inf: none */
    enum tt_agenda_sum {
        TT_AGENDA_GRID,
        TT_AGENDA_SUM,      /* Maestro 2's, below */
        TT_AGENDA_SUM_FIRST /* Maestro 1's */
    } sum;
    double t; /* the instant reached */
};

void tt_agenda_init(struct tt_agenda *a, double start, double end, double step);

/* The next step, from *t0 to *t1; *h is H itself on a full step,
 * unless *t0 + H is after the end. Returns 0
 * when there is none. Does not advance. */
int tt_agenda_next(const struct tt_agenda *a, double *t0, double *t1,
                   double *h);
/* The same for a step over k points of the grid, as far as there are so many;
 * *k: those that it passes or reaches. Not for Maestro's time. */
int tt_agenda_next_over(const struct tt_agenda *a, uint64_t *k, double *t0,
                        double *t1, double *h);
/* Such a step to t was made. */
void tt_agenda_reach_over(struct tt_agenda *a, uint64_t k, double t);
/* Maestro's time: t = t + H, accumulated, while t + H <= end, and no shorter
 * step at the end. Maestro 1 makes a first step in any case; not beyond the
 * end, though. The caller that advances gives the instant: a.t. */
void tt_agenda_sum(struct tt_agenda *a, enum tt_agenda_sum how);
/* Leave out the last, shorter step. */
void tt_agenda_drop_short(struct tt_agenda *a);
/* The step to the next point of the grid was made. */
static inline void tt_agenda_advance(struct tt_agenda *a)
{
    a->n++;
}
/* A step to t was made, on the grid or off it. */
void tt_agenda_reach(struct tt_agenda *a, double t);
static inline uint64_t tt_agenda_steps(const struct tt_agenda *a)
{
    return a->n - a->passed + a->off;
}
/* Where the nth full step ends, unless it is the last. */
static inline double tt_agenda_grid(const struct tt_agenda *a, uint64_t n)
{
    return a->start + (double)(int64_t)n * a->step; /* one instruction */
}
/* Is there no next step? */
static inline int tt_agenda_is_empty(const struct tt_agenda *a)
{
    if (a->sum)
        return !(a->t + a->step <= a->end) &&
               !(a->sum == TT_AGENDA_SUM_FIRST && a->n == 0);
    return a->n >= a->n_full && !(a->short_last && a->n == a->n_full);
}

#endif
