/* SPDX-License-Identifier: MIT */
/* Any bytes either give a table whose invariants hold, or an error. */
#include <stddef.h>
#include <stdint.h>

#include "check_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tt_table *t = NULL;
    tt_err err;

    if (tt_table_parse(&t, "fuzz.csv", (const char *)data, n, &err) != TT_OK) {
        TT_ASSERT(err.msg[0] != '\0');
        return 0;
    }
    TT_ASSERT(check_table(t) <= 2 * n);
    tt_table_free(t);
    return 0;
}
