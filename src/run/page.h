/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_PAGE_H
#define TT_RUN_PAGE_H

/* The HTML report of a run: how it went, what was decided, results, units,
 * score, messages. How it looks is results/report.h. */

#include <stddef.h>

#include "base/err.h"
#include "plan/plan.h"
#include "results/curves.h"
#include "results/report.h"
#include "run/run.h"
#include "run/logbook.h"
#include "run/steplog.h"
#include "table/table.h"

/* Everything is borrowed; what is NULL or 0 is left out. */
struct tt_page {
    const tt_run *run;
    const char *name;        /* of the scenario */
    const tt_curves *curves; /* the results ... */
    const tt_table *table;   /* ... or what was rescued of them */
    const tt_steplog *steps;
    const struct tt_logbook *logbook;
    const struct tt_note *note; /* decisions taken before the run was made */
    size_t n_note;
    const char *command;     /* as typed */
    const char *version;     /* of Tutti */
    const char *const *file; /* files written; the first has the results */
    size_t n_file;
    const struct tt_report_source *part; /* files behind it, besides FMUs */
    size_t n_part;
    enum tt_code code; /* how it ended ... */
    const char *msg;   /* ... and why, of a failure */
};

TT_NODISCARD enum tt_code tt_page_write(const char *path,
                                        const struct tt_page *p, tt_err *err);

#endif
