/* SPDX-License-Identifier: MIT */
#include "base/value.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/sha256.h"

/* Slots are packed, so elements are moved with memcpy: they may sit at any
 * address, and compilers make a plain load of it. */

static const struct {
    const char *name;
    size_t size;
} types[] = {
#define X(type, words, size) [TT_##type] = {words, size},
    TT_TYPES(X)
#undef X
};

const char *tt_type_name(enum tt_type t)
{
    TT_ASSERT((unsigned)t < TT_TYPE_N);
    return types[t].name;
}

size_t tt_type_size(enum tt_type t)
{
    TT_ASSERT((unsigned)t < TT_TYPE_N);
    return types[t].size;
}

int tt_type_is_number(enum tt_type t)
{
    return t <= TT_U64;
}

int tt_type_is_float(enum tt_type t)
{
    return t == TT_F64 || t == TT_F32;
}

int tt_type_is_bool(enum tt_type t)
{
    return t == TT_BOOL || t == TT_BOOL32;
}

int tt_type_is_enum(enum tt_type t)
{
    return t == TT_ENUM32 || t == TT_ENUM64;
}

/* --- integers of every width ------------------------------------------- */

/* The limits of an integer type. hi is unsigned because UInt64 needs it. */
struct range {
    int64_t lo;
    uint64_t hi;
};

static struct range range_of(enum tt_type t)
{
    size_t bits = tt_type_size(t) * 8;
    int is_unsigned = t == TT_U8 || t == TT_U16 || t == TT_U32 || t == TT_U64;
    uint64_t all = UINT64_MAX >> (64 - bits);

    if (is_unsigned)
        return (struct range){0, all};
    return (struct range){-(int64_t)(all >> 1) - 1, all >> 1};
}

/* Sign and magnitude hold what no single C integer type does. */
struct whole {
    int negative;
    uint64_t magnitude;
};

static struct whole load(enum tt_type t, const void *v)
{
    size_t size = tt_type_size(t);
    uint64_t bits = 0, sign = UINT64_C(1) << (size * 8 - 1);

    TT_ASSERT(size <= sizeof(bits));
    if (size == 1) {
        bits = *(const uint8_t *)v;
    } else if (size == 2) {
        uint16_t x;

        memcpy(&x, v, sizeof(x));
        bits = x;
    } else if (size == 4) {
        uint32_t x;

        memcpy(&x, v, sizeof(x));
        bits = x;
    } else {
        memcpy(&bits, v, sizeof(bits));
    }
    if (range_of(t).lo == 0 || !(bits & sign))
        return (struct whole){0, bits};
    return (struct whole){1, sign - (bits & (sign - 1))};
}

/* The low bytes of `bits`, in two's complement, are the element. */
static void store(enum tt_type t, void *v, uint64_t bits)
{
    size_t size = tt_type_size(t);
    uint8_t b8 = (uint8_t)bits;
    uint16_t b16 = (uint16_t)bits;
    uint32_t b32 = (uint32_t)bits;

    if (size == 1)
        memcpy(v, &b8, size);
    else if (size == 2)
        memcpy(v, &b16, size);
    else if (size == 4)
        memcpy(v, &b32, size);
    else
        memcpy(v, &bits, size);
}

static int is_truth(enum tt_type t)
{
    return t == TT_BOOL || t == TT_BOOL32 || t == TT_CLOCK;
}

/* --- doubles ----------------------------------------------------------- */

double tt_value_as_double(enum tt_type t, const void *v)
{
    struct whole w;
    double d;
    float f;

    TT_ASSERT(!tt_type_is_text(t));
    if (t == TT_F64) {
        memcpy(&d, v, sizeof(d));
        return d;
    }
    if (t == TT_F32) {
        memcpy(&f, v, sizeof(f));
        return (double)f;
    }
    w = load(t, v);
    if (is_truth(t))
        return w.magnitude != 0 ? 1.0 : 0.0;
    return w.negative ? -(double)w.magnitude : (double)w.magnitude;
}

static int store_float(void *v, double d)
{
    float f = (float)d;

    if (isinf(f) && !isinf(d))
        return -1;
    memcpy(v, &f, sizeof(f));
    return 0;
}

int tt_value_from_double(enum tt_type t, void *v, double d)
{
    struct range r;
    uint64_t half;

    if (t == TT_F64) {
        memcpy(v, &d, sizeof(d));
        return 0;
    }
    if (t == TT_F32)
        return store_float(v, d);
    if (tt_type_is_text(t) || isnan(d))
        return -1;
    if (is_truth(t)) {
        store(t, v, d != 0.0);
        return 0;
    }
    /* hi + 1 is a power of two, hence exact as a double; hi may not be. */
    r = range_of(t);
    half = r.hi / 2 + 1;
    if (d < (double)r.lo || d >= 2.0 * (double)half || d != trunc(d))
        return -1;
    store(t, v, d < 0 ? (uint64_t)(int64_t)d : (uint64_t)d);
    return 0;
}

/* --- text -------------------------------------------------------------- */

int tt_text_set(struct tt_text *t, const char *s)
{
    size_t n = s ? strlen(s) : 0;

    if (n >= sizeof(t->s))
        return -1;
    if (n)
        memcpy(t->s, s, n);
    t->s[n] = '\0';
    t->n = (uint32_t)n;
    return 0;
}

int tt_text_same(const struct tt_text *a, const struct tt_text *b)
{
    return a->n == b->n &&
           memcmp(a->s, b->s, tt_bytes_is_cut(a) ? TT_SHA256_BYTES : a->n) == 0;
}

int tt_values_same(enum tt_type t, size_t n, const void *a, const void *b)
{
    const struct tt_text *s = a, *u = b;

    if (!tt_type_is_text(t))
        return memcmp(a, b, n * tt_type_size(t)) == 0;
    for (size_t i = 0; i < n; i++)
        if (!tt_text_same(&s[i], &u[i]))
            return 0;
    return 1;
}

static void digest(const void *s, size_t n, unsigned char *out)
{
    struct tt_sha256 sum;

    tt_sha256_init(&sum);
    tt_sha256_add(&sum, s, n);
    tt_sha256_end(&sum, out);
}

void tt_bytes_set(struct tt_text *t, const void *s, size_t n)
{
    t->n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    if (tt_bytes_is_cut(t)) {
        memset(t->s, 0, sizeof(t->s));
        digest(s, n, (unsigned char *)t->s);
        return;
    }
    if (n)
        memcpy(t->s, s, n);
    t->s[n] = '\0';
}

static size_t print_sum(char *out, size_t n, const unsigned char *sum)
{
    char hex[TT_SHA256_HEX];

    tt_sha256_hex(sum, hex);
    return (size_t)snprintf(out, TT_BYTES_SUM_MAX, "%zu:%s", n, hex);
}

size_t tt_bytes_sum(char *out, const void *s, size_t n)
{
    unsigned char sum[TT_SHA256_BYTES];

    digest(s, n, sum);
    return print_sum(out, n, sum);
}

size_t tt_bytes_sum_of(char *out, const struct tt_text *t)
{
    return tt_bytes_is_cut(t)
               ? print_sum(out, t->n, (const unsigned char *)t->s)
               : tt_bytes_sum(out, t->s, t->n);
}

void tt_bytes_hex(char *out, const char *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *out++ = digit[(unsigned char)bytes[i] >> 4];
        *out++ = digit[(unsigned char)bytes[i] & 15];
    }
    *out = '\0';
}

/* Binaries are shown in hexadecimal; "..." states that there is more. */
static size_t print_bytes(char *out, const struct tt_text *v)
{
    size_t most = (TT_TEXT_MAX - sizeof("...")) / 2;

    if (tt_bytes_is_cut(v))
        return tt_bytes_sum_of(out, v);
    if (v->n <= (TT_TEXT_MAX - 1) / 2) {
        tt_bytes_hex(out, v->s, v->n);
        return (size_t)2 * v->n;
    }
    tt_bytes_hex(out, v->s, most);
    memcpy(out + 2 * most, "...", sizeof("..."));
    return 2 * most + 3;
}

static size_t print_text(char *out, const struct tt_text *v)
{
    if (tt_bytes_is_cut(v))
        return tt_bytes_sum_of(out, v);
    memcpy(out, v->s, v->n);
    out[v->n] = '\0';
    return v->n;
}

size_t tt_value_print(char *out, enum tt_type t, const void *v)
{
    struct whole w;

    if (t == TT_TEXT)
        return print_text(out, v);
    if (t == TT_BYTES)
        return print_bytes(out, v);
    if (tt_type_is_float(t))
        return tt_num_print(out, tt_value_as_double(t, v));
    w = load(t, v);
    if (is_truth(t)) {
        const char *word = w.magnitude ? "true" : "false";
        size_t n = strlen(word);

        memcpy(out, word, n + 1);
        return n;
    }
    if (!w.negative)
        return tt_num_print_u64(out, w.magnitude);
    *out = '-';
    return 1 + tt_num_print_u64(out + 1, w.magnitude);
}

int tt_bytes_parse(char *out, const char *text)
{
    for (; *text; text += 2) {
        int high = tt_num_hex(text[0]),
            low = high < 0 ? -1 : tt_num_hex(text[1]);

        if (low < 0)
            return -1;
        *out++ = (char)(high << 4 | low);
    }
    return 0;
}

static int parse_bytes(struct tt_text *v, const char *text)
{
    struct tt_text t = {.n = (uint32_t)(strlen(text) / 2)};

    if (strlen(text) / 2 >= sizeof(t.s) || tt_bytes_parse(t.s, text))
        return -1;
    *v = t;
    return 0;
}

static int parse_truth(enum tt_type t, void *v, const char *text)
{
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;

    if (!yes && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
        return -1;
    store(t, v, yes);
    return 0;
}

/* Integers also come as "3.0" or "1e3" from tools that print all numbers
 * alike; those go through a double, as far as doubles hold all integers. */
static int parse_whole(enum tt_type t, void *v, const char *text)
{
    struct range r = range_of(t);
    uint64_t u;
    int64_t i;
    double d;

    if (tt_num_parse_i64(text, &i) == 0) {
        if (i < r.lo || (i > 0 && (uint64_t)i > r.hi))
            return -1;
        store(t, v, (uint64_t)i);
        return 0;
    }
    if (t == TT_U64 && tt_num_parse_u64(text, &u) == 0) {
        store(t, v, u);
        return 0;
    }
    if (tt_num_parse(text, &d) != 0 || fabs(d) >= 0x1p53)
        return -1;
    return tt_value_from_double(t, v, d);
}

int tt_value_parse(enum tt_type t, void *v, const char *text)
{
    double d;

    if (t == TT_TEXT)
        return tt_text_set(v, text);
    if (t == TT_BYTES)
        return parse_bytes(v, text);
    if (is_truth(t))
        return parse_truth(t, v, text);
    if (!tt_type_is_float(t))
        return parse_whole(t, v, text);
    if (tt_num_parse(text, &d) != 0)
        return -1;
    return tt_value_from_double(t, v, d);
}

const struct tt_item *tt_items_find(const struct tt_items *items,
                                    const char *name)
{
    for (uint32_t i = 0; items && i < items->n; i++)
        if (strcmp(items->item[i].name, name) == 0)
            return &items->item[i];
    return NULL;
}

const struct tt_item *tt_items_of(const struct tt_items *items, int64_t value)
{
    for (uint32_t i = 0; items && i < items->n; i++)
        if (items->item[i].value == value)
            return &items->item[i];
    return NULL;
}
