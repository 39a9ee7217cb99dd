/* SPDX-License-Identifier: MIT */
/* Levels: which calls of a part may be made at the same time. */
#include <stdlib.h>
#include <string.h>

#include "player/team.h"

/* What touched a slot last in this stretch, and at which level. */
struct mark {
    uint32_t stretch; /* number plus 1; older marks do not count */
    uint32_t writer, write_level;
    uint32_t reader, read_level; /* reader TT_NONE - 1: several units */
    int written, read;
};

#define SEVERAL (TT_NONE - 1u)

struct build {
    const tt_part *p;
    struct tt_levels *l;
    struct mark *mark;    /* per slot */
    uint32_t *unit_level; /* per unit, of this stretch */
    uint32_t *unit_seen;  /* per unit: stretch number plus 1 */
    uint32_t *call_level; /* per call, relative to its stretch */
    uint32_t *key;        /* per unit: units of one key are never concurrent */
    uint32_t *key_seen;   /* per key: level plus 1 */
    uint32_t *key_bundle; /* per key: its bundle there */
    uint32_t *count;      /* scratch: calls per level */
    uint32_t *sorted;     /* scratch: calls of a stretch by level */
    uint32_t n_pc;
};

/* --- what operations read and write ----------------------------------------
 */

static int belongs_to_unit(const struct tt_op *op)
{
    return tt_op_scope(op) == TT_SCOPE_UNIT && op->unit != TT_NONE;
}

static uint32_t max(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static struct mark *mark_of(struct build *b, uint32_t slot)
{
    struct mark *m = &b->mark[slot];

    if (m->stretch != b->l->n_stretch)
        *m = (struct mark){.stretch = b->l->n_stretch};
    return m;
}

/* The level a read or write of this slot may have at the earliest. Calls of
 * one unit keep their order within a bundle, others want a level between. */
static uint32_t after(const struct mark *m, uint32_t unit, int write)
{
    uint32_t level = 0;

    if (m->written)
        level = m->write_level + (m->writer != unit);
    if (write && m->read)
        level = max(level, m->read_level + (m->reader != unit));
    return level;
}

static void note_read(struct mark *m, uint32_t unit, uint32_t level)
{
    m->reader = m->read && m->reader != unit ? SEVERAL : unit;
    m->read_level = m->read ? max(m->read_level, level) : level;
    m->read = 1;
}

static void note_write(struct mark *m, uint32_t unit, uint32_t level)
{
    m->written = 1;
    m->writer = unit;
    m->write_level = level;
    m->read = 0;
}

/* Visit the slots of an operation: level at the earliest, or take notes. */
static uint32_t visit(struct build *b, const struct tt_op *op, int notes,
                      uint32_t level)
{
    const tt_score *s = b->p->score;
    const struct tt_batch *g = &s->batch[op->arg];

    if (op->code != TT_OP_GET && op->code != TT_OP_SET)
        return level;
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = s->member[g->first + k];
        struct mark *own = mark_of(b, slot);

        if (op->code == TT_OP_SET) {
            const struct tt_feed *f = &s->plan->feed[s->plan->slot[slot].feed];
            const uint32_t source[] = {f->from, f->left};

            for (int i = 0; i < 2; i++) {
                struct mark *m = mark_of(b, source[i]);

                if (notes)
                    note_read(m, op->unit, level);
                else
                    level = max(level, after(m, op->unit, 0));
            }
        }
        if (notes)
            note_write(own, op->unit, level);
        else
            level = max(level, after(own, op->unit, 1));
    }
    return level;
}

static uint32_t place(struct build *b, const struct tt_op *op)
{
    uint32_t *mine = &b->unit_level[op->unit];
    uint32_t level;

    if (b->unit_seen[op->unit] != b->l->n_stretch)
        *mine = 0;
    b->unit_seen[op->unit] = b->l->n_stretch;
    level = visit(b, op, 0, *mine);
    visit(b, op, 1, level);
    *mine = level;
    return level;
}

/* --- bundles ----------------------------------------------------------------
 */

static int is_main(const tt_part *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->plan->unit[unit];

    return u->desc->caps.threads == TT_THREADS_MAIN || u->together;
}

static uint32_t call_unit(const tt_part *p, uint32_t pc)
{
    return p->score->op[p->op_of[pc]].unit;
}

/* The calls of one level, in b->sorted. */
static void add_level(struct build *b, const uint32_t *pc, uint32_t n)
{
    struct tt_levels *l = b->l;
    struct tt_level *level = &l->level[l->n_level++];

    *level = (struct tt_level){.first = l->n_bundle, .threads = 1};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t unit = call_unit(b->p, pc[i]), key = b->key[unit];

        if (b->key_seen[key] != l->n_level) {
            b->key_seen[key] = l->n_level;
            b->key_bundle[key] = l->n_bundle;
            l->bundle[l->n_bundle++] =
                (struct tt_bundle){.main = is_main(b->p, unit)};
        }
        l->bundle[b->key_bundle[key]].n++;
        level->steps |= b->p->call[pc[i]].what->verb == TT_VERB_STEP;
    }
    level->n = l->n_bundle - level->first;
    for (uint32_t i = level->first; i < l->n_bundle; i++) {
        l->bundle[i].first = b->n_pc;
        b->n_pc += l->bundle[i].n;
        l->bundle[i].n = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t key = b->key[call_unit(b->p, pc[i])];
        struct tt_bundle *bundle = &l->bundle[b->key_bundle[key]];

        l->pc[bundle->first + bundle->n++] = pc[i];
    }
    if (level->steps)
        l->width = max(l->width, level->n);
}

/* Sort the calls pc .. end by level, keeping their order. */
static void add_levels(struct build *b, uint32_t pc, uint32_t end,
                       uint32_t n_level)
{
    memset(b->count, 0, (n_level + 1) * sizeof(*b->count));
    for (uint32_t i = pc; i < end; i++)
        b->count[b->call_level[i] + 1]++;
    for (uint32_t i = 1; i <= n_level; i++)
        b->count[i] += b->count[i - 1];
    for (uint32_t i = pc; i < end; i++)
        b->sorted[b->count[b->call_level[i]]++] = i;
    /* each count is now where the next level begins */
    for (uint32_t i = 0, first = 0; i < n_level; first = b->count[i++])
        add_level(b, b->sorted + first, b->count[i] - first);
}

static const struct tt_op *op_of(const struct build *b, uint32_t pc)
{
    return &b->p->score->op[b->p->op_of[pc]];
}

/* Does the first turn of a loop begin here, behind what it leaves out? */
static int first_turn_begins(const struct build *b, uint32_t pc)
{
    return (op_of(b, pc - 1)->flags & TT_OP_LATER) &&
           !(op_of(b, pc)->flags & TT_OP_LATER);
}

static uint32_t add_stretch(struct build *b, uint32_t pc, uint32_t end)
{
    struct tt_levels *l = b->l;
    struct tt_stretch *s = &l->stretch[l->n_stretch++];
    uint32_t n_level = 0, i = pc;

    for (; i < end; i++) {
        const struct tt_op *op = op_of(b, i);

        if (!belongs_to_unit(op) || (i > pc && first_turn_begins(b, i)))
            break;
        b->call_level[i] = place(b, op);
        n_level = max(n_level, b->call_level[i] + 1);
    }
    *s = (struct tt_stretch){.pc = pc, .end = i, .first = l->n_level};
    add_levels(b, pc, i, n_level);
    s->n = l->n_level - s->first;
    l->at[pc] = l->n_stretch;
    return i;
}

static void add_all(struct build *b)
{
    for (int sec = 0; sec < TT_SEC_START;
         sec++) { /* the start is played alone */
        uint32_t pc = b->p->section[sec].first;
        uint32_t end = pc + b->p->section[sec].n;

        while (pc < end) {
            if (belongs_to_unit(&b->p->score->op[b->p->op_of[pc]]))
                pc = add_stretch(b, pc, end);
            else
                pc++;
        }
    }
}

/* --- what must not run together
 * --------------------------------------------------------
 */

struct named {
    const char *model;
    uint32_t copy, unit;
};

static int by_model(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int c = strcmp(x->model, y->model);

    c = c ? c : (x->copy > y->copy) - (x->copy < y->copy);
    return c ? c : (x->unit > y->unit) - (x->unit < y->unit);
}

/* Units of one model share a library, perhaps under two names, and so what is
 * global in it, unless they have copies of it. Those that want the caller's
 * thread share a key too. */
static enum tt_code find_keys(struct build *b, tt_err *err)
{
    const tt_plan *plan = b->p->plan;
    struct named *of;
    uint32_t n = 0, first_main = TT_NONE;

    if (!TT_NEW_ARRAY(of, plan->n_unit))
        return tt_part_nomem(err);
    for (uint32_t u = 0; u < plan->n_unit; u++) {
        const struct tt_desc *d = plan->unit[u].desc;

        b->key[u] = u;
        if (is_main(b->p, u)) {
            first_main = first_main == TT_NONE ? u : first_main;
            b->key[u] = first_main;
        } else if (d->caps.threads == TT_THREADS_ONE) {
            of[n++] = (struct named){d->model ? d->model : "",
                                     b->p->unit[u]->copy, u};
        }
    }
    qsort(of, n, sizeof(*of), by_model);
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(of[i].model, of[i - 1].model) == 0 &&
            of[i].copy == of[i - 1].copy)
            b->key[of[i].unit] = b->key[of[i - 1].unit];
    tt_free(of);
    return TT_OK;
}

/* --- making ------------------------------------------------------------------
 */

static int allocate(struct build *b)
{
    const tt_part *p = b->p;
    struct tt_levels *l = b->l;
    size_t n = p->n_call;

    l->at = tt_arena_alloc(l->arena, n, sizeof(*l->at));
    l->stretch = tt_arena_alloc(l->arena, n, sizeof(*l->stretch));
    l->level = tt_arena_alloc(l->arena, n, sizeof(*l->level));
    l->bundle = tt_arena_alloc(l->arena, n, sizeof(*l->bundle));
    l->pc = tt_arena_alloc(l->arena, n, sizeof(*l->pc));
    l->order = tt_arena_alloc(l->arena, n, sizeof(*l->order));
    return l->at && l->stretch && l->level && l->bundle && l->pc && l->order &&
           TT_NEW_ARRAY(b->mark, p->plan->n_slot) &&
           TT_NEW_ARRAY(b->unit_level, p->plan->n_unit) &&
           TT_NEW_ARRAY(b->unit_seen, p->plan->n_unit) &&
           TT_NEW_ARRAY(b->call_level, n) &&
           TT_NEW_ARRAY(b->key, p->plan->n_unit) &&
           TT_NEW_ARRAY(b->key_seen, p->plan->n_unit) &&
           TT_NEW_ARRAY(b->key_bundle, p->plan->n_unit) &&
           TT_NEW_ARRAY(b->count, n + 2) && TT_NEW_ARRAY(b->sorted, n);
}

static void fini(struct build *b)
{
    TT_FREE_ALL(b->mark, b->unit_level, b->unit_seen, b->call_level, b->key,
                b->key_seen, b->key_bundle, b->count, b->sorted);
}

enum tt_code tt_levels_new(struct tt_levels **out, const tt_part *p,
                           tt_err *err)
{
    struct build b = {.p = p};
    enum tt_code rc;

    if (!TT_NEW(b.l))
        return tt_part_nomem(err);
    b.l->arena = tt_arena_new();
    if (b.l->arena && allocate(&b)) {
        rc = find_keys(&b, err);
        if (rc == TT_OK) {
            add_all(&b);
            *out = b.l;
            b.l = NULL;
        }
    } else {
        rc = tt_part_nomem(err);
    }
    fini(&b);
    tt_levels_free(b.l);
    return rc;
}

void tt_levels_free(struct tt_levels *l)
{
    if (!l)
        return;
    tt_arena_free(l->arena);
    tt_free(l);
}
