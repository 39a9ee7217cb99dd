/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_BUF_H
#define TT_BASE_BUF_H

/* The one growable byte buffer. Its maximum is mandatory, so every parser and
 * printer has a limit for free. After a failed append the buffer is `failed`
 * and further appends do nothing: check once at the end.
 *
 * Invariant: data is NUL-terminated after any successful append, and len never
 * exceeds max.
 */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tt_buf {
    char *data; /* owned */
    size_t len, cap, max;
    int failed;
};

void tt_buf_init(struct tt_buf *b, size_t max);
void tt_buf_fini(struct tt_buf *b);
void tt_buf_clear(struct tt_buf *b); /* keeps the memory */

void tt_buf_add(struct tt_buf *b, const void *data, size_t n);
void tt_buf_str(struct tt_buf *b, const char *s);
void tt_buf_char(struct tt_buf *b, char c);
/* Not for floating point: printf follows the locale. Use tt_buf_num. */
TT_PRINTF(2, 3) void tt_buf_fmt(struct tt_buf *b, const char *fmt, ...);
void tt_buf_num(struct tt_buf *b, double v); /* shortest exact, "C" locale */
void tt_buf_json(struct tt_buf *b,
                 const char *s); /* quoted and escaped; NULL: null */
/* Behind what comes before it: ", \"name\": " and the text. */
void tt_json_text(struct tt_buf *b, const char *before, const char *s);
void tt_buf_xml(struct tt_buf *b, const char *s); /* escaped for XML/HTML */
/* An attribute of XML, with a blank before it. */
void tt_xml_text(struct tt_buf *b, const char *name, const char *value);
void tt_xml_num(struct tt_buf *b, const char *name, double v);
const char *tt_xml_entity(uint32_t c); /* "&lt;"; NULL: it needs none */

/* TT_OK, or TT_ENOMEM with a message naming what was being built. */
TT_NODISCARD enum tt_code tt_buf_check(const struct tt_buf *b, const char *what,
                                       tt_err *err);
/* Take the text out; the caller frees it with tt_free. NULL when failed. */
char *tt_buf_take(struct tt_buf *b);

#endif
