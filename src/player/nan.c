/* SPDX-License-Identifier: MIT */
/* No NaN passes unnoticed from unit to unit: one look over all connected
 * floating-point outputs per exchange, about one per cent of a trivial unit's
 * step. */
#include <math.h>

#include "base/num.h"
#include "player/part_impl.h"

/* Neighbouring values of one type. */
struct run_of {
    const void *v;
    uint32_t n;
};

struct tt_nan_watch {
    struct run_of *f64, *f32;
    uint32_t n_f64, n_f32;
};

/* Any NaN? One comparison looks at two. */
static inline int bad_f64(const double *v, uint32_t n)
{
    const double *end = v + n;

    for (; end - v >= 4; v += 4)
        if (TT_UNLIKELY(isunordered(v[0], v[1]) || isunordered(v[2], v[3])))
            return 1;
    for (; v < end; v++)
        if (TT_UNLIKELY(isnan(*v)))
            return 1;
    return 0;
}

static int bad_f32(const float *v, uint32_t n)
{
    int bad = 0;

    for (uint32_t k = 0; k < n; k++)
        bad |= v[k] != v[k];
    return bad;
}

static enum tt_call_result play_watch(const struct tt_call *c,
                                      struct tt_now *now)
{
    const struct tt_nan_watch *w = c->unit;
    int bad = 0;

    (void)now;
    for (uint32_t i = 0; i < w->n_f64; i++)
        bad |= bad_f64(w->f64[i].v, w->f64[i].n);
    for (uint32_t i = 0; i < w->n_f32; i++)
        bad |= bad_f32(w->f32[i].v, w->f32[i].n);
    return TT_UNLIKELY(bad) ? TT_CALL_FAILED : TT_CALL_OK;
}

/* All outputs of a type lie in one row, and mostly that is all there is. */
static enum tt_call_result play_watch_row(const struct tt_call *c,
                                          struct tt_now *now)
{
    const struct run_of *row = c->unit;

    (void)now;
    return bad_f64(row->v, row->n) ? TT_CALL_FAILED : TT_CALL_OK;
}

static const struct tt_what what_watch = {.fn = play_watch,
                                          .verb = TT_VERB_OTHER},
                            what_row = {.fn = play_watch_row,
                                        .verb = TT_VERB_OTHER};

int tt_is_watch(const struct tt_call *c)
{
    return c->what == &what_watch || c->what == &what_row;
}

static int watched(const struct tt_slot *s, enum tt_type t)
{
    return s->dir == TT_SLOT_OUT && s->type == t;
}

static int is_bad(const tt_part *p, uint32_t slot)
{
    const struct tt_slot *s = &p->plan->slot[slot];
    const void *v = tt_part_value(p, slot);

    if (watched(s, TT_F64))
        return bad_f64(v, s->n);
    return watched(s, TT_F32) && bad_f32(v, s->n);
}

/* The first NaN that was read in this section; TT_NONE without one. */
static uint32_t first_bad(const tt_part *p, enum tt_section section)
{
    const tt_score *s = p->score;
    uint32_t first = s->section[section].first;

    for (uint32_t i = first; i < first + s->section[section].n; i++) {
        const struct tt_batch *g;

        if (s->op[i].code != TT_OP_GET)
            continue;
        g = &s->batch[s->op[i].arg];
        for (uint32_t k = 0; k < g->n; k++)
            if (is_bad(p, s->member[g->first + k]))
                return s->member[g->first + k];
    }
    return TT_NONE;
}

/* Of several the one that was read first is to blame: the others may have
 * been fed by it. */
enum tt_code tt_explain_watch(const tt_part *p, const struct tt_call *c,
                              tt_err *err)
{
    const struct tt_plan_unit *unit;
    int init = tt_op_of(p, c) < p->score->op +
                                    p->score->section[TT_SEC_INIT].first +
                                    p->score->section[TT_SEC_INIT].n;
    uint32_t slot = first_bad(p, init ? TT_SEC_INIT : TT_SEC_STEP);
    char name[512], t[TT_NUM_MAX];

    if (slot == TT_NONE)
        slot = first_bad(p, TT_SEC_EXCHANGE);
    TT_ASSERT(slot != TT_NONE);
    unit = &p->plan->unit[p->plan->slot[slot].unit];
    tt_num_print_short(t, p->unit[p->plan->slot[slot].unit]->now);
    return tt_fail(err, TT_EUNIT,
                   "instance '%s' (%s) gave NaN for its output '%s' at t=%s",
                   unit->name, unit->desc->kind,
                   tt_plan_slot_name(p->plan, slot, name, sizeof(name)), t);
}

/* All watched values of a type; neighbouring slots become one run. Returns how
 * many; run may be NULL. */
static uint32_t find_runs(const tt_part *p, enum tt_type t, struct run_of *run)
{
    size_t size = tt_type_size(t);
    const char *end = NULL;
    uint32_t n = 0;

    for (uint32_t s = 0; s < p->plan->n_slot; s++) {
        const struct tt_slot *slot = &p->plan->slot[s];
        const char *v = tt_part_value(p, s);

        if (!watched(slot, t))
            continue;
        if (v != end)
            n++;
        if (run && v != end)
            run[n - 1].v = v;
        if (run)
            run[n - 1].n += slot->n;
        end = v + slot->n * size;
    }
    return n;
}

static struct run_of *make_runs(const tt_part *p, enum tt_type t, uint32_t *n)
{
    struct run_of *run;

    *n = find_runs(p, t, NULL);
    run = tt_arena_alloc(p->arena, *n, sizeof(*run));
    if (run)
        (void)find_runs(p, t, run);
    return run;
}

static struct tt_nan_watch *make_watch(const tt_part *p)
{
    struct tt_nan_watch *w = tt_arena_alloc(p->arena, 1, sizeof(*w));

    if (!w)
        return NULL;
    w->f64 = make_runs(p, TT_F64, &w->n_f64);
    w->f32 = make_runs(p, TT_F32, &w->n_f32);
    return w->f64 && w->f32 ? w : NULL;
}

enum tt_code tt_bind_watch(tt_part *p, struct tt_call *c, tt_err *err)
{
    struct tt_nan_watch *w = p->watch;

    if (!w)
        w = p->watch = make_watch(p);
    if (!w)
        return tt_part_nomem(err);
    *c = (struct tt_call){.what = &what_watch, .unit = w};
    if (w->n_f64 == 1 && w->n_f32 == 0)
        *c = (struct tt_call){.what = &what_row, .unit = w->f64};
    return TT_OK;
}
