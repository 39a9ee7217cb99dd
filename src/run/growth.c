/* SPDX-License-Identifier: MIT */
/* A run that explodes reports it. Values that go round (outputs that feed units
 * which feed them in turn) are sampled at the first steps and then in a short
 * window now and then, and step/growth.h states what it sees in a window. Only
 * steps that stand are seen; nothing is looked at where nothing goes round. A
 * run inside a unit does the same for itself, and its outermost host is left
 * what it found. */
#include "step/growth.h"

#include <math.h>
#include <string.h>

#include "run/run_impl.h"
#include "score/graph.h"
#include "sys/sync.h"

#define ALWAYS 256u /* the first steps are all seen; a power of two ... */
#define EVERY  256u /* ... then a window begins after so many */

struct value {
    const void *at; /* in the frame */
    uint32_t slot, element;
};

/* In the frame. */
struct memory {
    struct tt_run_growth found;
    double swing;
    uint64_t last; /* the step seen last, ... */
    double h, t;   /* ... its length, and when the window began */
    uint32_t n_seen;
};

/* Of the runs inside units, which may play on several threads: what began
 * first, and of those that began at once the first by name. */
struct tt_grown {
    struct tt_lock lock;
    struct tt_run_growth found;
    char *instance, *variable, *text; /* owned */
};

struct tt_growing {
    int reported;        /* that survives a restore */
    struct value *value; /* Float64, then Float32 */
    uint32_t n, n_f64;
    struct memory *memory;       /* in the frame */
    struct tt_growth_past *past; /* in the frame, n */
    double *seen;                /* in the frame: TT_GROWTH_WINDOW rows of n */
};

struct tt_grown *run_grown_new(void)
{
    struct tt_grown *g;

    if (TT_NEW(g))
        tt_lock_init(&g->lock);
    return g;
}

void run_grown_free(struct tt_grown *g)
{
    if (!g)
        return;
    tt_lock_fini(&g->lock);
    TT_FREE_ALL(g->instance, g->variable, g->text, g);
}

/* --- what goes round ------------------------------------------------------ */

static enum tt_code find_circles(const tt_plan *p, uint32_t *component,
                                 tt_err *err)
{
    struct tt_graph g;
    uint32_t from = TT_NONE, to = TT_NONE;
    enum tt_code rc;

    tt_graph_init(&g, p->n_unit);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        if (p->slot[p->feed[f].from].unit == from &&
            p->slot[p->feed[f].to].unit == to)
            continue; /* mostly neighbours connect the same two */
        from = p->slot[p->feed[f].from].unit;
        to = p->slot[p->feed[f].to].unit;
        tt_graph_add(&g, from, to);
    }
    rc = tt_graph_seal(&g, err);
    if (rc == TT_OK && p->n_unit && tt_graph_components(&g, component) == 0)
        rc = run_nomem(err);
    tt_graph_fini(&g);
    return rc;
}

/* Does this output feed a unit that feeds it in turn? */
static int goes_round(const tt_plan *p, const uint32_t *component,
                      uint32_t slot)
{
    if (p->slot[slot].dir != TT_SLOT_OUT)
        return 0;
    for (uint32_t k = p->out_first[slot]; k < p->out_first[slot + 1]; k++) {
        uint32_t to = p->slot[p->feed[p->out_feed[k]].to].unit;

        if (component[to] == component[p->slot[slot].unit])
            return 1;
    }
    return 0;
}

/* Listed in g->value, or only counted. */
static uint32_t list(const tt_run *r, const uint32_t *component,
                     enum tt_type type, struct value *out)
{
    const tt_plan *p = r->plan;
    uint32_t n = 0;

    for (uint32_t s = 0; s < p->n_slot; s++) {
        if (p->slot[s].type != type || run_is_away(r, p->slot[s].unit) ||
            !goes_round(p, component, s))
            continue;
        for (uint32_t e = 0; e < p->slot[s].n; e++, n++)
            if (out)
                out[n] = (struct value){.slot = s, .element = e};
    }
    return n;
}

/* Is one of its units made of units? */
static int holds_runs(const tt_run *r)
{
    for (uint32_t f = 0; f < r->scenario->n_fmu; f++)
        if (r->type[f] && tt_type_has(r->type[f], TT_KIND_MADE_OF))
            return 1;
    return 0;
}

static enum tt_code list_values(tt_run *r, const uint32_t *component,
                                tt_err *err)
{
    struct tt_growing *g;
    uint32_t n_f64 = list(r, component, TT_F64, NULL);
    uint32_t n = n_f64 + list(r, component, TT_F32, NULL);

    if (run_beyond_make(r, err) != TT_OK)
        return TT_ENOMEM;
    if (!n && !r->beyond && !r->opts.link && !holds_runs(r)) /* others' */
        return TT_OK;
    if (!RUN_NEW(r, g, 1) || !RUN_NEW(r, g->value, n))
        return run_nomem(err);
    r->growing = g;
    g->n = n;
    g->n_f64 = n_f64;
    (void)list(r, component, TT_F64, g->value);
    (void)list(r, component, TT_F32, g->value + n_f64);
    run_reserve(r, TT_REGION_RUN, "growth", sizeof(*g->memory), &g->memory);
    run_reserve(r, TT_REGION_RUN, "growth: past", n * sizeof(*g->past),
                &g->past);
    run_reserve(r, TT_REGION_RUN, "growth: window",
                (size_t)n * TT_GROWTH_WINDOW * sizeof(*g->seen), &g->seen);
    return TT_OK;
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    uint32_t *component;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(component, r->plan->n_unit))
        return run_nomem(err);
    rc = find_circles(r->plan, component, err);
    if (rc == TT_OK)
        rc = list_values(r, component, err);
    *wanted = r->growing != NULL;
    tt_free(component);
    return rc;
}

static enum tt_code start(tt_run *r, tt_err *err)
{
    const tt_plan *p = r->plan;

    (void)err;
    for (uint32_t i = 0; i < r->growing->n; i++) {
        struct value *v = &r->growing->value[i];

        v->at = (const char *)tt_part_value(r->part, v->slot) +
                v->element * tt_type_size(p->slot[v->slot].type);
    }
    return TT_OK;
}

static void report(tt_run *r, enum tt_log_level level);

/* --- looking -------------------------------------------------------------- */

int run_growth_due(const tt_run *r, uint64_t step)
{
    return (r->growing->n || r->beyond) &&
           r->growing->memory->found.cause == TT_GROWTH_NONE &&
           (step <= ALWAYS || ((step - 1) & (EVERY - 1)) < TT_GROWTH_WINDOW);
}

/* Of those that began to grow at once the widest swing is named. */
static void judge(tt_run *r)
{
    struct tt_growing *g = r->growing;

    for (uint32_t i = 0; i < g->n; i++) {
        struct tt_growth_fit fit = tt_growth_fit(g->seen + i, g->n);
        uint32_t slot = g->value[i].slot;
        enum tt_growth_cause cause = tt_growth_judge(
            &g->past[i], &fit, r->score->looped[slot], g->memory->t);

        if (cause == TT_GROWTH_NONE || !(fit.swing > g->memory->swing))
            continue;
        g->memory->swing = fit.swing;
        g->memory->found =
            (struct tt_run_growth){.cause = cause,
                                   .slot = slot,
                                   .element = g->value[i].element,
                                   .since = g->past[i].since,
                                   .factor = fit.factor,
                                   .angle = fit.angle,
                                   .step = run_steps(r)};
    }
}

static void see(struct tt_growing *g)
{
    double *row = g->seen + (size_t)g->memory->n_seen * g->n;

    for (uint32_t i = 0; i < g->n_f64; i++)
        memcpy(&row[i], g->value[i].at, sizeof(double));
    for (uint32_t i = g->n_f64; i < g->n; i++) {
        float f;

        memcpy(&f, g->value[i].at, sizeof(f));
        row[i] = (double)f;
    }
    g->memory->n_seen++;
}

static void judge_range(tt_run *r)
{
    struct memory *m = r->growing->memory;

    if (m->found.cause == TT_GROWTH_NONE)
        (void)run_beyond_find(r, m->t, &m->found);
}

static void look(tt_run *r)
{
    struct tt_growing *g = r->growing;
    double h = r->now->h[TT_T1];

    if (!run_growth_due(r, run_steps(r)))
        return;
    if (run_steps(r) != g->memory->last + 1 ||
        fabs(h - g->memory->h) > 1e-9 * h)
        g->memory->n_seen = 0;
    g->memory->last = run_steps(r);
    g->memory->h = h;
    if (g->memory->n_seen == 0) {
        g->memory->t = r->agenda->t;
        run_beyond_begin(r);
    }
    see(g);
    if (g->memory->n_seen < TT_GROWTH_WINDOW)
        return;
    g->memory->n_seen = 0;
    judge(r);
    judge_range(r);
    if (g->memory->found.cause != TT_GROWTH_NONE && !r->opts.link)
        report(r, TT_LOG_WARN);
}

static void leapt(tt_run *r)
{
    r->growing->memory->n_seen = 0;
}

/* --- reporting --------------------------------------------------------------
 */

static struct tt_run_growth own_growth(const tt_run *r)
{
    return r->growing && r->frame ? r->growing->memory->found
                                  : (struct tt_run_growth){0};
}

struct tt_run_growth tt_run_growth(const tt_run *r)
{
    struct tt_run_growth f = own_growth(r);

    return f.cause == TT_GROWTH_NONE && !r->opts.host ? r->grown->found : f;
}

static const char *own_instance(const tt_run *r)
{
    return r->plan->unit[r->plan->slot[own_growth(r).slot].unit].name;
}

const char *tt_run_growth_instance(const tt_run *r)
{
    return own_growth(r).cause == TT_GROWTH_NONE ? r->grown->instance
                                                 : own_instance(r);
}

static void put_own_name(const tt_run *r, struct tt_buf *out)
{
    struct tt_run_growth f = own_growth(r);

    run_growth_put_name(r, &f, out);
}

void tt_run_growth_name(const tt_run *r, struct tt_buf *out)
{
    if (own_growth(r).cause == TT_GROWTH_NONE)
        tt_buf_str(out, r->grown->variable);
    else
        put_own_name(r, out);
}

const char *tt_run_growth_cause(const tt_run *r)
{
    static const char *const of[] = {"", "coupling", "feed-through", "unknown",
                                     "range"};

    return of[tt_run_growth(r).cause];
}

/* Did it begin before what is known, or at once and comes first by name? */
static int is_first(const struct tt_grown *g, const struct tt_run_growth *f,
                    const char *instance)
{
    if (g->found.cause == TT_GROWTH_NONE || f->since != g->found.since)
        return g->found.cause == TT_GROWTH_NONE || f->since < g->found.since;
    return strcmp(instance, g->instance) < 0;
}

/* For the host. Without memory it has only been warned of. */
static void leave(const tt_run *r, const char *text)
{
    struct tt_run_growth f = own_growth(r);
    struct tt_grown *g = r->grown, old;
    struct tt_buf name;

    tt_buf_init(&name, TT_ERR_MAX);
    put_own_name(r, &name);
    tt_lock_take(&g->lock);
    if (is_first(g, &f, own_instance(r))) {
        old = *g;
        g->instance = tt_strdup(own_instance(r));
        g->variable = tt_strdup(name.failed ? "" : name.data);
        g->text = tt_strdup(text);
        if (g->instance && g->variable && g->text) {
            g->found = f;
            TT_FREE_ALL(old.instance, old.variable, old.text);
        } else {
            TT_FREE_ALL(g->instance, g->variable, g->text);
            g->instance = old.instance;
            g->variable = old.variable;
            g->text = old.text;
        }
    }
    tt_lock_give(&g->lock);
    tt_buf_fini(&name);
}

/* As a warning when it is found, as a note in the end. */
static void report(tt_run *r, enum tt_log_level level)
{
    struct tt_run_growth f = own_growth(r);
    struct tt_buf text;

    if (level == TT_LOG_WARN && r->growing->reported)
        return;
    tt_buf_init(&text, TT_ERR_MAX);
    run_growth_put_text(r, &f, &text);
    if (!text.failed && level == TT_LOG_WARN) {
        r->growing->reported = 1;
        tt_log(r->opts.log, TT_LOG_WARN, "%s", text.data);
        if (r->opts.host && r->grown)
            leave(r, text.data);
    } else if (!text.failed) {
        run_note(r, "growth", "%s", text.data);
    }
    tt_buf_fini(&text);
}

/* What this rank found, or another one earlier; alone the same is found. */
static enum tt_code share(tt_run *r, tt_err *err)
{
    tt_link *link = r->opts.link;
    struct found {
        struct tt_run_growth f;
        double swing;
    } mine = {.f = own_growth(r), .swing = r->growing->memory->swing};
    struct found *all, best = {.f = {.cause = TT_GROWTH_NONE}};
    enum tt_code rc;

    if (!TT_NEW_ARRAY(all, link->n))
        return run_nomem(err);
    rc = link->ops->gather(link, &mine, sizeof(mine), all, err);
    for (uint32_t i = 0; i < link->n && rc == TT_OK; i++)
        if (all[i].f.cause != TT_GROWTH_NONE &&
            (best.f.cause == TT_GROWTH_NONE || all[i].f.step < best.f.step ||
             (all[i].f.step == best.f.step && all[i].swing > best.swing)))
            best = all[i];
    tt_free(all);
    if (rc != TT_OK || best.f.cause == TT_GROWTH_NONE)
        return rc;
    r->growing->memory->found = best.f;
    report(r, TT_LOG_WARN);
    return TT_OK;
}

static void end(tt_run *r)
{
    if (r->opts.link && r->part && !r->alone)
        (void)!share(r, NULL);
    if (own_growth(r).cause != TT_GROWTH_NONE)
        report(r, TT_LOG_NOTE);
    if (!r->opts.host && r->grown->found.cause != TT_GROWTH_NONE)
        run_note(r, "growth", "%s", r->grown->text);
}

const struct run_companion run_growth_companion = {
    .stands = look, TT_HOOKS(, make, start, leapt, end)};
