/* SPDX-License-Identifier: MIT */
/* Feeds and dependencies, from slot to slot. */
#include "plan/plan_impl.h"
#include "base/lists.h"

static uint32_t target_of(const struct build *b, uint32_t connection)
{
    const struct resolved *r = &b->conn[connection];

    return b->slot_of[r->to_unit][r->to_port] + r->nth;
}

static struct tt_feed feed_of(const struct build *b, uint32_t connection)
{
    const struct resolved *r = &b->conn[connection];
    const struct tt_port *from =
        &b->plan->unit[r->from_unit].desc->port[r->from_port];
    uint32_t left = from->leaps ? from->left : r->from_port;

    return (struct tt_feed){
        .from = b->slot_of[r->from_unit][r->from_port],
        .to = target_of(b, connection),
        TT_SAME(r, how, factor, offset, map),
        .left = b->slot_of[r->from_unit][left],
        .connection = connection,
    };
}

/* Into the order of their targets, by counting: there may be many. */
static enum tt_code sort_feeds(const struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t *at;

    if (!TT_NEW_ARRAY(at, (size_t)p->n_slot + 1))
        return plan_nomem(err);
    for (uint32_t c = 0; c < p->n_feed; c++)
        at[target_of(b, c) + 1]++;
    for (uint32_t s = 0; s < p->n_slot; s++)
        at[s + 1] += at[s];
    for (uint32_t c = 0; c < p->n_feed; c++)
        p->feed[at[target_of(b, c)]++] = feed_of(b, c);
    tt_free(at);
    return TT_OK;
}

static enum tt_code make_feeds(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc;

    p->n_feed = b->n_conn;
    if (!TT_NEW_IN(p->arena, p->feed, p->n_feed) ||
        !TT_NEW_IN(p->arena, p->out_feed, p->n_feed) ||
        !TT_NEW_IN(p->arena, p->out_first, p->n_slot + 1))
        return plan_nomem(err);
    rc = sort_feeds(b, err);
    for (uint32_t f = 0; rc == TT_OK && f < p->n_feed; f++) {
        p->slot[p->feed[f].to].feed = f;
        p->out_first[p->feed[f].from + 1]++;
    }
    return rc;
}

/* Feeds by source, as a compressed list. */
static void index_by_source(tt_plan *p)
{
    tt_lists_add_up(p->out_first, p->n_slot);
    for (uint32_t f = 0; f < p->n_feed; f++)
        p->out_feed[p->out_first[p->feed[f].from]++] = f;
    tt_lists_go_back(p->out_first, p->n_slot);
}

enum tt_code plan_feeds(struct build *b, tt_err *err)
{
    enum tt_code rc = make_feeds(b, err);

    if (rc == TT_OK)
        index_by_source(b->plan);
    return rc;
}

/* --- dependencies ------------------------------------------------------ */

static int connected_input(const struct build *b, uint32_t unit, uint32_t port)
{
    return (b->mark[unit][port] & MARK_IN) != 0;
}

/* Those of one output, appended to `in`; with a NULL list only counted. */
static uint32_t inputs_of(const struct build *b, uint32_t slot,
                          const struct tt_deps *deps, uint32_t *in)
{
    uint32_t unit = b->plan->slot[slot].unit, n = 0;

    for (uint32_t i = 0; deps->known && i < deps->n; i++) {
        if (!connected_input(b, unit, deps->port[i]))
            continue;
        for (uint32_t k = 0; k == 0 || k < b->n_feed[unit][deps->port[i]];
             k++) {
            if (in)
                in[n] = b->slot_of[unit][deps->port[i]] + k;
            n++;
        }
    }
    if (deps->known && b->sc->script)
        n += plan_script_inputs(b, unit, in ? in + n : NULL);
    return n;
}

static const struct tt_deps *deps_of(const tt_plan *p, uint32_t slot, int init)
{
    const struct tt_slot *s = &p->slot[slot];
    const struct tt_desc *d = p->unit[s->unit].desc;

    return init ? &d->init[s->port] : &d->run[s->port];
}

static enum tt_code resolve_deps(struct build *b, int init, tt_err *err)
{
    tt_plan *p = b->plan;
    struct tt_plan_deps *to = &p->deps[init];

    if (!TT_NEW_IN(p->arena, to->first, p->n_slot + 1))
        return plan_nomem(err);
    for (uint32_t s = 0; s < p->n_slot; s++) {
        to->first[s + 1] = to->first[s];
        if (p->slot[s].dir != TT_SLOT_IN)
            to->first[s + 1] += inputs_of(b, s, deps_of(p, s, init), NULL);
    }
    if (!TT_NEW_IN(p->arena, to->in, to->first[p->n_slot]))
        return plan_nomem(err);
    for (uint32_t s = 0; s < p->n_slot; s++)
        if (p->slot[s].dir != TT_SLOT_IN)
            inputs_of(b, s, deps_of(p, s, init), to->in + to->first[s]);
    return TT_OK;
}

enum tt_code plan_dependencies(struct build *b, tt_err *err)
{
    enum tt_code rc = resolve_deps(b, 0, err);

    return rc == TT_OK ? resolve_deps(b, 1, err) : rc;
}
