/* SPDX-License-Identifier: MIT */
/* The step section: every unit from T0 to T1.
 *
 * One shape serves Jacobi and Gauss-Seidel: before a unit steps, its reactive
 * inputs get the new values of their sources; the others keep what the last
 * exchange gave them. With no reactive input all units just step.
 *
 * Iterated masters repeat the same in a loop with rollback: inputs that are
 * not fed within a turn are guesses, and a solver improves them until they
 * come out as what their sources give. */
#include <stdio.h>
#include <string.h>

#include "score/schedule.h"
#include "score/write.h"
#include "unit/call.h"

struct stepping {
    struct tt_writer *w;
    const tt_plan *p;
    const uint8_t *reactive;
    const uint32_t *part; /* NULL: nothing is repeated */
    uint8_t *fresh;       /* slot carries its final value of T1 */
    uint8_t *read;        /* slot was read since its unit stepped */
    uint32_t *list;       /* scratch, as long as the most slots of a unit */
    uint32_t *unknown;    /* scratch: outputs a part's guesses stand for */
    uint8_t *listed;      /* scratch: slot is in `unknown` */
    int repeated;         /* the part being written is a loop */
};

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

/* An input of a repeated part that is not fed within the turn is guessed; a
 * delayed one has the value it needs, that of T0. */
static int guessed(const struct stepping *st, uint32_t slot)
{
    uint32_t from;

    if (!st->part || st->reactive[slot] ||
        st->p->slot[slot].reactivity == TT_REACT_DELAYED ||
        st->part[st->p->slot[slot].unit] == TT_NONE)
        return 0;
    from = st->p->feed[st->p->slot[slot].feed].from;
    return st->part[st->p->slot[from].unit] == st->part[st->p->slot[slot].unit];
}

static int wanted_in_step(const struct stepping *st, uint32_t slot)
{
    const tt_plan *p = st->p;

    for (uint32_t k = p->out_first[slot]; k < p->out_first[slot + 1]; k++) {
        uint32_t to = p->feed[p->out_feed[k]].to;

        if (st->reactive[to] || guessed(st, to))
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
        /* what a loop reads is read again when it is over, where it can be */
        st->fresh[s] = (uint8_t)(final && (!st->repeated || !u->consistent));
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

enum treatment { HELD, FED, GUESSED };

static enum treatment treatment_of(const struct stepping *st, uint32_t slot)
{
    if (st->reactive[slot])
        return FED;
    return st->repeated && guessed(st, slot) ? GUESSED : HELD;
}

/* Inputs of one unit that want the same treatment, in one go. */
static void set_inputs(struct stepping *st, uint32_t unit, enum treatment how,
                       int course)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t first = u->slot + u->n_read, n = 0;
    struct tt_op op = {.code = TT_OP_SET,
                       .unit = unit,
                       .at = how == HELD ? TT_T0 : TT_T1,
                       .to = TT_T1};

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (treatment_of(st, s) == how &&
            (st->p->slot[s].course != TT_NONE) == course)
            st->list[n++] = s;
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

static void step_unit(struct stepping *st, uint32_t unit)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t first = u->slot + u->n_read;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (st->reactive[s]) {
            uint32_t from = st->p->feed[st->p->slot[s].feed].from;

            if (!st->read[from])
                read_unit(st, st->p->slot[from].unit);
        }
    set_inputs(st, unit, FED, 0);
    set_inputs(st, unit, FED, 1);
    set_inputs(st, unit, GUESSED, 0);
    set_inputs(st, unit, GUESSED, 1);
    set_inputs(st, unit, HELD, 1); /* extrapolated; others are as they are */
    tt_write_op(
        st->w, (struct tt_op){
                   .code = TT_OP_STEP, .unit = unit, .at = TT_T0, .to = TT_T1});
}

/* --- repeated parts ------------------------------------------------------- */

static void state_ops(struct stepping *st, const uint32_t *order, uint32_t n,
                      struct tt_op like)
{
    for (uint32_t i = 0; i < n; i++) {
        like.unit = order[i];
        tt_write_op(st->w, like);
    }
}

/* What a coupling is to make right is compared as it is: a residual has no
 * size to be relative to. */
static struct tt_solver coupling_solver(const tt_plan *p)
{
    const struct tt_sc_iteration *it = &p->scenario->iteration;

    return (struct tt_solver){
        .opts = {.method = TT_SOLVE_NEWTON,
                 .atol = it->abstol > 0 ? it->abstol : 1e-10},
        .accept = it->unconverged == TT_UNCONVERGED_ACCEPT,
    };
}

static struct tt_solver solver_of(const tt_plan *p)
{
    const struct tt_sc_iteration *it = &p->scenario->iteration;

    return (struct tt_solver){
        .opts = {.method = (enum tt_solve_method)it->accel,
                 .atol = it->abstol,
                 .rtol = it->reltol,
                 .relax = it->relax},
        .substitute = !it->converged,
        .accept = it->unconverged == TT_UNCONVERGED_ACCEPT,
    };
}

static int has_coupling(const tt_plan *p, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (p->unit[order[i]].desc->caps.implicit)
            return 1;
    return 0;
}

static void add_unknown(struct stepping *st, uint32_t slot, uint32_t *n)
{
    uint32_t from = st->p->feed[st->p->slot[slot].feed].from;

    if (!st->listed[from])
        st->unknown[(*n)++] = from;
    st->listed[from] = 1;
}

static uint32_t unknowns(struct stepping *st, const uint32_t *order,
                         uint32_t n_unit)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_unit; i++) {
        const struct tt_plan_unit *u = &st->p->unit[order[i]];
        uint32_t first = u->slot + u->n_read;

        for (uint32_t s = first; s < first + u->n_in; s++)
            if (guessed(st, s))
                add_unknown(st, s, &n);
    }
    for (uint32_t k = 0; k < n; k++)
        st->listed[st->unknown[k]] = 0;
    return n;
}

static void need(const struct stepping *st, uint32_t slot, uint8_t *done);

/* An output needs the inputs it depends on, if its unit may be read again. */
static void need_inputs(const struct stepping *st, uint32_t out, uint8_t *done)
{
    const struct tt_plan_unit *u = &st->p->unit[st->p->slot[out].unit];
    uint32_t in = u->slot + u->n_read;

    struct tt_plan_inputs known = tt_plan_inputs_of(st->p, out, 0);

    if (!u->consistent)
        return;
    for (uint32_t i = 0; i < known.n; i++)
        if (!st->fresh[known.slot[i]])
            need(st, known.slot[i], done);
    for (uint32_t i = in; i < in + u->n_in && !known.known; i++)
        if (!st->fresh[i])
            need(st, i, done);
}

/* This slot's value of T1 is wanted: mark it and what it waits for, within
 * the part. */
static void need(const struct stepping *st, uint32_t slot, uint8_t *done)
{
    if (!done[slot])
        return;
    done[slot] = 0;
    if (st->p->slot[slot].dir != TT_SLOT_IN) {
        need_inputs(st, slot, done);
        return;
    }
    slot = st->p->feed[st->p->slot[slot].feed].from;
    if (!(st->read[slot] && st->fresh[slot]))
        need(st, slot, done);
}

/* What a turn's guesses came to: the values of T1 that feed them, exchanged in
 * dependency order as at any communication point. */
static void exchange_part(struct stepping *st, const uint32_t *order,
                          uint32_t n)
{
    uint32_t n_z = unknowns(st, order, n);
    uint8_t *done = tt_zalloc(st->p->n_slot, 1);

    if (!done) {
        st->w->failed = 1;
        return;
    }
    memset(done, 1, st->p->n_slot);
    for (uint32_t k = 0; k < n_z; k++) {
        uint32_t from = st->unknown[k];

        if (!(st->read[from] && st->fresh[from]))
            need(st, from, done);
    }
    tt_write_exchange_of(st->w, done);
    tt_free(done);
}

static void note_repetition(struct stepping *st, const uint32_t *order,
                            uint32_t n, const struct tt_solver *solver,
                            uint32_t n_z)
{
    const struct tt_sc_iteration *it = &st->p->scenario->iteration;
    char turns[64];

    if (!solver->substitute)
        snprintf(turns, sizeof(turns), "until converged, at most %u times",
                 it->max);
    else
        snprintf(turns, sizeof(turns), "%u times", it->turns);
    tt_write_note(
        st->w, "iteration", "%s%s repeated %s, %u unknown%s, acceleration %s",
        n == st->p->n_unit ? "all units" : st->p->unit[order[0]].name,
        n == st->p->n_unit ? "" : " and those it feeds back to", turns, n_z,
        n_z == 1 ? "" : "s", tt_solve_method_name(solver->opts.method));
}

/* save; loop { restore; set guesses, step, exchange; solve } */
static void repeat_part(struct stepping *st, const uint32_t *order, uint32_t n)
{
    const struct tt_sc_iteration *it = &st->p->scenario->iteration;
    uint32_t n_z = unknowns(st, order, n);
    struct tt_solver how = has_coupling(st->p, order, n)
                               ? coupling_solver(st->p)
                               : solver_of(st->p);
    uint32_t solver = tt_write_solver(st->w, how, st->unknown, n_z);

    note_repetition(st, order, n, &how, n_z);
    st->repeated = 1;
    st->w->score->n_state = 1;
    if (!tt_write_goes_back(st->p)) /* else the states of T0 are kept already */
        state_ops(st, order, n,
                  (struct tt_op){.code = TT_OP_SAVE, .at = TT_T0, .to = TT_T0});
    tt_write_op(st->w,
                (struct tt_op){.code = TT_OP_LOOP,
                               .unit = TT_NONE,
                               .arg = how.substitute ? it->turns : it->max,
                               .until = (uint16_t)(solver + 1),
                               .at = TT_T0,
                               .to = TT_T1});
    state_ops(st, order, n,
              (struct tt_op){.code = TT_OP_RESTORE,
                             .flags = TT_OP_LATER,
                             .at = TT_T0,
                             .to = TT_T0});
    for (uint32_t i = 0; i < n; i++)
        step_unit(st, order[i]);
    exchange_part(st, order, n);
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_SOLVE,
                                      .unit = TT_NONE,
                                      .arg = solver,
                                      .at = TT_T1,
                                      .to = TT_T1});
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
    st->repeated = 0;
}

static void step_all(struct stepping *st, const uint32_t *order)
{
    uint32_t n = st->p->n_unit, first = 0;

    for (uint32_t i = 1; i <= n; i++) {
        int same = i < n && st->part && st->part[order[first]] != TT_NONE &&
                   st->part[order[i]] == st->part[order[first]];

        if (same)
            continue;
        if (st->part && unknowns(st, order + first, i - first))
            repeat_part(st, order + first, i - first);
        else
            for (uint32_t k = first; k < i; k++)
                step_unit(st, order[k]);
        first = i;
    }
}

void tt_write_step(struct tt_writer *w, const struct tt_stepping *how)
{
    size_t n_slot = w->plan->n_slot;
    struct stepping st = {.w = w,
                          .p = w->plan,
                          .reactive = how->reactive,
                          .part = how->part,
                          .fresh = how->fresh};

    tt_write_begin(w, TT_SEC_STEP);
    if (TT_NEW_ARRAY(st.read, n_slot) && TT_NEW_ARRAY(st.list, n_slot) &&
        TT_NEW_ARRAY(st.unknown, n_slot) && TT_NEW_ARRAY(st.listed, n_slot))
        step_all(&st, how->order);
    else
        w->failed = 1;
    tt_write_end(w, TT_SEC_STEP);
    tt_free(st.read);
    tt_free(st.list);
    tt_free(st.unknown);
    tt_free(st.listed);
}
