/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_NUM_H
#define TT_BASE_NUM_H

/* Numbers as text, independent of the locale. */

#include <stddef.h>
#include <stdint.h>

#define TT_NUM_MAX 32 /* enough for any double or 64-bit integer, with NUL */

/* Shortest decimal that reads back as exactly v, the nearest to v among those.
 * NUL-terminated; returns the length. Form: "0.1", "1.0", "1.0E-4", "1.234E22"
 * as Java's Double.toString (19 and later) writes it, Maestro's dialect, plain
 * for 1e-3 <= |v| < 1e7; "NaN", "Infinity", "-Infinity". */
size_t tt_num_print(char *out, double v);

/* The same in the C/JSON habit for people: "0.1", "1", "1e-5", "1.5e22", plain
 * for 1e-4 <= |v| < 1e15; "nan", "inf", "-inf". */
size_t tt_num_print_short(char *out, double v);

/* For people: short, of v rounded to so many significant digits (1 .. 17). */
size_t tt_num_print_digits(char *out, double v, int digits);

size_t tt_num_print_i64(char *out, int64_t v);
size_t tt_num_print_u64(char *out, uint64_t v);

/* Read a whole decimal text (surrounding white space allowed). Returns 0, or
 * -1 when it is not one number. Accepts inf/infinity/nan in any case, and
 * Fortran-style leading plus; not hexadecimal. Rounds correctly: what is too
 * large becomes infinite, what is too small 0. *v is untouched on failure. */
int tt_num_parse(const char *text, double *v);
/* The same on exactly n bytes that need not be terminated. */
int tt_num_parse_n(const char *text, size_t n, double *v);
/* Whole text as an integer in range, else -1. */
int tt_num_parse_i64(const char *text, int64_t *v);
int tt_num_parse_u64(const char *text, uint64_t *v);
/* What a hexadecimal digit stands for, else -1. */
int tt_num_hex(char c);

#endif
