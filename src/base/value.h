/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_VALUE_H
#define TT_BASE_VALUE_H

/* Typed values.
 *
 * A slot keeps its unit's native type, byte for byte what the unit's get and
 * set calls want, so that values move without conversion; converting happens
 * only on a connection. FMI 2 booleans are ints, FMI 3 booleans are bytes:
 * hence two. Strings and binaries live in bounded slots (struct tt_text),
 * because a unit's pointers die at its next call; the bytes of longer ones are
 * in a store (unit/texts.h).
 */

#include <stddef.h>
#include <stdint.h>

/* name, words, bytes per element, C type */
#define TT_TYPES(X)                                                            \
    X(F64, "Float64", 8)                                                       \
    X(F32, "Float32", 4)                                                       \
    X(I8, "Int8", 1)                                                           \
    X(U8, "UInt8", 1)                                                          \
    X(I16, "Int16", 2)                                                         \
    X(U16, "UInt16", 2)                                                        \
    X(I32, "Int32", 4)                                                         \
    X(U32, "UInt32", 4)                                                        \
    X(I64, "Int64", 8)                                                         \
    X(U64, "UInt64", 8)                                                        \
    X(BOOL, "Boolean", 1)   /* C bool */                                       \
    X(BOOL32, "Boolean", 4) /* int, as in FMI 1 and 2 */                       \
    X(ENUM32, "Enumeration", 4)                                                \
    X(ENUM64, "Enumeration", 8)                                                \
    X(TEXT, "String", sizeof(struct tt_text))                                  \
    X(BYTES, "Binary", sizeof(struct tt_text))                                 \
    X(CLOCK, "Clock", 1)

enum tt_type {
#define X(name, words, size) TT_##name,
    TT_TYPES(X)
#undef X
        TT_TYPE_N
};

/* A string or binary value in a slot. Of a longer one a slot has the length,
 * and the SHA-256 in place of the bytes, which a store has (unit/texts.h). */
#define TT_TEXT_MAX 1020
struct tt_text {
    uint32_t n;          /* bytes used, without the NUL */
    char s[TT_TEXT_MAX]; /* strings are NUL-terminated */
};

/* Of an enumeration: what its numbers are called. */
struct tt_items {
    uint32_t n;
    const struct tt_item {
        const char *name;
        int64_t value;
    } * item;
};

/* The one of this name, or number; NULL: there is none, or no items. */
const struct tt_item *tt_items_find(const struct tt_items *items,
                                    const char *name);
const struct tt_item *tt_items_of(const struct tt_items *items, int64_t value);

const char *tt_type_name(enum tt_type t);
size_t tt_type_size(enum tt_type t);
int tt_type_is_number(enum tt_type t); /* floats and integers */
int tt_type_is_float(enum tt_type t);
int tt_type_is_bool(enum tt_type t);
int tt_type_is_enum(enum tt_type t);
static inline int tt_type_is_text(enum tt_type t)
{
    return t == TT_TEXT || t == TT_BYTES;
}

/* One element as a double: exact for every number but 64-bit integers beyond
 * 2^53; booleans are 0 and 1. TT_ASSERTs that the type is not text. */
double tt_value_as_double(enum tt_type t, const void *v);

/* Store d into one element of type t. Returns 0, or -1 when t cannot hold it
 * (out of range, not whole for an integer type, NaN for anything but a float,
 * or t is text). Nonzero is true. *v is untouched on failure. */
int tt_value_from_double(enum tt_type t, void *v, double d);

/* Set a text; returns 0, or -1 when too long. NULL counts as "". */
int tt_text_set(struct tt_text *t, const char *s);

/* The same of n bytes, however many. */
void tt_bytes_set(struct tt_text *t, const void *s, size_t n);
/* n bytes in hexadecimal, with NUL. */
void tt_bytes_hex(char *out, const char *bytes, size_t n);
/* Of the bytes that hexadecimal text stands for, half as many as it has digits;
 * -1: it is none. */
int tt_bytes_parse(char *out, const char *text);
/* Are they the same, short or long? And n elements, whatever is behind the end
 * of texts. */
int tt_text_same(const struct tt_text *a, const struct tt_text *b);
int tt_values_same(enum tt_type t, size_t n, const void *a, const void *b);
/* Only its length and SHA-256 are there. */
static inline int tt_bytes_is_cut(const struct tt_text *t)
{
    return t->n >= TT_TEXT_MAX;
}
/* A binary as tables have it, "5:2cf24dba...": length and SHA-256. Returns the
 * length of that. */
#define TT_BYTES_SUM_MAX 96
size_t tt_bytes_sum(char *out, const void *s, size_t n);
size_t tt_bytes_sum_of(char *out, const struct tt_text *t);

/* Print one element as results show it: numbers exactly (a Float32 as the
 * double it is), booleans and clocks as true/false, texts as they are
 * (long ones as length and SHA-256), binaries in hexadecimal with "..." at the
 * end when there is no room for all. At most TT_TEXT_MAX bytes with NUL;
 * returns the length. */
size_t tt_value_print(char *out, enum tt_type t, const void *v);

/* Read one element from text. Booleans: true/false/1/0; integers also as "3.0";
 * binaries in hexadecimal. Returns 0 or -1, then *v is untouched. */
int tt_value_parse(enum tt_type t, void *v, const char *text);

#endif
