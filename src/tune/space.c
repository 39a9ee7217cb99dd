/* SPDX-License-Identifier: MIT */
#include "tune/space.h"

#include "base/err.h"

uint32_t tt_space_size(const struct tt_space_level *level, uint32_t n)
{
    uint32_t size = 1;

    for (uint32_t i = 0; i < n; i++)
        size *= level[i].n;
    return size;
}

static double heaviest(const struct tt_space_level *l)
{
    double most = l->weight[0];

    for (uint32_t i = 1; i < l->n; i++)
        most = l->weight[i] > most ? l->weight[i] : most;
    return most;
}

/* The alternative with so many heavier ones, or equal ones before it. */
static uint32_t ranked(const struct tt_space_level *l, uint32_t rank)
{
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t before = 0;

        for (uint32_t k = 0; k < l->n; k++)
            before += l->weight[k] > l->weight[i] ||
                      (l->weight[k] >= l->weight[i] && k < i);
        if (before == rank)
            return i;
    }
    return 0;
}

/* Levels from the root; equal ones stay as they are. */
static void sort(const struct tt_space_level *level, uint32_t n, uint32_t *at)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;

        for (; k > 0 && heaviest(&level[at[k - 1]]) < heaviest(&level[i]); k--)
            at[k] = at[k - 1];
        at[k] = i;
    }
}

void tt_space_visit(const struct tt_space_level *level, uint32_t n,
                    uint32_t *out)
{
    uint32_t size = tt_space_size(level, n), at[TT_SPACE_LEVELS];

    TT_ASSERT(n <= TT_SPACE_LEVELS);
    sort(level, n, at);
    for (uint32_t v = 0; v < size; v++) {
        uint32_t left = v;

        for (uint32_t i = n; i-- > 0; left /= level[at[i]].n)
            out[v * n + at[i]] = ranked(&level[at[i]], left % level[at[i]].n);
    }
}
