/* SPDX-License-Identifier: MIT */
/* What is remembered of trials: a file per FMU, named by the SHA-256 of its
 * content. */
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "run/trial.h"
#include "sys/file.h"

#define WORD_MAX ((size_t)64)

/* Where the verdict on this FMU is, or NULL. An unpacked FMU has none: it can
 * change behind our back. Where there is no verdict at all it is not read. */
static char *place(enum tt_trial_of what, const char *path, int make)
{
    char hex[TT_SHA256_HEX];
    char *cache = tt_dir_cache(), *dir = NULL, *real = NULL, *file = NULL;

    if (cache && !tt_file_is_dir(path))
        dir =
            tt_path_join(cache, what == TT_TRIAL_ROLLBACK ? "tutti/rollback"
                                                          : "tutti/checkpoint");
    if (dir && (!make || tt_dir_make(dir, NULL) == TT_OK))
        real = tt_path_real(dir);
    if (real && tt_file_sha256(path, hex, NULL) == TT_OK)
        file = tt_path_join(real, hex);
    TT_FREE_ALL(real, dir, cache);
    return file;
}

static const char *const word[] = {
    [TT_TRIAL_CAN] = "tutti rollback 1: can\n",
    [TT_TRIAL_CANNOT] = "tutti rollback 1: cannot\n",
};

enum tt_trial_verdict tt_trial_recall(enum tt_trial_of what, const char *path)
{
    enum tt_trial_verdict v = TT_TRIAL_OPEN;
    char *file = place(what, path, 0);
    struct tt_buf b;

    tt_buf_init(&b, WORD_MAX);
    if (file && tt_file_read_plain(&b, file, NULL) == TT_OK)
        for (int i = TT_TRIAL_CAN; i <= TT_TRIAL_CANNOT; i++)
            if (b.len == strlen(word[i]) && !memcmp(b.data, word[i], b.len))
                v = (enum tt_trial_verdict)i;
    tt_buf_fini(&b);
    tt_free(file);
    return v;
}

void tt_trial_keep(enum tt_trial_of what, const char *path,
                   enum tt_trial_verdict v)
{
    int known = v == TT_TRIAL_CAN || v == TT_TRIAL_CANNOT;
    char *file = known ? place(what, path, 1) : NULL;

    if (file)
        (void)!tt_file_replace(file, word[v], strlen(word[v]), NULL);
    tt_free(file);
}
