/* SPDX-License-Identifier: MIT */
/* Playing with several threads. */
#include "player/team.h"

#include <string.h>

#include "sys/clock.h"

/* So many plays are measured before the first deal, and to see what came of
 * it; later deals are rarer and rarer, up to one in so many timed plays. */
#define MEASURE  3u
#define RAREST   64u
/* A play that takes so long is measured well enough by one look, and the clock
 * costs nothing beside it. */
#define HEAVY_NS 1e6

/* --- one thread -------------------------------------------------------------
 */

/* Of several calls that end the play the first in the score counts, as if one
 * thread had played. Its words are kept: another may fail after it. */
static void end_play(struct tt_mate *m, uint32_t pc, int failed)
{
    if (m->ender <= pc)
        return;
    m->ender = pc;
    m->failed = failed;
    m->status = m->now->status;
    if (failed)
        m->kept = *m->now->words;
}

/* Returns whether the bundle goes on. */
static int take_result(struct tt_team *t, struct tt_mate *m, uint32_t pc,
                       enum tt_call_result r)
{
    const tt_unit *u = t->part->call[pc].unit;

    if (r == TT_CALL_OUTCOME) {
        t->outcomes[pc] = (uint8_t)tt_unit_last(u).flags;
        m->has_outcome = 1;
        if (!(tt_unit_last(u).flags & TT_STEP_HALTS))
            return 1;
    }
    end_play(m, pc, r != TT_CALL_OUTCOME);
    return 0;
}

static void play_bundle(struct tt_team *t, uint32_t thread,
                        const struct tt_bundle *b)
{
    tt_part *p = t->part;
    struct tt_mate *m = &t->mate[thread];
    struct tt_now *now = m->now;
    uint64_t began = t->timed ? tt_clock_ns() : 0, at = began;

    for (uint32_t i = b->first; i < b->first + b->n; i++) {
        uint32_t pc = t->levels->pc[i];
        const struct tt_call *c = &p->call[pc];
        enum tt_call_result r;

        if (pc > t->ender)
            break;
        now->pc = pc;
        tt_mark_step(p, c, thread);
        r = t->timed ? tt_clock_call(p, pc, now, &m->own_ns, &at)
                     : tt_call_make(c, now);
        if (TT_UNLIKELY(r != TT_CALL_OK) && !take_result(t, m, pc, r))
            break;
    }
    m->busy_ns += at - began;
}

void tt_take_registers(struct tt_now *to, const struct tt_now *from)
{
    memcpy(to->t, from->t, sizeof(to->t));
    memcpy(to->h, from->h, sizeof(to->h));
    to->steps = from->steps;
}

static void play_share(void *ctx, uint32_t thread)
{
    struct tt_team *t = ctx;
    const struct tt_level *l = t->level;
    struct tt_mate *m = &t->mate[thread];

    if (thread) {
        tt_take_registers(m->now, t->part->now);
        tt_turn_take(&m->turn);
    }
    for (uint32_t i = l->start[thread]; i < l->start[thread + 1]; i++)
        play_bundle(t, thread, &t->levels->bundle[t->levels->order[i]]);
    m->now->pc = TT_NONE; /* in no call: a waiting thread is not to blame */
    if (thread)
        tt_turn_give(&m->turn);
}

/* --- all of them -----------------------------------------------------------
 */

/* What the first n threads found, in the order of the score. Returns how long
 * they were busy. */
static uint64_t gather(struct tt_team *t, uint32_t n)
{
    uint64_t busy = 0;

    for (uint32_t thread = 0; thread < n; thread++) {
        struct tt_mate *m = &t->mate[thread];

        if (m->ender < t->ender) {
            t->ender = m->ender;
            t->failed = m->failed;
            t->part->now->status = m->status;
            *t->part->cold = m->kept;
        }
        t->has_outcome |= m->has_outcome;
        t->part->spent[t->part->plan->n_unit] += m->own_ns;
        busy += m->busy_ns;
        m->ender = TT_NONE;
        m->has_outcome = 0;
        m->own_ns = m->busy_ns = 0;
    }
    return busy;
}

static void share_level(struct tt_team *t, struct tt_level *l)
{
    uint64_t before = t->timed ? tt_clock_ns() : 0, busy;
    double took;

    t->level = l;
    if (t->most < l->threads)
        t->most = l->threads;
    tt_crew_run(t->crew, l->threads, play_share, t);
    busy = gather(t, l->threads);
    if (!t->timed)
        return;
    took = (double)(tt_clock_ns() - before);
    l->shared = l->shared == 0 ? took : tt_recent(l->shared, took);
    if (t->count)
        t->saved_ns += (double)busy - took;
}

static void play_level(struct tt_team *t, struct tt_level *l)
{
    if (l->threads > 1 && t->ender == TT_NONE) {
        share_level(t, l);
        return;
    }
    /* After an end only what comes before it in the score is made up for: it
     * may hold an earlier end. */
    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        play_bundle(t, 0, &t->levels->bundle[i]);
        gather(t, 1);
    }
}

/* Outcomes are taken in the order of the score, up to the play's end; what was
 * reported behind it is kept, in case the play goes on. */
static void take_all(struct tt_team *t, const struct tt_stretch *s,
                     struct tt_halt *halt)
{
    uint32_t pc = s->pc;

    for (; pc < s->end && pc <= t->ender; pc++) {
        if (t->outcomes[pc])
            (void)tt_take_outcome(t->part->call[pc].unit, t->outcomes[pc],
                                  halt);
        t->outcomes[pc] = 0;
    }
    t->kept = pc < s->end;
    t->has_outcome = 0;
}

void tt_team_take_rest(struct tt_team *t, uint32_t first, uint32_t end,
                       struct tt_halt *halt)
{
    for (uint32_t pc = first; pc < end && t->kept; pc++)
        if (t->outcomes[pc] && !(t->outcomes[pc] & TT_STEP_HALTS))
            (void)tt_take_outcome(t->part->call[pc].unit, t->outcomes[pc],
                                  halt);
}

void tt_team_forget(struct tt_team *t)
{
    if (TT_UNLIKELY(t->kept))
        memset(t->outcomes, 0, t->part->n_call);
    t->kept = 0;
}

/* Returns whether the play goes on after it. */
static int play_stretch(struct tt_team *t, const struct tt_stretch *s,
                        struct tt_halt *halt)
{
    t->ender = TT_NONE;
    tt_team_forget(t);
    for (uint32_t i = s->first; i < s->first + s->n; i++)
        play_level(t, &t->levels->level[i]);
    if (TT_UNLIKELY(t->has_outcome))
        take_all(t, s, halt);
    return t->ender == TT_NONE;
}

/* Stretches that are shared by all, everything else as one thread would. */
static enum tt_code play_shared(struct tt_team *t, enum tt_section section,
                                struct tt_halt *halt, tt_err *err)
{
    tt_part *p = t->part;
    uint32_t pc = p->section[section].first;
    const uint32_t end = pc + p->section[section].n;

    *halt = (struct tt_halt){0};
    while (pc < end) {
        uint32_t at = t->levels->at[pc];
        const struct tt_stretch *s = at ? &t->levels->stretch[at - 1] : NULL;
        struct tt_passage one = {.first = pc, .end = pc + 1, .pc = pc};
        enum tt_code rc;

        if (s && s->shared) {
            pc = s->end;
            if (play_stretch(t, s, halt))
                continue;
            p->now->pc = t->ender;
            return t->failed ? tt_explain(p, &p->call[t->ender], err) : TT_OK;
        }
        if (s)
            one.end = s->end;
        rc = tt_play_passage(p, &one, t->timed, halt, err);
        if (rc != TT_OK || one.halted)
            return rc;
        pc = one.pc;
    }
    return TT_OK;
}

/* --- now and then ------------------------------------------------------------
 */

/* Look at what it cost, and deal again if it is time to. */
static void consider(struct tt_team *t, enum tt_section section)
{
    struct tt_team_section *s = &t->section[section];
    int was = s->shared;

    if (++s->looks < s->patience && (s->dealt || !s->heavy))
        return;
    s->looks = 0;
    s->dealt = 1;
    tt_team_deal(t, section);
    if (s->shared != was)
        s->patience = s->measure = MEASURE;
    else if (s->patience < RAREST)
        s->patience *= 2;
}

/* A plain play takes no notes, so they are taken before the first one. */
static void mark_alone(tt_part *p, enum tt_section section)
{
    uint32_t first = p->section[section].first;

    for (uint32_t i = 0; i < p->section[section].n; i++)
        tt_mark_step(p, &p->call[first + i], 0);
}

static enum tt_code play_alone(tt_part *p, enum tt_section section,
                               struct tt_halt *halt, tt_err *err)
{
    struct tt_team_section *s = &p->team->section[section];

    if (!s->marked)
        mark_alone(p, section);
    s->marked = 1;
    return tt_play_plain(p, section, halt, err);
}

static enum tt_code play_timed(struct tt_team *t, enum tt_section section,
                               struct tt_halt *halt, tt_err *err)
{
    struct tt_team_section *s = &t->section[section];
    uint64_t began = tt_clock_ns();
    double took;
    enum tt_code rc;

    t->count = s->dealt && s->warm;
    rc = s->shared ? play_shared(t, section, halt, err)
                   : tt_play_section(t->part, section, 1, halt, err);
    took = (double)(tt_clock_ns() - began);
    t->took_ns += t->count ? took : 0;
    s->warm = 1;
    s->measure -= s->measure > 0;
    s->heavy = took >= HEAVY_NS;
    consider(t, section);
    return rc;
}

enum tt_code tt_team_play(tt_part *p, enum tt_section section, int timed,
                          struct tt_halt *halt, tt_err *err)
{
    struct tt_team *t = p->team;

    if (!t) /* a profile without threads */
        return tt_play_section(p, section, 1, halt, err);
    t->timed = timed || p->profile || t->section[section].measure ||
               t->section[section].heavy;
    if (t->timed)
        return play_timed(t, section, halt, err);
    return t->section[section].shared ? play_shared(t, section, halt, err)
                                      : play_alone(p, section, halt, err);
}

/* --- making ------------------------------------------------------------------
 */

static int allocate(struct tt_team *t, struct tt_now *mates)
{
    struct tt_levels *l = t->levels;
    tt_part *p = t->part;

    if (!TT_NEW_ARRAY(t->mate, t->n) || !TT_NEW_ARRAY(t->outcomes, p->n_call) ||
        !TT_NEW_ARRAY(t->load, t->n) || !TT_NEW_ARRAY(t->rank, p->n_call))
        return 0;
    for (uint32_t i = 0; i < l->n_level; i++) {
        if (l->level[i].n < 2)
            continue;
        if (!TT_NEW_IN(l->arena, l->level[i].start, t->n + 1))
            return 0;
    }
    for (uint32_t thread = 0; thread < t->n; thread++) {
        struct tt_mate *m = &t->mate[thread];

        m->ender = TT_NONE;
        m->now = thread ? &mates[thread - 1] : p->now;
        m->turn =
            (struct tt_turn){.now = m->now, .unit_cb = tt_unit_at, .ctx = p};
        if (thread) {
            m->now->words = &m->words;
            m->now->pc = TT_NONE;
        }
    }
    return 1;
}

enum tt_code tt_part_share(tt_part *p, tt_crew *crew, struct tt_now *mates,
                           int force, tt_err *err)
{
    struct tt_team *t;
    enum tt_code rc = tt_part_measure(p, err);
    uint32_t width;

    TT_ASSERT(!p->team);
    if (rc == TT_OK)
        rc = tt_part_width(p, &width, err);
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW(t))
        return tt_part_nomem(err);
    p->team = t;
    p->special = 1;
    t->part = p;
    t->crew = crew;
    t->n = tt_crew_size(crew);
    t->force = force;
    t->levels = p->levels;
    t->most = t->made = 1;
    if (!allocate(t, mates))
        return tt_part_nomem(err);
    for (int i = 0; i < TT_SEC_N; i++) {
        t->section[i].patience = t->section[i].measure = MEASURE;
        t->section[i].dealt = force;
        if (force)
            tt_team_deal(t, (enum tt_section)i);
    }
    return TT_OK;
}

enum tt_code tt_part_width(tt_part *p, uint32_t *width, tt_err *err)
{
    if (!p->levels) {
        enum tt_code rc = tt_levels_new(&p->levels, p, err);

        if (rc != TT_OK)
            return rc;
    }
    TT_ASSERT(p->levels);
    *width = p->levels->width;
    return TT_OK;
}

struct tt_part_team tt_part_team(const tt_part *p)
{
    const struct tt_team *t = p->team;
    struct tt_part_team a = {.threads = 1, .used = 1, .speed_up = 1};

    if (!t)
        return a;
    a.threads = t->made;
    a.used = t->most;
    a.ahead = t->ahead;
    if (t->took_ns > 0)
        a.speed_up = (t->took_ns + t->saved_ns) / t->took_ns;
    return a;
}

void tt_team_free(struct tt_team *t)
{
    if (t)
        TT_FREE_ALL(t->mate, t->outcomes, t->load, t->rank, t);
}
