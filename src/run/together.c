/* SPDX-License-Identifier: MIT */
/* Ensembles: units of the plan that are integrated as one system. What they
 * feed each other is played from the score's rhs section. */
#include "run/run_impl.h"

struct run_ensemble {
    tt_part *part; /* borrowed */
    struct tt_rhs rhs;
    struct tt_join_feed *feed; /* owned */
    uint32_t n_feed;
    struct run_ensemble *next;
};

static int move(void *ctx, tt_err *err)
{
    const struct run_ensemble *e = ctx;

    return tt_part_play_rhs(e->part, &e->rhs, err);
}

static int is_of(const tt_plan *p, uint32_t u, uint32_t group)
{
    return p->unit[u].together && p->unit[u].group == group &&
           !tt_plan_is_sum(p, u);
}

static double factor_of(const struct tt_feed *f)
{
    return f->how == TT_FEED_LINEAR ? f->factor : 1;
}

/* The feed that a sum of flows has, besides those into it. */
static const struct tt_feed *feed_from(const tt_plan *p, uint32_t u)
{
    uint32_t f = 0;

    while (p->slot[p->feed[f].from].unit != u)
        f++;
    return &p->feed[f];
}

/* What members feed each other; place[u] is the number of member u. */
static enum tt_code list_feeds(struct run_ensemble *e, const tt_plan *p,
                               uint32_t group, const uint32_t *place,
                               tt_err *err)
{
    if (!TT_NEW_ARRAY(e->feed, p->n_feed))
        return run_nomem(err);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *from = &p->slot[p->feed[f].from];
        const struct tt_slot *to = &p->slot[p->feed[f].to];
        double factor = factor_of(&p->feed[f]);

        if (tt_plan_is_sum(p, to->unit)) { /* one of its terms */
            const struct tt_feed *sum = feed_from(p, to->unit);

            to = &p->slot[sum->to];
            factor *= factor_of(sum);
        }
        if (is_of(p, from->unit, group) && is_of(p, to->unit, group))
            e->feed[e->n_feed++] =
                (struct tt_join_feed){place[from->unit], from->port,
                                      place[to->unit], to->port, factor};
    }
    return TT_OK;
}

static enum tt_code join(tt_run *r, uint32_t group, tt_unit **member,
                         uint32_t *place, tt_err *err)
{
    const tt_plan *p = r->plan;
    struct run_ensemble *e;
    uint32_t n = 0;
    enum tt_code rc;

    if (!TT_NEW(e))
        return run_nomem(err);
    e->next = r->ensemble;
    r->ensemble = e;
    e->part = r->part;
    e->rhs = tt_part_rhs(r->part, group);
    for (uint32_t u = group; u < p->n_unit; u++)
        if (is_of(p, u, group)) {
            place[u] = n;
            member[n++] = r->unit[u];
        }
    rc = list_feeds(e, p, group, place, err);
    if (rc != TT_OK)
        return rc;
    return tt_unit_join(
        member, n,
        &(struct tt_exchange){
            .ctx = e, .move_cb = move, .feed = e->feed, .n_feed = e->n_feed},
        err);
}

enum tt_code run_join(tt_run *r, tt_err *err)
{
    uint32_t n = r->plan->n_unit;
    tt_unit **member = tt_zalloc(n, sizeof(tt_unit *));
    uint32_t *place = tt_zalloc(n, sizeof(*place));
    enum tt_code rc = member && place ? TT_OK : run_nomem(err);

    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        if (is_of(r->plan, u, u))
            rc = join(r, u, member, place, err);
    TT_FREE_ALL(member, place);
    return rc;
}

void run_free_ensembles(tt_run *r)
{
    while (r->ensemble) {
        struct run_ensemble *e = r->ensemble;

        r->ensemble = e->next;
        TT_FREE_ALL(e->feed, e);
    }
}
