/* SPDX-License-Identifier: MIT */
/* Reading and checking a model description must survive any bytes. Build with
 * clang -fsanitize=fuzzer,address,undefined. */
#include <stddef.h>
#include <stdint.h>

#include "fmi/md_check.h"
#include "fmi/modeldesc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tt_findings f;
    struct tt_md *md = NULL;
    tt_err err;

    if (tt_md_parse(&md, data, size, &err) != TT_OK)
        return 0;
    tt_findings_init(&f);
    if (tt_md_check(md, NULL, &f, &err) != TT_OK)
        err.msg[0] = 0;
    tt_findings_fini(&f);
    tt_md_free(md);
    return 0;
}
