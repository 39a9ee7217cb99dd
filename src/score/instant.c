/* SPDX-License-Identifier: MIT */
/* Loops at one instant: outputs that depend on each other through what they
 * feed are solved together. Some are guessed, the others follow in dependency
 * order, and a solver improves the guesses until they come out as they went
 * in. Where the dependency was only assumed this ends as soon as every value
 * has come round. */
#include <math.h>

#include "score/schedule.h"
#include "unit/call.h"

#define MOST_NAMED 8 /* of a list, in a message */

struct solving {
    struct tt_schedule *s;
    uint32_t *tear; /* outputs guessed */
    uint32_t n;
};

/* Guesses for as many outputs as it takes to let all others of component c
 * follow. */
static void walk(struct solving *v, uint32_t c)
{
    uint32_t slot = tt_schedule_choose(v->s);

    tt_schedule_limit(v->s, c);
    for (; slot != TT_NONE && v->s->component[slot] == c;
         slot = tt_schedule_choose(v->s)) {
        tt_schedule_tear(v->s, slot);
        v->tear[v->n++] = slot;
        tt_schedule_run(v->s);
    }
}

/* What a unit gives of its own start values is the first guess; later it is
 * the value of the last instant. Within an ensemble it is what the unit gives
 * of the inputs it has, so that nothing but the states of units counts. These
 * reads go before the loop, which began at operation `loop`. */
static void first_guesses(const struct solving *v, size_t loop)
{
    struct tt_draft *w = v->s->w;
    size_t behind = w->n_op;
    const tt_plan *p = w->plan;
    uint32_t first = 0;

    for (uint32_t i = 1; i <= v->n; i++) {
        uint32_t unit = p->slot[v->tear[first]].unit;

        if (i < v->n && p->slot[v->tear[i]].unit == unit)
            continue;
        tt_write_move(w,
                      (struct tt_op){.code = TT_OP_GET,
                                     .flags = TT_OP_CUT,
                                     .unit = unit,
                                     .at = v->s->init ? TT_T0 : v->s->reg,
                                     .to = v->s->init ? TT_T0 : v->s->reg},
                      v->tear + first, i - first);
        first = i;
    }
    tt_write_rotate(w, loop, behind);
}

/* Did no unit of the loop state what its outputs depend on? */
static int assumed(const struct solving *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (!tt_schedule_assumed(v->s, v->tear[i]))
            return 0;
    return 1;
}

/* So far an integrator must not see what loops leave: well below its
 * tolerance. */
static double flowing(const tt_plan *p)
{
    double t = p->experiment.tolerance;

    return t > 0 ? fmax(1e-3 * t, 1e-14) : (double)INFINITY;
}

/* Declared loops must be solved. Where no unit declares one there may be none:
 * what does not settle, noise for example, is taken as it is, with a warning.
 */
static struct tt_solver solver_of(const struct solving *v)
{
    const struct tt_sc_iteration *it = &v->s->plan->scenario->iteration;
    double most = v->s->flows ? flowing(v->s->plan) : (double)INFINITY;

    return (struct tt_solver){
        .opts = {.method = TT_SOLVE_AUTO,
                 .atol = fmin(it->abstol, most),
                 .rtol = fmin(it->reltol, most)},
        .accept = v->s->init || v->s->flows
                      ? assumed(v)
                      : it->unconverged == TT_UNCONVERGED_ACCEPT,
        .reduce = v->s->flows ||
                  (!v->s->init && it->unconverged == TT_UNCONVERGED_REDUCE),
        .init = 1,
    };
}

static void note(const struct solving *v)
{
    const tt_plan *p = v->s->plan;
    int init = v->s->init;
    struct tt_buf names;
    char name[512];

    tt_buf_init(&names, TT_ERR_MAX / 2);
    for (uint32_t i = 0; i < v->n && i < MOST_NAMED; i++)
        tt_buf_fmt(&names, "%s%s", i ? ", " : "",
                   tt_plan_slot_name(p, v->tear[i], name, sizeof(name)));
    if (v->n > MOST_NAMED)
        tt_buf_fmt(&names, " and %u more", v->n - MOST_NAMED);
    tt_write_note(
        v->s->w, init ? "initialisation" : "loop",
        "%sthrough %s: solved %sfor %u unknown%s, %s%s", init ? "loop " : "",
        names.data && !names.failed ? names.data : "many",
        init ? "" : "at every instant ", v->n, v->n == 1 ? "" : "s",
        tt_solve_method_name(TT_SOLVE_AUTO),
        assumed(v) ? " (their instances declare no dependencies)" : "");
    tt_buf_fini(&names);
}

/* loop { set guesses, read and set what follows; solve } */
static void solve(struct solving *v, int noted)
{
    struct tt_draft *w = v->s->w;
    const struct tt_sc_iteration *it = &w->plan->scenario->iteration;
    struct tt_op op = {
        .code = TT_OP_LOOP, .unit = TT_NONE, .at = v->s->reg, .to = v->s->reg};
    size_t loop = w->n_op;
    uint32_t solver;

    tt_write_op(w, op);
    walk(v, v->s->component[tt_schedule_choose(v->s)]);
    solver = tt_write_solver(w, solver_of(v), v->tear, v->n);
    op.code = TT_OP_SOLVE;
    op.arg = solver;
    tt_write_op(w, op);
    tt_write_op(w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
    tt_schedule_limit(v->s, TT_NONE);
    if (w->failed)
        return;
    w->op[loop].until = (uint16_t)(solver + 1);
    /* substitution and a few Jacobians by differences come on top */
    w->op[loop].arg = it->max + 4 * (v->n + 1);
    if (v->s->init || v->s->flows)
        first_guesses(v, loop);
    if (noted)
        note(v);
}

void tt_schedule_solve(struct tt_schedule *s, int noted)
{
    struct solving v = {.s = s};

    if (TT_NEW_ARRAY(v.tear, s->plan->n_slot))
        solve(&v, noted);
    else
        s->w->failed = 1;
    tt_free(v.tear);
}

/* In the component that is stuck: is something on a loop that is solved at
 * every instant? What waits for assumed dependencies only is cut before. */
static int solves(struct tt_schedule *s, uint32_t slot)
{
    const uint8_t *on;

    if (tt_schedule_assumed(s, slot))
        return 0;
    on = tt_write_instant_loops(s->w);
    for (uint32_t i = 0; on && i < s->plan->n_slot; i++)
        if (on[i] && s->todo[i] && s->component[i] == s->component[slot])
            return 1;
    return 0;
}

void tt_schedule_move(struct tt_schedule *s, int noted, unsigned cut)
{
    while (s->left && !s->w->failed) {
        uint32_t slot;

        tt_schedule_run(s);
        slot = s->left ? tt_schedule_choose(s) : TT_NONE;
        if (slot != TT_NONE && solves(s, slot))
            tt_schedule_solve(s, noted);
        else if (slot != TT_NONE)
            tt_schedule_force(s, slot, cut);
        /* an input alone cannot wait in a circle */
        TT_ASSERT(!s->left || slot != TT_NONE);
    }
}
