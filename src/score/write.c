/* SPDX-License-Identifier: MIT */
#include "score/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void tt_write_begin(struct tt_writer *w, enum tt_section s)
{
    w->score->section[s].first = (uint32_t)w->n_op;
}

void tt_write_end(struct tt_writer *w, enum tt_section s)
{
    w->score->section[s].n = (uint32_t)w->n_op - w->score->section[s].first;
}

void tt_write_op(struct tt_writer *w, struct tt_op op)
{
    if (w->failed || TT_GROW(w->op, w->n_op, w->cap_op)) {
        w->failed = 1;
        return;
    }
    w->op[w->n_op++] = op;
}

uint32_t tt_write_member(struct tt_writer *w, uint32_t slot)
{
    if (w->failed || TT_GROW(w->member, w->n_member, w->cap_member)) {
        w->failed = 1;
        return 0;
    }
    w->member[w->n_member] = slot;
    return (uint32_t)w->n_member++;
}

static void add_group(struct tt_writer *w, struct tt_op like,
                      const uint32_t *slot, uint32_t n)
{
    if (w->failed || TT_GROW(w->group, w->n_group, w->cap_group)) {
        w->failed = 1;
        return;
    }
    w->group[w->n_group] = (struct tt_group){
        .unit = like.unit,
        .first = (uint32_t)w->n_member,
        .n = n,
        .type = w->plan->slot[slot[0]].type,
    };
    for (uint32_t i = 0; i < n; i++)
        tt_write_member(w, slot[i]);
    like.arg = (uint32_t)w->n_group++;
    tt_write_op(w, like);
}

static int by_index(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Slots of one unit are laid out by type, so runs of one type are runs of
 * neighbours in the sorted list. */
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

void tt_write_move(struct tt_writer *w, struct tt_op like, uint32_t *slot,
                   uint32_t n)
{
    uint32_t first = 0;

    if (!turned(slot, n))
        qsort(slot, n, sizeof(*slot), by_index);
    for (uint32_t i = 1; i <= n; i++)
        if (i == n ||
            w->plan->slot[slot[i]].type != w->plan->slot[slot[first]].type) {
            add_group(w, like, slot + first, i - first);
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

void tt_write_rotate(struct tt_writer *w, size_t first, size_t middle)
{
    if (w->failed)
        return;
    reverse(w->op + first, middle - first);
    reverse(w->op + middle, w->n_op - middle);
    reverse(w->op + first, w->n_op - first);
}

uint32_t tt_write_solver(struct tt_writer *w, struct tt_solver like,
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
static void add_note(struct tt_writer *w, struct tt_note note, const char *fmt,
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

void tt_write_note(struct tt_writer *w, const char *topic, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_note(w, (struct tt_note){.topic = topic}, fmt, ap);
    va_end(ap);
}

void tt_write_warning(struct tt_writer *w, const char *topic, const char *fmt,
                      ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_note(w, (struct tt_note){.topic = topic, .warns = 1}, fmt, ap);
    va_end(ap);
}

/* Jacobi: everyone steps on the values of T0, but inputs that declare
 * themselves reactive. Gauss-Seidel: whoever comes later sees the new values
 * of whoever came earlier, but inputs that declare themselves delayed. */
static void choose_reactive(const struct tt_writer *w, const uint32_t *order,
                            const uint32_t *part, uint32_t *rank,
                            uint8_t *reactive)
{
    const tt_plan *p = w->plan;
    int sequential = p->scenario->master == TT_MASTER_GAUSS_SEIDEL;

    for (uint32_t i = 0; i < p->n_unit; i++)
        rank[order[i]] = i;
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *to = &p->slot[p->feed[f].to];
        uint32_t from = p->slot[p->feed[f].from].unit;
        int later = rank[from] < rank[to->unit];
        /* between repeated parts the new value is there, whoever the master */
        int across =
            part && tt_write_iterates(p) && part[from] != part[to->unit];

        reactive[p->feed[f].to] = to->reactivity == TT_REACT_REACTIVE ||
                                  ((sequential || across) && later &&
                                   to->reactivity == TT_REACT_EITHER);
    }
}

static void note_order(struct tt_writer *w, const uint32_t *order)
{
    struct tt_buf text;
    int sequential = w->plan->scenario->master == TT_MASTER_GAUSS_SEIDEL;

    if (!sequential)
        return;
    tt_buf_init(&text, 1024);
    for (uint32_t i = 0; i < w->plan->n_unit && i < 12; i++)
        tt_buf_fmt(&text, "%s%s", i ? " -> " : "",
                   w->plan->unit[order[i]].name);
    if (w->plan->n_unit > 12)
        tt_buf_str(&text, " -> ...");
    if (!text.failed)
        tt_write_note(w, "order", "%s (%s)", text.data,
                      w->plan->scenario->n_order
                          ? "given"
                          : "derived: who feeds steps first");
    tt_buf_fini(&text);
}

static int repeats(const tt_plan *p)
{
    int repeats = tt_write_iterates(p);

    for (uint32_t u = 0; u < p->n_unit && !repeats; u++)
        repeats = p->unit[u].desc->caps.implicit;
    return repeats;
}

static enum tt_code write_all(struct tt_writer *w, struct tt_stepping *how,
                              uint32_t *order, uint32_t *part, uint32_t *rank,
                              uint8_t *reactive, tt_err *err)
{
    enum tt_code rc = tt_write_order(w, order, err);

    if (rc == TT_OK && repeats(w->plan)) {
        rc = tt_write_parts(w, order, part, err);
        how->part = part;
    }
    if (rc == TT_OK)
        rc = tt_write_arrange(w, order, err);
    if (rc == TT_OK)
        rc = tt_write_order_notes(w, order, err);
    if (rc != TT_OK)
        return rc;
    choose_reactive(w, order, how->part, rank, reactive);
    note_order(w, order);
    rc = tt_write_init(w, err);
    if (rc != TT_OK)
        return rc;
    tt_write_keep(w);
    tt_write_step(w, how);
    rc = tt_write_exchange(w, how->fresh, err);
    if (rc == TT_OK)
        rc = tt_write_loops(w, how->part, err);
    tt_write_undo(w);
    if (rc == TT_OK)
        rc = tt_write_again(w, err);
    return rc == TT_OK ? tt_write_start(w, err) : rc;
}

static enum tt_code write_sections(struct tt_writer *w, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *order =
        tt_arena_alloc(w->score->arena, p->n_unit, sizeof(*order));
    uint32_t *rank = tt_zalloc(p->n_unit, sizeof(*rank));
    uint32_t *part = tt_zalloc(p->n_unit, sizeof(*part));
    uint8_t *reactive = tt_zalloc(p->n_slot, 1);
    struct tt_stepping how = {
        .order = order, .reactive = reactive, .fresh = tt_zalloc(p->n_slot, 1)};
    enum tt_code rc;

    w->score->order = order;
    if (order && rank && part && reactive && how.fresh)
        rc = write_all(w, &how, order, part, rank, reactive, err);
    else
        rc = tt_fail(err, TT_ENOMEM, "writing the score: out of memory");
    tt_free(rank);
    tt_free(part);
    tt_free(reactive);
    tt_free(how.fresh);
    return rc;
}

enum tt_code tt_write_finish(struct tt_writer *w, tt_err *err)
{
    tt_score *s = w->score;

    s->op = tt_arena_dup(s->arena, w->op, w->n_op, sizeof(*w->op));
    s->group = tt_arena_dup(s->arena, w->group, w->n_group, sizeof(*w->group));
    s->member =
        tt_arena_dup(s->arena, w->member, w->n_member, sizeof(*w->member));
    s->note = tt_arena_dup(s->arena, w->note, w->n_note, sizeof(*w->note));
    s->solver =
        tt_arena_dup(s->arena, w->solver, w->n_solver, sizeof(*w->solver));
    s->message =
        tt_arena_dup(s->arena, w->message, w->n_message, sizeof(*w->message));
    s->xfer = tt_arena_dup(s->arena, w->xfer, w->n_xfer, sizeof(*w->xfer));
    if (w->failed || !s->op || !s->group || !s->member || !s->note ||
        !s->solver || !s->message || !s->xfer)
        return tt_fail(err, TT_ENOMEM, "writing the score: out of memory");
    s->n_op = (uint32_t)w->n_op;
    s->n_group = (uint32_t)w->n_group;
    s->n_member = (uint32_t)w->n_member;
    s->n_note = (uint32_t)w->n_note;
    s->n_solver = (uint32_t)w->n_solver;
    s->n_message = (uint32_t)w->n_message;
    s->n_xfer = (uint32_t)w->n_xfer;
    s->hash = tt_hash(TT_HASH_START, s->op, s->n_op * sizeof(*s->op));
    s->hash = tt_hash(s->hash, s->group, s->n_group * sizeof(*s->group));
    s->hash = tt_hash(s->hash, s->member, s->n_member * sizeof(*s->member));
    return tt_score_check(s, err);
}

void tt_write_fini(struct tt_writer *w)
{
    tt_free(w->op);
    tt_free(w->group);
    tt_free(w->member);
    tt_free(w->note);
    tt_free(w->solver);
    tt_free(w->message);
    tt_free(w->xfer);
}

enum tt_code tt_score_new(tt_score **out, const tt_plan *plan, tt_err *err)
{
    struct tt_writer w = {.plan = plan};
    tt_score *s;
    enum tt_code rc;

    if (!TT_NEW(s))
        return tt_fail(err, TT_ENOMEM, "writing the score: out of memory");
    s->arena = tt_arena_new();
    s->plan = plan;
    s->writer =
        plan->scenario->master == TT_MASTER_JACOBI ? "jacobi" : "gauss-seidel";
    w.score = s;
    rc = s->arena ? write_sections(&w, err)
                  : tt_fail(err, TT_ENOMEM, "writing the score: out of memory");
    if (rc == TT_OK)
        rc = tt_write_finish(&w, err);
    tt_write_fini(&w);
    if (rc == TT_OK) {
        *out = s;
        s = NULL;
    }
    tt_score_free(s);
    return rc;
}

void tt_score_free(tt_score *s)
{
    if (!s)
        return;
    tt_arena_free(s->arena);
    tt_free(s);
}
