/* SPDX-License-Identifier: MIT */
#include "base/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define NO_RATIO ((struct tt_ratio){0, 0})

uint64_t tt_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

struct tt_ratio tt_ratio_reduce(struct tt_ratio r)
{
    uint64_t g = tt_gcd(r.num, r.den);

    if (!r.den)
        return NO_RATIO;
    r = (struct tt_ratio){r.num / g, r.den / g};
    while (r.den > TT_RATIO_DEN_MAX)
        r = (struct tt_ratio){r.num / 2 + r.num % 2, r.den / 2};
    return r;
}

/* v = m 2^e exactly, unless that needs a denominator that is too large. */
static struct tt_ratio of_binary(double v)
{
    int e;
    double m = ldexp(frexp(v, &e), 53); /* a whole number */

    e -= 53;
    if (e < -62) {
        m = nearbyint(ldexp(m, e + 62));
        e = -62;
    }
    return tt_ratio_reduce(
        e >= 0 ? (struct tt_ratio){(uint64_t)m << e, 1}
               : (struct tt_ratio){(uint64_t)m, UINT64_C(1) << -e});
}

static int times_ten(uint64_t *v)
{
    if (*v > TT_RATIO_DEN_MAX / 10)
        return 0;
    *v *= 10;
    return 1;
}

struct tt_ratio tt_ratio_of(double v)
{
    char text[TT_NUM_MAX], *p = text;
    struct tt_ratio r = {0, 1};
    int fits = 1, after = 0;
    long e = 0;

    if (!(v >= 0 && v < (double)TT_RATIO_DEN_MAX))
        return NO_RATIO;
    tt_num_print_short(text, v);
    for (; *p && *p != 'e'; p++) {
        if (*p == '.') {
            after = 1;
            continue;
        }
        fits = fits && times_ten(&r.num) && (!after || times_ten(&r.den));
        r.num += (uint64_t)(*p - '0');
    }
    if (*p)
        e = strtol(p + 1, NULL, 10);
    for (; e > 0; e--)
        fits = fits && times_ten(&r.num);
    for (; e < 0; e++)
        fits = fits && times_ten(&r.den);
    return fits ? tt_ratio_reduce(r) : of_binary(v);
}

/* Digits alone, as many as fit. */
static int parse_whole(const char *text, size_t n, uint64_t *v)
{
    *v = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || !times_ten(v))
            return 0;
        *v += (uint64_t)(text[i] - '0');
    }
    return n > 0;
}

struct tt_ratio tt_ratio_parse(const char *text, size_t n)
{
    const char *slash = n ? memchr(text, '/', n) : NULL;
    size_t front = slash ? (size_t)(slash - text) : n;
    struct tt_ratio r;
    double v;

    if (!slash)
        return tt_num_parse_n(text, n, &v) == 0 ? tt_ratio_of(v) : NO_RATIO;
    if (!parse_whole(text, front, &r.num) ||
        !parse_whole(slash + 1, n - front - 1, &r.den))
        return NO_RATIO;
    return tt_ratio_reduce(r);
}

double tt_ratio_value(struct tt_ratio r)
{
    return r.den ? (double)r.num / (double)r.den : (double)NAN;
}
