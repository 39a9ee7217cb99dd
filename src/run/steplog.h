/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_STEPLOG_H
#define TT_RUN_STEPLOG_H

/* A log of all attempts at macro steps, as rows for observers: a table for a
 * file (results/record.h, so that no row is lost in a crash), and in bounded
 * memory what a report draws of it (results/curves.h).
 *
 *     time,step,h,outcome,limited by,objector,reason,evaluations,reached
 *
 * `time` is where the attempt began. Of a run with a sequence there follow the
 * order that made it, and what each was estimated to miss where it began:
 *
 *     order,sequence.error[1],sequence.error[2],... */

#include "base/err.h"
#include "results/series.h"
#include "run/run.h"

typedef struct tt_steplog tt_steplog;

struct tt_steplog_opts {
    tt_observer *file; /* takes the table; borrowed, may be NULL */
    uint32_t orders;   /* of a sequence: tt_steplog_orders() */
    int picture;       /* keep what tt_steplog_panels needs */
};

/* Do steps of this scenario differ in what a picture shows? */
int tt_steplog_is_worth_a_picture(const tt_scenario *s);

/* How many orders a run of it may have; 0: it has no sequence. */
uint32_t tt_steplog_orders(const tt_scenario *s);

/* Begins the file. */
TT_NODISCARD enum tt_code
tt_steplog_new(tt_steplog **out, const struct tt_steplog_opts *o, tt_err *err);
/* For tt_run_opts.attempt_cb, with the log as its ctx. */
void tt_steplog_add(void *log, const struct tt_run_attempt *a);
/* Makes the file durable; reports the first failure, also of a row before. */
TT_NODISCARD enum tt_code tt_steplog_end(tt_steplog *log, tt_err *err);
void tt_steplog_free(tt_steplog *log); /* accepts NULL */

/* What keeps the picture, for tt_run_keep; NULL: nothing does. */
tt_observer *tt_steplog_keeper(const tt_steplog *log);

/* Step sizes with rejected attempts marked, and evaluations per attempt where
 * there were any. p is zeroed; without `picture` it stays empty. */
TT_NODISCARD enum tt_code tt_steplog_panels(const tt_steplog *log,
                                            struct tt_panels *p, tt_err *err);

#endif
