/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_CAPTURE_H
#define TT_SYS_CAPTURE_H

/* What foreign code in this process writes to standard output: it is kept out
 * of what we write there, and read line by line.
 *
 *   tt_capture_new      before the process that plays is forked, if it is
 *   tt_capture_begin    in it: descriptor 1 is ours no longer, but a pipe
 *   tt_capture_end      in it: descriptor 1 is as it was; all was read
 *   tt_capture_drain   in its parent, when it has died: what it left behind
 *
 * Its children write into the same pipe. One at a time per process. */

#include <stdio.h>

#include "base/err.h"

typedef struct tt_capture tt_capture;

/* line_cb is called with each line, without its end, on a thread of its own (by
 * drain: on the caller's). Lines are cut at TT_CAPTURE_LINE bytes. */
#define TT_CAPTURE_LINE 4000u
TT_NODISCARD enum tt_code
tt_capture_new(tt_capture **out, void (*line_cb)(void *ctx, const char *line),
               void *ctx, tt_err *err);
TT_NODISCARD enum tt_code tt_capture_begin(tt_capture *s, tt_err *err);
void tt_capture_end(tt_capture *s);   /* also when it was not begun */
void tt_capture_drain(tt_capture *s); /* accepts NULL */
void tt_capture_free(tt_capture *s);  /* accepts NULL */

/* Standard output for what we print ourselves, between begin and end,
 * too. */
FILE *tt_stdout(void);
int tt_stdout_fd(void);

/* For a process that prints nothing on standard output itself: what others
 * print there goes to standard error. */
void tt_stdout_to_stderr(void);
/* For a process of which nothing is to be seen: both go nowhere. */
void tt_output_to_nowhere(void);

#endif
