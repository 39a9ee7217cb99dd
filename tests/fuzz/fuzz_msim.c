/* SPDX-License-Identifier: MIT */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as("t.msim", data, size);
    return 0;
}
