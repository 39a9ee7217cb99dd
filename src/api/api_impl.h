/* SPDX-License-Identifier: MIT */
#ifndef TT_API_API_IMPL_H
#define TT_API_API_IMPL_H

/* What the files of the public API share. A tutti_scenario is a tt_scenario
 * under another name; a tutti_run holds a tt_run and what belongs to it. */

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "run/run.h"
#include "run/eventlog.h"
#include "run/logbook.h"
#include "run/steplog.h"
#include "results/curves.h"
#include "sys/sandbox.h"
#include "tutti/tutti.h"

struct api_sandbox {
    int on;
    struct tt_sandbox box;
    char **write; /* owned */
    size_t n_write;
};

struct tutti_run {
    tt_run *run; /* owned; NULL while it is made */
    struct tt_log log;
    tutti_log_fn log_cb;
    void *log_ctx;
    struct tt_logbook logbook; /* for the report */
    tt_observer *observer[3];  /* owned */
    uint32_t n_observer;
    tt_curves *curves;       /* one of the observers, for the report, or NULL */
    tt_steplog *steps;       /* owned: for trace and report, or NULL */
    tt_observer *step_file;  /* owned: the trace, or NULL */
    tt_eventlog *event_log;  /* owned: for the list of events, or NULL */
    tt_observer *event_file; /* owned: the list, or NULL */
    tutti_event_fn event_cb;
    void *event_ctx;
    char **file; /* owned paths of results */
    size_t n_file;
    char *trace, *events, *report; /* owned paths, or NULL */
    const char *name;              /* borrowed from the scenario */
    int profile;
    struct api_sandbox sandbox;
    int started;
    tt_err failure; /* what it failed of; code TT_OK: it did not */
};

/* Hand an internal failure out. Returns the public code. */
enum tutti_code api_code(enum tt_code rc, const tt_err *err, tutti_error *out);
/* The text of a buffer, to the caller, unless rc is a failure already. Ends
 * the buffer. */
enum tutti_code api_text(enum tt_code rc, const tt_err *err, struct tt_buf *b,
                         char **out, tutti_error *error);
/* outputs.c: the paths of the options into the run, checked; then the observer
 * of results, if there are files (*out is untouched otherwise), r->steps and
 * r->event_log, if the caller wants them. `fini` in any state. */
TT_NODISCARD enum tt_code
api_outputs_take(tutti_run *r, const struct tutti_run_options *o, tt_err *err);
TT_NODISCARD enum tt_code api_outputs_record(tutti_run *r, const char *dialect,
                                             const tt_scenario *s,
                                             tt_observer **out, tt_err *err);
TT_NODISCARD enum tt_code
api_outputs_log_steps(tutti_run *r, const tt_scenario *s, tt_err *err);
TT_NODISCARD enum tt_code api_outputs_log_events(tutti_run *r, tt_err *err);
void api_outputs_fini(tutti_run *r);
/* confine.c: NULL is none. `fini` in any state. */
TT_NODISCARD enum tt_code api_sandbox_take(struct api_sandbox *a,
                                           const struct tutti_sandbox *s,
                                           tt_err *err);
void api_sandbox_fini(struct api_sandbox *a);
/* rows.c: rows of results to a callback. */
TT_NODISCARD enum tt_code api_rows_new(tt_observer **out, tutti_row_fn row_cb,
                                       void *ctx, tt_err *err);

#endif
