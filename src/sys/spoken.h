/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SPOKEN_H
#define TT_SYS_SPOKEN_H

/* What strangers in this process write to standard output: it is kept out of
 * what we write there, and read line by line.
 *
 *   tt_spoken_new      before the process that plays is forked, if it is
 *   tt_spoken_begin    in it: descriptor 1 is ours no longer, but a pipe
 *   tt_spoken_end      in it: descriptor 1 is as it was; all was read
 *   tt_spoken_rest     in its parent, when it has died: what it left behind
 *
 * Its children write into the same pipe. One at a time per process. */

#include <stdio.h>

#include "base/err.h"

typedef struct tt_spoken tt_spoken;

/* line_cb is called with each line, without its end, on a thread of its own (by
 * rest: on the caller's). Lines are cut at TT_SPOKEN_LINE bytes. */
#define TT_SPOKEN_LINE 4000u
TT_NODISCARD enum tt_code
tt_spoken_new(tt_spoken **out, void (*line_cb)(void *ctx, const char *line),
              void *ctx, tt_err *err);
TT_NODISCARD enum tt_code tt_spoken_begin(tt_spoken *s, tt_err *err);
void tt_spoken_end(tt_spoken *s);  /* also when it was not begun */
void tt_spoken_rest(tt_spoken *s); /* accepts NULL */
void tt_spoken_free(tt_spoken *s); /* accepts NULL */

/* Standard output for what we have to say ourselves, between begin and end,
 * too. */
FILE *tt_stdout(void);
int tt_stdout_fd(void);

/* For a process that says nothing on standard output itself: what others say
 * there goes to standard error. */
void tt_stdout_to_stderr(void);

#endif
