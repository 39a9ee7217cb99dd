/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_UTF8_H
#define TT_BASE_UTF8_H

/* Characters as bytes (RFC 3629). */

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed character at s, of which n may be read (a text that
 * ends with NUL may be read up to there, whatever n is); *c is the character.
 * 0: they are not UTF-8. */
size_t tt_utf8_decode(const char *s, size_t n, uint32_t *c);
/* Write a character of at most 0x10FFFF; returns its bytes, 1 to 4. */
size_t tt_utf8_encode(char *to, uint32_t c);

static inline int tt_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
/* Letters of any script, and '_': bytes beyond ASCII belong to names. */
static inline int tt_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c & 0x80);
}

#endif
