/* SPDX-License-Identifier: MIT */
/* A model description as an exported FMU reads it: being here, this reader is
 * the one that is linked. */
#include <stddef.h>
#include <stdint.h>

#include "fmi/modeldesc.h"
#include "text/xml_plain.c" /* NOLINT(bugprone-suspicious-include) */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tt_md *md = NULL;
    tt_err err;

    if (tt_md_parse(&md, data, size, &err) == TT_OK)
        tt_md_free(md);
    return 0;
}
