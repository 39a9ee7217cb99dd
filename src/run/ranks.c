/* SPDX-License-Identifier: MIT */
/* A run of several ranks: each has the whole plan, some of the units, and does
 * what all the others do. */
#include "score/ranks.h"

#include <string.h>

#include "player/away.h"
#include "run/run_impl.h"

/* Cut the score for the ranks there are. */
enum tt_code run_split(tt_run *r, tt_err *err)
{
    tt_link *link = r->opts.link;
    tt_score *split = NULL;
    uint32_t *owner;
    enum tt_code rc;

    if (!link)
        return TT_OK;
    if (!TT_NEW_ARRAY(owner, r->plan->n_unit))
        return run_nomem(err);
    rc = tt_ranks_assign(r->plan, link->n, r->opts.cost, owner, err);
    if (rc == TT_OK)
        rc = tt_score_split(&split, r->score, link->n, owner, err);
    tt_free(owner);
    if (rc != TT_OK)
        return rc;
    tt_score_free(r->score);
    r->score = split;
    return TT_OK;
}

int run_is_away(const tt_run *r, uint32_t unit)
{
    return r->opts.link && r->score->owner[unit] != r->opts.link->rank;
}

enum tt_code run_make_away(tt_run *r, uint32_t u, const struct tt_make *m,
                           tt_err *err)
{
    return tt_away_new(&r->unit[u], r->plan->unit[u].desc, m, err);
}

/* What fails on one rank fails on all, with the words of the first. */
enum tt_code run_agree(tt_run *r, enum tt_code rc, tt_err *err)
{
    tt_link *link = r->opts.link;
    uint32_t first = 0;
    int32_t *code, mine = (int32_t)rc;
    tt_err words = {0};
    enum tt_code sent;

    if (!link)
        return rc;
    if (!TT_NEW_ARRAY(code, link->n))
        return run_nomem(err);
    if (rc != TT_OK)
        words = *err;
    sent = link->ops->gather(link, &mine, sizeof(mine), code, err);
    while (first < link->n && code[first] == TT_OK)
        first++;
    if (sent == TT_OK && first < link->n) {
        words.code = (enum tt_code)code[first];
        sent = link->ops->share(link, first, words.msg, sizeof(words.msg), err);
    }
    tt_free(code);
    if (sent != TT_OK || first == link->n)
        return sent;
    return tt_fail(err, words.code, "%s", words.msg);
}

enum tt_code run_any(tt_run *r, int *flag, tt_err *err)
{
    tt_link *link = r->opts.link;
    int *of;
    enum tt_code rc;

    if (!link)
        return TT_OK;
    of = tt_zalloc(link->n, sizeof(*of));
    rc = of ? link->ops->gather(link, flag, sizeof(*flag), of, err)
            : run_nomem(err);
    for (uint32_t i = 0; rc == TT_OK && i < link->n; i++)
        *flag |= of[i];
    tt_free(of);
    return rc;
}

void run_want_stop(tt_run *r)
{
    if (r->opts.link)
        tt_part_wish(r->part, RUN_WISH_STOP);
    else if (r->why == TT_RUN_NOT_ENDED)
        r->why = TT_RUN_STOPPED;
}

/* What only its owner knows of a unit. */
enum tt_code run_share_stats(tt_run *r, tt_err *err)
{
    tt_link *link = r->opts.link;
    enum tt_code rc = TT_OK;
    uint64_t total;

    for (uint32_t u = 0; link && u < r->plan->n_unit && rc == TT_OK; u++) {
        tt_unit *unit = r->unit[u];
        struct {
            uint64_t n_step, ns;
            double max_lag;
        } of = {unit->n_step, tt_part_time(r->part, &total)[u], unit->max_lag};

        rc = link->ops->share(link, r->score->owner[u], &of, sizeof(of), err);
        unit->n_step = of.n_step;
        unit->max_lag = of.max_lag;
        tt_part_set_time(r->part, u, of.ns);
    }
    return rc;
}
