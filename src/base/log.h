/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_LOG_H
#define TT_BASE_LOG_H

/* Where messages go. Libraries never print: they hand records to the sink the
 * caller gave. The sink may be called from several threads (units log from
 * threads of their own), so it must lock for itself. */

#include "base/err.h"

enum tt_log_level {
    TT_LOG_DEBUG,
    TT_LOG_INFO,
    TT_LOG_NOTE, /* something was decided for the user */
    TT_LOG_WARN,
    TT_LOG_ERROR,
};

struct tt_log_record {
    enum tt_log_level level;
    const char *unit;     /* name of the unit that spoke, or NULL for us */
    const char *category; /* the unit's own category, or NULL */
    const char *text;     /* one message, no trailing newline */
};

struct tt_log {
    void (*sink_cb)(void *ctx, const struct tt_log_record *r);
    void *ctx;
    enum tt_log_level least; /* records below are not made */
};

/* A NULL log, or one without a sink, swallows everything. */
TT_PRINTF(3, 4)
void tt_log(const struct tt_log *log, enum tt_log_level level, const char *fmt,
            ...);
void tt_log_unit(const struct tt_log *log, enum tt_log_level level,
                 const char *unit, const char *category, const char *text);
const char *tt_log_level_name(enum tt_log_level level);

#endif
