/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* fallocate */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

int tt_file_reserve(int fd, uint64_t from, uint64_t n)
{
    struct rlimit most;
    int rc;

    /* what is reserved beyond the end is not held to this, what is written is
     */
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        (from > most.rlim_cur || n > most.rlim_cur - from))
        return EFBIG;
    do
        rc = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)n);
    while (rc != 0 && errno == EINTR);
    return rc != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
               ? errno
               : 0;
}

void tt_file_trim(const char *path)
{
    struct stat s;

    if (stat(path, &s) == 0 && S_ISREG(s.st_mode))
        (void)!truncate(path, s.st_size);
}
