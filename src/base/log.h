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
    const char *unit;     /* name of the unit that logged, or NULL for us */
    const char *category; /* the unit's own category, or NULL */
    const char *text;     /* one message, no trailing newline */
    const struct tt_spot *place; /* what it is at, or NULL */
};

struct tt_log {
    void (*sink_cb)(void *ctx, const struct tt_log_record *r);
    void *ctx;
    enum tt_log_level least; /* records below are not made */
    int all_problems;        /* see tt_log_problem */
};

/* A NULL log, or one without a sink, swallows everything. */
TT_PRINTF(3, 4)
void tt_log(const struct tt_log *log, enum tt_log_level level, const char *fmt,
            ...);
void tt_log_unit(const struct tt_log *log, enum tt_log_level level,
                 const char *unit, const char *category, const char *text);
void tt_log_place(const struct tt_log *log, enum tt_log_level level,
                  const struct tt_spot *place, const char *text);

/* A problem was found: err, with code rc. A sink that wants all of them
 * (all_problems) is reported (TT_LOG_ERROR) and gets 1: leave out what is wrong
 * and go on. 0: the first one ends it. */
int tt_log_problem(const struct tt_log *log, enum tt_code rc,
                   const tt_err *err);

const char *tt_log_level_name(enum tt_log_level level);

#endif
