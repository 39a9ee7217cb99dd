/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_NUM_TABLE_H
#define TT_BASE_NUM_TABLE_H

/* Powers of ten for printing doubles (private to num.c).
 *
 * Entry e - TT_NUM_POW10_MIN is 10^e * 2^(127 - floor(log2(10^e))), rounded up
 * to an integer of exactly 128 bits. */

#include <stdint.h>

#define TT_NUM_POW10_MIN (-292)
#define TT_NUM_POW10_MAX 324

struct tt_num_pow10 {
    uint64_t high, low;
};

extern const struct tt_num_pow10
    tt_num_pow10[TT_NUM_POW10_MAX - TT_NUM_POW10_MIN + 1];

#endif
