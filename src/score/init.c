/* SPDX-License-Identifier: MIT */
/* The init section: consistent first values, in initialisation mode, where
 * every unit may be read after setting.
 *
 * Values that depend on each other, or may, are solved together: some outputs
 * are guessed, the others follow in dependency order, and a solver improves
 * the guesses until they come out as they went in. Where the dependency was
 * only assumed this ends as soon as every value has come round. */
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

/* What a unit gives of its own start values is the first guess. These reads
 * go before the loop, which began at operation `loop`. */
static void first_guesses(const struct solving *v, size_t loop)
{
    struct tt_writer *w = v->s->w;
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
                                     .at = TT_T0,
                                     .to = TT_T0},
                      v->tear + first, i - first);
        first = i;
    }
    tt_write_rotate(w, loop, behind);
}

/* Did no unit of the loop say what its outputs depend on? */
static int assumed(const struct solving *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (!tt_schedule_assumed(v->s, v->tear[i]))
            return 0;
    return 1;
}

/* Declared loops must be solved. Where no unit declares one there may be none:
 * what does not settle, noise say, is taken as it is, with a warning. */
static struct tt_solver solver_of(const struct solving *v)
{
    const struct tt_sc_iteration *it = &v->s->plan->scenario->iteration;

    return (struct tt_solver){
        .opts = {.method = TT_SOLVE_AUTO,
                 .atol = it->abstol,
                 .rtol = it->reltol},
        .accept = assumed(v),
        .init = 1,
    };
}

static void note(const struct solving *v)
{
    const tt_plan *p = v->s->plan;
    struct tt_buf names;
    char name[512];

    tt_buf_init(&names, TT_ERR_MAX / 2);
    for (uint32_t i = 0; i < v->n && i < MOST_NAMED; i++)
        tt_buf_fmt(&names, "%s%s", i ? ", " : "",
                   tt_plan_slot_name(p, v->tear[i], name, sizeof(name)));
    if (v->n > MOST_NAMED)
        tt_buf_fmt(&names, " and %u more", v->n - MOST_NAMED);
    tt_write_note(v->s->w, "initialisation",
                  "loop through %s: solved for %u unknown%s, %s%s",
                  names.data && !names.failed ? names.data : "many", v->n,
                  v->n == 1 ? "" : "s", tt_solve_method_name(TT_SOLVE_AUTO),
                  assumed(v) ? " (their units do not say what they depend on)"
                             : "");
    tt_buf_fini(&names);
}

/* loop { set guesses, read and set what follows; solve } */
static void solve(struct solving *v)
{
    struct tt_writer *w = v->s->w;
    const struct tt_sc_iteration *it = &w->plan->scenario->iteration;
    size_t loop = w->n_op;
    uint32_t solver;

    v->n = 0;
    tt_write_op(w, (struct tt_op){.code = TT_OP_LOOP, .unit = TT_NONE});
    walk(v, v->s->component[tt_schedule_choose(v->s)]);
    solver = tt_write_solver(w, solver_of(v), v->tear, v->n);
    tt_write_op(
        w, (struct tt_op){.code = TT_OP_SOLVE, .unit = TT_NONE, .arg = solver});
    tt_write_op(w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
    tt_schedule_limit(v->s, TT_NONE);
    if (w->failed)
        return;
    w->op[loop].until = (uint16_t)(solver + 1);
    /* substitution and a few Jacobians by differences come on top */
    w->op[loop].arg = it->max + 4 * (v->n + 1);
    first_guesses(v, loop);
    note(v);
}

enum tt_code tt_write_init(struct tt_writer *w, tt_err *err)
{
    struct tt_schedule s;
    struct solving v = {.s = &s};
    enum tt_code rc = tt_schedule_init(&s, w, 1, NULL, err);

    tt_write_begin(w, TT_SEC_INIT);
    if (rc == TT_OK && !TT_NEW_ARRAY(v.tear, w->plan->n_slot))
        rc = tt_fail(err, TT_ENOMEM, "ordering: out of memory");
    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            solve(&v);
    }
    tt_write_op(w, (struct tt_op){.code = TT_OP_COMMIT, .unit = TT_NONE});
    tt_write_end(w, TT_SEC_INIT);
    tt_free(v.tear);
    tt_schedule_fini(&s);
    return rc;
}
