/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file_impl.h"

/* --- making ------------------------------------------------------------ */

static int make_one(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && tt_file_is_dir(path)))
        return 0;
    return -1;
}

enum tt_code tt_dir_make(const char *path, tt_err *err)
{
    char *copy = tt_strdup(path);
    enum tt_code rc = TT_OK;

    if (!copy)
        return tt_file_no_memory(err, "make folder", path);
    /* Parents: each beginning that ends before a slash. */
    for (char *p = copy; *p && rc == TT_OK; p++) {
        if (p == copy || *p != '/')
            continue;
        *p = '\0';
        if (make_one(copy) != 0)
            rc = tt_file_fail(err, "make folder", copy);
        *p = '/';
    }
    if (rc == TT_OK && make_one(copy) != 0)
        rc = tt_file_fail(err, "make folder", path);
    tt_free(copy);
    return rc;
}

enum tt_code tt_dir_temp(char **path, tt_err *err)
{
    const char *below = getenv("TMPDIR");

    return tt_dir_temp_in(path, below && *below ? below : "/tmp", err);
}

enum tt_code tt_dir_temp_in(char **path, const char *below, tt_err *err)
{
    char *name;

    name = tt_path_join(below, "tutti-XXXXXX");
    if (!name)
        return tt_file_no_memory(err, "make a temporary folder in", below);
    if (!mkdtemp(name)) {
        enum tt_code rc =
            tt_file_fail(err, "make a temporary folder in", below);

        tt_free(name);
        return rc;
    }
    *path = name;
    return TT_OK;
}

/* --- listing ----------------------------------------------------------- */

struct list {
    char **name; /* owned, each too */
    size_t n, cap;
};

static void list_fini(struct list *l)
{
    for (size_t i = 0; i < l->n; i++)
        tt_free(l->name[i]);
    tt_free(l->name);
}

static int is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* 0, or -1 with errno. */
static int list_read(struct list *l, DIR *dir)
{
    const struct dirent *e;

    for (;;) {
        char *name;

        errno = 0; /* readdir tells the end from an error only by errno */
        e = readdir(dir);
        if (!e)
            return errno == 0 ? 0 : -1;
        if (is_dot(e->d_name))
            continue;
        name = tt_strdup(e->d_name);
        if (!name || TT_GROW(l->name, l->n, l->cap) != 0) {
            tt_free(name);
            errno = ENOMEM;
            return -1;
        }
        l->name[l->n++] = name;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum tt_code tt_dir_list(const char *path, tt_dir_fn fn, void *ctx, tt_err *err)
{
    struct list l = {0};
    enum tt_code rc = TT_OK;
    DIR *dir = opendir(path);

    if (!dir)
        return tt_file_fail(err, "list", path);
    if (list_read(&l, dir) != 0)
        rc = tt_file_fail(err, "list", path);
    closedir(dir); /* before fn, which may remove the folder */
    if (rc == TT_OK && l.n > 1)
        qsort(l.name, l.n, sizeof(*l.name), by_name);
    for (size_t i = 0; i < l.n && rc == TT_OK; i++)
        rc = fn(ctx, l.name[i], err);
    list_fini(&l);
    return rc;
}

/* --- measuring --------------------------------------------------------- */

/* Closes fd. */
static void add_sizes(int fd, uint64_t enough, uint64_t *sum)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *e;
    struct stat st;

    if (!dir) {
        close(fd);
        return;
    }
    while (*sum <= enough && (e = readdir(dir))) {
        int below = -1;

        if (is_dot(e->d_name) ||
            fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(st.st_mode))
            *sum += (uint64_t)st.st_size;
        else if (S_ISDIR(st.st_mode))
            below = openat(fd, e->d_name,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            add_sizes(below, enough, sum);
    }
    closedir(dir);
}

uint64_t tt_dir_size(const char *path, uint64_t enough)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    uint64_t sum = 0;

    if (fd >= 0)
        add_sizes(fd, enough, &sum);
    return sum;
}

/* --- removing ---------------------------------------------------------- */

static int remove_entry(int parent, const char *name);

/* Empty the open folder; closes fd. 0, or -1 with errno. */
static int empty_dir(int fd)
{
    struct list l = {0};
    DIR *dir;
    int rc, e;

    /* Archives hold read-only folders, which cannot be emptied as they are. */
    (void)fchmod(fd, 0700);
    dir = fdopendir(fd);
    if (!dir) {
        e = errno;
        close(fd);
        errno = e;
        return -1;
    }
    rc = list_read(&l, dir);
    for (size_t i = 0; i < l.n && rc == 0; i++)
        rc = remove_entry(fd, l.name[i]);
    e = errno;
    list_fini(&l);
    closedir(dir);
    errno = e;
    return rc;
}

/* A file, a link or a folder with all in it. Names are resolved against open
 * folders and links never followed, so that nobody can lead us elsewhere by
 * swapping a folder for a link. */
static int remove_entry(int parent, const char *name)
{
    int fd;

    if (unlinkat(parent, name, 0) == 0)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || empty_dir(fd) != 0)
        return -1;
    return unlinkat(parent, name, AT_REMOVEDIR);
}

enum tt_code tt_dir_remove(const char *path, tt_err *err)
{
    if (remove_entry(AT_FDCWD, path) == 0 || errno == ENOENT)
        return TT_OK;
    return tt_file_fail(err, "remove", path);
}
