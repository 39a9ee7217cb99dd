/* SPDX-License-Identifier: MIT */
#ifndef TT_API_API_IMPL_H
#define TT_API_API_IMPL_H

/* What the files of the public API share. A tutti_scenario is a tt_scenario
 * under another name; a tutti_run holds a tt_run and what belongs to it. */

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "run/run.h"
#include "run/said.h"
#include "run/steplog.h"
#include "results/trace.h"
#include "tutti/tutti.h"

struct tutti_run {
    tt_run *run; /* owned; NULL while it is made */
    struct tt_log log;
    tutti_log_fn log_cb;
    void *log_ctx;
    struct tt_said said;      /* for the report */
    tt_observer *observer[3]; /* owned */
    uint32_t n_observer;
    tt_trace *trace;    /* one of the observers, or NULL */
    tt_steplog *steps;  /* owned: for the report, or NULL */
    char *csv, *report; /* owned paths, or NULL */
    const char *name;   /* borrowed from the scenario */
    int started;
    tt_err failure; /* what it failed of; code TT_OK: it did not */
};

/* Hand an internal failure out. Returns the public code. */
enum tutti_code api_code(enum tt_code rc, const tt_err *err, tutti_error *out);
/* The text of a buffer, to the caller, unless rc is a failure already. Ends
 * the buffer. */
enum tutti_code api_text(enum tt_code rc, const tt_err *err, struct tt_buf *b,
                         char **out, tutti_error *error);
/* rows.c: rows of results to a callback. */
TT_NODISCARD enum tt_code api_rows_new(tt_observer **out, tutti_row_fn row_cb,
                                       void *ctx, tt_err *err);

#endif
