/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_REPORT_H
#define TT_RESULTS_REPORT_H

/* The report of a run as one HTML file: styles, pictures and a script for them
 * (report.js) inside, nothing fetched, no other script runs, light and dark,
 * fit to print. It is also well-formed XML. Every text is escaped: names and
 * log messages are foreign text.
 *
 * The struct is inert and borrows everything. Members that are NULL or 0 are
 * left out of the page. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "results/series.h"

enum tt_report_outcome {
    TT_REPORT_COMPLETED,
    TT_REPORT_STOPPED, /* on request, before the end */
    TT_REPORT_FAILED,
};

struct tt_report_decision { /* what was decided for the user */
    const char *topic;      /* "step size" */
    const char *text;       /* "0.01 s, fixed" */
    const char *why;
};

struct tt_report_unit {
    const char *name, *kind, *model;
    const char *exchange; /* "standard" or "consistent" */
    uint64_t steps;
    uint64_t calls;    /* 0 in every unit: not counted, no column */
    double time_share; /* percent of the run's time; NaN: not measured */
    double max_lag;    /* s; 0 or NaN: none to report */
    const char *notes;
};

struct tt_report_source { /* a file that was played; NULL: not known */
    const char *key, *path, *model, *version, *tool, *sha256;
    const char *within; /* the key of the one it is a part of */
};

struct tt_report_log {
    enum tt_log_level level;
    const char *unit; /* or NULL: Tutti itself */
    const char *text;
    double t; /* s; NaN: not known */
};

struct tt_report_event { /* that an instance put out */
    double t;            /* s */
    uint64_t microstep;
    const char *instance, *port, *value;
};

struct tt_report {
    const char *title;
    const char *scenario; /* its name or file */
    const char *command;  /* as typed */
    const char *made;     /* wall clock, as text */
    const char *version;  /* of Tutti */

    enum tt_report_outcome outcome;
    const char *status; /* "completed: 51 rows to t=10 s" */
    const char *trust;  /* how far to trust it, a sentence */

    double start, end; /* s; end may be +inf */
    double step;       /* s; 0: not fixed */
    const char *master, *approximation;

    const struct tt_report_decision *decision;
    size_t n_decision;
    const struct tt_report_unit *unit;
    size_t n_unit;
    size_t n_connection;
    const char *const *conversion; /* "{a}.a.T (degC) -> {b}.b.T (K)" */
    size_t n_conversion;
    const char *score;     /* preformatted text */
    const char *score_svg; /* markup of ours, not escaped */
    const struct tt_report_log *log;
    size_t n_log;
    const char *const *warning;
    size_t n_warning;
    const char *const *file; /* files written */
    size_t n_file;
    const struct tt_panels *panels;
    const struct tt_panels *steps; /* sizes and evaluations of steps */
    const char *pace;              /* how it kept to the clock */
    const char *const *residual;   /* what was left over, sentences */
    size_t n_residual;
    const struct tt_report_source *source;
    size_t n_source;
    const char *const *setting; /* "{a}.a.x = 1 m" */
    size_t n_setting;
    const struct tt_report_event *event;
    size_t n_event;
    int more_events;       /* there were others behind them */
    const double *instant; /* s: where events were, lines across the plots */
    size_t n_instant;
};

#define TT_REPORT_MAX_BYTES  ((size_t)256 << 20)
#define TT_REPORT_MAX_PANELS 60u /* further ones are counted, not drawn */
#define TT_REPORT_MAX_LOG    1000u
#define TT_REPORT_MAX_EVENTS 1000u

/* "sha256-...": the script of reports, as a policy names it. */
#define TT_REPORT_HASH 64u
void tt_report_hash(char out[TT_REPORT_HASH]);
/* The head of a page in this style, up to where its content begins. */
void tt_report_begin(struct tt_buf *b, const char *title);
void tt_report_html(struct tt_buf *b, const struct tt_report *r);
TT_NODISCARD enum tt_code
tt_report_write(const char *path, const struct tt_report *r, tt_err *err);

#endif
