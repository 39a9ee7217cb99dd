/* SPDX-License-Identifier: MIT */
/* Loops of feed-through while running, and what became of them.
 *
 * Where outputs wait for each other in a circle one pass of the exchange would
 * read one of them too early. Where all units on it evaluate without a step it
 * is solved at every instant, unless repeated steps do. A unit that does not
 * cuts it: its outputs are those of its step, in which its inputs were held or
 * led by their courses. What goes round is a step old from there on, and that
 * is another system than the one that was asked for. A circle of declared
 * dependencies that is cut is worth a warning. One that rests on an output
 * whose unit declares nothing may be none: a note. */
#include "score/graph.h"
#include "score/write.h"

#define MOST_STEPS 12u /* of a loop, by name */
#define MOST_LOOPS 8u  /* with a warning of their own */

/* A component of the graph; of one slot it is no loop. */
struct circle {
    uint32_t size;
    uint32_t within;   /* the loop that solves its units' steps, or TT_NONE */
    uint32_t standard; /* a unit that does not evaluate, or TT_NONE */
    uint32_t cannot_save; /* one of its units, or TT_NONE */
    uint8_t apart;        /* units of several such loops, or of none */
    uint8_t delayed;      /* an input in it keeps the value of T0 */
    uint8_t noted, unsolved;
};

struct loops {
    struct tt_draft *w;
    const tt_plan *p;
    uint32_t *within;    /* per unit: the loop it steps in until solved */
    struct tt_graph g;   /* slots: feeds and declared dependencies */
    uint32_t *component; /* per slot */
    struct circle *circle;
    uint8_t *cut;         /* per slot: read although its inputs are old */
    uint32_t *queue, *by; /* scratch: a way through the graph */
    uint32_t n_warned;
};

static int is_output(const tt_plan *p, uint32_t slot)
{
    return p->slot[slot].dir != TT_SLOT_IN;
}

/* What the unit is repeated with, or may be: a component, or a group; TT_NONE:
 * nothing. */
static uint32_t repeated_with(const struct loops *l, uint32_t unit)
{
    uint32_t component = l->w->component ? l->w->component[unit] : TT_NONE;
    uint32_t group = l->p->unit[unit].group;

    if (component != TT_NONE || group == TT_NONE)
        return component;
    return l->p->n_unit + group;
}

/* instant: only dependencies of units that evaluate. */
static void add_edges(struct loops *l, int instant)
{
    const tt_plan *p = l->p;

    for (uint32_t f = 0; f < p->n_feed; f++)
        tt_graph_add(&l->g, p->feed[f].from, p->feed[f].to);
    for (uint32_t s = 0; s < p->n_slot; s++) {
        struct tt_plan_inputs in = {0};

        if (is_output(p, s) &&
            (!instant || p->unit[p->slot[s].unit].consistent))
            in = tt_plan_inputs_of(p, s, 0);
        for (uint32_t k = 0; k < in.n; k++)
            tt_graph_add(&l->g, in.slot[k], s);
    }
}

/* A unit that may not be read after setting cuts whatever passes through it. */
static void find_cuts(struct loops *l)
{
    const tt_score *s = l->w->score;
    uint32_t first = s->section[TT_SEC_EXCHANGE].first;

    for (uint32_t i = first; i < first + s->section[TT_SEC_EXCHANGE].n; i++) {
        const struct tt_op *op = &l->w->op[i];
        const struct tt_batch *g = &l->w->batch[op->arg];

        for (uint32_t k = 0; op->code == TT_OP_GET && k < g->n; k++)
            l->cut[l->w->member[g->first + k]] |= (op->flags & TT_OP_CUT) != 0;
    }
    for (uint32_t i = 0; i < l->p->n_slot; i++)
        if (is_output(l->p, i) && l->circle[l->component[i]].size > 1)
            l->cut[i] |= !l->p->unit[l->p->slot[i].unit].consistent;
}

static void join(struct loops *l, uint32_t slot)
{
    struct circle *c = &l->circle[l->component[slot]];
    uint32_t unit = l->p->slot[slot].unit;
    uint32_t within = l->within[unit];

    if (c->size++ == 0)
        *c = (struct circle){.size = 1,
                             .within = within,
                             .standard = TT_NONE,
                             .cannot_save = TT_NONE};
    c->apart |= within == TT_NONE || within != c->within;
    c->delayed |= !is_output(l->p, slot) &&
                  l->p->slot[slot].reactivity == TT_REACT_DELAYED;
    if (!l->p->unit[unit].desc->caps.save)
        c->cannot_save = unit;
    if (!l->p->unit[unit].consistent)
        c->standard = unit;
}

/* Which units step in a loop that ends when it is solved? A solver's loop is
 * in no other one. */
static void find_parts(struct loops *l)
{
    uint32_t solved = TT_NONE, n_op = (uint32_t)l->w->n_op;

    for (uint32_t u = 0; u < l->p->n_unit; u++)
        l->within[u] = TT_NONE;
    for (uint32_t i = 0; i < n_op; i++) {
        const struct tt_op *op = &l->w->op[i];

        if (op->code == TT_OP_LOOP && op->until &&
            !l->w->solver[op->until - 1].init)
            solved = l->w->solver[op->until - 1].substitute ? TT_NONE : i;
        else if (op->code == TT_OP_SOLVE && !l->w->solver[op->arg].init)
            solved = TT_NONE;
        else if (op->code == TT_OP_STEP)
            l->within[op->unit] = solved;
    }
}

/* The same of steps that are not written yet: components that are repeated
 * until they agree or for a coupling, and groups with a coupling. */
static int foresee_parts(struct loops *l)
{
    uint32_t n = l->p->n_unit, n_op = (uint32_t)l->w->n_op;
    uint8_t *solved = tt_zalloc(2 * (size_t)n, 1);

    for (uint32_t u = 0; u < n && solved; u++) {
        uint32_t with = repeated_with(l, u);

        if (with != TT_NONE)
            solved[with] |= l->p->unit[u].desc->caps.implicit ||
                            (with < n && l->p->scenario->iteration.converged);
    }
    for (uint32_t u = 0; u < n && solved; u++) {
        uint32_t with = repeated_with(l, u);

        if (l->within[u] == TT_NONE && with != TT_NONE && solved[with])
            l->within[u] = n_op + with;
    }
    tt_free(solved);
    return solved != NULL;
}

static enum tt_code find(struct loops *l, int instant, tt_err *err)
{
    uint32_t n = l->p->n_slot;
    enum tt_code rc;

    tt_graph_init(&l->g, n);
    add_edges(l, instant);
    rc = tt_graph_seal(&l->g, err);
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_ARRAY(l->component, n) || !TT_NEW_ARRAY(l->circle, n) ||
        !TT_NEW_ARRAY(l->cut, n) || !TT_NEW_ARRAY(l->queue, n) ||
        !TT_NEW_ARRAY(l->by, n) || !TT_NEW_ARRAY(l->within, l->p->n_unit) ||
        (n && tt_graph_components(&l->g, l->component) == 0))
        return tt_nomem(err, "finding loops");
    find_parts(l);
    if (instant && !foresee_parts(l))
        return tt_nomem(err, "finding loops");
    for (uint32_t s = 0; s < n; s++)
        join(l, s);
    return TT_OK;
}

static void fini(struct loops *l)
{
    tt_graph_fini(&l->g);
    TT_FREE_ALL(l->component, l->circle, l->cut, l->within, l->queue, l->by);
}

/* The shortest way from a slot round to itself: l->by[s] is what comes before s
 * on it. Returns the slot before it closes. */
static uint32_t way_round(struct loops *l, uint32_t from)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t s = 0; s < l->p->n_slot; s++)
        l->by[s] = TT_NONE;
    l->queue[tail++] = from;
    while (head < tail) {
        uint32_t at = l->queue[head++];

        for (uint32_t e = l->g.first[at]; e < l->g.first[at + 1]; e++) {
            uint32_t to = l->g.next[e];

            if (to == from)
                return at;
            if (l->by[to] != TT_NONE || l->component[to] != l->component[from])
                continue;
            l->by[to] = at;
            l->queue[tail++] = to;
        }
    }
    return from;
}

/* "{a}.a.y -> {b}.b.u -> {b}.b.y -> {a}.a.u -> {a}.a.y" */
static void write_way(struct loops *l, uint32_t from, struct tt_buf *out)
{
    uint32_t n = 0, last = way_round(l, from);
    char name[512];

    for (uint32_t s = last; s != from; s = l->by[s])
        l->queue[n++] = s;
    tt_buf_str(out, tt_plan_slot_name(l->p, from, name, sizeof(name)));
    for (uint32_t i = 0; i < n && i < MOST_STEPS; i++)
        tt_buf_fmt(
            out, " -> %s",
            tt_plan_slot_name(l->p, l->queue[n - 1 - i], name, sizeof(name)));
    if (n > MOST_STEPS)
        tt_buf_fmt(out, " -> %u more", n - MOST_STEPS);
    tt_buf_fmt(out, " -> %s",
               tt_plan_slot_name(l->p, from, name, sizeof(name)));
}

static int is_solved(const struct circle *c)
{
    return !c->apart && !c->delayed;
}

const uint8_t *tt_write_instant_loops(struct tt_draft *w)
{
    struct loops l = {.w = w, .p = w->plan};
    uint32_t n = w->plan->n_slot;

    if (w->instant_loops)
        return w->instant_loops;
    if (!TT_NEW_ARRAY(w->instant_loops, n) || find(&l, 1, NULL) != TT_OK)
        w->failed = 1;
    for (uint32_t s = 0; s < n && !w->failed && !w->plan->dialect; s++) {
        const struct circle *c = &l.circle[l.component[s]];

        w->instant_loops[s] = c->size > 1 && !is_solved(c);
    }
    fini(&l);
    return w->failed ? NULL : w->instant_loops;
}

static void write_advice(const struct loops *l, const struct circle *c,
                         struct tt_buf *out)
{
    const struct tt_sc_iteration *it = &l->p->scenario->iteration;

    if (c->standard != TT_NONE && !l->p->dialect)
        tt_buf_fmt(
            out,
            "if '%s' evaluates without a step, declare it (\"evaluates\": "
            "{\"%s\": \"always\"}), and it is solved at every instant; "
            "else, ",
            l->p->unit[c->standard].name, l->p->unit[c->standard].name);
    if (c->delayed)
        tt_buf_str(out, "an input declared delayed keeps repeated steps from "
                        "solving it");
    else if (c->cannot_save != TT_NONE)
        tt_buf_fmt(out,
                   "repeated steps would solve it, but '%s' cannot save and "
                   "restore its state: break the loop in the models, by a "
                   "delay or a state, or make one FMU of them",
                   l->p->unit[c->cannot_save].name);
    else if (it->turns && !it->converged)
        tt_buf_str(out, "a fixed number of turns does not solve it: repeat "
                        "until the instances agree, with --iterate converged "
                        "--acceleration newton");
    else
        tt_buf_str(out, "to solve it, repeat steps until the instances agree: "
                        "--iterate converged --acceleration newton");
}

static void warn(struct loops *l, uint32_t slot, const struct circle *c)
{
    int standard = !l->p->unit[l->p->slot[slot].unit].consistent;
    struct tt_buf way, advice;
    char name[512];

    tt_buf_init(&way, TT_ERR_MAX / 2);
    tt_buf_init(&advice, TT_ERR_MAX / 4);
    write_way(l, slot, &way);
    write_advice(l, c, &advice);
    tt_write_warning(
        l->w, "loop",
        "loop of feed-through %s is cut, not solved: %s is read %s, so what "
        "goes round is a step old, and grows if the loop amplifies; %s",
        way.failed ? "" : way.data,
        tt_plan_slot_name(l->p, slot, name, sizeof(name)),
        standard ? "right after the step (standard exchange), before its "
                   "inputs are of the same instant"
                 : "before its inputs are of the same instant",
        advice.failed ? "" : advice.data);
    tt_buf_fini(&way);
    tt_buf_fini(&advice);
}

static void report_declared(struct loops *l, uint32_t slot)
{
    struct circle *c = &l->circle[l->component[slot]];

    c->noted = 1;
    c->unsolved = !is_solved(c);
    if (c->unsolved && l->n_warned++ < MOST_LOOPS)
        warn(l, slot, c);
}

static void report_assumed(struct loops *l, uint32_t slot)
{
    char name[512];

    tt_write_note(l->w, "loop",
                  "cut at %s: it is read before the inputs it may depend on "
                  "are of the same instant",
                  tt_plan_slot_name(l->p, slot, name, sizeof(name)));
}

static void note_loops(struct loops *l)
{
    for (uint32_t s = 0; s < l->p->n_slot; s++) {
        if (!l->cut[s])
            continue;
        if (l->circle[l->component[s]].size < 2)
            report_assumed(l, s);
        else if (!l->circle[l->component[s]].noted)
            report_declared(l, s);
    }
    for (uint32_t s = 0; s < l->p->n_slot; s++)
        l->w->score->looped[s] = l->circle[l->component[s]].unsolved;
    if (l->n_warned > MOST_LOOPS)
        tt_write_warning(l->w, "loop",
                         "%u more loops of feed-through are cut, not solved",
                         l->n_warned - MOST_LOOPS);
}

/* Where nothing was read too early there is no loop to look for. */
static int any_cut(const struct tt_draft *w)
{
    uint32_t first = w->score->section[TT_SEC_EXCHANGE].first;

    for (uint32_t u = 0; u < w->plan->n_unit; u++)
        if (!w->plan->unit[u].consistent)
            return 1;
    for (uint32_t i = 0; i < w->score->section[TT_SEC_EXCHANGE].n; i++)
        if (w->op[first + i].flags & TT_OP_CUT)
            return 1;
    return 0;
}

enum tt_code tt_write_loops(struct tt_draft *w, tt_err *err)
{
    struct loops l = {.w = w, .p = w->plan};
    enum tt_code rc;

    w->score->looped = tt_arena_alloc(w->score->arena, w->plan->n_slot, 1);
    if (w->failed || !w->score->looped)
        return tt_nomem(err, "finding loops");
    if (!any_cut(w))
        return TT_OK;
    rc = find(&l, 0, err);
    if (rc == TT_OK) {
        find_cuts(&l);
        note_loops(&l);
    }
    fini(&l);
    return rc;
}
