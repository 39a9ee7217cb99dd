/* SPDX-License-Identifier: MIT */
/* Which rank has which unit. */
#include "score/ranks.h"
#include "base/lists.h"

#include <string.h>

/* A rank may carry so much more than its share if that saves connections. */
#define SLACK  1.05
#define PASSES 8

struct deal {
    const tt_plan *p;
    uint32_t n_rank;
    uint32_t *owner;
    double *cost;    /* per unit */
    double *load;    /* per rank */
    double *weight;  /* scratch, per rank: connections of one unit */
    uint32_t *edge;  /* per unit: its first neighbour in `other`; one more */
    uint32_t *other; /* neighbours, both directions, one per connection */
    uint32_t *order; /* units, neighbours close to each other */
    double total;
};

static uint32_t other_end(const struct deal *d, uint32_t feed, int side)
{
    const struct tt_feed *f = &d->p->feed[feed];

    return d->p->slot[side ? f->to : f->from].unit;
}

static void list_neighbours(struct deal *d)
{
    const tt_plan *p = d->p;

    for (uint32_t f = 0; f < p->n_feed; f++)
        for (int side = 0; side < 2; side++)
            d->edge[other_end(d, f, side) + 1]++;
    tt_lists_add_up(d->edge, p->n_unit);
    for (uint32_t f = 0; f < p->n_feed; f++)
        for (int side = 0; side < 2; side++)
            d->other[d->edge[other_end(d, f, side)]++] = other_end(d, f, !side);
    tt_lists_go_back(d->edge, p->n_unit);
}

/* Breadth first from each unit that was not met yet, as listed. */
static void order_units(struct deal *d)
{
    uint32_t n = d->p->n_unit, head = 0, tail = 0;

    for (uint32_t u = 0; u < n; u++)
        d->owner[u] = TT_NONE;
    for (uint32_t start = 0; start < n; start++) {
        if (d->owner[start] != TT_NONE)
            continue;
        d->owner[start] = 0;
        d->order[tail++] = start;
        for (; head < tail; head++) {
            uint32_t u = d->order[head];

            for (uint32_t i = d->edge[u]; i < d->edge[u + 1]; i++)
                if (d->owner[d->other[i]] == TT_NONE) {
                    d->owner[d->other[i]] = 0;
                    d->order[tail++] = d->other[i];
                }
        }
    }
}

/* Cut the order into pieces of equal work. */
static void cut(struct deal *d)
{
    double done = 0;

    for (uint32_t i = 0; i < d->p->n_unit; i++) {
        uint32_t u = d->order[i];
        double middle = done + d->cost[u] / 2;
        uint32_t rank = (uint32_t)(middle / d->total * d->n_rank);

        rank = rank < d->n_rank ? rank : d->n_rank - 1;
        d->owner[u] = rank;
        d->load[rank] += d->cost[u];
        done += d->cost[u];
    }
}

/* Where most of its connections are, if there is room; or where it is. */
static uint32_t better(struct deal *d, uint32_t u)
{
    double room = d->total / d->n_rank * SLACK;
    uint32_t at = d->owner[u], best = at;

    memset(d->weight, 0, d->n_rank * sizeof(*d->weight));
    for (uint32_t i = d->edge[u]; i < d->edge[u + 1]; i++)
        d->weight[d->owner[d->other[i]]]++;
    for (uint32_t r = 0; r < d->n_rank; r++) {
        double then = d->load[r] + d->cost[u];

        if (r != at && d->weight[r] > d->weight[best] &&
            (then <= room || then < d->load[at]))
            best = r;
    }
    return best;
}

static int refine(struct deal *d)
{
    int moved = 0;

    for (uint32_t i = 0; i < d->p->n_unit; i++) {
        uint32_t u = d->order[i], to = better(d, u);

        if (to == d->owner[u])
            continue;
        d->load[d->owner[u]] -= d->cost[u];
        d->load[to] += d->cost[u];
        d->owner[u] = to;
        moved = 1;
    }
    return moved;
}

static void weigh(struct deal *d, const double *cost)
{
    for (uint32_t u = 0; u < d->p->n_unit; u++) {
        d->cost[u] = cost && cost[u] > 0 ? cost[u] : 0;
        d->total += d->cost[u];
    }
    if (d->total > 0)
        return;
    for (uint32_t u = 0; u < d->p->n_unit; u++)
        d->cost[u] = 1;
    d->total = d->p->n_unit;
}

enum tt_code tt_ranks_assign(const tt_plan *p, uint32_t n_rank,
                             const double *cost, uint32_t *owner, tt_err *err)
{
    struct deal d = {.p = p, .n_rank = n_rank, .owner = owner};
    int ok = TT_NEW_ARRAY(d.cost, p->n_unit) && TT_NEW_ARRAY(d.load, n_rank) &&
             TT_NEW_ARRAY(d.weight, n_rank) &&
             TT_NEW_ARRAY(d.edge, p->n_unit + 1) &&
             TT_NEW_ARRAY(d.other, (size_t)2 * p->n_feed) &&
             TT_NEW_ARRAY(d.order, p->n_unit);

    if (ok) {
        weigh(&d, cost);
        list_neighbours(&d);
        order_units(&d);
        cut(&d);
        for (int i = 0; i < PASSES && refine(&d); i++)
            ;
    }
    TT_FREE_ALL(d.cost, d.load, d.weight, d.edge, d.other, d.order);
    return ok ? TT_OK : tt_nomem(err, "dealing out instances");
}
