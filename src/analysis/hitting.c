/* SPDX-License-Identifier: MIT */
#include "analysis/hitting.h"

#include "base/mem.h"
#include "base/names.h"

#define WAYS_MOST 50000u

struct search {
    tt_automaton *a;
    const struct tt_cycle *cycle;
    size_t n;
    uint8_t *kept; /* owned: these edges are not removed, here and below */
    uint8_t *best; /* owned: removed in the best way so far */
    double above;
    uint32_t ways;
    int found;
};

/* Edges of it that may be removed; *hit: one of them is. */
static uint32_t choices(const struct search *s, const struct tt_cycle *c,
                        int *hit)
{
    uint32_t n = 0;

    *hit = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        *hit |= s->a->edge[c->edge[i]].removed;
        n += (uint32_t)!s->kept[c->edge[i]];
    }
    return n;
}

/* Of cycles that still live the one with the fewest choices; NULL: none lives.
 */
static const struct tt_cycle *pick(const struct search *s)
{
    const struct tt_cycle *least = NULL;
    uint32_t fewest = UINT32_MAX;

    for (size_t i = 0; i < s->n; i++) {
        int hit;
        uint32_t n = choices(s, &s->cycle[i], &hit);

        if (hit || n >= fewest)
            continue;
        fewest = n;
        least = &s->cycle[i];
    }
    return least;
}

static void keep_best(struct search *s, double growth)
{
    s->above = growth;
    s->found = 1;
    for (uint32_t e = 0; e < s->a->n_edge; e++)
        s->best[e] = s->a->edge[e].removed != 0;
}

/* One edge of the cycle is removed; ways that remove an earlier one have been
 * looked at by then. */
static void look(struct search *s)
{
    uint8_t mine[TT_CYCLE_MOST] = {0};
    const struct tt_cycle *c;
    double growth;
    uint32_t i;

    if (++s->ways > WAYS_MOST)
        return;
    growth = tt_automaton_growth(s->a, TT_NONE);
    if (!(growth > s->above * (1 + 1e-10)))
        return;
    c = pick(s);
    if (!c) {
        keep_best(s, growth);
        return;
    }
    for (i = 0; i < c->n; i++) {
        uint32_t e = c->edge[i];

        if (s->kept[e])
            continue;
        s->a->edge[e].removed = 1;
        look(s);
        s->a->edge[e].removed = 0;
        s->kept[e] = mine[i] = 1;
    }
    while (i--)
        if (mine[i])
            s->kept[c->edge[i]] = 0;
}

enum tt_hitting tt_hitting_find(tt_automaton *a, const struct tt_cycle *cycle,
                                size_t n, double above)
{
    struct search s = {.a = a, .cycle = cycle, .n = n, .above = above};
    int whole;

    s.kept = tt_zalloc(a->n_edge, sizeof(*s.kept));
    s.best = tt_zalloc(a->n_edge, sizeof(*s.best));
    if (s.kept && s.best)
        look(&s);
    whole = s.kept && s.best && s.ways <= WAYS_MOST;
    for (uint32_t e = 0; whole && s.found && e < a->n_edge; e++)
        a->edge[e].removed = s.best[e];
    TT_FREE_ALL(s.kept, s.best);
    return !whole ? TT_HITTING_GAVE_UP
                  : (s.found ? TT_HITTING_FOUND : TT_HITTING_NONE);
}
