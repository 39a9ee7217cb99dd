/* SPDX-License-Identifier: MIT */
/* A group with a rate of its own: its steps within a macro step, and the
 * exchange among its units after each.
 *
 * What comes from outside is held, or follows its course over the whole macro
 * step; what comes from inside is exchanged at every sub-step. Where a coupling
 * is in the group every sub-step is repeated until it holds. */
#include "score/step_impl.h"

static int inner(const tt_plan *p, uint32_t slot)
{
    return p->slot[slot].dir == TT_SLOT_IN &&
           tt_plan_inner(p, p->slot[slot].feed);
}

/* Outputs of a unit that feed others of its group at once. */
static uint32_t list_wanted(struct stepping *st, uint32_t unit)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t n = 0;

    for (uint32_t s = u->slot; s < u->slot + u->n_read; s++) {
        int wanted = 0;

        for (uint32_t k = st->p->out_first[s]; k < st->p->out_first[s + 1];
             k++) {
            uint32_t f = st->p->out_feed[k];

            wanted |=
                tt_plan_inner(st->p, f) && st->reactive[st->p->feed[f].to];
        }
        if (wanted)
            st->list[n++] = s;
    }
    return n;
}

/* What comes later in the group is fed the values of this sub-step. */
static void read_for_later(struct stepping *st, uint32_t unit)
{
    step_get_predicted(st, unit, list_wanted(st, unit), TT_S1);
}

static void feed_from_earlier(struct stepping *st, uint32_t unit)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t first = u->slot + u->n_read, n = 0;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (inner(st->p, s) && st->reactive[s])
            st->list[n++] = s;
    if (n)
        tt_write_move(
            st->w,
            (struct tt_op){
                .code = TT_OP_SET, .unit = unit, .at = TT_S1, .to = TT_S1},
            st->list, n);
}

/* Does this input go by a guess in the sub-steps of a coupling's group? */
static int guessed(const struct stepping *st, uint32_t slot)
{
    return inner(st->p, slot) && !st->reactive[slot] &&
           st->p->slot[slot].reactivity != TT_REACT_DELAYED &&
           !st->p->slot[slot].event_only;
}

/* Guesses hold at the end of the sub-step, or a line leads there. */
static void set_guesses(struct stepping *st, uint32_t unit, int course)
{
    const struct tt_plan_unit *u = &st->p->unit[unit];
    uint32_t first = u->slot + u->n_read, n = 0;
    struct tt_op op = {.code = TT_OP_SET,
                       .flags = TT_OP_GUESS,
                       .unit = unit,
                       .at = course ? TT_S0 : TT_S1,
                       .to = TT_S1};

    if (course)
        op.flags |= TT_OP_COURSE | TT_OP_INTERPOLATE;
    for (uint32_t s = first; s < first + u->n_in; s++)
        if (guessed(st, s) && (st->p->slot[s].course != TT_NONE) == course)
            st->list[n++] = s;
    if (n)
        tt_write_move(st->w, op, st->list, n);
}

/* Values among the units of the group, at the end of a sub-step. A unit that
 * may not be read after setting is read as a whole while it may. */
static void exchange_inside(struct stepping *st, const uint32_t *order,
                            uint32_t n)
{
    uint8_t *done = tt_alloc(st->p->n_slot + 1);

    if (!done) {
        st->w->failed = 1;
        return;
    }
    for (uint32_t s = 0; s < st->p->n_slot; s++)
        done[s] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_plan_unit *u = &st->p->unit[order[i]];

        for (uint32_t s = u->slot; s < u->slot + u->n_read; s++)
            done[s] &= u->consistent != 0;
        for (uint32_t s = u->slot + u->n_read;
             s < u->slot + u->n_read + u->n_in; s++)
            if (inner(st->p, s))
                done[s] = done[st->p->feed[st->p->slot[s].feed].from] = 0;
    }
    tt_write_exchange_inside(st->w, done);
    tt_free(done);
}

/* Before the sub-steps: what stays the same in all of them. */
static void prepare(struct stepping *st, uint32_t unit)
{
    step_read_sources(st, unit);
    step_set(st, unit, FED, 0);
    step_set(st, unit, GUESSED, 0);
}

static void sub_step(struct stepping *st, uint32_t unit, int solved)
{
    feed_from_earlier(st, unit);
    step_set(st, unit, FED, 1);
    step_set(st, unit, GUESSED, 1);
    step_set(st, unit, HELD, 1);
    for (int course = 0; course < 2 && solved; course++)
        set_guesses(st, unit, course);
    tt_write_op(
        st->w, (struct tt_op){
                   .code = TT_OP_STEP, .unit = unit, .at = TT_S0, .to = TT_S1});
    read_for_later(st, unit);
}

/* --- with a coupling --------------------------------------------------------
 */

/* What the guesses of a turn came to: read as they are, since every input they
 * may depend on is of the end of the sub-step. */
static void read_unknowns(struct stepping *st, uint32_t n_z)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < n_z; k += n) {
        uint32_t unit = st->p->slot[st->unknown[k]].unit;

        for (n = 0; k + n < n_z && st->p->slot[st->unknown[k + n]].unit == unit;
             n++)
            st->list[n] = st->unknown[k + n];
        step_get_predicted(st, unit, n, TT_S1);
    }
}

/* save; loop { restore, but in the first turn; set guesses, step; solve } */
static void solve_sub_step(struct stepping *st, const uint32_t *order,
                           uint32_t n)
{
    uint32_t n_z = step_unknowns(st, order, n, guessed);
    uint32_t solver = step_begin_turns(st, order, n, n_z, TT_S0, TT_S1);

    for (uint32_t i = 0; i < n; i++)
        sub_step(st, order[i], 1);
    n_z = step_unknowns(st, order, n, guessed);
    read_unknowns(st, n_z);
    step_end_turns(st, solver, TT_S1);
}

/* The sub-steps moved values as of S1: at T1 they count as read only where
 * they cannot be read again. */
static void forget(struct stepping *st, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_plan_unit *u = &st->p->unit[order[i]];

        for (uint32_t s = u->slot; s < u->slot + u->n_read; s++)
            st->read[s] = st->fresh[s] = !u->consistent;
    }
}

void step_group(struct stepping *st, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        prepare(st, order[i]);
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_LOOP,
                                      .unit = TT_NONE,
                                      .arg = st->p->unit[order[0]].rate,
                                      .at = TT_T0,
                                      .to = TT_T1});
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_TIME,
                                      .unit = TT_NONE,
                                      .at = TT_S0,
                                      .to = TT_S1});
    if (step_has_coupling(st->p, order, n))
        solve_sub_step(st, order, n);
    else
        for (uint32_t i = 0; i < n; i++)
            sub_step(st, order[i], 0);
    exchange_inside(st, order, n);
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
    forget(st, order, n);
}
