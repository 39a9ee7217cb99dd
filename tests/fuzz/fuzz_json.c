/* SPDX-License-Identifier: MIT */
/* Our reader of JSON and jansson accept the same, and see the same in it. */
#include <stdint.h>

#include "text/test_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TT_ASSERT(ask_both((const char *)data, size) >= 0);
    return 0;
}
