/* SPDX-License-Identifier: MIT */
/* Opening an archive and reading all of it must survive any bytes. Nothing is
 * written to disk. Build with clang -fsanitize=fuzzer,address,undefined. */
#include <stddef.h>
#include <stdint.h>

#include "text/archive.h"

#define READ_MAX ((size_t)1 << 20) /* per entry, so that runs stay short */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tt_archive *a = NULL;
    struct tt_buf b;
    tt_err err;

    if (tt_archive_open_memory(&a, "fuzz", data, size, &err) != TT_OK)
        return 0;
    for (size_t i = 0; i < tt_archive_count(a); i++) {
        tt_buf_init(&b, READ_MAX);
        if (tt_archive_read(a, tt_archive_name(a, i), &b, &err) != TT_OK)
            err.msg[0] = 0;
        tt_buf_fini(&b);
    }
    tt_archive_close(a);
    return 0;
}
