/* SPDX-License-Identifier: MIT */
/* Repeated components of the step: the same operations in a loop with rollback.
 * Inputs that are not fed within a turn are guesses, and a solver improves them
 * until they come out as what their sources give. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "score/step_impl.h"

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
        .reduce = it->unconverged == TT_UNCONVERGED_REDUCE,
    };
}

/* Is this output followed within the step? */
static int is_followed(const tt_plan *p, uint32_t slot)
{
    for (uint32_t w = 0; w < p->n_wave; w++)
        if (p->wave[w].slot == slot)
            return 1;
    return 0;
}

/* To what a unit is integrated. */
static double integrated_to(const tt_plan *p, uint32_t unit)
{
    const struct tt_sc_unit *u = &p->scenario->unit[unit];
    const struct tt_desc *d = p->unit[unit].desc;
    double own = u->has_integrator ? u->integrator.tolerance
                                   : p->scenario->integrator.tolerance;

    if (own > 0)
        return own;
    if (p->experiment.tolerance > 0)
        return p->experiment.tolerance;
    return d->standard.tolerance > 0 ? d->standard.tolerance : 1e-6;
}

/* What instances do within the step converges by substitution alone: a guess of
 * its end that leads elsewhere would leave it. An integrator that chooses its
 * steps does not repeat itself more exactly than its tolerance. */
static void follow(const struct stepping *st, uint32_t n_z,
                   struct tt_solve_opts *o)
{
    const tt_plan *p = st->p;

    for (uint32_t k = 0; k < n_z; k++) {
        uint32_t unit = p->slot[st->unknown[k]].unit;
        double least = 0.1 * integrated_to(p, unit);

        if (!is_followed(p, st->unknown[k]))
            continue;
        o->method = TT_SOLVE_NONE;
        if (!p->unit[unit].desc->caps.joins)
            continue;
        o->atol = o->atol > least ? o->atol : least;
        o->rtol = o->rtol > least ? o->rtol : least;
    }
}

static struct tt_solver solver_of(const struct stepping *st, uint32_t n_z)
{
    const struct tt_sc_iteration *it = &st->p->scenario->iteration;
    struct tt_solver v = {
        .opts = {.method = (enum tt_solve_method)it->accel,
                 .atol = it->abstol,
                 .rtol = it->reltol,
                 .relax = it->relax,
                 .least = it->least},
        .substitute = !it->converged,
        .at_start = it->at_start,
        .accept = it->unconverged == TT_UNCONVERGED_ACCEPT,
        .reduce = it->unconverged == TT_UNCONVERGED_REDUCE,
    };

    follow(st, n_z, &v.opts);
    return v;
}

int step_has_coupling(const tt_plan *p, const uint32_t *order, uint32_t n)
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

uint32_t step_unknowns(struct stepping *st, const uint32_t *order,
                       uint32_t n_unit, step_guessed_fn is_guessed)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_unit; i++) {
        const struct tt_plan_unit *u = &st->p->unit[order[i]];
        uint32_t first = u->slot + u->n_read;

        for (uint32_t s = first; s < first + u->n_in; s++)
            if (is_guessed(st, s))
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

/* This slot's value of T1 is wanted: mark it and what it waits for, within the
 * component. */
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

/* Does what was read after a step stay, whatever is set then? */
static int stands(const tt_plan *p, uint32_t out)
{
    struct tt_plan_inputs in = tt_plan_inputs_of(p, out, 0);

    return in.known && in.n == 0;
}

/* What a turn's guesses came to: the values of T1 that feed them, exchanged in
 * dependency order as at any communication point. */
static void exchange_part(struct stepping *st, const uint32_t *order,
                          uint32_t n)
{
    uint32_t n_z = step_unknowns(st, order, n, step_guessed);
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
    for (uint32_t s = 0; s < st->p->n_slot; s++)
        if (!done[s] && st->p->slot[s].dir != TT_SLOT_IN && stands(st->p, s))
            st->read[s] = st->fresh[s] = 1;
    tt_free(done);
}

/* What following within steps has changed of what was asked for. */
static void note_followed(const struct stepping *st,
                          const struct tt_solve_opts *o)
{
    const struct tt_sc_iteration *it = &st->p->scenario->iteration;
    char to[TT_NUM_MAX];

    if (o->method != (enum tt_solve_method)it->accel)
        tt_write_note(st->w, "iteration",
                      "acceleration %s is not used: what is followed within "
                      "steps converges by substitution",
                      tt_solve_method_name((enum tt_solve_method)it->accel));
    if (!it->converged || (o->atol == it->abstol && o->rtol == it->reltol))
        return;
    tt_num_print_short(to, o->atol > o->rtol ? o->atol : o->rtol);
    tt_write_note(st->w, "iteration",
                  "agreed to %s, a tenth of what states are integrated to", to);
}

static void note_repetition(struct stepping *st, const uint32_t *order,
                            uint32_t n, const struct tt_solver *solver,
                            uint32_t n_z)
{
    const struct tt_sc_iteration *it = &st->p->scenario->iteration;
    struct tt_buf who;
    char turns[64];

    if (!solver->substitute)
        snprintf(turns, sizeof(turns), "%suntil converged, at most %u times",
                 solver->at_start ? "where there is no past " : "", it->max);
    else
        snprintf(turns, sizeof(turns), "%u times", it->turns);
    tt_buf_init(&who, TT_ERR_MAX / 2);
    if (n == st->p->n_unit)
        tt_buf_str(&who, "all instances");
    else
        tt_write_names(st->p, order, n, &who);
    tt_write_note(
        st->w, "iteration", "%s%s repeated %s, %u unknown%s, acceleration %s",
        who.data && !who.failed ? who.data : "instances",
        n == st->p->n_unit ? "" : ", which feed each other,", turns, n_z,
        n_z == 1 ? "" : "s", tt_solve_method_name(solver->opts.method));
    if (!step_has_coupling(st->p, order, n))
        note_followed(st, &solver->opts);
    tt_buf_fini(&who);
}

/* Sub-steps begin with states of their own. */
static uint32_t register_of(const struct stepping *st, uint16_t at)
{
    return tt_write_loop_register(st->p) + (at == TT_S0);
}

uint32_t step_begin_turns(struct stepping *st, const uint32_t *order,
                          uint32_t n, uint32_t n_z, uint16_t at, uint16_t to)
{
    const struct tt_sc_iteration *it = &st->p->scenario->iteration;
    struct tt_solver how = step_has_coupling(st->p, order, n)
                               ? coupling_solver(st->p)
                               : solver_of(st, n_z);
    uint32_t solver = tt_write_solver(st->w, how, st->unknown, n_z);
    uint32_t reg = register_of(st, at);

    note_repetition(st, order, n, &how, n_z);
    if (st->w->score->n_state <= reg)
        st->w->score->n_state = reg + 1;
    if (reg || !st->w->goes_back) /* else kept already */
        state_ops(
            st, order, n,
            (struct tt_op){.code = TT_OP_SAVE, .arg = reg, .at = at, .to = at});
    tt_write_op(st->w,
                (struct tt_op){.code = TT_OP_LOOP,
                               .unit = TT_NONE,
                               .arg = how.substitute ? it->turns : it->max,
                               .until = (uint16_t)(solver + 1),
                               .at = at,
                               .to = to});
    state_ops(st, order, n,
              (struct tt_op){.code = TT_OP_RESTORE,
                             .flags = TT_OP_LATER,
                             .arg = reg,
                             .at = at,
                             .to = at});
    return solver;
}

void step_end_turns(struct stepping *st, uint32_t solver, uint16_t to)
{
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_SOLVE,
                                      .unit = TT_NONE,
                                      .arg = solver,
                                      .at = to,
                                      .to = to});
    tt_write_op(st->w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
}

/* save; loop { restore and set guesses, but in the first turn; step, exchange;
 * solve } */
void step_repeated(struct stepping *st, const uint32_t *order, uint32_t n)
{
    uint32_t n_z = step_unknowns(st, order, n, step_guessed);
    uint32_t solver = step_begin_turns(st, order, n, n_z, TT_T0, TT_T1);

    st->repeated = 1;
    for (uint32_t i = 0; i < n; i++)
        step_set_later(st, order[i]);
    step_units(st, order, n);
    exchange_part(st, order, n);
    step_end_turns(st, solver, TT_T1);
    st->repeated = 0;
}
