/* SPDX-License-Identifier: MIT */
#ifndef TT_FUZZ_CHECK_TABLE_H
#define TT_FUZZ_CHECK_TABLE_H

/* The invariants of a table, whatever it was read from. */

#include <math.h>
#include <string.h>

#include "table/table.h"

/* Returns how much there was to see: characters, and cells without a number. */
static inline size_t check_table(const tt_table *t)
{
    size_t sum = 0;

    for (size_t r = 0; r < tt_table_rows(t); r++) {
        TT_ASSERT(isfinite(tt_table_time(t)[r]));
        TT_ASSERT(r == 0 || tt_table_time(t)[r] >= tt_table_time(t)[r - 1]);
    }
    for (uint32_t c = 0; c < tt_table_columns(t); c++) {
        TT_ASSERT(tt_table_find(t, tt_table_name(t, c)) == c);
        for (size_t r = 0; r < tt_table_rows(t); r++) {
            if (tt_table_is_text(t, c))
                sum += strlen(tt_table_text(t, c, r));
            sum += isnan(tt_table_values(t, c)[r]) != 0;
        }
    }
    return sum;
}

#endif
