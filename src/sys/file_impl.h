/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_FILE_IMPL_H
#define TT_SYS_FILE_IMPL_H

/* How files and folders say what went wrong (private to file.c and dir.c). */

#include <errno.h>

#include "base/err.h"

/* "cannot <what> <path>: <the system's reason>", for errno. */
enum tt_code tt_file_fail(tt_err *err, const char *what, const char *path);

static inline enum tt_code tt_file_no_memory(tt_err *err, const char *what,
                                             const char *path)
{
    errno = ENOMEM;
    return tt_file_fail(err, what, path);
}

#endif
