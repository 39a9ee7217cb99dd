/* SPDX-License-Identifier: MIT */
/* The block of events in the frame. */
#include <math.h>
#include <string.h>

#include "player/event.h"

static uint32_t leaves(const tt_plan *p)
{
    uint32_t n = 1;

    while (n < 2 * p->n_unit + p->n_clock + p->n_select)
        n *= 2;
    return n;
}

static uint32_t count_of(const struct tt_events *e, enum tt_event_set set)
{
    if (set <= TT_SET_QUIET)
        return e->n_unit;
    if (set <= TT_SET_DONE)
        return e->n_clock;
    return set == TT_SET_RAISED ? e->n_flag : e->n_flag - e->n_unit;
}

/* Words of the sets before this one. */
static uint32_t words_before(const struct tt_events *e, enum tt_event_set set)
{
    size_t n = 0;

    for (int i = 0; i < (int)set; i++)
        n += tt_bits_words(count_of(e, (enum tt_event_set)i));
    return (uint32_t)n;
}

static struct tt_events head_of(const tt_plan *p)
{
    struct tt_events e = {.n_unit = p->n_unit,
                          .n_flag = p->n_unit + p->n_slot,
                          .n_clock = p->n_clock,
                          .n_ranked = p->n_select,
                          .n_leaf = leaves(p)};

    e.n_word = words_before(&e, TT_SET_N);
    return e;
}

struct tt_bits tt_events_set(struct tt_events *e, enum tt_event_set set)
{
    return (struct tt_bits){tt_events_word(e) + words_before(e, set),
                            count_of(e, set)};
}

size_t tt_events_size(const tt_plan *p)
{
    struct tt_events e = head_of(p);

    return sizeof(e) + tt_events_times(&e) + e.n_word * sizeof(uint64_t) +
           e.n_unit * sizeof(uint32_t) + e.n_flag;
}

void tt_events_init(struct tt_events *e, const tt_plan *p)
{
    *e = head_of(p);
    for (uint32_t i = 0; i < 2 * e->n_leaf; i++)
        e->next[i] = (double)INFINITY;
    for (uint32_t k = 0; k < e->n_clock; k++)
        tt_events_tick(e)[k] = (struct tt_tick){.next = (double)INFINITY};
    memset(tt_events_word(e), 0, e->n_word * sizeof(uint64_t));
    memset(tt_events_flag(e), 0, e->n_flag);
    for (uint32_t u = 0; u < e->n_unit; u++)
        tt_events_leaf(e)[u] = u;
    for (uint32_t i = 0; i < e->n_ranked; i++)
        tt_events_leaf(e)[p->select[i]] = tt_events_ranked(e) + i;
}

double tt_events_first_of(const struct tt_events *e, uint32_t from, uint32_t to)
{
    double first = (double)INFINITY;

    for (from += e->n_leaf, to += e->n_leaf; from < to; from /= 2, to /= 2) {
        if (from % 2)
            first = fmin(first, e->next[from++]);
        if (to % 2)
            first = fmin(first, e->next[--to]);
    }
    return first;
}

void tt_events_mend(struct tt_events *e, size_t first, size_t last)
{
    for (first /= 2, last /= 2; first; first /= 2, last /= 2)
        for (size_t at = first; at <= last; at++) {
            double a = e->next[2 * at], b = e->next[2 * at + 1];

            e->next[at] = a < b ? a : b;
        }
}

/* From leaf to leaf, passing over what is not due as a whole. */
uint32_t tt_events_search(const struct tt_events *e, uint32_t from, double t)
{
    size_t at = (size_t)e->n_leaf + from;

    if (from >= e->n_leaf)
        return TT_NONE;
    while (!(e->next[at] <= t)) {
        while (at % 2 && at > 1)
            at /= 2;
        if (at <= 1)
            return TT_NONE;
        at++;
    }
    while (at < e->n_leaf)
        at = e->next[2 * at] <= t ? 2 * at : 2 * at + 1;
    return (uint32_t)(at - e->n_leaf);
}
