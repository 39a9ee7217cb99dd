/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_LINES_IMPL_H
#define TT_TABLE_LINES_IMPL_H

/* The lines of a file that may be large and growing, through a window of
 * memory; private to this folder. A line break in quotes ends no line. */

#include <stdint.h>

#include "base/err.h"
#include "sys/in.h"

struct lines {
    tt_in *in;        /* owned */
    const char *file; /* borrowed, for messages */
    char *data;       /* owned: the window */
    size_t cap, n;    /* bytes it can have, and has */
    size_t next;      /* where the next line begins in it */
    uint64_t at;      /* where the window begins in the file */
};

struct line {
    const char *s; /* with its line end */
    size_t n;      /* 0: there is no further complete line */
    uint64_t at;   /* in the file */
};

TT_NODISCARD enum tt_code tt_lines_open(struct lines *l, const char *path,
                                        tt_err *err);
void tt_lines_close(struct lines *l); /* zeroed is fine */
void tt_lines_go(struct lines *l, uint64_t at);
TT_NODISCARD enum tt_code tt_lines_next(struct lines *l, struct line *line,
                                        tt_err *err);
/* The number of the line that begins there, from 1. Reads all before it. */
size_t tt_lines_number(struct lines *l, uint64_t at);

#endif
