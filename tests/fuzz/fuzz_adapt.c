/* SPDX-License-Identifier: MIT */
/* Adaptations: whatever the text is, it is a program, or refused with a place.
 */
#include <stdint.h>
#include <string.h>

#include "adapt/adapt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tt_err err = {.msg = ""};

    if (tt_adapt_parse((const char *)data, size, "x.sa", &err) != TT_OK)
        TT_ASSERT(strncmp(err.msg, "x.sa:", 5) == 0);
    return 0;
}
