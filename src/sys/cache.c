/* SPDX-License-Identifier: MIT */
/* What a user keeps from one run to the next, and what names it. */
#include <stdlib.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/in.h"

#define CHUNK ((size_t)64 * 1024)

char *tt_dir_cache(void)
{
    const char *set = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (set && *set == '/') /* others count as not given */
        return tt_strdup(set);
    return home && *home == '/' ? tt_path_join(home, ".cache") : NULL;
}

enum tt_code tt_file_sha256(const char *path, char hex[TT_SHA256_HEX],
                            tt_err *err)
{
    unsigned char sum[TT_SHA256_BYTES];
    char *chunk = tt_alloc(CHUNK);
    struct tt_sha256 h;
    tt_in *in = NULL;
    uint64_t at = 0;
    size_t got = 1;
    enum tt_code rc = chunk ? tt_in_open(&in, path, err)
                            : tt_fail(err, TT_ENOMEM, "reading %s", path);

    tt_sha256_init(&h);
    while (rc == TT_OK && got) {
        rc = tt_in_read(in, at, chunk, CHUNK, &got, err);
        if (rc == TT_OK)
            tt_sha256_add(&h, chunk, got);
        at += got;
    }
    tt_sha256_end(&h, sum);
    tt_sha256_hex(sum, hex);
    tt_in_close(in);
    tt_free(chunk);
    return rc;
}
