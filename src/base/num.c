/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num_table.h"

__extension__ typedef unsigned __int128 u128;

/* digits * 10^exp, digits without trailing zeros (or 0). */
struct decimal {
    uint64_t digits;
    int exp;
};

/* --- digits ------------------------------------------------------------ */

static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

static const uint64_t pow10_u64[] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

/* How many decimal digits v has; 0 has one. */
static int count_digits(uint64_t v)
{
    int bits = 64 - __builtin_clzll(v | 1);
    int n = bits * 1233 >> 12; /* floor(bits * log10(2)) */

    return n + (v >= pow10_u64[n]) + (v == 0);
}

static void put4(char *out, uint32_t v)
{
    memcpy(out, pairs + (size_t)2 * (v / 100), 2);
    memcpy(out + 2, pairs + (size_t)2 * (v % 100), 2);
}

static void put8(char *out, uint32_t v)
{
    put4(out, v / 10000);
    put4(out + 4, v % 10000);
}

/* Exactly n digits of v, where n = count_digits(v). */
static void put_digits(char *out, uint64_t v, int n)
{
    uint32_t rest;

    while (n > 8) {
        n -= 8;
        put8(out + n, (uint32_t)(v % 100000000u));
        v /= 100000000u;
    }
    for (rest = (uint32_t)v; n >= 2; rest /= 100) {
        n -= 2;
        memcpy(out + n, pairs + (size_t)2 * (rest % 100), 2);
    }
    if (n)
        *out = (char)('0' + rest);
}

size_t tt_num_print_u64(char *out, uint64_t v)
{
    int n = count_digits(v);

    put_digits(out, v, n);
    out[n] = '\0';
    return (size_t)n;
}

size_t tt_num_print_digits(char *out, double v, int digits)
{
    if (v != 0 && isfinite(v)) {
        int k = digits - 1 - (int)floor(log10(fabs(v)));
        double scale = pow(10, abs(k));
        char text[TT_NUM_MAX];

        /* dividing by a power of ten is exact enough to read short */
        if (k >= 0 && k < 300)
            v = round(v * scale) / scale;
        else if (k < 0 && digits < 16) {
            (void)snprintf(text, sizeof(text), "%.0fe%d", round(v / scale), -k);
            (void)tt_num_parse(text, &v);
        }
    }
    return tt_num_print_short(out, v);
}

size_t tt_num_print_i64(char *out, int64_t v)
{
    if (v >= 0)
        return tt_num_print_u64(out, (uint64_t)v);
    *out = '-';
    return 1 + tt_num_print_u64(out + 1, 0 - (uint64_t)v);
}

/* --- the shortest decimal ---------------------------------------------- */

/* R. Giulietti, "The Schubfach way to render doubles" (2020), whose symbols
 * are used here:
 *
 *   v = c * 2^q       the double; its neighbours' midpoints bound the interval
 *                     of decimals that round to it
 *   k                 the largest integer with 10^k no longer than the interval
 *   s, t = s + 1      the multiples of 10^k around v; one of them or a multiple
 *                     of 10^(k+1) in the interval is the shortest decimal
 *   cb, cbl, cbr      v and the ends of its interval as multiples of 2^(q-2)
 *   vb, vbl, vbr      the same as multiples of 10^k / 4, rounded to odd, which
 *                     keeps every comparison below exact
 */

static int log10_pow2(int q)
{
    return (q * 1262611) >> 22;
}

static int log10_three_quarters_pow2(int q)
{
    return (q * 1262611 - 524031) >> 22;
}

static int log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* g * cp / 2^128, rounded to odd: the lowest bit of the result also states that
 * something was cut off. g exceeds the true power of ten by less than 1, so a
 * true rest of zero shows as at most 1; tools/gen_num_table.py proves that
 * taking all such rests for zero is right. */
static uint64_t round_to_odd(const struct tt_num_pow10 *g, uint64_t cp)
{
    u128 low = (u128)g->low * cp;
    u128 all = (u128)g->high * cp + (uint64_t)(low >> 64);

    return (uint64_t)(all >> 64) | ((uint64_t)all > 1);
}

static struct decimal without_zeros(uint64_t digits, int exp)
{
    if (digits % 100000000u == 0) {
        digits /= 100000000u;
        exp += 8;
    }
    while (digits % 100 == 0) {
        digits /= 100;
        exp += 2;
    }
    if (digits % 10 == 0) {
        digits /= 10;
        exp++;
    }
    return (struct decimal){digits, exp};
}

/* The decimal of fewest digits in the interval of c * 2^q, the nearest to it
 * among those. Below `fewest` (10^n) no digit is dropped to get there: Java
 * writes at least two digits and then takes the best two. */
static struct decimal shortest(uint64_t c, int q, int narrow, uint64_t fewest)
{
    int k = narrow ? log10_three_quarters_pow2(q) : log10_pow2(q);
    int h = q + log2_pow10(-k) + 1;
    const struct tt_num_pow10 *g = &tt_num_pow10[-k - TT_NUM_POW10_MIN];
    uint64_t odd = c & 1; /* the ends of an even c's interval round to it */
    uint64_t cb = c << 2;
    uint64_t vb = round_to_odd(g, cb << h);
    uint64_t vbl = round_to_odd(g, (cb - 2 + (uint64_t)narrow) << h) + odd;
    uint64_t vbr = round_to_odd(g, (cb + 2) << h) - odd;
    uint64_t s = vb >> 2, s10, mid;
    int low_in, high_in;

    if (s >= fewest) {
        s10 = s / 10 * 10;
        low_in = vbl <= s10 << 2;
        high_in = (s10 + 10) << 2 <= vbr;
        if (low_in != high_in)
            return without_zeros(low_in ? s10 : s10 + 10, k);
    }
    low_in = vbl <= s << 2;
    high_in = (s + 1) << 2 <= vbr;
    if (low_in != high_in)
        return without_zeros(low_in ? s : s + 1, k);
    mid = (s << 2) + 2;
    if (vb != mid)
        return without_zeros(vb < mid ? s : s + 1, k);
    return without_zeros(s & 1 ? s + 1 : s, k);
}

#define FRACTION_BITS 52
#define FRACTION_MASK ((UINT64_C(1) << FRACTION_BITS) - 1)
#define Q_MIN         (-1074)

/* A finite v > 0, given by its bits. */
static struct decimal decimal_of(uint64_t bits, int java)
{
    uint64_t fraction = bits & FRACTION_MASK, c;
    int exponent = (int)(bits >> FRACTION_BITS), q;
    struct decimal d;

    if (exponent == 0) {
        /* The two smallest doubles have no second digit: give them one. */
        if (java && fraction < 3) {
            d = shortest(fraction * 10, Q_MIN, 0, 100);
            d.exp--;
            return d;
        }
        return shortest(fraction, Q_MIN, 0, java ? 100 : 10);
    }
    c = fraction | (FRACTION_MASK + 1);
    q = exponent - 1 + Q_MIN;
    /* Whole numbers below 2^53 are their own shortest decimals. */
    if (q <= 0 && q > -FRACTION_BITS - 1 &&
        (c & ((UINT64_C(1) << -q) - 1)) == 0)
        return without_zeros(c >> -q, 0);
    return shortest(c, q, fraction == 0 && exponent > 1, 100);
}

/* --- forms ------------------------------------------------------------- */

static size_t put_word(char *out, const char *word)
{
    size_t n = strlen(word);

    memcpy(out, word, n + 1);
    return n;
}

/* 0.000ddd, ddd.ddd or ddd000; `point` digits stand before the point. */
static char *put_plain(char *out, struct decimal d, int n, int point)
{
    if (point <= 0) {
        memcpy(out, "0.00000", sizeof("0.00000"));
        put_digits(out + 2 - point, d.digits, n);
        return out + 2 - point + n;
    }
    put_digits(out, d.digits, n);
    if (point >= n) {
        memset(out + n, '0', (size_t)(point - n));
        return out + point;
    }
    memmove(out + point + 1, out + point, (size_t)(n - point));
    out[point] = '.';
    return out + n + 1;
}

/* d.dddE-7 */
static char *put_scientific(char *out, struct decimal d, int n, int point,
                            int java)
{
    put_digits(out + 1, d.digits, n);
    out[0] = out[1];
    out[1] = '.';
    if (n > 1) {
        out += n + 1;
    } else if (java) {
        out[2] = '0';
        out += 3;
    } else {
        out += 1;
    }
    *out++ = java ? 'E' : 'e';
    return out + tt_num_print_i64(out, point - 1);
}

static size_t print(char *out, double v, int java)
{
    const int least = java ? -3 : -4, most = java ? 6 : 14;
    char *p = out;
    uint64_t bits;
    struct decimal d;
    int n, point;

    memcpy(&bits, &v, sizeof(bits));
    if (bits >> 63) {
        *p++ = '-';
        bits &= UINT64_MAX >> 1;
    }
    if (bits == 0)
        return (size_t)(p - out) + put_word(p, java ? "0.0" : "0");
    d = decimal_of(bits, java);
    n = count_digits(d.digits);
    point = n + d.exp;
    if (point - 1 < least || point - 1 > most) {
        p = put_scientific(p, d, n, point, java);
    } else {
        p = put_plain(p, d, n, point);
        if (java && point >= n) {
            memcpy(p, ".0", 2);
            p += 2;
        }
    }
    *p = '\0';
    return (size_t)(p - out);
}

static size_t print_any(char *out, double v, int java, const char *nan,
                        const char *inf)
{
    if (isnan(v))
        return put_word(out, nan);
    if (!isinf(v))
        return print(out, v, java);
    *out = '-';
    return v < 0 ? 1 + put_word(out + 1, inf) : put_word(out, inf);
}

size_t tt_num_print(char *out, double v)
{
    return print_any(out, v, 1, "NaN", "Infinity");
}

size_t tt_num_print_short(char *out, double v)
{
    return print_any(out, v, 0, "nan", "inf");
}
