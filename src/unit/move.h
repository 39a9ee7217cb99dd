/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_MOVE_H
#define TT_UNIT_MOVE_H

/* A file that names other units, written again for another place. */

#include "base/buf.h"
#include "base/err.h"

/* Gives the new location of each unit it names, whose path is where that is
 * now; *name stays the caller's. */
struct tt_unit_move {
    void *ctx;
    enum tt_code (*move_cb)(void *ctx, const char *path, const char **name,
                            tt_err *err);
};

/* The file at `path` with other locations. */
typedef enum tt_code (*tt_unit_moved_cb)(const char *path,
                                         const struct tt_unit_move *m,
                                         struct tt_buf *out, tt_err *err);

#endif
