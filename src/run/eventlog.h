/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_EVENTLOG_H
#define TT_RUN_EVENTLOG_H

/* A list of events that instances put out, as rows for an observer:
 *
 *     time,microstep,instance,port,value
 */

#include "base/err.h"
#include "results/observer.h"
#include "run/run.h"

typedef struct tt_eventlog tt_eventlog;

/* Begins the file, which takes the table; borrowed. */
TT_NODISCARD enum tt_code tt_eventlog_new(tt_eventlog **out, tt_observer *file,
                                          tt_err *err);
/* For tt_run_opts.event_cb, with the log as its ctx. */
void tt_eventlog_add(void *log, const struct tt_run_event *e);
/* Makes the file durable; reports the first failure, also of a row before. */
TT_NODISCARD enum tt_code tt_eventlog_end(tt_eventlog *log, tt_err *err);
void tt_eventlog_free(tt_eventlog *log); /* accepts NULL */

#endif
