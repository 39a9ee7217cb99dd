/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH */
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

        errno =
            0; /* readdir distinguishes the end from an error only by errno */
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

static enum tt_code list(const char *path, DIR *dir, tt_dir_fn fn, void *ctx,
                         tt_err *err)
{
    struct list l = {0};
    enum tt_code rc = TT_OK;

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

enum tt_code tt_dir_list(const char *path, tt_dir_fn fn, void *ctx, tt_err *err)
{
    return list(path, opendir(path), fn, ctx, err);
}

enum tt_code tt_dir_list_plain(const char *path, tt_dir_fn fn, void *ctx,
                               tt_err *err)
{
    int fd = tt_plain_open(path, O_RDONLY | O_DIRECTORY, 0);

    return list(path, fd < 0 ? NULL : fdopendir(fd), fn, ctx, err);
}

/* --- going through a tree ---------------------------------------------- */

/* Folders may lie in each other to any depth. One descriptor is open at a time
 * and the way up is "..", which must be the folder we came from: a process that
 * moves folders about meanwhile does not lead us elsewhere. Links are never
 * followed. */

struct visitor {
    /* An entry of the open folder. 0: done with it, 1: a folder to enter, -1
     * with errno: no more. */
    int (*entry_cb)(void *ctx, int dir, const char *name);
    /* The same entry, a folder that was entered and left again; or NULL. */
    int (*left_cb)(void *ctx, int dir, const char *name);
    int unlock; /* folders are given the rights to enter and empty them */
    void *ctx;
};

struct level {
    struct list l;
    size_t at; /* the entry we are in, or come to next */
    dev_t dev;
    ino_t ino;
};

struct walk {
    const struct visitor *v;
    int fd; /* of the deepest level; -1: none */
    struct level *level;
    size_t n, cap;
};

#define FOLDER (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A folder without rights, as archives and units make them, cannot be emptied
 * as it is. By a descriptor, so that no link is followed. */
static int open_unlocked(int parent, const char *name)
{
    int at = openat(parent, name, O_PATH | FOLDER), fd;
    char path[64];

    if (at < 0)
        return -1;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
    (void)chmod(path, 0700);
    fd = openat(at, ".", O_RDONLY | FOLDER);
    close(at);
    return fd;
}

static int open_dir(int parent, const char *name, int unlock)
{
    return unlock ? open_unlocked(parent, name)
                  : openat(parent, name, O_RDONLY | FOLDER);
}

static int list_fd(struct list *l, int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), rc;
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);

    if (!dir) {
        if (copy >= 0)
            close(copy);
        return -1;
    }
    rc = list_read(l, dir);
    closedir(dir);
    return rc;
}

/* fd is ours from now on. 0, or -1 with errno. */
static int enter(struct walk *w, int fd)
{
    struct level *at;
    struct stat st;

    if (w->fd >= 0)
        close(w->fd);
    w->fd = fd;
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    if (TT_GROW(w->level, w->n, w->cap) != 0) {
        errno = ENOMEM;
        return -1;
    }
    at = &w->level[w->n++];
    *at = (struct level){.dev = st.st_dev, .ino = st.st_ino};
    return list_fd(&at->l, fd);
}

/* To the folder above, which is done with the one we were in. */
static int leave(struct walk *w)
{
    struct level *at;
    struct stat st;
    int up, rc = 0;

    list_fini(&w->level[--w->n].l);
    if (w->n == 0)
        return 0;
    at = &w->level[w->n - 1];
    up = openat(w->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    close(w->fd);
    w->fd = up;
    if (up < 0 || fstat(up, &st) != 0)
        return -1;
    if (st.st_dev != at->dev || st.st_ino != at->ino) {
        errno = ESTALE;
        return -1;
    }
    if (w->v->left_cb)
        rc = w->v->left_cb(w->v->ctx, up, at->l.name[at->at]);
    at->at++;
    return rc;
}

/* 0, or -1 with errno. */
static int step(struct walk *w)
{
    struct level *at = &w->level[w->n - 1];
    int what;

    if (at->at == at->l.n)
        return leave(w);
    what = w->v->entry_cb(w->v->ctx, w->fd, at->l.name[at->at]);
    if (what == 1)
        return enter(w, open_dir(w->fd, at->l.name[at->at], w->v->unlock));
    at->at++;
    return what;
}

/* All that is below the open folder, which is closed. 0, or -1 with errno. */
static int walk_tree(int fd, const struct visitor *v)
{
    struct walk w = {.v = v, .fd = -1};
    int rc = enter(&w, fd), e;

    while (rc == 0 && w.n > 0)
        rc = step(&w);
    e = errno;
    while (w.n > 0)
        list_fini(&w.level[--w.n].l);
    tt_free(w.level);
    if (w.fd >= 0)
        close(w.fd);
    errno = e;
    return rc;
}

/* --- measuring --------------------------------------------------------- */

struct sum {
    uint64_t bytes, enough;
};

static int add_size(void *ctx, int dir, const char *name)
{
    struct sum *s = ctx;
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    if (S_ISREG(st.st_mode))
        s->bytes += (uint64_t)st.st_size;
    if (s->bytes > s->enough)
        return -1;
    return S_ISDIR(st.st_mode);
}

uint64_t tt_dir_size(const char *path, uint64_t enough)
{
    int fd = tt_plain_open(path, O_RDONLY | O_DIRECTORY, 0);
    struct sum s = {.enough = enough};
    const struct visitor v = {.entry_cb = add_size, .ctx = &s};

    if (fd >= 0)
        (void)walk_tree(fd, &v);
    return s.bytes;
}

/* --- removing ---------------------------------------------------------- */

static int remove_simple(void *ctx, int dir, const char *name)
{
    (void)ctx;
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    return unlinkat(dir, name, AT_REMOVEDIR) == 0 ? 0 : 1;
}

static int remove_emptied(void *ctx, int dir, const char *name)
{
    (void)ctx;
    return unlinkat(dir, name, AT_REMOVEDIR);
}

int tt_dir_remove_at(int parent, const char *name)
{
    static const struct visitor v = {
        .entry_cb = remove_simple, .left_cb = remove_emptied, .unlock = 1};
    int fd;

    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    fd = open_dir(parent, name, 1);
    if (fd < 0 || walk_tree(fd, &v) != 0)
        return -1;
    return unlinkat(parent, name, AT_REMOVEDIR);
}

enum tt_code tt_dir_remove(const char *path, tt_err *err)
{
    if (tt_dir_remove_at(AT_FDCWD, path) == 0)
        return TT_OK;
    return tt_file_fail(err, "remove", path);
}
