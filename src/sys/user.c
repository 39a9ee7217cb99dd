/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* st_mtim */
#include "sys/user.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"

/* --- where ---------------------------------------------------------------- */

/* An absolute path, or NULL; relative ones are to be ignored. */
static const char *place(const char *name)
{
    const char *path = getenv(name);

    return path && *path == '/' ? path : NULL;
}

/* What the system knows, for processes without $HOME. */
static const char *home(void)
{
    const char *path = place("HOME");
    const struct passwd *me = path ? NULL : getpwuid(getuid());

    if (me && me->pw_dir && tt_file_is_dir(me->pw_dir))
        path = me->pw_dir;
    return path;
}

enum tt_code tt_user_data(char **path, tt_err *err)
{
    const char *data = place("XDG_DATA_HOME"), *mine = data ? NULL : home();

    if (!data && !mine)
        return tt_fail(err, TT_ESTATE,
                       "this user has no home folder ($HOME is not set)");
    *path = data ? tt_path_join(data, "tutti")
                 : tt_path_join(mine, ".local/share/tutti");
    return *path ? TT_OK : tt_nomem(err, "the user's folder");
}

enum tt_code tt_user_dir_make(const char *path, tt_err *err)
{
    mode_t before = umask(077);
    enum tt_code rc = tt_dir_make(path, err);

    (void)umask(before);
    return rc;
}

/* --- room ----------------------------------------------------------------- */

uint64_t tt_disk_free(const char *path)
{
    struct statvfs v;

    if (statvfs(path, &v) != 0)
        return UINT64_MAX;
    return (uint64_t)v.f_bavail * v.f_frsize;
}

enum tt_code tt_disk_fail(tt_err *err, const char *what)
{
    int e = errno;

    (void)tt_fail(err, TT_EIO, "%s: %s", what, strerror(e));
    if (err)
        err->sys = e;
    return TT_EIO;
}

int tt_disk_was_full(const tt_err *err)
{
    return err->sys == ENOSPC || err->sys == EDQUOT;
}

uint64_t tt_file_changed_ms(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0 || st.st_mtim.tv_sec < 0)
        return 0;
    return (uint64_t)st.st_mtim.tv_sec * 1000u +
           (uint64_t)st.st_mtim.tv_nsec / 1000000u;
}
