/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_RATIO_H
#define TT_BASE_RATIO_H

/* Exact times: intervals that are counted and never rounded, since tenths and
 * thirds are no doubles. */

#include <stddef.h>
#include <stdint.h>

struct tt_ratio { /* num/den seconds, not negative */
    uint64_t num, den;
};

#define TT_RATIO_DEN_MAX (UINT64_C(1) << 62)

uint64_t tt_gcd(uint64_t a, uint64_t b); /* 0 only of zeros */

/* In lowest terms, with a denominator of at most TT_RATIO_DEN_MAX: the nearest
 * one with that where it would be larger. A den of 0 gives 0/0, as does what
 * is no time below. */
struct tt_ratio tt_ratio_reduce(struct tt_ratio r);
/* The decimal that is meant by v: the shortest one that reads as v, so that 0.1
 * is 1/10. Of one with more digits than fit, v itself. 0/0 of what is negative,
 * not finite, or 2^62 and more. */
struct tt_ratio tt_ratio_of(double v);
/* What these n characters state: a decimal ("0.25", "2e-3") or a fraction of
 * whole numbers ("1/3"). 0/0 of anything else. */
struct tt_ratio tt_ratio_parse(const char *text, size_t n);
static inline int tt_ratio_is(struct tt_ratio r)
{
    return r.den != 0;
}
double tt_ratio_value(struct tt_ratio r); /* NaN of 0/0 */

#endif
