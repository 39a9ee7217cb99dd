/* SPDX-License-Identifier: MIT */
/* What one event alone leads to, in each state of a table. */
#include <string.h>

#include "kinds/devs_impl.h"

/* Made at once, and of nothing that is only known while a transition is made.
 */
static int is_at_once(const struct tt_devs_expr *x)
{
    return x->how == TT_DEVS_CONSTANT ||
           (x->how == TT_DEVS_SUM &&
            x->at != offsetof(struct tt_discrete_state, elapsed));
}

static int leads_at_once(const struct tt_devs_way *way)
{
    for (uint32_t i = 0; i < way->n_set; i++)
        if (!is_at_once(&way->set[i].is))
            return 0;
    return !way->to ||
           (tt_devs_is_short(way->to) && is_at_once(&way->to->after));
}

static const struct tt_devs_way *of_input(const struct tt_devs_table *table,
                                          uint32_t state, uint32_t port)
{
    static const struct tt_devs_way nothing = {.next = TT_NONE};
    const struct tt_devs_state *s = &table->state[state];
    uint32_t i = 0;

    while (i < s->n_on && s->on[i].port != port)
        i++;
    if (i == s->n_on)
        return table->strict ? NULL : &nothing;
    return s->on[i].value || !s->on[i].ways.plain ? NULL : s->on[i].ways.way;
}

/* A state that goes on behind its end begins anew. *way is room for that. */
static const struct tt_devs_way *of_end(const struct tt_devs_table *table,
                                        uint32_t state, struct tt_devs_way *way)
{
    const struct tt_devs_ways *then = &table->state[state].then;

    if (!then->plain)
        return NULL;
    *way = *then->way;
    if (!way->to) {
        way->next = state;
        way->to = &table->state[state];
    }
    return way;
}

/* Which byte of the clocks that lie together it is, in the order of their word;
 * TT_NONE: it lies elsewhere. */
static uint32_t byte_of(const struct tt_discrete_type *t, uint32_t clock)
{
    size_t near = t->at[clock] - offsetof(struct tt_discrete_state, clocks);
    uint64_t word = 0;

    if (near >= sizeof(word))
        return TT_NONE;
    memset((uint8_t *)&word + near, 1, 1);
    return (uint32_t)__builtin_ctzll(word) / 8;
}

static void lay(const struct tt_devs_table *table, uint32_t state,
                uint32_t byte, const struct tt_devs_way *way)
{
    if (byte != TT_NONE && way && leads_at_once(way))
        table->alone[state].by[byte] = way;
}

int tt_devs_find_alone(const struct tt_discrete_type *t,
                       struct tt_devs_table *table)
{
    struct tt_devs_way *end =
        tt_arena_alloc(t->b.arena, table->n_state, sizeof(*end));

    table->alone =
        tt_arena_alloc(t->b.arena, table->n_state, sizeof(*table->alone));
    if (!table->alone || !end)
        return -1;
    for (uint32_t i = 0; i < table->n_state; i++) {
        lay(table, i, byte_of(t, t->b.base.desc.internal - 1),
            of_end(table, i, &end[i]));
        for (uint32_t k = 0; k < table->n_input; k++) {
            uint32_t port = table->input[k].port;

            lay(table, i, byte_of(t, t->port[port].clock - 1),
                of_input(table, i, port));
        }
    }
    return 0;
}
