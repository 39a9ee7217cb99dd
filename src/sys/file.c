/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* realpath */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sys/file_impl.h"

#define READ_CHUNK ((size_t)64 * 1024)
#define TEMP_TRIES 100u

int tt_file_cut(FILE *f, uint64_t size)
{
    return ftruncate(fileno(f), (off_t)size) != 0 ? errno : 0;
}

enum tt_code tt_file_fail(tt_err *err, const char *what, const char *path)
{
    int e = errno;
    enum tt_code code = e == ENOMEM ? TT_ENOMEM : TT_EIO;

    if (e == ENOENT || e == ENOTDIR || e == EISDIR || e == ENAMETOOLONG)
        code = TT_EINPUT;
    (void)tt_fail(err, code, "cannot %s %s: %s", what, path, strerror(e));
    if (err)
        err->sys = e;
    return code;
}

int tt_path_is_below(const char *path, const char *dir)
{
    char *root = realpath(dir, NULL), *real = realpath(path, NULL);
    char *parent = NULL, *name = NULL;
    size_t n = root ? strlen(root) : 0;
    int below;

    if (!real && errno == ENOENT && (parent = tt_path_dir(path))) {
        struct stat st;

        /* a link that leads nowhere may lead somewhere tomorrow */
        name = lstat(path, &st) != 0 ? realpath(parent, NULL) : NULL;
        below = name && root && strncmp(name, root, n) == 0 &&
                (name[n] == '/' || name[n] == '\0') &&
                strcmp(tt_path_base(path), "..") != 0;
    } else {
        below = real && root && strncmp(real, root, n) == 0 && real[n] == '/';
    }
    tt_free(parent);
    free(name);
    free(real);
    free(root);
    return below;
}

/* --- whole files ------------------------------------------------------- */

static enum tt_code add_chunk(struct tt_buf *b, const char *data, size_t n,
                              const char *path, tt_err *err)
{
    int fits = n <= b->max && b->len <= b->max - n;

    tt_buf_add(b, data, n);
    if (!b->failed)
        return TT_OK;
    if (fits)
        return tt_file_no_memory(err, "read", path);
    return tt_fail(err, TT_EINPUT,
                   "cannot read %s: larger than the limit of %zu bytes", path,
                   b->max);
}

/* To the end; closes fd. */
static enum tt_code read_all(struct tt_buf *b, int fd, const char *path,
                             tt_err *err)
{
    char *chunk = tt_alloc(READ_CHUNK);
    enum tt_code rc = TT_OK;

    if (!chunk)
        rc = tt_file_no_memory(err, "read", path);
    while (rc == TT_OK) {
        ssize_t got = read(fd, chunk, READ_CHUNK);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            rc = tt_file_fail(err, "read", path);
        if (got <= 0)
            break;
        rc = add_chunk(b, chunk, (size_t)got, path, err);
    }
    tt_free(chunk);
    close(fd);
    return rc;
}

enum tt_code tt_file_read(struct tt_buf *b, const char *path, tt_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? tt_file_fail_read(err, path) : read_all(b, fd, path, err);
}

enum tt_code tt_file_read_plain(struct tt_buf *b, const char *path, tt_err *err)
{
    int fd = tt_plain_open(path, O_RDONLY | O_NONBLOCK, 0);
    struct stat st;

    if (fd < 0)
        return tt_file_fail(err, "read", path);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return read_all(b, fd, path, err);
    close(fd);
    return tt_fail(err, TT_EINPUT, "cannot read %s: not a regular file", path);
}

size_t tt_file_head(const char *path, void *out, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    size_t done = 0;
    ssize_t got = 1;

    if (fd < 0)
        return 0;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        n = 0;
    while (done < n && got > 0) {
        got = read(fd, (char *)out + done, n - done);
        done += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return done;
}

/* 0, or -1 with errno. */
static int write_all(int fd, const void *data, size_t n)
{
    const char *p = data;

    while (n > 0) {
        ssize_t put = write(fd, p, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        p += put;
        n -= (size_t)put;
    }
    return 0;
}

/* Linux closes the descriptor even when close() was interrupted. */
static int close_late(int fd)
{
    return close(fd) == 0 || errno == EINTR ? 0 : -1;
}

static enum tt_code write_in_place(const char *path, const void *data, size_t n,
                                   tt_err *err)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    enum tt_code rc = TT_OK;

    if (fd < 0)
        return tt_file_fail(err, "write", path);
    if (write_all(fd, data, n) != 0)
        rc = tt_file_fail(err, "write", path);
    if (close_late(fd) != 0 && rc == TT_OK)
        rc = tt_file_fail(err, "write", path);
    return rc;
}

/* A new file beside `path`, whose name is put into temp. Not mkstemp: that
 * makes private files, and the file mode creation mask cannot be asked for
 * without changing it. */
static int open_neighbour(int dir, const char *path, char *temp, size_t size)
{
    for (unsigned i = 0; i < TEMP_TRIES; i++) {
        int fd;

        snprintf(temp, size, "%s.%ld-%u.tmp", path, (long)getpid(), i);
        fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* In a sandbox modes cannot be changed; most often they need not be. */
static int have_mode(int fd, mode_t mode)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && ((st.st_mode ^ mode) & 07777) == 0)
        return 0;
    return fchmod(fd, mode & 07777);
}

static int put_in_place(int dir, const char *temp, const char *path, int clear)
{
    if (renameat(dir, temp, dir, path) == 0)
        return 0;
    if (!clear || (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST) ||
        tt_dir_remove_at(dir, path) != 0)
        return -1;
    return renameat(dir, temp, dir, path);
}

static int fill(int fd, const struct stat *st, const void *data, size_t n)
{
    int rc = write_all(fd, data, n);

    if (rc == 0 && st)
        rc = have_mode(fd, st->st_mode);
    return close_late(fd) == 0 ? rc : -1;
}

int tt_file_put_at(int dir, const char *path, const struct stat *st, int clear,
                   const void *data, size_t n)
{
    size_t size = strlen(path) + 64;
    char *temp = tt_alloc(size);
    int fd, rc, e;

    if (!temp) {
        errno = ENOMEM;
        return -1;
    }
    fd = open_neighbour(dir, path, temp, size);
    rc = fd < 0 ? -1 : fill(fd, st, data, n);
    if (rc == 0)
        rc = put_in_place(dir, temp, path, clear);
    e = errno;
    if (rc != 0 && fd >= 0)
        (void)unlinkat(dir, temp, 0);
    tt_free(temp);
    errno = e;
    return rc;
}

/* `path` is the real one; st is what is there now, or NULL. */
static enum tt_code replace(const char *path, const struct stat *st,
                            const void *data, size_t n, tt_err *err)
{
    return tt_file_put_at(AT_FDCWD, path, st, 0, data, n) == 0
               ? TT_OK
               : tt_file_fail(err, "write", path);
}

enum tt_code tt_file_write(const char *path, const void *data, size_t n,
                           tt_err *err)
{
    enum tt_code rc;
    struct stat st;
    char *real;

    if (stat(path, &st) != 0)
        return replace(path, NULL, data, n, err);
    if (!S_ISREG(st.st_mode))
        return write_in_place(path, data, n, err);
    real = realpath(path, NULL);
    if (!real)
        return tt_file_fail(err, "write", path);
    rc = replace(real, &st, data, n, err);
    tt_free(real);
    return rc;
}

enum tt_code tt_file_write_buf(const char *path, const struct tt_buf *b,
                               tt_err *err)
{
    enum tt_code rc = tt_buf_check(b, path, err);

    return rc == TT_OK ? tt_file_write(path, b->data, b->len, err) : rc;
}

int tt_file_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

int tt_file_same(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

int tt_file_is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int tt_file_is_pipe(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

int tt_file_is_special(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* --- paths ------------------------------------------------------------- */

char *tt_path_join(const char *a, const char *b)
{
    size_t na, nb, slash;
    char *path;

    if (!a || !*a || *b == '/')
        return tt_strdup(b);
    na = strlen(a);
    nb = strlen(b);
    slash = a[na - 1] != '/';
    path = tt_alloc(na + slash + nb + 1);
    if (!path)
        return NULL;
    memcpy(path, a, na);
    path[na] = '/';
    memcpy(path + na + slash, b, nb + 1);
    return path;
}

char *tt_path_dir(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n;
    char *dir;

    if (!slash)
        return tt_strdup(".");
    while (slash > path && slash[-1] == '/')
        slash--;
    n = slash > path ? (size_t)(slash - path) : 1; /* "/" is its own */
    dir = tt_alloc(n + 1);
    if (!dir)
        return NULL;
    memcpy(dir, path, n);
    dir[n] = '\0';
    return dir;
}

const char *tt_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int tt_path_ends(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n > m && strcmp(path + n - m, ending) == 0;
}

char *tt_path_real(const char *path)
{
    return realpath(path, NULL);
}

char *tt_path_absolute(const char *path)
{
    char *cwd, *full;

    if (*path == '/')
        return tt_strdup(path);
    cwd = getcwd(NULL, 0);
    if (!cwd)
        return NULL;
    full = tt_path_join(cwd, path);
    tt_free(cwd);
    return full;
}

/* --- output ------------------------------------------------------------ */

struct tt_out {
    int fd;
    char *path; /* owned; for messages */
};

enum tt_code tt_out_open(tt_out **out, const char *path, tt_err *err)
{
    tt_out *o;

    if (!TT_NEW(o))
        return tt_file_no_memory(err, "write", path);
    o->path = tt_strdup(path);
    if (!o->path) {
        tt_free(o);
        return tt_file_no_memory(err, "write", path);
    }
    o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->fd < 0) {
        enum tt_code rc = tt_file_fail(err, "write", path);

        TT_FREE_ALL(o->path, o);
        return rc;
    }
    *out = o;
    return TT_OK;
}

enum tt_code tt_out_write(tt_out *out, const void *data, size_t n, tt_err *err)
{
    if (write_all(out->fd, data, n) != 0)
        return tt_file_fail(err, "write", out->path);
    return TT_OK;
}

enum tt_code tt_out_close(tt_out *out, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!out)
        return TT_OK;
    if (close_late(out->fd) != 0)
        rc = tt_file_fail(err, "write", out->path);
    TT_FREE_ALL(out->path, out);
    return rc;
}

static int write_synced(const char *path, const void *data, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int rc;

    if (fd < 0)
        return -1;
    rc = write_all(fd, data, n);
    if (rc == 0)
        rc = fsync(fd);
    return close_late(fd) == 0 ? rc : -1;
}

/* The new name is on disk, too. */
static void sync_folder(const char *path)
{
    char *dir = tt_path_dir(path);
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    tt_free(dir);
}

enum tt_code tt_file_write_durable(const char *path, const void *data, size_t n,
                                   tt_err *err)
{
    size_t size = strlen(path) + sizeof(".new");
    char *fresh = tt_alloc(size);
    enum tt_code rc = TT_OK;

    if (!fresh)
        return tt_fail(err, TT_ENOMEM, "writing %s: out of memory", path);
    snprintf(fresh, size, "%s.new", path);
    if (write_synced(fresh, data, n) != 0 || rename(fresh, path) != 0) {
        rc = tt_file_fail(err, "write", path);
        (void)unlink(fresh);
    }
    if (rc == TT_OK)
        sync_folder(path);
    tt_free(fresh);
    return rc;
}

int tt_dir_enter(const char *path)
{
    return chdir(path);
}
