/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* pread */
#include "sys/in.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/file_impl.h"

struct tt_in {
    int fd;
    char *path; /* owned */
};

enum tt_code tt_in_open(tt_in **out, const char *path, tt_err *err)
{
    struct stat st;
    tt_in *in;

    if (!TT_NEW(in))
        return tt_file_no_memory(err, "read", path);
    in->path = tt_strdup(path);
    /* Not blocking: opening a pipe without a writer would wait forever. */
    in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (!in->path || in->fd < 0 || fstat(in->fd, &st) != 0) {
        enum tt_code rc = in->path ? tt_file_fail_read(err, path)
                                   : tt_file_no_memory(err, "read", path);

        tt_in_close(in);
        return rc;
    }
    if (!S_ISREG(st.st_mode)) {
        tt_in_close(in);
        return tt_fail(err, TT_EINPUT, "cannot read %s: not a regular file",
                       path);
    }
    *out = in;
    return TT_OK;
}

void tt_in_close(tt_in *in)
{
    if (!in)
        return;
    if (in->fd >= 0)
        (void)close(in->fd);
    TT_FREE_ALL(in->path, in);
}

uint64_t tt_in_size(const tt_in *in)
{
    struct stat st;

    return fstat(in->fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

enum tt_code tt_in_read(tt_in *in, uint64_t at, void *data, size_t n,
                        size_t *got, tt_err *err)
{
    *got = 0;
    while (*got < n) {
        ssize_t some =
            pread(in->fd, (char *)data + *got, n - *got, (off_t)(at + *got));

        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return tt_file_fail(err, "read", in->path);
        if (some == 0)
            return TT_OK;
        *got += (size_t)some;
    }
    return TT_OK;
}
