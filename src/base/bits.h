/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_BITS_H
#define TT_BASE_BITS_H

/* A set of small numbers that is walked in their order, at a cost that follows
 * how many there are and not how many there could be. A word of the first level
 * has a bit for each number; each further level has one for each word of the
 * level before that is not 0. Plain memory of the caller, zeros at first: it
 * may lie in the frame. */

#include <stddef.h>
#include <stdint.h>

struct tt_bits {
    uint64_t *word; /* tt_bits_words(n) of them */
    uint32_t n;     /* numbers 0 .. n-1 */
};

#define TT_BITS_END UINT32_MAX

size_t tt_bits_words(uint32_t n);
void tt_bits_add(const struct tt_bits *b, uint32_t i);
void tt_bits_drop(const struct tt_bits *b, uint32_t i);
void tt_bits_clear(const struct tt_bits *b);
/* The first at or behind `from`; TT_BITS_END: none. */
uint32_t tt_bits_next(const struct tt_bits *b, uint32_t from);

static inline int tt_bits_has(const struct tt_bits *b, uint32_t i)
{
    return (int)(b->word[i / 64] >> (i % 64) & 1);
}

#endif
