/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_WARM_H
#define TT_TUNE_WARM_H

/* What points have in common is run once per worker: from the start to an
 * instant, with the values that the scenario has. Each point goes on from
 * there with its own. */

#include "run/run.h"
#include "tune/points.h"

struct tt_warm {
    double until;          /* s: the first step that ends there or later */
    struct tt_bytes state; /* owned; no data: not run yet */
    struct tt_warm_target {
        uint32_t unit, port;
    } * target; /* per name, in an arena */
};

/* TT_EINPUT: the instant is not in the experiment. */
TT_NODISCARD enum tt_code tt_warm_check(double until, double start, double end,
                                        tt_err *err);
/* Which variables names stand for: those of the last parameters of a run that
 * was opened with them. TT_EINPUT: one cannot change while it is running, or
 * the instant is not in the experiment. */
TT_NODISCARD enum tt_code tt_warm_find(struct tt_warm *w, const tt_run *run,
                                       const struct tt_points *p,
                                       tt_arena *arena, tt_err *err);
/* Plays the run, which has this option, up to the instant. */
struct tt_run_checkpoint tt_warm_checkpoint(struct tt_warm *w, double start);
TT_NODISCARD enum tt_code tt_warm_play(struct tt_warm *w, tt_run *run,
                                       tt_err *err);
/* Plays the rest, of a run with `state` as opts.resume, with a point's values.
 */
TT_NODISCARD enum tt_code tt_warm_go_on(const struct tt_warm *w, tt_run *run,
                                        const struct tt_points *p,
                                        uint32_t point, tt_err *err);
void tt_warm_fini(struct tt_warm *w);

#endif
