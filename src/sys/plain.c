/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH, syscall */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/file_impl.h"

/* Files in folders that others write to. A link put there could lead us
 * anywhere: no part of such a path may be one. */

/* --- opening ----------------------------------------------------------- */

#define WAY (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Component by component, for systems without openat2. */
static int open_by_parts(char *path, int flags, unsigned mode)
{
    int fd = open(*path == '/' ? "/" : ".", WAY);
    char *name = path, *end;

    for (; fd >= 0; name = end + 1) {
        int next;

        name += strspn(name, "/");
        end = name + strcspn(name, "/");
        if (!*end || !end[strspn(end, "/")])
            break;
        *end = '\0';
        next = openat(fd, name, WAY);
        close(fd);
        fd = next;
    }
    if (fd >= 0) {
        int last;

        flags |= *end ? O_DIRECTORY : 0; /* "name/" is a folder */
        *end = '\0';
        last = openat(fd, *name ? name : ".", flags | O_NOFOLLOW, (mode_t)mode);
        close(fd);
        fd = last;
    }
    return fd;
}

static int open_by_kernel(const char *path, int flags, unsigned mode)
{
    struct open_how how = {.flags = (unsigned)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve =
                               RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

int tt_plain_open(const char *path, int flags, unsigned mode)
{
    int fd = open_by_kernel(path, flags | O_CLOEXEC, mode);
    char *copy;

    /* a filter of system calls may refuse what it does not know */
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd;
    copy = tt_strdup(path);
    if (!copy) {
        errno = ENOMEM;
        return -1;
    }
    fd = open_by_parts(copy, flags | O_CLOEXEC, mode);
    tt_free(copy);
    return fd;
}

int tt_file_open_plain(const char *path, uint64_t *size)
{
    struct stat st;
    int fd = tt_plain_open(path, O_RDONLY | O_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return -1;
    }
    *size = (uint64_t)st.st_size;
    return fd;
}

void tt_fd_path(char out[TT_FD_PATH], int fd)
{
    (void)snprintf(out, TT_FD_PATH, "/proc/self/fd/%d", fd);
}

/* --- folders ----------------------------------------------------------- */

/* The open folder a path is in, -1 with errno. */
static int open_parent(const char *path)
{
    char *dir = tt_path_dir(path);
    int fd = -1;

    if (dir)
        fd = tt_plain_open(dir, O_PATH | O_DIRECTORY, 0);
    else
        errno = ENOMEM;
    tt_free(dir);
    return fd;
}

/* 0, or -1 with errno. */
static int make_in(const char *path)
{
    int fd = open_parent(path), rc, e;

    if (fd < 0)
        return -1;
    rc = mkdirat(fd, tt_path_base(path), 0777);
    e = errno;
    close(fd);
    errno = e;
    return rc;
}

enum tt_code tt_dir_make_new(const char *path, tt_err *err)
{
    char *dir;
    int rc = make_in(path);

    if (rc != 0 && errno == ENOENT) {
        dir = tt_path_dir(path);
        rc = dir && (make_in(dir) == 0 || errno == EEXIST) ? make_in(path) : -1;
        tt_free(dir);
    }
    return rc == 0 ? TT_OK : tt_file_fail(err, "make folder", path);
}

enum tt_code tt_dir_remove_plain(const char *path, tt_err *err)
{
    int fd = open_parent(path), rc = -1, e;

    if (fd < 0 && errno == ENOENT)
        return TT_OK;
    if (fd >= 0) {
        rc = tt_dir_remove_at(fd, tt_path_base(path));
        e = errno;
        close(fd);
        errno = e;
    }
    return rc == 0 ? TT_OK : tt_file_fail(err, "remove", path);
}

/* --- replacing --------------------------------------------------------- */

enum tt_code tt_file_replace(const char *path, const void *data, size_t n,
                             tt_err *err)
{
    int dir = open_parent(path), rc = -1, e;

    if (dir >= 0) {
        rc = tt_file_put_at(dir, tt_path_base(path), NULL, 1, data, n);
        e = errno;
        close(dir);
        errno = e;
    }
    return rc == 0 ? TT_OK : tt_file_fail(err, "write", path);
}
