/* SPDX-License-Identifier: MIT */
/* The step section: every unit from T0 to T1.
 *
 * One shape serves Jacobi and Gauss-Seidel: before a unit steps, its reactive
 * inputs get the new values of their sources; the others keep what the last
 * exchange gave them. With no reactive input all units just step. */
#include "score/step_impl.h"

static int all_inputs_fresh(const struct stepping *st,
                            const struct tt_plan_unit *u)
{
    uint32_t first = u->slot + u->n_read;

    for (uint32_t i = first; i < first + u->n_in; i++)
        if (!st->fresh[i])
            return 0;
    return 1;
}

/* Is what is read right after the step already the value of this instant? A
 * unit that may not be read after setting is never read again. */
static int final_now(const struct stepping *st, uint32_t slot, int all_fresh)
{
    const struct tt_plan_unit *u = &st->p->unit[st->p->slot[slot].unit];
    struct tt_plan_inputs in = tt_plan_inputs_of(st->p, slot, 0);

    if (!u->consistent || all_fresh)
        return 1;
    for (uint32_t i = 0; i < in.n; i++)
        if (!st->fresh[in.slot[i]])
            return 0;
    return in.known;
}

/* An input of a repeated component that is not fed within the turn is guessed;
 * a delayed one has the value it needs, that of T0, and so has one that is set
 * at events. */
int step_guessed(const struct stepping *st, uint32_t slot)
{
    uint32_t from;

    if (!st->component || st->reactive[slot] ||
        st->p->slot[slot].reactivity == TT_REACT_DELAYED ||
        st->p->slot[slot].event_only ||
        st->component[st->p->slot[slot].unit] == TT_NONE ||
        tt_plan_inner(st->p, st->p->slot[slot].feed))
        return 0;
    from = st->p->feed[st->p->slot[slot].feed].from;
    return st->component[st->p->slot[from].unit] ==
           st->component[st->p->slot[slot].unit];
}

static int wanted_in_step(const struct stepping *st, uint32_t slot)
{
    const tt_plan *p = st->p;

    for (uint32_t k = p->out_first[slot]; k < p->out_first[slot + 1]; k++) {
        uint32_t to = p->feed[p->out_feed[k]].to;

        if (st->reactive[to] || step_guessed(st, to))
            return 1;
    }
    return 0;
}

/* Read a stepped unit: what a reactive input wants, and with it all that is
 * final, so that the exchange need not come back. */
static void read_unit(struct stepping *st, uint32_t unit)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t n = 0;
    int predicted = 0, all_fresh = all_inputs_fresh(st, u);

    for (uint32_t s = u->slot; s < u->slot + u->n_read; s++) {
        int final = final_now(st, s, all_fresh);

        if (st->read[s] || (!final && !wanted_in_step(st, s)))
            continue;
        st->list[n++] = s;
        st->read[s] = 1;
        st->fresh[s] = (uint8_t) final;
        predicted |= !final;
    }
    if (n)
        tt_write_move(st->w,
                      (struct tt_op){.code = TT_OP_GET,
                                     .flags = predicted ? TT_OP_PREDICTED : 0,
                                     .unit = unit,
                                     .at = TT_T1,
                                     .to = TT_T1},
                      st->list, n);
}

static enum treatment treatment_of(const struct stepping *st, uint32_t slot)
{
    if (st->reactive[slot])
        return FED;
    return st->repeated && step_guessed(st, slot) ? GUESSED : HELD;
}

/* Does the input carry its source's first guess already? That is the value it
 * was given at T0, unless the past of some input leads elsewhere. */
static int carries_first_guess(const struct stepping *st, uint32_t slot)
{
    const tt_plan *p = st->p;
    uint32_t from = p->feed[p->slot[slot].feed].from;

    if (p->unit[p->slot[slot].unit].group != TT_NONE)
        return 0;
    for (uint32_t k = p->out_first[from]; k < p->out_first[from + 1]; k++)
        if (p->slot[p->feed[p->out_feed[k]].to].course != TT_NONE)
            return 0;
    return 1;
}

/* Inputs of one unit that want the same treatment, into st->list. */
static uint32_t list_alike(const struct stepping *st, uint32_t unit,
                           enum treatment how, int course, int later)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t first = u->slot + u->n_read, n = 0;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (!tt_plan_inner(st->p, st->p->slot[s].feed) &&
            treatment_of(st, s) == how &&
            (st->p->slot[s].course != TT_NONE) == course &&
            (how == GUESSED && carries_first_guess(st, s)) == later)
            st->list[n++] = s;
    return n;
}

void step_set_later(struct stepping *st, uint32_t unit)
{
    uint32_t n = list_alike(st, unit, GUESSED, 0, 1);

    for (uint32_t i = 0; i < n; i++)
        st->fresh[st->list[i]] = 0;
    if (n)
        tt_write_move(st->w,
                      (struct tt_op){.code = TT_OP_SET,
                                     .flags = TT_OP_GUESS | TT_OP_LATER,
                                     .unit = unit,
                                     .at = TT_T1,
                                     .to = TT_T1},
                      st->list, n);
}

void step_set(struct stepping *st, uint32_t unit, enum treatment how,
              int course)
{
    uint32_t n = list_alike(st, unit, how, course, 0);
    struct tt_op op = {.code = TT_OP_SET,
                       .unit = unit,
                       .at = how == HELD ? TT_T0 : TT_T1,
                       .to = TT_T1};

    if (!n)
        return;
    if (how == GUESSED)
        op.flags = TT_OP_GUESS;
    if (course) {
        op.at = TT_T0;
        op.flags |= TT_OP_COURSE;
        if (how != HELD)
            op.flags |= TT_OP_INTERPOLATE;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = st->p->feed[st->p->slot[st->list[i]].feed].from;

        /* a course ends where rounding leaves it: set again at T1 */
        st->fresh[st->list[i]] = how == FED && !course && st->fresh[from];
    }
    tt_write_move(st->w, op, st->list, n);
}

void step_read_sources(struct stepping *st, uint32_t unit)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t first = u->slot + u->n_read;

    for (uint32_t s = first; s < first + u->n_in; s++) {
        uint32_t feed = st->p->slot[s].feed, from = st->p->feed[feed].from;

        if (st->reactive[s] && !st->read[from] && !tt_plan_inner(st->p, feed))
            read_unit(st, st->p->slot[from].unit);
    }
}

void step_feed(struct stepping *st, uint32_t unit)
{
    step_read_sources(st, unit);
    step_set(st, unit, FED, 0);
    step_set(st, unit, FED, 1);
    step_set(st, unit, GUESSED, 0);
    step_set(st, unit, GUESSED, 1);
    step_set(st, unit, HELD, 1); /* extrapolated; others are as they are */
}

void step_alone(struct stepping *st, uint32_t unit)
{
    tt_write_op(
        st->w, (struct tt_op){
                   .code = TT_OP_STEP, .unit = unit, .at = TT_T0, .to = TT_T1});
}

void step_units(struct stepping *st, const uint32_t *order, uint32_t n)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i <= n; i++) {
        uint32_t group = st->p->unit[order[first]].group;

        if (i < n && group != TT_NONE && st->p->unit[order[i]].group == group)
            continue;
        if (st->p->unit[order[first]].together) {
            step_together(st, order + first, i - first);
        } else if (group != TT_NONE) {
            step_group(st, order + first, i - first);
        } else {
            step_feed(st, order[first]);
            step_alone(st, order[first]);
        }
        first = i;
    }
}

/* Units that need no repetition count as one component, too. */
static int same_part(const struct stepping *st, uint32_t a, uint32_t b)
{
    return !st->component || st->component[a] == st->component[b];
}

static void step_all(struct stepping *st, const uint32_t *order, uint32_t n)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i <= n; i++) {
        if (i < n && same_part(st, order[i], order[first]))
            continue;
        if (st->component &&
            step_unknowns(st, order + first, i - first, step_guessed))
            step_repeated(st, order + first, i - first);
        else
            step_units(st, order + first, i - first);
        first = i;
    }
}

void step_get_predicted(struct stepping *st, uint32_t unit, uint32_t n,
                        uint16_t at)
{
    const struct tt_op op = {.code = TT_OP_GET,
                             .flags = TT_OP_PREDICTED,
                             .unit = unit,
                             .at = at,
                             .to = at};

    if (n)
        tt_write_move(st->w, op, st->list, n);
}

/* What policies look at must be there before the last units step. */
static void read_watched(struct stepping *st)
{
    for (uint32_t i = 0; i < st->p->n_watch; i++) {
        uint32_t slot = st->p->watch[i].slot;
        uint32_t unit = st->p->slot[slot].unit;

        if (st->p->slot[slot].dir == TT_SLOT_IN || st->read[slot] ||
            !st->p->unit[unit].desc->caps.save)
            continue;
        st->list[0] = slot;
        st->read[slot] = 1;
        step_get_predicted(st, unit, 1, TT_T1);
    }
}

/* What is moved at events only has its value already. */
static void leave_to_events(struct stepping *st)
{
    for (uint32_t s = 0; s < st->p->n_slot; s++)
        st->read[s] = st->fresh[s] = st->p->slot[s].event_only != 0;
}

void tt_write_step(struct tt_draft *w, const struct tt_stepping *how)
{
    size_t n_slot = w->plan->n_slot;
    uint32_t n = w->plan->n_unit - w->n_last;
    struct stepping st = {.w = w,
                          .p = w->plan,
                          .reactive = how->reactive,
                          .component = how->component,
                          .fresh = how->fresh};

    tt_write_begin(w, TT_SEC_STEP);
    if (TT_NEW_ARRAY(st.read, n_slot) && TT_NEW_ARRAY(st.list, n_slot) &&
        TT_NEW_ARRAY(st.unknown, n_slot) && TT_NEW_ARRAY(st.listed, n_slot)) {
        leave_to_events(&st);
        step_all(&st, how->order, n);
    } else {
        w->failed = 1;
    }
    if (w->n_last && !w->failed)
        read_watched(&st);
    tt_write_end(w, TT_SEC_STEP);
    tt_write_begin(w, TT_SEC_LAST);
    if (!w->failed)
        step_all(&st, how->order + n, w->n_last);
    tt_write_end(w, TT_SEC_LAST);
    TT_FREE_ALL(st.read, st.list, st.unknown, st.listed);
}
