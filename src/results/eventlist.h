/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_EVENTLIST_H
#define TT_RESULTS_EVENTLIST_H

/* A list of events, as `tutti run --events` writes it, read from a file: a
 * table with the columns microstep, instance, port and value, in this order.
 * Borrows the table. */

#include "base/mem.h"
#include "base/num.h"
#include "table/table.h"

struct tt_eventlist {
    const tt_table *table;
    const char **signal; /* in the arena: "{k}.i.port" of each row */
};

/* Is the table such a list? */
int tt_eventlist_is(const tt_table *t);
/* It is one: the names of its signals, into the arena. */
TT_NODISCARD enum tt_code tt_eventlist_read(struct tt_eventlist *l,
                                            const tt_table *t, tt_arena *arena,
                                            tt_err *err);
double tt_eventlist_microstep(const struct tt_eventlist *l, size_t row);
/* The value as text; `number` is where one is printed that is a number only. */
const char *tt_eventlist_value(const struct tt_eventlist *l, size_t row,
                               char number[TT_NUM_MAX]);
/* ... as a number; NaN if it is none. Booleans are 1 and 0. */
double tt_eventlist_number(const struct tt_eventlist *l, size_t row);

#endif
