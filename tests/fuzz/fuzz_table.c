/* SPDX-License-Identifier: MIT */
/* Any bytes either give a table whose invariants hold, or an error. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tt_table *t = NULL;
    tt_err err;
    size_t sum = 0;

    if (tt_table_parse(&t, "fuzz.csv", (const char *)data, n, &err) != TT_OK) {
        TT_ASSERT(err.msg[0] != '\0');
        return 0;
    }
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
    TT_ASSERT(sum <= 2 * n);
    tt_table_free(t);
    return 0;
}
