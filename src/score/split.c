/* SPDX-License-Identifier: MIT */
/* Splitting: where values must cross from rank to rank. */
#include <stdlib.h>
#include <string.h>

#include "score/ranks.h"
#include "base/lists.h"
#include "score/write.h"

/* One value on its way. */
struct trip {
    uint32_t from, to, slot;
};

struct split {
    struct tt_draft *w;
    const tt_score *s;
    const tt_plan *p;
    const uint32_t *owner;
    uint32_t n_rank;
    uint8_t *looked; /* per slot: ranks besides the owner that look at it */
    uint64_t *want;  /* slot << 32 | rank, sorted: which rank needs what */
    uint32_t *first; /* per slot, and one more: its place in want */
    uint8_t *waits;  /* per slot: read, wanted elsewhere, not sent yet */
    uint32_t *queue; /* those */
    struct trip *trip;
    size_t n_queue, n_want, cap_want, n_trip, cap_trip;
};

/* --- what ranks need ------------------------------------------------------ */

enum { LOOK_FIRST = 1, LOOK_ALL = 2 }; /* the rank that records; every rank */

static void look_at(struct split *x, uint32_t slot, uint8_t who)
{
    x->looked[slot] |= who;
}

/* Results and lists of events are rank 0's. What policies and solvers see is
 * everyone's. */
static void list_looks(struct split *x)
{
    const tt_plan *p = x->p;

    for (uint32_t i = 0; i < p->n_column; i++)
        look_at(x, p->column[i].slot, LOOK_FIRST);
    for (uint32_t s = 0; s < p->n_slot; s++)
        if (tt_plan_is_event(p, s))
            look_at(x, s, LOOK_FIRST);
    for (uint32_t i = 0; i < p->n_deed; i++) /* it may end the run */
        look_at(x, p->deed[i].slot, LOOK_ALL);
    for (uint32_t i = 0; i < p->n_watch; i++)
        look_at(x, p->watch[i].slot, LOOK_ALL);
    for (uint32_t i = 0; i < p->n_bond; i++)
        for (int side = 0; side < 2; side++) {
            look_at(x, p->bond[i].in[side], LOOK_ALL);
            look_at(x, p->bond[i].out[side], LOOK_ALL);
        }
    for (uint32_t i = 0; i < x->s->n_solver; i++)
        for (uint32_t k = 0; k < x->s->solver[i].n; k++)
            look_at(x, x->s->member[x->s->solver[i].first + k], LOOK_ALL);
    /* loops begin where courses lead, and a course ends where its source
     * leaps, which all outputs of its unit report */
    for (uint32_t s = 0; s < p->n_slot && (p->n_course || p->variable); s++)
        if (p->slot[s].dir != TT_SLOT_IN || p->slot[s].course != TT_NONE ||
            p->variable)
            look_at(x, s, LOOK_ALL);
    /* when an input is set is known where it is looked at */
    for (uint32_t s = 0; s < p->n_slot; s++) {
        struct tt_clock_set c = tt_plan_clocks_of(p, s);

        for (uint32_t i = 0; p->slot[s].dir == TT_SLOT_IN && i < c.n; i++)
            look_at(x, c.slot[i], x->looked[s]);
    }
}

static void want(struct split *x, uint32_t slot, uint32_t rank)
{
    if (rank == x->owner[x->p->slot[slot].unit])
        return;
    if (x->w->failed || TT_GROW(x->want, x->n_want, x->cap_want)) {
        x->w->failed = 1;
        return;
    }
    x->want[x->n_want++] = (uint64_t)slot << 32 | rank;
}

static void want_by_looks(struct split *x, uint32_t slot, uint8_t looks)
{
    uint32_t n = looks & LOOK_ALL ? x->n_rank : looks & LOOK_FIRST ? 1 : 0;

    for (uint32_t rank = 0; rank < n; rank++)
        want(x, slot, rank);
}

/* An input that is looked at gets its value there too. */
static void list_wants(struct split *x)
{
    const tt_plan *p = x->p;
    size_t n = 0;

    for (uint32_t s = 0; s < p->n_slot; s++)
        if (p->slot[s].dir != TT_SLOT_IN)
            want_by_looks(x, s, x->looked[s]);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const uint32_t source[] = {p->feed[f].from, p->feed[f].left};
        uint32_t to = p->feed[f].to;

        for (int i = 0; i < 2; i++) {
            want(x, source[i], x->owner[p->slot[to].unit]);
            want_by_looks(x, source[i], x->looked[to]);
        }
    }
    if (x->n_want)
        qsort(x->want, x->n_want, sizeof(*x->want), tt_by_u64);
    for (size_t i = 0; i < x->n_want; i++)
        if (!n || x->want[n - 1] != x->want[i])
            x->want[n++] = x->want[i];
    x->n_want = n;
    for (size_t i = 0; i < n; i++)
        x->first[(x->want[i] >> 32) + 1]++;
    tt_lists_add_up(x->first, p->n_slot);
}

/* --- sending -------------------------------------------------------------- */

static int by_way(const void *a, const void *b)
{
    const struct trip *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void list_trips(struct split *x, uint32_t slot)
{
    for (uint32_t i = x->first[slot]; i < x->first[slot + 1]; i++) {
        if (x->w->failed || TT_GROW(x->trip, x->n_trip, x->cap_trip)) {
            x->w->failed = 1;
            return;
        }
        x->trip[x->n_trip++] =
            (struct trip){.from = x->owner[x->p->slot[slot].unit],
                          .to = (uint32_t)x->want[i],
                          .slot = slot};
    }
}

static void write_message(struct split *x, const struct trip *t, size_t n)
{
    struct tt_draft *w = x->w;
    uint32_t first = (uint32_t)w->n_member;

    for (size_t i = 0; i < n; i++)
        tt_write_member(w, t[i].slot);
    if (w->failed || TT_GROW(w->message, w->n_message, w->cap_message)) {
        w->failed = 1;
        return;
    }
    w->message[w->n_message++] = (struct tt_message){
        .from = t->from, .to = t->to, .first = first, .n = (uint32_t)n};
}

/* All that waits goes at once. */
static void send(struct split *x)
{
    struct tt_draft *w = x->w;
    uint32_t first = (uint32_t)w->n_message;
    size_t begin = 0;

    if (!x->n_queue)
        return;
    x->n_trip = 0;
    for (size_t i = 0; i < x->n_queue; i++) {
        list_trips(x, x->queue[i]);
        x->waits[x->queue[i]] = 0;
    }
    x->n_queue = 0;
    qsort(x->trip, x->n_trip, sizeof(*x->trip), by_way);
    for (size_t i = 1; i <= x->n_trip; i++) {
        if (i < x->n_trip && x->trip[i].from == x->trip[begin].from &&
            x->trip[i].to == x->trip[begin].to)
            continue;
        write_message(x, x->trip + begin, i - begin);
        begin = i;
    }
    if (w->failed || TT_GROW(w->xfer, w->n_xfer, w->cap_xfer)) {
        w->failed = 1;
        return;
    }
    w->xfer[w->n_xfer] =
        (struct tt_xfer){.first = first, .n = (uint32_t)w->n_message - first};
    tt_write_op(w, (struct tt_op){.code = TT_OP_XFER,
                                  .unit = TT_NONE,
                                  .arg = (uint32_t)w->n_xfer++});
}

/* --- the walk ------------------------------------------------------------- */

/* Does this operation read, on some rank, what waits to get there? */
static int set_needs(const struct split *x, const struct tt_op *op)
{
    const struct tt_batch *g = &x->s->batch[op->arg];

    for (uint32_t k = 0; k < g->n && !(op->flags & TT_OP_GUESS); k++) {
        uint32_t to = x->s->member[g->first + k];
        const struct tt_feed *f = &x->p->feed[x->p->slot[to].feed];
        uint32_t from = x->owner[x->p->slot[f->from].unit];

        if (!x->waits[f->from] && !x->waits[f->left])
            continue;
        if (from != x->owner[op->unit] || (x->looked[to] & LOOK_ALL) ||
            ((x->looked[to] & LOOK_FIRST) && from != 0))
            return 1;
    }
    return 0;
}

/* Of all; a turn of a loop begins with nothing to send. */
static int needs(const struct split *x, const struct tt_op *op)
{
    return op->code == TT_OP_SET ? set_needs(x, op)
                                 : tt_op_scope(op) == TT_SCOPE_ALL;
}

static void note_read(struct split *x, const struct tt_op *op)
{
    const struct tt_batch *g = &x->s->batch[op->arg];

    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = x->s->member[g->first + k];

        if (x->waits[slot] || x->first[slot] == x->first[slot + 1])
            continue;
        x->waits[slot] = 1;
        x->queue[x->n_queue++] = slot;
    }
}

static void split_section(struct split *x, enum tt_section section)
{
    const tt_score *s = x->s;
    uint32_t first = s->section[section].first;

    tt_write_begin(x->w, section);
    for (uint32_t k = 0; k < s->section[section].n; k++) {
        const struct tt_op *op = &s->op[first + k];

        if (needs(x, op))
            send(x);
        tt_write_op(x->w, *op);
        if (op->code == TT_OP_GET)
            note_read(x, op);
    }
    send(x);
    tt_write_end(x->w, section);
}

/* --- the new score -------------------------------------------------------- */

/* What is the same: batches, members, solvers, notes. */
static void copy_rest(struct split *x)
{
    struct tt_draft *w = x->w;
    const tt_score *s = x->s;

    for (uint32_t i = 0; i < s->n_member; i++)
        tt_write_member(w, s->member[i]);
    for (uint32_t i = 0; i < s->n_batch && !w->failed; i++) {
        if (TT_GROW(w->batch, w->n_batch, w->cap_batch))
            w->failed = 1;
        else
            w->batch[w->n_batch++] = s->batch[i];
    }
    for (uint32_t i = 0; i < s->n_solver && !w->failed; i++) {
        if (TT_GROW(w->solver, w->n_solver, w->cap_solver))
            w->failed = 1;
        else
            w->solver[w->n_solver++] = s->solver[i];
    }
    for (uint32_t i = 0; i < s->n_note; i++)
        (s->note[i].warns ? tt_write_warning : tt_write_note)(
            w, s->note[i].topic, "%s", s->note[i].text);
}

static void note_ranks(struct split *x)
{
    size_t values = 0;

    for (size_t i = 0; i < x->w->n_message; i++)
        values += x->w->message[i].n;
    tt_write_note(x->w, "ranks",
                  "%u; %zu values in %zu messages and %zu transfers cross "
                  "between them",
                  x->n_rank, values, x->w->n_message, x->w->n_xfer);
}

static int allocate(struct split *x, tt_score *out)
{
    const tt_plan *p = x->p;

    out->order =
        tt_arena_dup(out->arena, x->s->order, p->n_unit, sizeof(*out->order));
    out->owner =
        tt_arena_dup(out->arena, x->owner, p->n_unit, sizeof(*out->owner));
    out->looped = tt_arena_dup(out->arena, x->s->looped, p->n_slot, 1);
    return out->order && out->owner && out->looped &&
           TT_NEW_ARRAY(x->looked, p->n_slot) &&
           TT_NEW_ARRAY(x->first, p->n_slot + 1) &&
           TT_NEW_ARRAY(x->waits, p->n_slot) &&
           TT_NEW_ARRAY(x->queue, p->n_slot);
}

static enum tt_code split(struct split *x, tt_err *err)
{
    x->w->score->n_state = x->s->n_state;
    x->w->score->n_rank = x->n_rank;
    if (!allocate(x, x->w->score))
        return tt_nomem(err, "splitting the score");
    list_looks(x);
    list_wants(x);
    copy_rest(x);
    for (int i = 0; i < TT_SEC_N; i++)
        split_section(x, (enum tt_section)i);
    note_ranks(x);
    return TT_OK;
}

enum tt_code tt_score_split(tt_score **out, const tt_score *s, uint32_t n_rank,
                            const uint32_t *owner, tt_err *err)
{
    struct tt_draft w;
    struct split x = {
        .w = &w, .s = s, .p = s->plan, .owner = owner, .n_rank = n_rank};
    enum tt_code rc = tt_write_new(&w, s->plan, s->writer, err);

    if (rc == TT_OK)
        rc = split(&x, err);
    rc = tt_write_done(&w, rc, out, err);
    TT_FREE_ALL(x.looked, x.want, x.first, x.waits, x.queue, x.trip);
    return rc;
}
