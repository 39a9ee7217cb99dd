/* SPDX-License-Identifier: MIT */
#include "results/lines.h"

#include <string.h>

#include "base/err.h"
#include "base/value.h"

int tt_lines_init(struct tt_lines *l)
{
    *l = (struct tt_lines){.arena = tt_arena_new()};
    tt_names_init(&l->number);
    return l->arena ? 0 : -1;
}

void tt_lines_fini(struct tt_lines *l)
{
    tt_names_fini(&l->number);
    tt_free(l->line);
    tt_arena_free(l->arena);
}

static uint32_t add(struct tt_lines *l, const char *text, size_t n)
{
    char *copy;

    if (l->bytes + n > TT_LINES_MAX_BYTES || TT_GROW(l->line, l->n, l->cap))
        return 0;
    copy = tt_arena_strndup(l->arena, text, n);
    if (!copy || tt_names_add(&l->number, copy, (uint32_t)l->n) < 0)
        return 0;
    l->line[l->n++] = copy;
    l->bytes += n + 1;
    if (n > l->longest)
        l->longest = n;
    return (uint32_t)l->n;
}

uint32_t tt_lines_add(struct tt_lines *l, const char *text, size_t n)
{
    char word[TT_TEXT_MAX + 1];
    uint32_t found;

    TT_ASSERT(n < sizeof(word));
    memcpy(word, text, n);
    word[n] = '\0';
    found = tt_names_find(&l->number, word);
    return found != TT_NONE ? found + 1 : add(l, word, strlen(word));
}
