/* SPDX-License-Identifier: MIT */
#include "run/eventlog.h"

#include "base/mem.h"

#define COLUMNS 4u

struct tt_eventlog {
    tt_observer *file; /* borrowed */
    struct tt_rows rows;
    struct tt_column column[COLUMNS];
    /* the row at hand */
    uint64_t microstep;
    struct tt_text instance, port, value;
    tt_err trouble; /* of the first row that failed */
};

enum tt_code tt_eventlog_new(tt_eventlog **out, tt_observer *file, tt_err *err)
{
    tt_eventlog *l;
    enum tt_code rc;

    if (!TT_NEW(l))
        return tt_fail(err, TT_ENOMEM, "keeping a list of events");
    l->file = file;
    l->column[0] = (struct tt_column){
        .name = "microstep", .type = TT_U64, .value = &l->microstep};
    l->column[1] = (struct tt_column){
        .name = "instance", .type = TT_TEXT, .value = &l->instance};
    l->column[2] =
        (struct tt_column){.name = "port", .type = TT_TEXT, .value = &l->port};
    l->column[3] = (struct tt_column){
        .name = "value", .type = TT_TEXT, .value = &l->value};
    l->rows = (struct tt_rows){.column = l->column, .n = COLUMNS};
    rc = tt_observer_begin(file, &l->rows, err);
    return TT_HAND_OVER(rc, out, l, tt_free);
}

void tt_eventlog_add(void *log, const struct tt_run_event *e)
{
    tt_eventlog *l = log;
    char value[TT_TEXT_MAX];
    enum tt_code rc;
    tt_err err;

    if (l->trouble.code != TT_OK)
        return;
    tt_value_print(value, e->type, e->value);
    l->microstep = e->at.n;
    (void)tt_text_set(&l->instance, e->instance);
    (void)tt_text_set(&l->port, e->port);
    (void)tt_text_set(&l->value, value);
    rc = tt_observer_row(l->file, tt_at(e->at.t), 0, &err);
    if (rc != TT_OK && rc != TT_ESTOPPED)
        l->trouble = err;
}

enum tt_code tt_eventlog_end(tt_eventlog *l, tt_err *err)
{
    enum tt_code rc;

    if (l->trouble.code == TT_OK)
        return tt_observer_end(l->file, err);
    rc = tt_observer_end(l->file, NULL);
    (void)rc; /* a consequence of the trouble */
    return tt_fail(err, l->trouble.code, "%s", l->trouble.msg);
}

void tt_eventlog_free(tt_eventlog *l)
{
    tt_free(l);
}
