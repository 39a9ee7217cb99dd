/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_USER_H
#define TT_SYS_USER_H

/* Where a user's data stays, and how much room there is for it. */

#include <stdint.h>

#include "base/err.h"

/* The folder for this program's data, as the XDG Base Directory Specification
 * has it: $XDG_DATA_HOME/tutti, or ~/.local/share/tutti. It need not be there.
 * TT_ESTATE: this user has no home. */
TT_NODISCARD enum tt_code tt_user_data(char **path, tt_err *err);
/* Create a folder that only this user may enter, and those it is in. */
TT_NODISCARD enum tt_code tt_user_dir_make(const char *path, tt_err *err);

/* Bytes that can still be written where this folder is; UINT64_MAX: unknown. */
uint64_t tt_disk_free(const char *path);
/* "<what>: <the system's reason>", for errno, as TT_EIO. */
enum tt_code tt_disk_fail(tt_err *err, const char *what);
/* Did it fail because there was no room left? */
int tt_disk_was_full(const tt_err *err);

/* When the file or folder was last changed, ms of the wall clock; 0: unknown.
 */
uint64_t tt_file_changed_ms(const char *path);

#endif
