/* SPDX-License-Identifier: MIT */
#include "run/logbook.h"

#include <string.h>

#include "run/run.h"

enum tt_code tt_logbook_init(struct tt_logbook *s, tt_err *err)
{
    memset(s, 0, sizeof(*s));
    tt_lock_init(&s->lock);
    s->arena = tt_arena_new();
    return s->arena ? TT_OK : tt_fail(err, TT_ENOMEM, "keeping messages");
}

void tt_logbook_fini(struct tt_logbook *s)
{
    tt_lock_fini(&s->lock);
    tt_arena_free(s->arena);
    TT_FREE_ALL(s->record, s->warning, s->event);
}

static void keep_warning(struct tt_logbook *s, const char *text)
{
    if (s->n_warning < TT_REPORT_MAX_LOG &&
        TT_GROW(s->warning, s->n_warning, s->cap_warning) == 0) {
        s->warning[s->n_warning] = tt_arena_strdup(s->arena, text);
        s->n_warning += s->warning[s->n_warning] != NULL;
    }
}

static void keep_record(struct tt_logbook *s, const struct tt_log_record *r,
                        double t)
{
    struct tt_report_log *log;

    if (s->n >= TT_REPORT_MAX_LOG || TT_GROW(s->record, s->n, s->cap) != 0)
        return;
    log = &s->record[s->n];
    *log = (struct tt_report_log){
        .level = r->level,
        .unit = tt_arena_strdup(s->arena, r->unit),
        .text = tt_arena_strdup(s->arena, r->text),
        .t = t,
    };
    s->n += log->unit && log->text;
}

void tt_logbook_add(struct tt_logbook *s, const struct tt_log_record *r,
                    double t)
{
    struct tt_log_record safe = *r;

    if (!safe.text)
        safe.text = "";
    tt_lock_take(&s->lock);
    if (safe.unit)
        keep_record(s, &safe, t);
    else if (safe.level >= TT_LOG_WARN)
        keep_warning(s, safe.text);
    tt_lock_give(&s->lock);
}

int tt_logbook_event(struct tt_logbook *s, const struct tt_run_event *e)
{
    char value[TT_TEXT_MAX];
    struct tt_report_event *to;

    s->more_events = s->n_event >= TT_REPORT_MAX_EVENTS ||
                     TT_GROW(s->event, s->n_event, s->cap_event) != 0;
    if (s->more_events)
        return 0;
    tt_value_print(value, e->type, e->value);
    to = &s->event[s->n_event];
    *to = (struct tt_report_event){
        .t = e->at.t,
        .microstep = e->at.n,
        .instance = tt_arena_strdup(s->arena, e->instance),
        .port = tt_arena_strdup(s->arena, e->port),
        .value = tt_arena_strdup(s->arena, value),
    };
    s->n_event += to->instance && to->port && to->value;
    return 1;
}
