/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_SHOW_H
#define TT_BASE_SHOW_H

/* Text for people, laid out in a buffer. Whether there is a terminal with
 * colours, and how wide, is the caller's choice. Foreign text is made harmless
 * first (tt_show_clean). */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define TT_SHOW_MAX ((size_t)64 << 20) /* bytes of one output */

enum tt_ink {
    TT_INK_OFF, /* back to plain */
    TT_INK_BOLD,
    TT_INK_DIM,
    TT_INK_RED,
    TT_INK_GREEN,
    TT_INK_YELLOW,
    TT_INK_CYAN,
};

/* The escape sequence, or "" without colours. */
const char *tt_show_ink(int colours, enum tt_ink ink);

/* One line: control characters, line ends and broken UTF-8 become '?' or a
 * blank. NULL counts as "". */
void tt_show_clean(struct tt_buf *b, const char *s);
/* Columns a text takes: characters, not bytes. */
size_t tt_show_width(const char *s);
/* The text padded with blanks to `width` columns, right-aligned if asked;
 * longer ones are cut with "…" when cut is set. */
void tt_show_pad(struct tt_buf *b, const char *s, size_t width, int right,
                 int cut);

/* What stands before a value: indented, in a column of its own, dim. */
void tt_show_label(struct tt_buf *b, int colours, const char *name);

/* "1.5 s", "2 min 05 s", into out[TT_NUM_MAX]; pure, so a signal handler may
 * use it. */
void tt_show_duration(char *out, double seconds);
void tt_show_count(struct tt_buf *b, uint64_t n, const char *one,
                   const char *many); /* "1 step", "2 steps" */

/* JSON has no NaN and no infinities: these become null. */
void tt_show_json_num(struct tt_buf *b, double v);
void tt_json_num(struct tt_buf *b, const char *before, double v);
void tt_json_member(struct tt_buf *b, const char *key, double v); /* , "k": 1 */

/* So many digits, behind what comes before. */
void tt_show_digits(struct tt_buf *b, const char *before, double v, int digits);
/* The same at the right of a column; "-" where there is no finite number. */
void tt_show_cell(struct tt_buf *b, double v, int digits, size_t width);

#endif
