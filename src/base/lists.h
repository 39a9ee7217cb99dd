/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_LISTS_H
#define TT_BASE_LISTS_H

/* Lists of numbers. Lists for each of 0 .. n-1 in one array: that of i is from
 * first[i] on, up to first[i + 1]. To fill it, with first[0 .. n] zero: count
 * into first[i + 1], add up, put each element at first[i]++, go back. */

#include <stddef.h>
#include <stdint.h>

static inline void tt_lists_add_up(uint32_t *first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
}

static inline void tt_lists_go_back(uint32_t *first, uint32_t n)
{
    for (uint32_t i = n; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
}

/* Is x one of the n? */
static inline int tt_list_has(const uint32_t *list, size_t n, uint32_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return 1;
    return 0;
}

#endif
