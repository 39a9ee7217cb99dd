/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdio.h>

static void send(const struct tt_log *log, const struct tt_log_record *r)
{
    if (log && log->sink_cb && r->level >= log->least)
        log->sink_cb(log->ctx, r);
}

void tt_log(const struct tt_log *log, enum tt_log_level level, const char *fmt,
            ...)
{
    char text[TT_ERR_MAX];
    va_list ap;

    if (!log || !log->sink_cb || level < log->least)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    send(log, &(struct tt_log_record){.level = level, .text = text});
}

void tt_log_unit(const struct tt_log *log, enum tt_log_level level,
                 const char *unit, const char *category, const char *text)
{
    send(log, &(struct tt_log_record){.level = level,
                                      .unit = unit,
                                      .category = category,
                                      .text = text ? text : ""});
}

void tt_log_place(const struct tt_log *log, enum tt_log_level level,
                  const struct tt_spot *place, const char *text)
{
    send(log,
         &(struct tt_log_record){.level = level, .text = text, .place = place});
}

int tt_log_problem(const struct tt_log *log, enum tt_code rc, const tt_err *err)
{
    if (!log || !log->all_problems || !err || rc == TT_ENOMEM)
        return 0;
    tt_log_place(log, TT_LOG_ERROR, &err->place, err->msg);
    return 1;
}

const char *tt_log_level_name(enum tt_log_level level)
{
    static const char *const name[] = {"debug", "info", "note", "warning",
                                       "error"};

    return name[level];
}
