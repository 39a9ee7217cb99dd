/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_LISTS_H
#define TT_BASE_LISTS_H

/* Lists of numbers. Lists for each of 0 .. n-1 in one array: that of i is from
 * first[i] on, up to first[i + 1]. To fill it, with first[0 .. n] zero: count
 * into first[i + 1], add up, put each element at first[i]++, go back. */

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

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

/* All of this, with room for both: `each` goes through all elements and counts
 * them, or files them. 0: out of memory. */
#define TT_LISTS_MAKE(first, n, list, each, ctx)                               \
    tt_lists_make(&(first), n, (void **)&(list), sizeof(*(list)), each, ctx)
static inline int tt_lists_make(uint32_t **first, uint32_t n, void **list,
                                size_t size, void (*each)(void *ctx, int file),
                                void *ctx)
{
    if (!TT_NEW_ARRAY(*first, (size_t)n + 1))
        return 0;
    each(ctx, 0);
    tt_lists_add_up(*first, n);
    *list = tt_zalloc((*first)[n], size);
    if (!*list)
        return 0;
    each(ctx, 1);
    tt_lists_go_back(*first, n);
    return 1;
}

/* For qsort. */
static inline int tt_by_u32(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static inline int tt_by_u64(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
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
