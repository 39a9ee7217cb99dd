/* SPDX-License-Identifier: MIT */
/* Dealing bundles out to threads: the costly ones first, each to whom has the
 * least, then the light ones as neighbours (Graham 1969: at most 4/3 of the
 * best there is). */
#include <math.h>

#include "player/team.h"

/* Sharing costs the caller about this much: waking, waiting, cold caches. */
#define HANDOVER_NS 5000.0
/* Less than this is not worth a second thread, whatever it promises. */
#define LEAST_NS    20000.0
/* What sharing must promise, and what it must keep. */
#define PROMISE     0.9
#define KEEP        0.95
/* Loads that differ by less are left alone. */
#define SAME        1.1
/* After it did not pay it is tried again after 2, 4, ... deals, up to 2 to the
 * power of this. */
#define MOST_DOUBTS 10u

static double bundle_cost(const struct tt_team *t, const struct tt_bundle *b)
{
    double ns = 0;

    for (uint32_t i = 0; i < b->n; i++)
        ns += t->part->cost[t->levels->pc[b->first + i]].recent;
    return ns > 1 ? ns : 1; /* not measured yet: all alike */
}

static double level_cost(struct tt_team *t, const struct tt_level *l)
{
    double ns = 0;

    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        t->levels->bundle[i].cost = bundle_cost(t, &t->levels->bundle[i]);
        ns += t->levels->bundle[i].cost;
    }
    return ns;
}

/* --- the costliest first -------------------------------------------------- */

static int cheaper(const struct tt_team *t, uint32_t a, uint32_t b)
{
    const struct tt_bundle *x = &t->levels->bundle[a];
    const struct tt_bundle *y = &t->levels->bundle[b];

    return x->cost < y->cost || (x->cost == y->cost && a > b);
}

static void sink(const struct tt_team *t, uint32_t *v, uint32_t i, uint32_t n)
{
    for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
        uint32_t was;

        if (k + 1 < n && cheaper(t, v[k + 1], v[k]))
            k++;
        if (!cheaper(t, v[k], v[i]))
            return;
        was = v[i];
        v[i] = v[k];
        v[k] = was;
    }
}

/* By falling cost. In place and without the heap, which qsort may use. */
static void sort_by_cost(const struct tt_team *t, uint32_t *v, uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sink(t, v, i, n);
    for (uint32_t end = n; end-- > 1;) {
        uint32_t was = v[0];

        v[0] = v[end];
        v[end] = was;
        sink(t, v, 0, end);
    }
}

/* --- dealing ----------------------------------------------------------------
 */

static uint32_t least_loaded(const double *load, uint32_t k)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < k; i++)
        if (load[i] < load[best])
            best = i;
    return best;
}

static void give(struct tt_team *t, struct tt_bundle *b, uint32_t thread)
{
    b->thread = thread;
    t->load[thread] += b->cost;
}

/* Deal to k threads; the load of the busiest. v holds the level's bundles by
 * falling cost. */
static double deal_to(struct tt_team *t, const struct tt_level *l,
                      const uint32_t *v, double total, uint32_t k)
{
    struct tt_bundle *bundle = t->levels->bundle;
    double light = total / (16.0 * k), most = 0;
    uint32_t thread;

    for (uint32_t i = 0; i < k; i++)
        t->load[i] = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (bundle[v[i]].main)
            give(t, &bundle[v[i]], 0);
    for (uint32_t i = 0; i < l->n && bundle[v[i]].cost >= light; i++)
        if (!bundle[v[i]].main)
            give(t, &bundle[v[i]], least_loaded(t->load, k));
    thread = least_loaded(t->load, k);
    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        if (bundle[i].main || bundle[i].cost >= light)
            continue;
        if (t->load[thread] >= total / k)
            thread = least_loaded(t->load, k);
        give(t, &bundle[i], thread);
    }
    for (uint32_t i = 0; i < k; i++)
        most = fmax(most, t->load[i]);
    return most;
}

/* As few threads as do it about as fast as all. */
static uint32_t fewest(struct tt_team *t, const struct tt_level *l,
                       const uint32_t *v, double total, double *most)
{
    uint32_t all = t->n < l->n ? t->n : l->n;
    double best = deal_to(t, l, v, total, all);

    for (uint32_t k = 2; k < all; k++) {
        *most = deal_to(t, l, v, total, k);
        if (*most <= 1.05 * best)
            return k;
    }
    *most = deal_to(t, l, v, total, all);
    return all;
}

/* Bundles of a level by thread, neighbours in score order. */
static void list_shares(struct tt_team *t, struct tt_level *l)
{
    const struct tt_bundle *bundle = t->levels->bundle;
    uint32_t n = l->first;

    for (uint32_t thread = 0; thread < l->threads; thread++) {
        l->start[thread] = n;
        for (uint32_t i = l->first; i < l->first + l->n; i++)
            if (bundle[i].thread == thread)
                t->levels->order[n++] = i;
    }
    l->start[l->threads] = n;
}

static int pays(const struct tt_team *t, struct tt_level *l, double total,
                double most)
{
    if (t->force && l->steps)
        return 1;
    if (l->distrust) {
        l->distrust--;
        return 0;
    }
    return total >= LEAST_NS && most + HANDOVER_NS < PROMISE * total;
}

/* Was sharing worth it? It is judged by what it took, not by what it
 * promised: processors may be busy with other things. */
static void judge(const struct tt_team *t, struct tt_level *l)
{
    if ((t->force && l->steps) || l->threads < 2 || l->shared == 0 ||
        l->shared < KEEP * l->alone)
        return;
    if (l->doubts < MOST_DOUBTS)
        l->doubts++;
    l->distrust = 1u << l->doubts;
}

/* The load of the busiest thread if nothing changes. */
static double load_now(const struct tt_team *t, const struct tt_level *l)
{
    double most = 0;

    for (uint32_t thread = 0; thread < l->threads; thread++) {
        double load = 0;

        for (uint32_t i = l->start[thread]; i < l->start[thread + 1]; i++)
            load += t->levels->bundle[t->levels->order[i]].cost;
        most = fmax(most, load);
    }
    return most;
}

static void deal_level(struct tt_team *t, struct tt_level *l)
{
    uint32_t *v = t->rank;
    double total = level_cost(t, l), most;
    uint32_t k;

    if (l->threads < 2)
        l->alone = total;
    judge(t, l);
    l->shared = 0;
    for (uint32_t i = 0; i < l->n; i++)
        v[i] = l->first + i;
    sort_by_cost(t, v, l->n);
    k = fewest(t, l, v, total, &most);
    if (!pays(t, l, total, most)) {
        l->threads = 1;
        return;
    }
    t->made = tt_crew_start(t->crew);
    if (k > t->made) { /* the system gave no more */
        t->n = k = t->made;
        (void)deal_to(t, l, v, total, k);
    }
    /* a unit that stays finds its data in its processor's cache */
    if (l->threads > 1 && load_now(t, l) <= SAME * most)
        return;
    l->threads = k;
    list_shares(t, l);
}

void tt_team_deal(struct tt_team *t, enum tt_section section)
{
    const tt_part *p = t->part;
    uint32_t pc = p->section[section].first, end = pc + p->section[section].n;

    t->section[section].shared = 0;
    for (; pc < end; pc++) {
        struct tt_stretch *s;

        if (!t->levels->at[pc])
            continue;
        s = &t->levels->stretch[t->levels->at[pc] - 1];
        s->shared = 0;
        for (uint32_t i = s->first; i < s->first + s->n; i++) {
            if (t->levels->level[i].n > 1)
                deal_level(t, &t->levels->level[i]);
            s->shared |= t->levels->level[i].threads > 1;
        }
        t->section[section].shared |= s->shared;
    }
}
