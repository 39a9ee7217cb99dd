/* SPDX-License-Identifier: MIT */
#include "results/eventlist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MICROSTEP, INSTANCE, PORT, VALUE, COLUMNS };

int tt_eventlist_is(const tt_table *t)
{
    static const char *const name[COLUMNS] = {"microstep", "instance", "port",
                                              "value"};

    if (tt_table_columns(t) != COLUMNS)
        return 0;
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (strcmp(tt_table_name(t, i), name[i]) != 0)
            return 0;
    return !tt_table_is_text(t, MICROSTEP);
}

static const char *signal_of(const tt_table *t, size_t row, tt_arena *arena)
{
    char a[TT_NUM_MAX], b[TT_NUM_MAX];
    const char *instance = tt_table_cell(t, INSTANCE, row, a);
    const char *port = tt_table_cell(t, PORT, row, b);
    size_t size = strlen(instance) + strlen(port) + 2;
    char *name = tt_arena_alloc(arena, size, 1);

    if (name)
        (void)snprintf(name, size, "%s.%s", instance, port);
    return name;
}

enum tt_code tt_eventlist_read(struct tt_eventlist *l, const tt_table *t,
                               tt_arena *arena, tt_err *err)
{
    size_t rows = tt_table_rows(t);
    int full = 0;

    *l = (struct tt_eventlist){
        .table = t, .signal = tt_arena_alloc(arena, rows, sizeof(*l->signal))};
    for (size_t i = 0; l->signal && i < rows && !full; i++) {
        l->signal[i] = signal_of(t, i, arena);
        full = !l->signal[i];
    }
    return l->signal && !full
               ? TT_OK
               : tt_fail(err, TT_ENOMEM, "reading the events of %s",
                         tt_table_file(t));
}

double tt_eventlist_microstep(const struct tt_eventlist *l, size_t row)
{
    return tt_table_values(l->table, MICROSTEP)[row];
}

const char *tt_eventlist_value(const struct tt_eventlist *l, size_t row,
                               char number[TT_NUM_MAX])
{
    return tt_table_cell(l->table, VALUE, row, number);
}

/* Formats without mixed columns have numbers as texts, too. */
double tt_eventlist_number(const struct tt_eventlist *l, size_t row)
{
    double v = tt_table_values(l->table, VALUE)[row];
    const char *text;

    if (!isnan(v) || !tt_table_is_text(l->table, VALUE))
        return v;
    text = tt_table_text(l->table, VALUE, row);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return *text == 't';
    (void)tt_num_parse(text, &v);
    return v;
}
