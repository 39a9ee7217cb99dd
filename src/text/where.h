/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_WHERE_H
#define TT_TEXT_WHERE_H

/* Positions in texts of users, for messages. */

#include <stddef.h>
#include <stdint.h>

/* Where something is written. Line and column are counted when they are asked
 * for: most never are. */
struct tt_where {
    uint32_t file;   /* index into its owner's files; TT_NONE: from no file */
    uint32_t offset; /* byte in that file */
};

struct tt_text_file {
    const char *path;
    const char *text; /* whole text, kept for positions in messages */
    size_t n;
};

struct tt_text_position {
    size_t line, column; /* from 1; columns count characters, not bytes */
};
struct tt_text_position tt_text_locate(const struct tt_text_file *f,
                                       size_t offset);

#endif
