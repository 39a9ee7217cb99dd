/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_MARKUP_H
#define TT_RESULTS_MARKUP_H

/* Foreign text (names, log messages) for SVG and HTML. */

#include "base/buf.h"

/* Escaped, and well-formed whatever the bytes: XML cannot hold control
 * characters or broken UTF-8 even escaped, so these become U+FFFD. Safe in
 * text and in quoted attributes. NULL counts as "". */
void tt_markup_text(struct tt_buf *b, const char *s);
/* The same, at most n characters; a longer text ends in an ellipsis. */
void tt_markup_text_n(struct tt_buf *b, const char *s, size_t n);
/* How many characters tt_markup_text would show. */
size_t tt_markup_length(const char *s);
/* A coordinate in tenths of a pixel, independent of the locale. */
void tt_markup_coord(struct tt_buf *b, double v);

#endif
