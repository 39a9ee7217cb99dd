/* SPDX-License-Identifier: MIT */
#include "tune/deal.h"

#include <string.h>

#include "base/mem.h"

/* Jobs of a rank between two agreements, and bytes that are gathered at once:
 * what a killed run loses at most. */
#define BATCH 64u
#define BYTES ((size_t)32 << 20)
#define MARK  8u /* bytes, so that records are aligned */

/* Of this rank, in one round: what came of its jobs, behind a mark that there
 * is something. */
struct hand {
    const struct tt_pool *p;
    const uint32_t *job;
    uint32_t n;
    char *slab; /* n times `stride` */
    size_t stride;
};

static void work(void *ctx, uint32_t job, struct tt_stage *stage, void *record)
{
    const struct hand *h = ctx;

    h->p->work_cb(h->p->ctx, job, stage, record);
}

static void died(void *ctx, uint32_t job, struct tt_stage *stage,
                 const struct tt_proc_result *how, void *record)
{
    const struct hand *h = ctx;

    h->p->died_cb(h->p->ctx, job, stage, how, record);
}

static enum tt_code done(void *ctx, uint32_t job, const void *record,
                         tt_err *err)
{
    const struct hand *h = ctx;
    uint32_t i = 0;

    (void)err;
    while (h->job[i] != job)
        i++;
    h->slab[i * h->stride] = 1;
    memcpy(h->slab + i * h->stride + MARK, record, h->p->record);
    return TT_OK;
}

static void idle(void *ctx)
{
    const struct hand *h = ctx;

    if (h->p->idle_cb)
        h->p->idle_cb(h->p->ctx);
}

enum tt_code tt_deal_agree(tt_link *link, enum tt_code rc, tt_err *err)
{
    enum tt_code *all;
    enum tt_code met;

    if (!link)
        return rc;
    if (!TT_NEW_ARRAY(all, link->n))
        return tt_nomem(err, "the ranks");
    met = link->ops->gather(link, &rc, sizeof(rc), all, err);
    for (uint32_t i = 0; met == TT_OK && rc == TT_OK && i < link->n; i++)
        if (all[i] != TT_OK)
            rc = tt_fail(err, all[i], "rank %u did not go on", i);
    tt_free(all);
    return met == TT_OK ? rc : met;
}

/* The jobs from `first` on that this rank takes, up to `end`. */
static uint32_t take(const tt_link *link, const uint32_t *job, uint32_t first,
                     uint32_t end, uint32_t *mine)
{
    uint32_t n = 0;

    for (uint32_t i = first + link->rank; i < end; i += link->n)
        mine[n++] = job[i];
    return n;
}

/* Everyone reports everything, in the order of the list. */
static enum tt_code report(const struct hand *h, const tt_link *link,
                           const uint32_t *job, uint32_t n, const char *all,
                           size_t each, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        const char *r = all + (size_t)(i % link->n) * each +
                        (size_t)(i / link->n) * h->stride;

        if (r[0])
            rc = h->p->done_cb(h->p->ctx, job[i], r + MARK, err);
    }
    return rc;
}

static enum tt_code play_round(const struct tt_pool *p, tt_link *link,
                               const uint32_t *job, uint32_t n, uint32_t per,
                               tt_err *err)
{
    uint32_t mine[BATCH];
    struct hand h = {
        .p = p, .job = mine, .stride = (p->record + MARK + 7) / 8 * 8};
    struct tt_pool own = *p;
    size_t each;
    char *all = NULL;
    enum tt_code rc = TT_OK, met;

    h.n = take(link, job, 0, n, mine);
    each = (size_t)per * h.stride;
    own.ctx = &h;
    own.work_cb = work;
    own.died_cb = died;
    own.done_cb = done;
    own.idle_cb = idle;
    if (!TT_NEW_ARRAY(h.slab, each) || !TT_NEW_ARRAY(all, each * link->n))
        rc = tt_nomem(err, "the ranks");
    if (rc == TT_OK)
        rc = tt_pool_run(&own, mine, h.n, err);
    met = tt_deal_agree(link, rc == TT_ESTOPPED ? TT_OK : rc, err);
    if (met == TT_OK)
        met = link->ops->gather(link, h.slab, each, all, err);
    if (met == TT_OK)
        met = report(&h, link, job, n, all, each, err);
    TT_FREE_ALL(h.slab, all);
    return tt_deal_agree(link, met == TT_OK ? rc : met, err);
}

enum tt_code tt_deal_run(const struct tt_pool *p, tt_link *link,
                         const uint32_t *job, uint32_t n, tt_err *err)
{
    uint32_t per = BATCH;
    enum tt_code rc = TT_OK;

    if (!link)
        return tt_pool_run(p, job, n, err);
    while (per > 1 && per * (p->record + (size_t)2 * MARK) * link->n > BYTES)
        per /= 2;
    for (uint32_t i = 0; i < n && rc == TT_OK; i += per * link->n) {
        uint32_t left = n - i;

        rc = play_round(p, link, job + i,
                        left < per * link->n ? left : per * link->n, per, err);
    }
    return rc;
}
