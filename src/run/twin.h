/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_TWIN_H
#define TT_RUN_TWIN_H

/* A second run of the same scenario, which plays the trial of an embedded pair
 * of methods in a thread of its own while the run plays its step. It is given
 * the values and the packed states of units where a step begins; nothing that
 * it does is seen but the outputs that are compared. An attempt that does not
 * go smoothly on both sides is taken back and played by the run alone, so that
 * what is reported is what one thread reports.
 *
 * Which of both ways is faster is measured: the results are the same. */

#include "run/perform.h"

struct tt_twin {
    tt_run *run;           /* owned; NULL: not started, or given up */
    int always;            /* at the same time, whatever it costs */
    int loaded;            /* it has the states where this step begins */
    int beside;            /* the attempt under way is made by both */
    uint64_t began;        /* ... since then; 0: it is not measured */
    uint64_t n[2];         /* attempts made by the run alone, by both ... */
    double ns[2];          /* ... and what they take */
    tt_err *words;         /* of its registers */
    struct tt_twin_steps { /* per unit: what was counted before the attempt */
        uint64_t n;
        double lag;
    } * steps;
    /* while both play */
    struct tt_halt *halt;
    enum tt_code rc[2]; /* of the run, of the twin */
    tt_err *err[2];
    tt_err own_err;
};

/* threads.c: there are threads, and the scenario may want one: sets r->twin if
 * it can have one, and notes why not. */
TT_NODISCARD enum tt_code run_twin_plan(tt_run *r, tt_err *err);
/* Where no two units can be called at the same time. */
TT_NODISCARD enum tt_code run_twin_crew(tt_run *r, tt_err *err);
/* Units are initialised. If it cannot be had there is none. */
void run_twin_start(tt_run *r);
void run_twin_end(tt_run *r);

/* perform.c: another step begins; an attempt at it begins, is it one for both?
 * It was made. */
void run_twin_keep(tt_run *r);
int run_twin_joins(tt_run *r);
void run_twin_made(tt_run *r);
/* The step of the run and the trial, from registers that are set. Returns 1: as
 * if both had been played, *rc and *halt are those of the run's step. 0: the
 * run is where the step begins, and is to play both. */
int run_twin_play(tt_run *r, struct tt_halt *halt, enum tt_code *rc,
                  tt_err *err);
/* error.c: what is compared was played, by this run. */
void run_error_tried(tt_run *r, const tt_run *by);

#endif
