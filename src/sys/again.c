/* SPDX-License-Identifier: MIT */
/* Files that are continued, and files that must be on disk. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/file_impl.h"

enum tt_code tt_file_open_again(FILE **out, const char *path, tt_err *err)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0 && errno == ELOOP)
        return tt_fail(err, TT_EINPUT, "cannot continue %s: it is a link",
                       path);
    if (fd < 0)
        return tt_file_fail(err, "continue", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return tt_fail(err, TT_EINPUT,
                       "cannot continue %s: it is no regular file", path);
    }
    *out = fdopen(fd, "r+b");
    if (*out) {
        setvbuf(*out, NULL, _IONBF, 0);
        return TT_OK;
    }
    close(fd);
    return tt_file_fail(err, "continue", path);
}

/* A name is durable when its folder is. */
static int sync_folder(const char *path)
{
    char *dir = tt_path_dir(path);
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int e = fd >= 0 && fsync(fd) != 0 && errno != EINVAL ? errno : 0;

    if (fd >= 0)
        close(fd);
    tt_free(dir);
    return e;
}

int tt_file_sync_fd(int fd, const char *path)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno;
    return sync_folder(path);
}

int tt_file_sync(FILE *f, const char *path)
{
    return tt_file_sync_fd(fileno(f), path);
}

int tt_file_rename(const char *from, const char *to)
{
    return rename(from, to) != 0 ? errno : sync_folder(to);
}
