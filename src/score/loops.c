/* SPDX-License-Identifier: MIT */
/* Loops of feed-through while running, and what became of them.
 *
 * The exchange makes one pass. Where outputs wait for each other in a circle it
 * reads one of them too early: what goes round is a step old from there on, and
 * that is another system than the one that was asked for. A circle of declared
 * dependencies is worth a warning, unless repeated steps solve it. One that
 * rests on an output whose unit declares nothing may be none: a note. */
#include "score/graph.h"
#include "score/write.h"

#define MOST_STEPS 12u /* of a loop, by name */
#define MOST_LOOPS 8u  /* with a warning of their own */

/* A component of the graph; of one slot it is no loop. */
struct circle {
    uint32_t size;
    uint32_t part;        /* that its units are repeated in, or TT_NONE */
    uint32_t cannot_save; /* one of its units, or TT_NONE */
    uint8_t apart;        /* units of several parts, or of none */
    uint8_t delayed;      /* an input in it keeps the value of T0 */
    uint8_t told, unsolved;
};

struct loops {
    struct tt_writer *w;
    const tt_plan *p;
    const uint32_t *part; /* NULL: nothing is repeated */
    struct tt_graph g;    /* slots: feeds and declared dependencies */
    uint32_t *component;  /* per slot */
    struct circle *circle;
    uint8_t *coupled;     /* per part: a coupling is in it */
    uint8_t *cut;         /* per slot: read although its inputs are old */
    uint32_t *queue, *by; /* scratch: a way through the graph */
    uint32_t n_warned;
};

static int is_output(const tt_plan *p, uint32_t slot)
{
    return p->slot[slot].dir != TT_SLOT_IN;
}

static void add_edges(struct loops *l)
{
    const tt_plan *p = l->p;

    for (uint32_t f = 0; f < p->n_feed; f++)
        tt_graph_add(&l->g, p->feed[f].from, p->feed[f].to);
    for (uint32_t s = 0; s < p->n_slot; s++) {
        struct tt_plan_inputs in = {0};

        if (is_output(p, s))
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
        const struct tt_group *g = &l->w->group[op->arg];

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
    uint32_t part = l->part ? l->part[unit] : TT_NONE;

    if (c->size++ == 0)
        *c = (struct circle){.size = 1, .part = part, .cannot_save = TT_NONE};
    c->apart |= part == TT_NONE || part != c->part;
    c->delayed |= !is_output(l->p, slot) &&
                  l->p->slot[slot].reactivity == TT_REACT_DELAYED;
    if (!l->p->unit[unit].desc->caps.save)
        c->cannot_save = unit;
}

static enum tt_code find(struct loops *l, tt_err *err)
{
    uint32_t n = l->p->n_slot;
    enum tt_code rc;

    add_edges(l);
    rc = tt_graph_seal(&l->g, err);
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_ARRAY(l->component, n) || !TT_NEW_ARRAY(l->circle, n) ||
        !TT_NEW_ARRAY(l->cut, n) || !TT_NEW_ARRAY(l->queue, n) ||
        !TT_NEW_ARRAY(l->by, n) || !TT_NEW_ARRAY(l->coupled, l->p->n_unit) ||
        (n && tt_graph_components(&l->g, l->component) == 0))
        return tt_fail(err, TT_ENOMEM, "finding loops: out of memory");
    for (uint32_t s = 0; s < n; s++)
        join(l, s);
    for (uint32_t u = 0; u < l->p->n_unit; u++)
        if (l->part && l->part[u] != TT_NONE)
            l->coupled[l->part[u]] |= l->p->unit[u].desc->caps.implicit != 0;
    find_cuts(l);
    return TT_OK;
}

/* The shortest way from a slot round to itself: l->by[s] is who comes before
 * s on it. Returns the slot before it closes. */
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

static int is_solved(const struct loops *l, const struct circle *c)
{
    return !c->apart && !c->delayed &&
           (l->p->scenario->iteration.converged || l->coupled[c->part]);
}

static void write_advice(const struct loops *l, const struct circle *c,
                         struct tt_buf *out)
{
    const struct tt_sc_iteration *it = &l->p->scenario->iteration;

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

static void tell_declared(struct loops *l, uint32_t slot)
{
    struct circle *c = &l->circle[l->component[slot]];

    c->told = 1;
    c->unsolved = !is_solved(l, c);
    if (c->unsolved && l->n_warned++ < MOST_LOOPS)
        warn(l, slot, c);
}

static void tell_assumed(struct loops *l, uint32_t slot)
{
    char name[512];

    tt_write_note(l->w, "loop",
                  "cut at %s: it is read before the inputs it may depend on "
                  "are of the same instant",
                  tt_plan_slot_name(l->p, slot, name, sizeof(name)));
}

static void tell(struct loops *l)
{
    for (uint32_t s = 0; s < l->p->n_slot; s++) {
        if (!l->cut[s])
            continue;
        if (l->circle[l->component[s]].size < 2)
            tell_assumed(l, s);
        else if (!l->circle[l->component[s]].told)
            tell_declared(l, s);
    }
    for (uint32_t s = 0; s < l->p->n_slot; s++)
        l->w->score->looped[s] = l->circle[l->component[s]].unsolved;
    if (l->n_warned > MOST_LOOPS)
        tt_write_warning(l->w, "loop",
                         "%u more loops of feed-through are cut, not solved",
                         l->n_warned - MOST_LOOPS);
}

enum tt_code tt_write_loops(struct tt_writer *w, const uint32_t *part,
                            tt_err *err)
{
    struct loops l = {.w = w, .p = w->plan, .part = part};
    enum tt_code rc;

    w->score->looped = tt_arena_alloc(w->score->arena, w->plan->n_slot, 1);
    if (w->failed || !w->score->looped)
        return tt_fail(err, TT_ENOMEM, "finding loops: out of memory");
    tt_graph_init(&l.g, w->plan->n_slot);
    rc = find(&l, err);
    if (rc == TT_OK)
        tell(&l);
    tt_graph_fini(&l.g);
    tt_free(l.component);
    tt_free(l.circle);
    tt_free(l.cut);
    tt_free(l.coupled);
    tt_free(l.queue);
    tt_free(l.by);
    return rc;
}
