/* SPDX-License-Identifier: MIT */
/* Landlock: rules about files, ports and signals a process gives itself. Each
 * version of its interface can do more; what this one cannot is not asked. */
#define _GNU_SOURCE /* syscall, O_PATH */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/sandbox_impl.h"

#define HIDE_MOST 4u

/* Newer than many systems' header. */
#define FS_TRUNCATE         (1ull << 14)
#define FS_IOCTL_DEV        (1ull << 15)
#define NET_TCP             (3ull) /* bind and connect */
#define SCOPE_ABSTRACT_UNIX (1ull << 0)
#define SCOPE_SIGNAL        (1ull << 1)

/* A kernel that knows less accepts zeros in the rest. */
struct attributes {
    uint64_t fs, net, scoped;
};

#define DEVICES (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)
#define WRITES                                                                 \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |           \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |            \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |              \
     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | DEVICES)
#define READS                                                                  \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |              \
     LANDLOCK_ACCESS_FS_EXECUTE)
#define OF_FILES                                                               \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |            \
     LANDLOCK_ACCESS_FS_EXECUTE | FS_TRUNCATE | FS_IOCTL_DEV)

/* Rules that forbid nothing make a domain, too: whose memory is closed to other
 * domains. Files may be moved between folders only where that is allowed, so
 * it is. Before version 2 it cannot be. */
#define DOMAIN LANDLOCK_ACCESS_FS_REFER

int sandbox_landlock(void)
{
    long v = syscall(SYS_landlock_create_ruleset, NULL, 0,
                     LANDLOCK_CREATE_RULESET_VERSION);

    return v > 0 ? (int)v : 0;
}

static uint64_t writes_of(int version)
{
    uint64_t a = WRITES;

    if (version >= VERSION_REFER)
        a |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= VERSION_TRUNCATE)
        a |= FS_TRUNCATE;
    if (version >= VERSION_IOCTL)
        a |= FS_IOCTL_DEV;
    return a;
}

static struct attributes attributes_of(const struct tt_sandbox *s, int version)
{
    const unsigned guards = s->guards;
    struct attributes a = {0};

    if (guards & TT_GUARD_FILES)
        a.fs = writes_of(version) | (s->n_hide ? READS : 0);
    if ((guards & TT_GUARD_NETWORK) && version >= VERSION_TCP)
        a.net = NET_TCP;
    if ((guards & TT_GUARD_NETWORK) && version >= VERSION_SCOPE)
        a.scoped |= SCOPE_ABSTRACT_UNIX;
    if ((guards & (TT_GUARD_SIGNALS | TT_GUARD_APART)) &&
        version >= VERSION_SCOPE)
        a.scoped |= SCOPE_SIGNAL;
    if ((guards & TT_GUARD_APART) && !a.fs && !a.net && !a.scoped &&
        version >= VERSION_REFER)
        a.fs = DOMAIN;
    return a;
}

/* Writing in a folder does not include making devices there: one made by root
 * would be a door to the disk behind it. 0, or -1 with errno. */
static int allow(int ruleset, const char *path, uint64_t writes)
{
    struct landlock_path_beneath_attr rule = {0};
    struct stat st;
    int rc, e;

    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0)
        return -1;
    rc = fstat(rule.parent_fd, &st);
    rule.allowed_access =
        writes & (S_ISDIR(st.st_mode) ? ~(uint64_t)DEVICES : OF_FILES);
    if (rc == 0)
        rc = (int)syscall(SYS_landlock_add_rule, ruleset,
                          LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    e = errno;
    close(rule.parent_fd);
    errno = e;
    return rc;
}

/* --- what is hidden ------------------------------------------------------- */

/* Landlock knows only what is allowed: everything beside the hidden ones and
 * the folders that lead there. */
struct hidden {
    int ruleset;
    char path[HIDE_MOST][PATH_MAX];
    size_t n;
};

enum place { BESIDE, ABOVE, HIDDEN };

static enum place place_of(const struct hidden *h, const char *path)
{
    size_t n = strlen(path);
    enum place p = BESIDE;

    for (size_t i = 0; i < h->n; i++) {
        if (strcmp(h->path[i], path) == 0)
            return HIDDEN;
        if (strncmp(h->path[i], path, n) == 0 && h->path[i][n] == '/')
            p = ABOVE;
    }
    return p;
}

/* What cannot be opened cannot be read either, and links lead to what has a
 * rule by its own name. */
static void allow_beside(const struct hidden *h, const char *dir)
{
    DIR *d = opendir(*dir ? dir : "/");
    const struct dirent *e;

    while (d && (e = readdir(d))) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            e->d_type == DT_LNK || n >= (int)sizeof(path))
            continue;
        if (place_of(h, path) == ABOVE)
            allow_beside(h, path);
        else if (place_of(h, path) == BESIDE)
            (void)allow(h->ruleset, path, READS);
    }
    if (d)
        closedir(d);
}

static enum tt_code hide(int ruleset, const struct tt_sandbox *s, tt_err *err)
{
    struct hidden *h;
    enum tt_code rc = TT_OK;

    TT_ASSERT(s->n_hide <= HIDE_MOST);
    if (!s->n_hide)
        return TT_OK;
    if (!TT_NEW(h))
        return tt_nomem(err, "preparing the sandbox");
    h->ruleset = ruleset;
    for (; h->n < s->n_hide && rc == TT_OK; h->n++)
        if (!realpath(s->hide[h->n], h->path[h->n]))
            rc = tt_fail(err, TT_EIO, "cannot hide '%s': %s", s->hide[h->n],
                         strerror(errno));
    if (rc == TT_OK)
        allow_beside(h, "");
    tt_free(h);
    return rc;
}

static enum tt_code allow_all(int ruleset, const struct tt_sandbox *s,
                              uint64_t writes, tt_err *err)
{
    static const char *const harmless[] = {"/dev/null", "/dev/zero",
                                           "/dev/full"};

    if (!(s->guards & TT_GUARD_FILES))
        return allow(ruleset, "/", writes) == 0
                   ? TT_OK
                   : tt_fail(err, TT_EIO, "cannot make rules about files: %s",
                             strerror(errno));
    for (size_t i = 0; i < s->n_write; i++)
        if (allow(ruleset, s->write[i], writes) != 0)
            return tt_fail(err, errno == ENOENT ? TT_EINPUT : TT_EIO,
                           "cannot allow writing in '%s': %s", s->write[i],
                           strerror(errno));
    for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
        (void)allow(ruleset, harmless[i], writes); /* where there is one */
    return TT_OK;
}

enum tt_code sandbox_files_open(struct tt_box *box, const struct tt_sandbox *s,
                                tt_err *err)
{
    struct attributes a = attributes_of(s, box->landlock);
    enum tt_code rc;

    if (!box->landlock || (!a.fs && !a.net && !a.scoped))
        return TT_OK;
    box->ruleset = (int)syscall(SYS_landlock_create_ruleset, &a, sizeof(a), 0);
    if (box->ruleset < 0)
        return tt_fail(err, TT_EIO, "cannot make rules about files: %s",
                       strerror(errno));
    rc = a.fs ? allow_all(box->ruleset, s, a.fs, err) : TT_OK;
    return rc == TT_OK && (s->guards & TT_GUARD_FILES)
               ? hide(box->ruleset, s, err)
               : rc;
}

int sandbox_files_enter(const struct tt_box *box)
{
    if (box->ruleset < 0)
        return 0;
    return (int)syscall(SYS_landlock_restrict_self, box->ruleset, 0);
}
