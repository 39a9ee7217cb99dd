/* SPDX-License-Identifier: MIT */
/* Playing with other ranks. */
#include "player/ranks.h"

#include <string.h>

#include "player/team.h"
#include "sys/clock.h"

/* What a rank sends the others at the end of a section. */
struct tt_verdict {
    uint32_t pc;    /* of the call with an outcome, TT_NONE: none */
    uint32_t unit;  /* ... its unit; TT_NONE: it has none */
    int32_t code;   /* TT_OK, or how it failed */
    int32_t halts;  /* the play ended there */
    uint32_t flags; /* of the unit's step */
    uint32_t rank;  /* it comes from */
    uint32_t wish;
    struct tt_stepped last;
};

enum tt_code tt_ranks_new(tt_part *p, tt_link *link, tt_err *err)
{
    if (!TT_NEW(p->ranks) || !TT_NEW_ARRAY(p->ranks->v, link->n + 1))
        return tt_part_nomem(err);
    p->ranks->link = link;
    p->special = 1;
    return TT_OK;
}

void tt_ranks_free(struct tt_ranks_play *r)
{
    if (!r)
        return;
    TT_FREE_ALL(r->v, r->notes, r);
}

void tt_part_wish(tt_part *p, uint32_t wish)
{
    p->ranks->wish |= wish;
}

void tt_part_unwish(tt_part *p, uint32_t wish)
{
    p->ranks->wish &= ~wish;
}

uint32_t tt_part_wishes(const tt_part *p)
{
    return p->ranks->wished;
}

/* --- one rank's play ------------------------------------------------------ */

static struct tt_verdict *own_verdict(const struct tt_ranks_play *r)
{
    return &r->v[r->link->n];
}

int tt_ranks_away(const tt_part *p, uint32_t unit)
{
    return p->ranks && p->score->owner[unit] != p->ranks->link->rank;
}

static int is_units(const tt_part *p, const struct tt_call *c)
{
    return tt_op_of(p, c)->unit != TT_NONE;
}

/* Values move, loops turn and solvers solve, whatever happened to units. */
static int is_made(const tt_part *p, const struct tt_call *c)
{
    return !p->ranks->muted || !is_units(p, c);
}

/* 0: it has reported why already. */
static int sends_failed(uint32_t pc, struct tt_verdict *v)
{
    if (v->pc != TT_NONE && v->halts)
        return 0;
    v->pc = pc;
    v->unit = TT_NONE;
    v->halts = 1;
    return 1;
}

static void send_failed(tt_part *p, const struct tt_call *c, uint32_t pc,
                        struct tt_verdict *v)
{
    if (sends_failed(pc, v))
        v->code = (int32_t)tt_explain(p, c, &p->ranks->words);
}

/* A unit's word; 1: the play ends here. */
static int send_outcome(const tt_part *p, const struct tt_call *c, uint32_t pc,
                        struct tt_verdict *v)
{
    struct tt_stepped last = tt_unit_last(c->unit);
    int halts = (last.flags & TT_STEP_HALTS) != 0;

    if (v->pc == TT_NONE || halts) {
        v->pc = pc;
        v->unit = tt_op_of(p, c)->unit;
        v->halts = halts;
        v->flags = last.flags;
        v->last = last;
    }
    return halts;
}

/* Returns whether a loop gave up, which every rank's does. */
static int play_own(tt_part *p, uint32_t pc, uint32_t end, int timed,
                    struct tt_verdict *v)
{
    uint64_t clock = timed ? tt_clock_ns() : 0;

    while (pc < end) {
        const struct tt_call *c = &p->call[pc];
        enum tt_call_result r = TT_CALL_OK;

        p->now->pc = pc;
        if (is_made(p, c))
            r = timed ? tt_clock_call(p, pc, p->now, &p->spent[p->plan->n_unit],
                                      &clock)
                      : tt_call_make(c, p->now);
        if (r == TT_CALL_OUTCOME && tt_is_loop(c))
            return 1;
        if (r == TT_CALL_FAILED)
            send_failed(p, c, pc, v);
        if (r == TT_CALL_FAILED ||
            (r == TT_CALL_OUTCOME && send_outcome(p, c, pc, v)))
            p->ranks->muted = 1;
        if (r == TT_CALL_FAILED && tt_is_xfer(c))
            return 0; /* the others cannot be reached */
        pc = r == TT_CALL_JUMP ? p->now->pc : pc + 1;
    }
    return 0;
}

/* --- agreeing ------------------------------------------------------------- */

/* The one that comes first in the score; a halt comes before an outcome that
 * does not halt, as when one plays alone. */
static const struct tt_verdict *first_of(const struct tt_verdict *v, uint32_t n)
{
    const struct tt_verdict *first = NULL;

    for (uint32_t i = 0; i < n; i++) {
        if (v[i].pc == TT_NONE)
            continue;
        if (!first || (v[i].halts && !first->halts) ||
            (v[i].halts == first->halts && v[i].pc < first->pc))
            first = &v[i];
    }
    return first;
}

/* The words of a failure, from the rank that has them. */
static enum tt_code take_failure(tt_part *p, const struct tt_verdict *v,
                                 tt_err *err)
{
    struct tt_ranks_play *r = p->ranks;
    tt_err words = {.code = (enum tt_code)v->code};
    enum tt_code rc;

    if (v->rank == r->link->rank)
        words = r->words;
    rc = r->link->ops->share(r->link, v->rank, words.msg, sizeof(words.msg),
                             err);
    return rc == TT_OK ? tt_fail(err, words.code, "%s", words.msg) : rc;
}

static enum tt_code take_verdict(tt_part *p, const struct tt_verdict *v,
                                 struct tt_halt *halt, tt_err *err)
{
    tt_unit *u;

    if (v->code != TT_OK)
        return take_failure(p, v, err);
    u = p->unit[v->unit];
    if (v->halts || tt_ranks_away(p, v->unit)) /* it may have stepped since */
        tt_unit_report(u, v->last);
    halt->unit = u;
    halt->flags = v->flags;
    if (v->halts)
        p->now->pc = v->pc; /* to go on from, if the caller wants to */
    return TT_OK;
}

void tt_ranks_begin(tt_part *p)
{
    struct tt_ranks_play *r = p->ranks;
    struct tt_verdict *mine = own_verdict(r);

    memset(mine, 0, sizeof(*mine)); /* it goes over the wire as it is */
    mine->pc = TT_NONE;
    mine->rank = r->link->rank;
    mine->wish = r->wish;
    r->muted = 0;
}

void tt_ranks_fail(tt_part *p, uint32_t pc, const tt_err *why)
{
    struct tt_verdict *mine = own_verdict(p->ranks);

    p->ranks->muted = 1;
    if (!sends_failed(pc, mine))
        return;
    mine->code = (int32_t)why->code;
    p->ranks->words = *why;
}

enum tt_code tt_ranks_agree(tt_part *p, struct tt_halt *halt, tt_err *err)
{
    struct tt_ranks_play *r = p->ranks;
    struct tt_verdict *mine = own_verdict(r);
    const struct tt_verdict *first;
    enum tt_code rc;

    if (mine->pc != TT_NONE && tt_is_xfer(&p->call[mine->pc]))
        return tt_fail(err, r->words.code, "%s", r->words.msg);
    rc = r->link->ops->gather(r->link, mine, sizeof(*mine), r->v, err);
    if (rc != TT_OK)
        return rc;
    r->wished = 0;
    for (uint32_t i = 0; i < r->link->n; i++)
        r->wished |= r->v[i].wish;
    first = first_of(r->v, r->link->n);
    return first ? take_verdict(p, first, halt, err) : TT_OK;
}

enum tt_code tt_ranks_play(tt_part *p, uint32_t from, uint32_t end, int timed,
                           struct tt_halt *halt, tt_err *err)
{
    *halt = (struct tt_halt){0};
    tt_ranks_begin(p);
    halt->lost = play_own(p, from, end, timed, own_verdict(p->ranks));
    return tt_ranks_agree(p, halt, err);
}
