/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_FILE_IMPL_H
#define TT_SYS_FILE_IMPL_H

/* How files and folders state what went wrong (private to this folder). */

#include <errno.h>
#include <sys/stat.h>

#include "base/err.h"

/* "cannot <what> <path>: <the system's reason>", for errno. */
enum tt_code tt_file_fail(tt_err *err, const char *what, const char *path);

/* open(), close-on-exec, of a path no part of which is a link. */
int tt_plain_open(const char *path, int flags, unsigned mode);
/* Remove a file, or a folder with all in it; missing is fine. 0, or -1 with
 * errno. */
int tt_dir_remove_at(int parent, const char *name);

/* Write a whole file, by a neighbour that takes its place. st is what is there
 * now, whose mode it gets, or NULL. `clear`: a folder in its place goes. 0, or
 * -1 with errno. */
int tt_file_put_at(int dir, const char *path, const struct stat *st, int clear,
                   const void *data, size_t n);

static inline enum tt_code tt_file_no_memory(tt_err *err, const char *what,
                                             const char *path)
{
    errno = ENOMEM;
    return tt_file_fail(err, what, path);
}

#endif
