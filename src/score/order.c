/* SPDX-License-Identifier: MIT */
/* In which order units step. */
#include <string.h>

#include "score/graph.h"
#include "base/lists.h"
#include "score/write.h"

#define MOST_NAMED 8 /* units of a loop, in a note */

void tt_write_names(const tt_plan *p, const uint32_t *unit, uint32_t n,
                    struct tt_buf *out)
{
    for (uint32_t i = 0; i < n && i < MOST_NAMED; i++)
        tt_buf_fmt(out, "%s'%s'", i ? ", " : "", p->unit[unit[i]].name);
    if (n > MOST_NAMED)
        tt_buf_fmt(out, " and %u more", n - MOST_NAMED);
}

/* Stable bucket sort of `from` by key, which is less than n. */
static void sort_by(const uint32_t *key, uint32_t n, const uint32_t *from,
                    uint32_t *at, uint32_t *order)
{
    memset(at, 0, ((size_t)n + 1) * sizeof(*at));
    for (uint32_t u = 0; u < n; u++)
        at[key[u] + 1]++;
    tt_lists_add_up(at, n);
    for (uint32_t i = 0; i < n; i++)
        order[at[key[from[i]]]++] = from[i];
}

/* Must the source of this feed step before its target, or may it? A delayed
 * input has what was there before the step, so it closes no circle within it.
 */
static int source_first(const struct tt_draft *w, uint32_t feed, unsigned flags)
{
    const tt_plan *p = w->plan;
    enum tt_reactivity r = p->slot[p->feed[feed].to].reactivity;

    if (flags & TT_COMPONENTS_MAY)
        return r != TT_REACT_DELAYED;
    return r == TT_REACT_REACTIVE || (!(flags & TT_COMPONENTS_MUST) &&
                                      w->sequential && r == TT_REACT_EITHER);
}

/* Edges that make the units of each group depend on each other. */
static void tie_groups(const tt_plan *p, struct tt_graph *g)
{
    for (uint32_t u = 0; u < p->n_unit; u++) {
        uint32_t group = p->unit[u].group;

        if (group == TT_NONE || group == u)
            continue;
        tt_graph_add(g, group, u);
        tt_graph_add(g, u, group);
    }
}

enum tt_code tt_write_components(const struct tt_draft *w, unsigned flags,
                                 uint32_t *component, tt_err *err)
{
    const tt_plan *p = w->plan;
    struct tt_graph g;
    enum tt_code rc;

    tt_graph_init(&g, p->n_unit);
    for (uint32_t f = 0; f < p->n_feed; f++)
        if (source_first(w, f, flags))
            tt_graph_add(&g, p->slot[p->feed[f].from].unit,
                         p->slot[p->feed[f].to].unit);
    if (flags & TT_COMPONENTS_TIED)
        tie_groups(p, &g);
    rc = tt_graph_seal(&g, err);
    if (rc == TT_OK && p->n_unit && tt_graph_components(&g, component) == 0)
        rc = tt_nomem(err, "ordering instances");
    tt_graph_fini(&g);
    return rc;
}

/* Feeding units come first. Within a loop only reactive inputs must have it so;
 * else the units stay in the order of the scenario. */
static enum tt_code derive(const struct tt_draft *w, uint32_t *order,
                           tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *key = tt_zalloc(p->n_unit, sizeof(*key));
    uint32_t *at = tt_zalloc((size_t)p->n_unit + 1, sizeof(*at));
    uint32_t *first = tt_zalloc(p->n_unit, sizeof(*first));
    enum tt_code rc = TT_OK;

    if (!key || !at || !first)
        rc = tt_nomem(err, "ordering instances");
    if (rc == TT_OK)
        rc = tt_write_components(w, TT_COMPONENTS_MUST, key, err);
    if (rc == TT_OK) {
        for (uint32_t u = 0; u < p->n_unit; u++)
            order[u] = u;
        sort_by(key, p->n_unit, order, at, first);
        rc = tt_write_components(w, TT_COMPONENTS_TIED, key, err);
    }
    if (rc == TT_OK)
        sort_by(key, p->n_unit, first, at, order);
    TT_FREE_ALL(key, at, first);
    return rc;
}

/* From unit `first` along reactive inputs to `last`, the shortest way, into
 * `path`; how many units that are, 0: there is no way. before, path: a place
 * per unit. */
static uint32_t find_cycle(const tt_plan *p, uint32_t first, uint32_t last,
                           uint32_t *before, uint32_t *path)
{
    uint32_t n = 1;

    memset(before, 0xff, p->n_unit * sizeof(*before));
    before[first] = first;
    path[0] = first; /* a queue, until it is known */
    for (uint32_t i = 0; i < n && before[last] == TT_NONE; i++)
        for (uint32_t f = 0; f < p->n_feed; f++) {
            uint32_t to = p->slot[p->feed[f].to].unit;

            if (p->slot[p->feed[f].to].reactivity != TT_REACT_REACTIVE ||
                p->slot[p->feed[f].from].unit != path[i] ||
                before[to] != TT_NONE)
                continue;
            before[to] = path[i];
            path[n++] = to;
        }
    if (before[last] == TT_NONE)
        return 0;
    n = 1;
    for (uint32_t u = last; u != first; u = before[u])
        n++;
    for (uint32_t i = n; i-- > 0; last = before[last])
        path[i] = last;
    return n;
}

/* Why the source of a reactive input steps later. */
static void put_reason(const struct tt_draft *w, const struct tt_feed *feed,
                       uint32_t *before, uint32_t *path, struct tt_buf *b)
{
    const tt_plan *p = w->plan;
    uint32_t n = w->given ? 0
                          : find_cycle(p, p->slot[feed->to].unit,
                                       p->slot[feed->from].unit, before, path);
    char from[512];

    if (n) {
        tt_buf_str(b, "reactive inputs form a cycle: ");
        tt_write_names(p, path, n, b);
        tt_buf_str(b, ", and back");
        return;
    }
    tt_buf_fmt(b, "the order%s puts '%s' later",
               w->given ? " given" : ", cut by a loop,",
               tt_plan_slot_name(p, feed->from, from, sizeof(from)));
}

static enum tt_code refuse_reactive(const struct tt_draft *w,
                                    const struct tt_feed *feed,
                                    uint32_t *before, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *path;
    char to[512];
    struct tt_buf b;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(path, p->n_unit))
        return tt_nomem(err, "ordering instances");
    tt_buf_init(&b, (size_t)1 << 20);
    put_reason(w, feed, before, path, &b);
    rc = tt_buf_check(&b, "the cycle", err);
    if (rc == TT_OK)
        rc = tt_fail(err, TT_EINPUT,
                     "input '%s' is reactive: '%s' must step before it, but %s",
                     tt_plan_slot_name(p, feed->to, to, sizeof(to)),
                     p->unit[p->slot[feed->from].unit].name, b.data);
    tt_buf_fini(&b);
    tt_free(path);
    return rc;
}

/* A reactive input whose source steps later, or in a loop of them. */
static enum tt_code check_reactive(const struct tt_draft *w,
                                   const uint32_t *order, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *rank = tt_zalloc(p->n_unit, sizeof(*rank));
    enum tt_code rc = TT_OK;

    if (!rank)
        return tt_nomem(err, "ordering instances");
    for (uint32_t i = 0; i < p->n_unit; i++)
        rank[order[i]] = i;
    for (uint32_t f = 0; f < p->n_feed && rc == TT_OK; f++) {
        const struct tt_feed *feed = &p->feed[f];

        if (p->slot[feed->to].reactivity == TT_REACT_REACTIVE &&
            rank[p->slot[feed->from].unit] >= rank[p->slot[feed->to].unit])
            rc = refuse_reactive(w, feed, rank, err); /* needs it no more */
    }
    tt_free(rank);
    return rc;
}

/* Units of a group come where its first one is, in their order. */
static enum tt_code gather_groups(const tt_plan *p, uint32_t *order,
                                  tt_err *err)
{
    uint32_t *at = tt_zalloc((size_t)p->n_unit + 1, sizeof(*at));
    uint32_t *was = tt_zalloc(p->n_unit, sizeof(*was));
    uint32_t *key = tt_zalloc(p->n_unit, sizeof(*key));
    uint32_t *place = tt_zalloc(p->n_unit, sizeof(*place));
    enum tt_code rc = TT_OK;

    if (at && was && key && place) {
        memcpy(was, order, p->n_unit * sizeof(*was));
        memset(place, 0xff, p->n_unit * sizeof(*place));
        for (uint32_t i = 0; i < p->n_unit; i++) {
            uint32_t group = p->unit[was[i]].group;

            key[was[i]] = i;
            if (group == TT_NONE)
                continue;
            if (place[group] == TT_NONE)
                place[group] = i;
            key[was[i]] = place[group];
        }
        sort_by(key, p->n_unit, was, at, order);
    } else {
        rc = tt_nomem(err, "ordering instances");
    }
    TT_FREE_ALL(at, was, key, place);
    return rc;
}

enum tt_code tt_write_order(struct tt_draft *w, uint32_t *order, tt_err *err)
{
    const tt_plan *p = w->plan;
    enum tt_code rc = TT_OK;

    if (w->given)
        memcpy(order, w->given, p->n_unit * sizeof(*order));
    else
        rc = derive(w, order, err);
    if (rc == TT_OK)
        rc = gather_groups(p, order, err);
    return rc == TT_OK ? check_reactive(w, order, err) : rc;
}
