/* SPDX-License-Identifier: MIT */
/* Events that several threads play before it is their time.
 *
 * Between two events a unit changes only by what arrives. So the event that it
 * has planned can be played now, whatever the time is, if nothing can arrive
 * before: if no unit that leads to it, over however many others, has an event
 * up to then. Parts of a network that are not connected look ahead as far as
 * they like, a part that others feed up to the first event of these, and of
 * units that feed each other in a circle only the earliest may.
 *
 * A unit plays one event ahead, from a state that is saved: its outputs are
 * kept, and are given away when time has come, as if it were played then. If
 * the instant turns out to be another by rounding, or the unit is looked at
 * meanwhile, it is put back. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "player/event_direct_impl.h"
#include "player/team.h"
#include "score/graph.h"
#include "step/policy.h"
#include "sys/clock.h"

/* With `auto` an event must take so long, and is measured so often before. */
#define LEAST_NS 5000.0
#define MEASURE  64u
/* Looks before it is judged whether there is anything to share at all, and in
 * how many of them there must have been. */
#define LOOKS    1024u
#define PAYS     32u

struct early {
    double at; /* when its event is */
    struct tt_event_result result;
    uint8_t may;    /* it could be played ahead at all */
    uint8_t failed; /* it will fail, and in its time with the same words */
};

struct tt_event_ahead {
    tt_part *part; /* borrowed */
    struct tt_event_direct *d;
    uint32_t reg, n_thread;
    int force, off;
    double end; /* nothing behind it is played */
    struct early *unit;
    /* Where outputs lie, and where they are kept meanwhile: by clock and by
     * value. */
    const uint8_t **clock_at;
    uint8_t *clock_kept;
    const void **value_at;
    void **value_kept;
    /* Units that feed each other are a component; these in the order in which
     * they feed one another, with the units of each. */
    uint32_t *component, n_component, *order;
    double *first, *second; /* the earliest events in it, ... */
    double *before;         /* ... and in what leads to it */
    uint32_t *batch, n_batch;
    uint32_t pending;  /* units that are ahead */
    atomic_uint taken; /* of the batch */
    uint32_t looks, shared, measured;
    double measured_ns;
};

/* --- which may be played ---------------------------------------------------
 */

static double next_of(const tt_part *p, uint32_t u)
{
    struct tt_events *e = p->events;
    double next = tt_events_next(e, u);

    if (!p->plan->unit[u].desc->internal)
        return next;
    return fmin(next, tt_events_next(e, e->n_unit + p->plan->unit[u].internal));
}

static void note_next(struct tt_event_ahead *a, uint32_t component, double t)
{
    if (t < a->first[component]) {
        a->second[component] = a->first[component];
        a->first[component] = t;
    } else {
        a->second[component] = fmin(a->second[component], t);
    }
}

/* What comes from a unit comes no earlier than t. */
static void lead_on(struct tt_event_ahead *a, uint32_t from, double t)
{
    const tt_plan *plan = a->part->plan;
    const struct tt_plan_unit *u = &plan->unit[from];

    for (uint32_t i = plan->out_first[u->slot];
         i < plan->out_first[u->slot + u->n_read]; i++) {
        uint32_t to = plan->slot[plan->feed[plan->out_feed[i]].to].unit;
        uint32_t c = a->component[to];

        if (c != a->component[from])
            a->before[c] = fmin(a->before[c], t);
    }
}

/* Who takes part in this microstep may put out something now. */
static void find_bounds(struct tt_event_ahead *a)
{
    const struct tt_event_direct *d = a->d;
    uint32_t n = a->part->plan->n_unit;

    for (uint32_t c = 0; c < a->n_component; c++)
        a->first[c] = a->second[c] = a->before[c] = (double)INFINITY;
    for (uint32_t u = 0; u < n; u++)
        note_next(a, a->component[u], next_of(a->part, u));
    for (uint32_t i = 0; i < d->n_asked; i++)
        if (!tt_event_is_due(a->part, &d->unit[d->asked[i]]))
            note_next(a, a->component[d->asked[i]], a->part->now->t[TT_T1]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = a->component[a->order[i]];

        lead_on(a, a->order[i], fmin(a->first[c], a->before[c]));
    }
}

/* Nothing arrives up to then, nor at an instant that is as good as the same. */
static int is_safe(const struct tt_event_ahead *a, uint32_t u, double t)
{
    uint32_t c = a->component[u];
    double other = t == a->first[c] ? a->second[c] : a->first[c];

    return t <= a->end &&
           fmin(other, a->before[c]) > t + 2 * tt_policy_instant_tol(t, 0);
}

static void find_batch(struct tt_event_ahead *a)
{
    double now = a->part->now->t[TT_T1];
    double soon = now + tt_policy_instant_tol(now, 0);

    find_bounds(a);
    a->n_batch = 0;
    for (uint32_t u = 0; u < a->part->plan->n_unit; u++) {
        const struct direct_unit *is = &a->d->unit[u];
        double t;

        if (!a->unit[u].may || is->ahead)
            continue;
        t = next_of(a->part, u);
        if ((t != now && (tt_event_is_due(a->part, is) || t <= soon)) ||
            !is_safe(a, u, t))
            continue;
        a->unit[u].at = t;
        a->batch[a->n_batch++] = u;
    }
}

/* --- one of them -----------------------------------------------------------
 */

/* Outputs are where the unit has them, or where they are kept. */
static void turn_to(struct tt_event_ahead *a, uint32_t unit, int kept)
{
    struct tt_event_direct *d = a->d;

    for (uint32_t i = d->unit[unit].clock; i != TT_NONE; i = d->clock[i].next) {
        d->clock[i].at = kept ? &a->clock_kept[i] : a->clock_at[i];
        for (uint32_t k = d->clock[i].value; k != TT_NONE; k = d->value[k].next)
            d->value[k].at = kept ? a->value_kept[k] : a->value_at[k];
        tt_event_find_number(d, &d->clock[i]);
    }
    d->unit[unit].ahead = (uint8_t)kept;
    d->unit[unit].usual = tt_event_is_usual(&d->unit[unit]);
    if (kept)
        a->pending++;
    else
        a->pending--;
}

static void keep_outputs(struct tt_event_ahead *a, uint32_t unit)
{
    const struct tt_event_direct *d = a->d;

    for (uint32_t i = d->unit[unit].clock; i != TT_NONE; i = d->clock[i].next) {
        a->clock_kept[i] = *a->clock_at[i];
        for (uint32_t k = d->clock[i].value; k != TT_NONE; k = d->value[k].next)
            memcpy(a->value_kept[k], a->value_at[k], d->value[k].size);
    }
}

static void play_early(struct tt_event_ahead *a, struct tt_now *now,
                       uint32_t unit)
{
    const struct direct_unit *u = &a->d->unit[unit];
    struct early *x = &a->unit[unit];
    double t = now->t[TT_T1];
    enum tt_code rc;

    now->t[TT_T1] = x->at;
    now->pc = u->tick_pc;
    rc = tt_unit_save(u->is, a->reg, now->words);
    if (rc == TT_OK) {
        u->is->now = x->at;
        rc = u->calls.tick(u->is, now->words);
    }
    if (rc == TT_OK) {
        keep_outputs(a, unit);
        now->pc = u->update_pc;
        rc = tt_event_direct_update(u, &x->result, now->words);
    }
    x->failed = rc != TT_OK;
    now->t[TT_T1] = t;
}

static void play_some(void *ctx, uint32_t thread)
{
    struct tt_event_ahead *a = ctx;
    struct tt_mate *m = &a->part->team->mate[thread];
    uint32_t pc = m->now->pc, i;
    uint64_t began = tt_clock_ns();

    if (thread) {
        tt_take_registers(m->now, a->part->now);
        tt_turn_take(&m->turn);
    }
    while ((i = atomic_fetch_add(&a->taken, 1)) < a->n_batch)
        play_early(a, m->now, a->batch[i]);
    m->now->pc = pc;
    if (thread)
        tt_turn_give(&m->turn);
    m->busy_ns = tt_clock_ns() - began;
}

/* --- all of them ------------------------------------------------------------
 */

/* With `auto` the first are played by one thread, and measured. */
static uint32_t threads_for(struct tt_event_ahead *a)
{
    struct tt_team *t = a->part->team;
    uint32_t n = a->n_thread < a->n_batch ? a->n_thread : a->n_batch;

    if (!a->force && a->measured < MEASURE)
        return 1;
    t->made = tt_crew_start(t->crew);
    return n < t->made ? n : t->made;
}

static void account(struct tt_event_ahead *a, uint32_t n, double took)
{
    struct tt_team *t = a->part->team;

    if (!a->force && a->measured < MEASURE) {
        a->measured += a->n_batch;
        a->measured_ns += took;
        a->off =
            a->measured >= MEASURE && a->measured_ns < LEAST_NS * a->measured;
    }
    t->most = n > t->most ? n : t->most;
    t->took_ns += took;
    t->saved_ns -= took;
    for (uint32_t i = 0; i < n; i++) {
        t->saved_ns += (double)t->mate[i].busy_ns;
        t->mate[i].busy_ns = 0;
    }
}

static void play_batch(struct tt_event_ahead *a)
{
    uint32_t n = threads_for(a);
    uint64_t began = tt_clock_ns();

    atomic_store(&a->taken, 0);
    tt_crew_run(a->part->team->crew, n, play_some, a);
    for (uint32_t i = 0; i < a->n_batch; i++)
        turn_to(a, a->batch[i], 1);
    account(a, n, (double)(tt_clock_ns() - began));
}

/* Is one due that was not played yet? */
static int is_wanted(const struct tt_event_ahead *a)
{
    const struct tt_event_direct *d = a->d;

    for (uint32_t i = 0; i < d->n_asked; i++)
        if (tt_event_is_due(a->part, &d->unit[d->asked[i]]) &&
            !d->unit[d->asked[i]].ahead)
            return 1;
    return 0;
}

void tt_event_look_ahead(struct tt_event_ahead *a)
{
    if (a->off || a->part->event_clock || !is_wanted(a))
        return;
    find_batch(a);
    if (a->n_batch > 1) {
        play_batch(a);
        a->shared++;
    }
    if (++a->looks == LOOKS) {
        a->off |= a->shared < PAYS;
        a->looks = a->shared = 0;
    }
}

static enum tt_code put_back(struct tt_event_ahead *a, uint32_t unit,
                             tt_err *err)
{
    tt_unit *u = a->d->unit[unit].is;

    turn_to(a, unit, 0);
    return tt_unit_restore(u, a->reg, err);
}

enum tt_code tt_event_begin_early(struct tt_event_ahead *a, uint32_t unit,
                                  tt_err *err)
{
    const struct direct_unit *u = &a->d->unit[unit];
    const struct early *x = &a->unit[unit];

    if (tt_event_is_due(a->part, u) && !x->failed &&
        x->at == a->part->now->t[TT_T1])
        return TT_OK;
    return put_back(a, unit, err);
}

const struct tt_event_result *tt_event_end_early(struct tt_event_ahead *a,
                                                 uint32_t unit)
{
    turn_to(a, unit, 0);
    a->part->team->ahead++;
    return &a->unit[unit].result;
}

enum tt_code tt_part_event_put_back(tt_part *p, tt_err *err)
{
    const struct tt_event_direct *d = p->event ? p->event->direct : NULL;
    enum tt_code rc = TT_OK;

    if (!d || !d->ahead || !d->ahead->pending)
        return TT_OK;
    for (uint32_t u = 0; u < p->plan->n_unit && rc == TT_OK; u++)
        if (d->unit[u].ahead)
            rc = put_back(d->ahead, u, err);
    return rc;
}

/* --- making -----------------------------------------------------------------
 */

static int may_be_early(const tt_part *p, uint32_t unit)
{
    const struct direct_unit *u = &p->event->direct->unit[unit];
    const struct tt_caps *caps = &p->plan->unit[unit].desc->caps;

    return u->open && u->tick != TT_NONE && caps->save &&
           caps->threads == TT_THREADS_ANY;
}

/* By their components. */
static void order_units(struct tt_event_ahead *a)
{
    uint32_t n = a->part->plan->n_unit, *begins = a->batch, at = 0;

    for (uint32_t u = 0; u < n; u++)
        begins[a->component[u]]++;
    for (uint32_t c = 0; c < a->n_component; c++) {
        uint32_t of = begins[c];

        begins[c] = at;
        at += of;
    }
    for (uint32_t u = 0; u < n; u++)
        a->order[begins[a->component[u]]++] = u;
}

static enum tt_code find_components(struct tt_event_ahead *a, tt_err *err)
{
    const tt_plan *plan = a->part->plan;
    struct tt_graph g;
    enum tt_code rc;

    tt_graph_init(&g, plan->n_unit);
    for (uint32_t i = 0; i < plan->n_feed; i++)
        tt_graph_add(&g, plan->slot[plan->feed[i].from].unit,
                     plan->slot[plan->feed[i].to].unit);
    rc = tt_graph_seal(&g, err);
    if (rc == TT_OK) {
        a->n_component = tt_graph_components(&g, a->component);
        rc = a->n_component ? TT_OK : tt_part_nomem(err);
    }
    if (rc == TT_OK)
        order_units(a);
    tt_graph_fini(&g);
    return rc;
}

static int make_room(struct tt_event_ahead *a)
{
    struct tt_event_direct *d = a->d;
    tt_arena *m = a->part->arena;
    uint32_t n = a->part->plan->n_unit;

    a->unit = tt_arena_alloc(m, n, sizeof(*a->unit));
    a->clock_at = tt_arena_alloc(m, d->n_clock, sizeof(*a->clock_at));
    a->clock_kept = tt_arena_alloc(m, d->n_clock, 1);
    a->value_at = tt_arena_alloc(m, d->n_value, sizeof(*a->value_at));
    a->value_kept = tt_arena_alloc(m, d->n_value, sizeof(*a->value_kept));
    a->component = tt_arena_alloc(m, n, sizeof(*a->component));
    a->order = tt_arena_alloc(m, n, sizeof(*a->order));
    a->batch = tt_arena_alloc(m, n, sizeof(*a->batch));
    a->first = tt_arena_alloc(m, n, sizeof(*a->first));
    a->second = tt_arena_alloc(m, n, sizeof(*a->second));
    a->before = tt_arena_alloc(m, n, sizeof(*a->before));
    if (!a->unit || !a->clock_at || !a->clock_kept || !a->value_at ||
        !a->value_kept || !a->component || !a->order || !a->batch ||
        !a->first || !a->second || !a->before)
        return 0;
    for (uint32_t i = 0; i < d->n_clock; i++)
        a->clock_at[i] = d->clock[i].at;
    for (uint32_t i = 0; i < d->n_value; i++) {
        a->value_at[i] = d->value[i].at;
        a->value_kept[i] = tt_arena_alloc(m, d->value[i].size, 1);
        if (!a->value_kept[i])
            return 0;
    }
    return 1;
}

uint32_t tt_part_event_width(const tt_part *p)
{
    uint32_t n = 0;

    for (uint32_t u = 0; p->event && p->event->direct && u < p->plan->n_unit;
         u++)
        n += may_be_early(p, u) ? 1 : 0;
    return n;
}

enum tt_code tt_part_event_ahead(tt_part *p, const struct tt_ahead *how,
                                 tt_err *err)
{
    struct tt_event_direct *d = p->event->direct;
    struct tt_event_ahead *a;
    enum tt_code rc;

    if (!TT_NEW_IN(p->arena, a, 1))
        return tt_part_nomem(err);
    *a = (struct tt_event_ahead){.part = p,
                                 .d = d,
                                 .reg = how->reg,
                                 .end = how->end,
                                 .force = how->force,
                                 .n_thread = p->team->n};
    if (!make_room(a))
        return tt_part_nomem(err);
    rc = find_components(a, err);
    for (uint32_t u = 0; u < p->plan->n_unit; u++)
        a->unit[u].may = (uint8_t)may_be_early(p, u);
    if (rc != TT_OK)
        return rc;
    if (how->force)
        p->team->made = tt_crew_start(p->team->crew);
    d->ahead = a;
    return TT_OK;
}
