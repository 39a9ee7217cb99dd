/* SPDX-License-Identifier: MIT */
#include "score/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "unit/call.h"

/* The queues, in the order they are served: whole batches before parts, so
 * that a unit is set and read as seldom as the order allows. A unit is in a
 * queue when it was eligible at some time; it is looked at again when served.
 */
enum { SET_ALL, GET_ALL, GET_SOME, SET_SOME, N_QUEUE };
enum { GETS, SETS };

_Static_assert((int)N_QUEUE == TT_SCHEDULE_QUEUES, "one array per queue");

static int dir_of(const struct tt_schedule *s, uint32_t slot)
{
    return s->plan->slot[slot].dir == TT_SLOT_IN ? SETS : GETS;
}

static uint32_t cell(uint32_t unit, int dir)
{
    return 2 * unit + (uint32_t)dir;
}

static uint32_t hub(const struct tt_schedule *s, uint32_t unit)
{
    return s->plan->n_slot + unit;
}

static int is_hub(const struct tt_schedule *s, uint32_t node)
{
    return node >= s->plan->n_slot;
}

int tt_schedule_assumed(const struct tt_schedule *s, uint32_t slot)
{
    return dir_of(s, slot) == GETS &&
           !tt_plan_inputs_of(s->plan, slot, s->init).known;
}

/* --- what is ready ----------------------------------------------------- */

static void push(struct tt_schedule *s, int queue, uint32_t unit)
{
    uint8_t *in = &s->queued[unit * N_QUEUE + (uint32_t)queue];

    if (*in)
        return;
    *in = 1;
    /* a ring: a unit is in a queue at most once */
    s->queue[queue][s->tail[queue]++ % s->plan->n_unit] = unit;
}

static void became_ready(struct tt_schedule *s, uint32_t slot)
{
    uint32_t unit = s->plan->slot[slot].unit;
    int dir = dir_of(s, slot);
    uint32_t c = cell(unit, dir);

    if (s->component[slot] > s->limit) {
        s->held[s->n_held++] = slot;
        return;
    }
    s->next[slot] = s->ready[c];
    s->ready[c] = slot;
    s->n_ready[c]++;
    if (s->n_ready[c] == s->pending[c])
        push(s, dir == SETS ? SET_ALL : GET_ALL, unit);
    push(s, dir == SETS ? SET_SOME : GET_SOME, unit);
}

void tt_schedule_limit(struct tt_schedule *s, uint32_t component)
{
    uint32_t n = s->n_held;

    s->limit = component;
    s->n_held = 0;
    for (uint32_t i = 0; i < n; i++) /* those still beyond it come again */
        became_ready(s, s->held[i]);
}

static void release_hub(struct tt_schedule *s, uint32_t node);

/* One that waited for `node` waits for one less. */
static void wait_less(struct tt_schedule *s, uint32_t to)
{
    if (is_hub(s, to)) {
        if (--s->waits[to] == 0)
            release_hub(s, to);
    } else if (s->todo[to] && --s->waits[to] == 0) {
        became_ready(s, to);
    }
}

static void release_hub(struct tt_schedule *s, uint32_t node)
{
    const struct tt_graph *g = &s->graph;

    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        wait_less(s, g->next[e]); /* never a hub again */
}

/* Release what waits for a slot: in its component, or in others. */
static void release(struct tt_schedule *s, uint32_t slot, int inside)
{
    const struct tt_graph *g = &s->graph;

    for (uint32_t e = g->first[slot]; e < g->first[slot + 1]; e++)
        if ((s->component[g->next[e]] == s->component[slot]) == inside)
            wait_less(s, g->next[e]);
}

static void done(struct tt_schedule *s, uint32_t slot)
{
    uint32_t c = cell(s->plan->slot[slot].unit, dir_of(s, slot));

    s->todo[slot] = 0;
    s->left--;
    s->pending[c]--;
    if (s->waits[slot] == 0)
        s->n_ready[c]--;
    if (s->pending[c] && s->n_ready[c] == s->pending[c])
        push(s, c & 1 ? SET_ALL : GET_ALL, c / 2);
    if (!s->torn[slot])
        release(s, slot, 1);
    release(s, slot, 0);
}

/* --- emitting ---------------------------------------------------------- */

static uint32_t guard_of(const struct tt_schedule *s, uint32_t slot)
{
    return s->event ? tt_write_guard(s->plan, slot) : 0;
}

/* An input clock is set where it ticks, and fmi3SetClock takes no other value.
 * Inside a unit a part of the section is played for an
 * output, and what is not needed for that must not be moved. */
static int goes_alone(const struct tt_schedule *s, uint32_t slot)
{
    return s->plan->n_port || (s->plan->slot[slot].type == TT_CLOCK &&
                               s->plan->slot[slot].dir == TT_SLOT_IN);
}

/* Those of the list with the guard of the first one to the front; returns how
 * many. */
static uint32_t alike(struct tt_schedule *s, uint32_t *list, uint32_t n)
{
    uint32_t guard = guard_of(s, list[0]), k = 1;

    if (goes_alone(s, list[0]))
        return 1;
    for (uint32_t i = 1; i < n; i++)
        if (guard_of(s, list[i]) == guard && !goes_alone(s, list[i])) {
            uint32_t slot = list[i];

            list[i] = list[k];
            list[k++] = slot;
        }
    return k;
}

static void emit(struct tt_schedule *s, uint32_t unit, int dir, uint32_t n,
                 unsigned flags)
{
    for (uint32_t first = 0, k; first < n; first += k) {
        k = s->event ? alike(s, s->list + first, n - first) : n;
        tt_write_move(
            s->w,
            (struct tt_op){
                .code = dir == SETS ? TT_OP_SET : TT_OP_GET,
                .flags = (uint8_t)(flags | (dir == GETS ? s->reading : 0)),
                .at = s->reg,
                .to = s->reg,
                .unit = unit,
                .guard = guard_of(s, s->list[first]),
            },
            s->list + first, k);
    }
    for (uint32_t i = 0; i < n; i++)
        done(s, s->list[i]);
}

/* Does this input go by a guess of its source? */
static int guessed(const struct tt_schedule *s, uint32_t slot)
{
    uint32_t from = s->plan->feed[s->plan->slot[slot].feed].from;

    return s->torn[from] && s->component[from] == s->component[slot];
}

/* Take the ready items of a cell that go by a guess, or the others; the rest
 * stays ready. */
static uint32_t take_ready(struct tt_schedule *s, uint32_t c, int by_guess)
{
    uint32_t *at = &s->ready[c], n = 0;

    while (*at != TT_NONE) {
        uint32_t i = *at;

        if ((dir_of(s, i) == SETS && guessed(s, i)) == by_guess) {
            s->list[n++] = i;
            *at = s->next[i];
        } else {
            at = &s->next[i];
        }
    }
    return n;
}

static void emit_ready(struct tt_schedule *s, uint32_t unit, int dir)
{
    uint32_t c = cell(unit, dir), n;

    n = take_ready(s, c, 0);
    if (n)
        emit(s, unit, dir, n, 0);
    n = take_ready(s, c, 1);
    if (n)
        emit(s, unit, dir, n, TT_OP_GUESS);
}

void tt_schedule_force(struct tt_schedule *s, uint32_t slot, unsigned flags)
{
    TT_ASSERT(s->todo[slot] && s->waits[slot] > 0); /* else it is in a list */
    s->list[0] = slot;
    emit(s, s->plan->slot[slot].unit, dir_of(s, slot), 1, flags);
}

void tt_schedule_tear(struct tt_schedule *s, uint32_t slot)
{
    TT_ASSERT(s->todo[slot] && !s->torn[slot]);
    s->torn[slot] = 1;
    release(s, slot, 1);
}

/* Serve one unit from one queue; 0 when the queue has none. */
static int serve(struct tt_schedule *s, int queue)
{
    int dir = queue == SET_ALL || queue == SET_SOME ? SETS : GETS;
    int whole = queue == SET_ALL || queue == GET_ALL;

    while (s->head[queue] < s->tail[queue]) {
        uint32_t unit = s->queue[queue][s->head[queue]++ % s->plan->n_unit];
        uint32_t c = cell(unit, dir);

        s->queued[unit * N_QUEUE + (uint32_t)queue] = 0;
        if (s->n_ready[c] == 0 || (whole && s->n_ready[c] != s->pending[c]))
            continue;
        emit_ready(s, unit, dir);
        return 1;
    }
    return 0;
}

void tt_schedule_run(struct tt_schedule *s)
{
    int queue = 0;

    while (s->left && queue < N_QUEUE)
        queue = serve(s, queue) ? 0 : queue + 1;
}

static void order_cuts(struct tt_schedule *s);

uint32_t tt_schedule_choose(struct tt_schedule *s)
{
    if (s->n_cut == 0) /* most schedules never get here */
        order_cuts(s);
    while (s->at_cut < s->n_cut && (!s->todo[(uint32_t)s->cut[s->at_cut]] ||
                                    s->torn[(uint32_t)s->cut[s->at_cut]]))
        s->at_cut++;
    return s->at_cut < s->n_cut ? (uint32_t)s->cut[s->at_cut] : TT_NONE;
}

/* --- the graph --------------------------------------------------------- */

static uint32_t count_todo(const struct tt_schedule *s, uint32_t first,
                           uint32_t n)
{
    uint32_t todo = 0;

    for (uint32_t i = first; i < first + n; i++)
        todo += s->todo[i];
    return todo;
}

/* Everything is read before anything is set: a unit that forbids reading
 * after setting is read right after its step, whatever its inputs are. */
static void outputs_first(struct tt_schedule *s, uint32_t unit)
{
    const struct tt_plan_unit *u = &s->plan->unit[unit];
    uint32_t in = u->slot + u->n_read;

    for (uint32_t o = u->slot; o < in; o++)
        if (s->todo[o])
            tt_graph_add(&s->graph, o, hub(s, unit));
    for (uint32_t i = in; i < in + u->n_in; i++)
        if (s->todo[i])
            tt_graph_add(&s->graph, hub(s, unit), i);
}

/* Returns how many outputs wait for the hub. */
static uint32_t output_edges(struct tt_schedule *s, uint32_t unit)
{
    const struct tt_plan_unit *u = &s->plan->unit[unit];
    uint32_t assumed = 0;

    for (uint32_t o = u->slot; o < u->slot + u->n_read; o++) {
        struct tt_plan_inputs in = tt_plan_inputs_of(s->plan, o, s->init);

        if (!s->todo[o])
            continue;
        if (!in.known) {
            tt_graph_add(&s->graph, hub(s, unit), o);
            assumed++;
        }
        for (uint32_t k = 0; k < in.n; k++)
            if (s->todo[in.slot[k]])
                tt_graph_add(&s->graph, in.slot[k], o);
    }
    return assumed;
}

static void unit_edges(struct tt_schedule *s, uint32_t unit)
{
    const struct tt_plan_unit *u = &s->plan->unit[unit];
    uint32_t in = u->slot + u->n_read;

    if (!count_todo(s, u->slot, u->n_read) || !count_todo(s, in, u->n_in))
        return;
    if (!u->consistent && !s->init && !(s->event && u->events)) {
        outputs_first(s, unit);
        return;
    }
    if (!output_edges(s, unit))
        return;
    for (uint32_t i = in; i < in + u->n_in; i++)
        if (s->todo[i])
            tt_graph_add(&s->graph, i, hub(s, unit));
}

/* A clock is known before what belongs to it is moved. */
static void clock_edges(struct tt_schedule *s)
{
    for (uint32_t i = 0; i < s->plan->n_slot; i++) {
        struct tt_clock_set c = tt_plan_clocks_of(s->plan, i);

        for (uint32_t k = 0; k < c.n && s->todo[i]; k++)
            if (s->todo[c.slot[k]])
                tt_graph_add(&s->graph, c.slot[k], i);
    }
}

/* Is it of a unit that reading would initialise, before its inputs are set?
 * Such a one is guessed last. */
static unsigned initialised(const struct tt_schedule *s, uint32_t slot)
{
    return s->init &&
           s->plan->unit[s->plan->slot[slot].unit].desc->caps.no_init_mode;
}

/* The slot in the low half; what decides before it in the high one. What was
 * moved before is on no loop: until now every node was a component of its own,
 * and it did not matter which. */
static void order_cuts(struct tt_schedule *s)
{
    if (tt_graph_components(&s->graph, s->component) == 0)
        s->w->failed = 1;
    for (uint32_t i = 0; i < s->plan->n_slot; i++)
        if (s->todo[i] && dir_of(s, i) == GETS) {
            uint64_t high = (uint64_t)s->component[i] << 2 |
                            initialised(s, i) << 1 | !tt_schedule_assumed(s, i);

            s->cut[s->n_cut++] = high << 32 | i;
        }
    qsort(s->cut, s->n_cut, sizeof(*s->cut), tt_by_u64);
}

static void count(struct tt_schedule *s)
{
    for (size_t e = 0; e < s->graph.n_edge; e++)
        s->waits[s->graph.to[e]]++;
    for (uint32_t i = 0; i < s->plan->n_slot; i++)
        if (s->todo[i]) {
            s->left++;
            s->pending[cell(s->plan->slot[i].unit, dir_of(s, i))]++;
        }
    for (uint32_t i = 0; i < s->plan->n_slot; i++)
        if (s->todo[i] && s->waits[i] == 0)
            became_ready(s, i);
}

static int allocate(struct tt_schedule *s)
{
    size_t slots = s->plan->n_slot, units = s->plan->n_unit;
    int ok = TT_NEW_ARRAY(s->todo, slots) && TT_NEW_ARRAY(s->torn, slots) &&
             TT_NEW_ARRAY(s->waits, slots + units) &&
             TT_NEW_ARRAY(s->component, slots + units) &&
             TT_NEW_ARRAY(s->pending, 2 * units) &&
             TT_NEW_ARRAY(s->n_ready, 2 * units) &&
             TT_NEW_ARRAY(s->ready, 2 * units) &&
             TT_NEW_ARRAY(s->next, slots) && TT_NEW_ARRAY(s->held, slots) &&
             TT_NEW_ARRAY(s->cut, slots) && TT_NEW_ARRAY(s->list, slots) &&
             TT_NEW_ARRAY(s->queued, N_QUEUE * units);

    for (int q = 0; q < N_QUEUE; q++)
        ok = ok && TT_NEW_ARRAY(s->queue[q], units);
    if (ok)
        memset(s->ready, 0xff, 2 * units * sizeof(*s->ready)); /* TT_NONE */
    return ok;
}

/* Values that are moved at events only are there at all other instants; clocks
 * are, when initialising, and what the run ticks is no value of a unit. */
static int is_todo(const struct tt_schedule *s, const uint8_t *is_done,
                   uint32_t slot)
{
    const struct tt_slot *is = &s->plan->slot[slot];

    if (is->ticked != TT_NONE || (s->init && is->type == TT_CLOCK))
        return 0;
    return (!is_done || !is_done[slot]) &&
           (s->init || s->event || !is->event_only);
}

enum tt_code tt_schedule_init(struct tt_schedule *s, struct tt_draft *w,
                              enum tt_schedule_when when,
                              const uint8_t *is_done, tt_err *err)
{
    const tt_plan *p = w->plan;
    enum tt_code rc;

    *s = (struct tt_schedule){.w = w,
                              .plan = p,
                              .init = when == TT_SCHEDULE_INIT,
                              .event = when == TT_SCHEDULE_EVENT,
                              .reg = when == TT_SCHEDULE_INIT ? TT_T0 : TT_T1,
                              .limit = TT_NONE};
    tt_graph_init(&s->graph, p->n_slot + p->n_unit);
    if (!allocate(s))
        return tt_nomem(err, "ordering");
    for (uint32_t i = 0; i < p->n_slot; i++)
        s->todo[i] = (uint8_t)is_todo(s, is_done, i);
    for (uint32_t f = 0; f < p->n_feed; f++)
        if (s->todo[p->feed[f].from] && s->todo[p->feed[f].to])
            tt_graph_add(&s->graph, p->feed[f].from, p->feed[f].to);
    for (uint32_t u = 0; u < p->n_unit; u++)
        unit_edges(s, u);
    clock_edges(s);
    rc = tt_graph_seal(&s->graph, err);
    if (rc == TT_OK)
        count(s);
    return rc;
}

void tt_schedule_fini(struct tt_schedule *s)
{
    tt_graph_fini(&s->graph);
    TT_FREE_ALL(s->todo, s->torn, s->waits, s->component, s->pending,
                s->n_ready, s->ready, s->next, s->held, s->cut, s->list,
                s->queued);
    for (int q = 0; q < N_QUEUE; q++)
        tt_free(s->queue[q]);
}
