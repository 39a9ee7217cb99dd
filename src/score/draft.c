/* SPDX-License-Identifier: MIT */
/* A score under construction: appending to it, and finishing it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/lists.h"
#include "score/write.h"

enum tt_code tt_write_new(struct tt_draft *w, const tt_plan *plan,
                          const char *writer, tt_err *err)
{
    tt_score *s;

    *w = (struct tt_draft){.plan = plan};
    if (plan->scenario->n_order)
        w->given = plan->scenario->order;
    if (!TT_NEW(s))
        return tt_nomem(err, "writing the score");
    w->score = s;
    s->plan = plan;
    s->writer = writer;
    s->arena = tt_arena_new();
    return s->arena ? TT_OK : tt_nomem(err, "writing the score");
}

void tt_write_begin(struct tt_draft *w, enum tt_section s)
{
    w->score->section[s].first = (uint32_t)w->n_op;
}

void tt_write_end(struct tt_draft *w, enum tt_section s)
{
    w->score->section[s].n = (uint32_t)w->n_op - w->score->section[s].first;
}

void tt_write_op(struct tt_draft *w, struct tt_op op)
{
    if (w->failed || TT_GROW(w->op, w->n_op, w->cap_op)) {
        w->failed = 1;
        return;
    }
    w->op[w->n_op++] = op;
}

uint32_t tt_write_member(struct tt_draft *w, uint32_t slot)
{
    if (w->failed || TT_GROW(w->member, w->n_member, w->cap_member)) {
        w->failed = 1;
        return 0;
    }
    w->member[w->n_member] = slot;
    return (uint32_t)w->n_member++;
}

static void add_batch(struct tt_draft *w, struct tt_op like,
                      const uint32_t *slot, uint32_t n)
{
    if (w->failed || TT_GROW(w->batch, w->n_batch, w->cap_batch)) {
        w->failed = 1;
        return;
    }
    w->batch[w->n_batch] = (struct tt_batch){
        .first = (uint32_t)w->n_member,
        .n = n,
        .type = w->plan->slot[slot[0]].type,
    };
    for (uint32_t i = 0; i < n; i++)
        tt_write_member(w, slot[i]);
    like.arg = (uint32_t)w->n_batch++;
    tt_write_op(w, like);
}

/* The schedule gives slots last one first, mostly: then turning them around is
 * all. */
static int turned(uint32_t *slot, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (slot[i - 1] <= slot[i])
            return 0;
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t last = slot[n - 1 - i];

        slot[n - 1 - i] = slot[i];
        slot[i] = last;
    }
    return 1;
}

/* Slots of one unit are laid out by type, so runs of one type are runs of
 * neighbours in the sorted list. */
void tt_write_move(struct tt_draft *w, struct tt_op like, uint32_t *slot,
                   uint32_t n)
{
    uint32_t first = 0;

    if (!turned(slot, n))
        qsort(slot, n, sizeof(*slot), tt_by_u32);
    for (uint32_t i = 1; i <= n; i++)
        if (i == n ||
            w->plan->slot[slot[i]].type != w->plan->slot[slot[first]].type) {
            add_batch(w, like, slot + first, i - first);
            first = i;
        }
}

static void reverse(struct tt_op *op, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct tt_op other = op[n - 1 - i];

        op[n - 1 - i] = op[i];
        op[i] = other;
    }
}

void tt_write_rotate(struct tt_draft *w, size_t first, size_t middle)
{
    if (w->failed)
        return;
    reverse(w->op + first, middle - first);
    reverse(w->op + middle, w->n_op - middle);
    reverse(w->op + first, w->n_op - first);
}

uint32_t tt_write_solver(struct tt_draft *w, struct tt_solver like,
                         const uint32_t *slot, uint32_t n)
{
    like.first = (uint32_t)w->n_member;
    like.n = n;
    for (uint32_t i = 0; i < n; i++)
        tt_write_member(w, slot[i]);
    if (w->failed || w->n_solver >= UINT16_MAX - 1 ||
        TT_GROW(w->solver, w->n_solver, w->cap_solver)) {
        w->failed = 1;
        return 0;
    }
    w->solver[w->n_solver] = like;
    return (uint32_t)w->n_solver++;
}

TT_PRINTF(3, 0)
static void add_note(struct tt_draft *w, struct tt_note note, const char *fmt,
                     va_list ap)
{
    char text[TT_ERR_MAX];

    vsnprintf(text, sizeof(text), fmt, ap);
    note.text = tt_arena_strdup(w->score->arena, text);
    if (!note.text || TT_GROW(w->note, w->n_note, w->cap_note)) {
        w->failed = 1;
        return;
    }
    w->note[w->n_note++] = note;
}

void tt_write_note(struct tt_draft *w, const char *topic, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_note(w, (struct tt_note){.topic = topic}, fmt, ap);
    va_end(ap);
}

void tt_write_warning(struct tt_draft *w, const char *topic, const char *fmt,
                      ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_note(w, (struct tt_note){.topic = topic, .warns = 1}, fmt, ap);
    va_end(ap);
}

/* What was written moves into the score's arena, and is checked. */
static enum tt_code finish(struct tt_draft *w, tt_err *err)
{
    tt_score *s = w->score;
    enum tt_code rc;

    s->op = tt_arena_dup(s->arena, w->op, w->n_op, sizeof(*w->op));
    s->batch = tt_arena_dup(s->arena, w->batch, w->n_batch, sizeof(*w->batch));
    s->member =
        tt_arena_dup(s->arena, w->member, w->n_member, sizeof(*w->member));
    s->note = tt_arena_dup(s->arena, w->note, w->n_note, sizeof(*w->note));
    s->solver =
        tt_arena_dup(s->arena, w->solver, w->n_solver, sizeof(*w->solver));
    s->message =
        tt_arena_dup(s->arena, w->message, w->n_message, sizeof(*w->message));
    s->xfer = tt_arena_dup(s->arena, w->xfer, w->n_xfer, sizeof(*w->xfer));
    if (w->failed || !s->op || !s->batch || !s->member || !s->note ||
        !s->solver || !s->message || !s->xfer)
        return tt_nomem(err, "writing the score");
    s->n_op = (uint32_t)w->n_op;
    s->n_batch = (uint32_t)w->n_batch;
    s->n_member = (uint32_t)w->n_member;
    s->n_note = (uint32_t)w->n_note;
    s->n_solver = (uint32_t)w->n_solver;
    s->n_message = (uint32_t)w->n_message;
    s->n_xfer = (uint32_t)w->n_xfer;
    s->protocol = tt_protocol_of(s);
    rc = tt_score_check(s, err);
    if (rc == TT_OK)
        s->hash = tt_score_hash(s);
    return rc;
}

enum tt_code tt_write_done(struct tt_draft *w, enum tt_code rc, tt_score **out,
                           tt_err *err)
{
    if (rc == TT_OK)
        rc = finish(w, err);
    if (rc == TT_OK)
        *out = w->score;
    else
        tt_score_free(w->score);
    TT_FREE_ALL(w->op, w->batch, w->member, w->note, w->solver, w->message,
                w->xfer, w->instant_loops);
    return rc;
}

void tt_score_free(tt_score *s)
{
    if (!s)
        return;
    tt_arena_free(s->arena);
    tt_free(s);
}
