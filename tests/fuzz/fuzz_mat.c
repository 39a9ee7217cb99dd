/* SPDX-License-Identifier: MIT */
/* As fuzz_table.c, for MAT v4. */
#include <stddef.h>
#include <stdint.h>

#include "check_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tt_table *t = NULL;
    tt_err err;

    if (tt_table_parse_mat(&t, "fuzz.mat", (const char *)data, n, &err) !=
        TT_OK) {
        TT_ASSERT(err.msg[0] != '\0');
        return 0;
    }
    /* every row and every name has a byte of its own */
    TT_ASSERT(tt_table_rows(t) <= n && tt_table_columns(t) <= n);
    (void)check_table(t);
    tt_table_free(t);
    return 0;
}
