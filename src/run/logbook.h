/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_LOGBOOK_H
#define TT_RUN_LOGBOOK_H

/* What was logged during a run, kept for its report: warnings of our own, the
 * messages of units with the instant they came at, and the events that they put
 * out. Units may log from threads of their own; read it when no unit logs any
 * more. */

#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "results/report.h"
#include "sys/sync.h"

struct tt_logbook {
    struct tt_lock lock;
    tt_arena *arena;              /* owned: the texts */
    struct tt_report_log *record; /* owned: what units logged */
    size_t n, cap;
    const char **warning; /* owned: our own */
    size_t n_warning, cap_warning;
    struct tt_report_event *event; /* owned */
    size_t n_event, cap_event;
    int more_events; /* than are kept */
};

TT_NODISCARD enum tt_code tt_logbook_init(struct tt_logbook *s, tt_err *err);
void tt_logbook_fini(struct tt_logbook *s); /* also after a failed init */
/* t: the instant, NaN: not playing. At most TT_REPORT_MAX_LOG of each are
 * kept; one that finds no memory is not worth failing for. */
void tt_logbook_add(struct tt_logbook *s, const struct tt_log_record *r,
                    double t);

/* At most TT_REPORT_MAX_EVENTS are kept; 0: no further one is. Of the thread
 * that plays. */
struct tt_run_event;
int tt_logbook_event(struct tt_logbook *s, const struct tt_run_event *e);

#endif
