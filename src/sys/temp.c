/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* LOCK_EX */
#include "sys/temp.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/file_impl.h"

/* The system's header of this is hidden behind ours of the same name. */
extern int flock(int fd, int operation);

#define PREFIX "tutti-run-"
#define RANDOM "XXXXXX"

static const char *place(void)
{
    const char *below = getenv("TMPDIR");

    return below && *below ? below : "/tmp";
}

/* Is the open folder still the one of that name? */
static int is_same(int fd, const char *path)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Make and lock. A sweeper may come between: then it is gone, or will be as
 * soon as the lock is ours. 1: made, 0: try again, -1 with errno. */
static int make_locked(char *path, int *lock)
{
    if (!mkdtemp(path))
        return -1;
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*lock < 0)
        return errno == ENOENT ? 0 : -1;
    if (flock(*lock, LOCK_EX) == 0 && is_same(*lock, path))
        return 1;
    close(*lock);
    return 0;
}

enum tt_code tt_temp_open(struct tt_temp *t, tt_err *err)
{
    const char *below = place();
    /* what leads here may be links, but nothing below */
    char *real = tt_path_real(below);
    char *path = tt_path_join(real ? real : below, PREFIX RANDOM);
    int made = 0;

    *t = (struct tt_temp){0};
    tt_free(real);
    if (!path)
        return tt_file_no_memory(err, "make a temporary folder in", below);
    for (int tries = 0; made == 0 && tries < 100; tries++) {
        memcpy(path + strlen(path) - strlen(RANDOM), RANDOM, sizeof(RANDOM));
        made = make_locked(path, &t->lock);
    }
    if (made == 1) {
        t->path = path;
        return TT_OK;
    }
    tt_free(path);
    return tt_file_fail(err, "make a temporary folder in", below);
}

void tt_temp_close(struct tt_temp *t)
{
    if (!t->path)
        return;
    (void)!tt_dir_remove(t->path, NULL);
    close(t->lock);
    tt_free(t->path);
    *t = (struct tt_temp){0};
}

/* --- sweeping ----------------------------------------------------------- */

static int is_ours(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
           strlen(name) == strlen(PREFIX) + strlen(RANDOM);
}

/* The lock is kept until the folder is gone, so that no process takes it for
 * theirs meanwhile. */
static void sweep_one(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && is_same(fd, path))
        (void)!tt_dir_remove(path, NULL);
    close(fd);
}

static enum tt_code sweep_entry(void *ctx, const char *name, tt_err *err)
{
    char *path = is_ours(name) ? tt_path_join(ctx, name) : NULL;

    (void)err;
    if (path)
        sweep_one(path);
    tt_free(path);
    return TT_OK;
}

void tt_temp_sweep(void)
{
    char *below = tt_strdup(place());

    if (below)
        (void)!tt_dir_list(below, sweep_entry, below, NULL);
    tt_free(below);
}

/* --- a folder of one's own ------------------------------------------------ */

enum tt_code tt_dir_lock(const char *path, int *fd, tt_err *err)
{
    int e;

    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return tt_file_fail(err, "open", path);
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return TT_OK;
    e = errno;
    close(*fd);
    *fd = -1;
    errno = e;
    return e == EWOULDBLOCK
               ? tt_fail(err, TT_ESTATE, "another process uses %s", path)
               : tt_file_fail(err, "lock", path);
}
