/* SPDX-License-Identifier: MIT */
/* Loops: counted, or until a solver is done. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "player/part_impl.h"

struct tt_loop {
    tt_part *part;
    uint32_t turns, left;
    uint32_t body;  /* first call of the body */
    int first_turn; /* what runs from the second turn on is left out */
    int done;
    const struct tt_solver *solver; /* NULL: only counted */
    struct tt_solve *memory;        /* in the frame */
    struct tt_moves *feed;          /* what comes out -> the next guess */
    struct tt_moves *begin;         /* the value of T0 -> the first guess */
    uint32_t n;                     /* unknowns that are numbers: elements */
    double **z;                     /* their guesses in the frame */
    double *guess, *got, *nominal;  /* scratch, n each */
    double off;                     /* |got - guess| of the worst */
};

/* --- entering a loop ----------------------------------------------------- */

/* The first guess is the value of T0, or where an input's past leads. */
static void guess(const struct tt_loop *l, double t1)
{
    const tt_part *p = l->part;

    for (uint32_t k = 0; k < l->solver->n; k++) {
        uint32_t slot = p->score->member[l->solver->first + k];

        tt_move_one(&l->begin->move[k]);
        if (p->plan->slot[slot].course != TT_NONE && !l->solver->init)
            tt_course_predict(p, slot, t1, l->begin->move[k].to);
    }
}

static enum tt_call_result play_loop(const struct tt_call *c,
                                     struct tt_now *now)
{
    struct tt_loop *l = c->unit;

    l->left = l->turns;
    l->first_turn = 1;
    l->done = 0;
    if (l->solver) {
        guess(l, now->t[c->to]);
        tt_solve_begin(l->memory);
    }
    return TT_CALL_OK;
}

/* --- solving ---------------------------------------------------------------
 */

/* Guesses that are not Float64 are substituted; a change asks for another
 * turn. */
static int pass_discrete(const struct tt_loop *l)
{
    int changed = 0;

    for (uint32_t k = 0; k < l->feed->n; k++) {
        const struct tt_move *m = &l->feed->move[k];
        size_t bytes = m->n * tt_type_size((enum tt_type)m->to_type);
        struct tt_text before;

        if (m->to_type == TT_F64)
            continue;
        if (bytes <= sizeof(before))
            memcpy(&before, m->to, bytes);
        tt_move_one(m);
        changed |= bytes > sizeof(before) || memcmp(&before, m->to, bytes) != 0;
    }
    return changed;
}

/* What came out of this turn, converted as on the connection. */
static void take_results(const struct tt_loop *l)
{
    double *got = l->got;

    for (uint32_t k = 0; k < l->feed->n; k++) {
        struct tt_move m = l->feed->move[k];

        if (m.to_type != TT_F64)
            continue;
        m.to = got;
        tt_move_one(&m);
        got += m.n;
    }
    for (uint32_t i = 0; i < l->n; i++)
        l->guess[i] = *l->z[i];
}

static void remember_worst(struct tt_loop *l)
{
    uint32_t w = 0;

    if (!l->n || tt_solve_probing(l->memory))
        return;
    (void)tt_solve_worst(l->memory, &w);
    l->off = fabs(l->got[w] - *l->z[w]);
}

static enum tt_call_result play_solve(const struct tt_call *c,
                                      struct tt_now *now)
{
    struct tt_loop *l = c->unit;
    enum tt_solve_say say;
    int changed;

    (void)now;
    take_results(l);
    l->part->stats.evaluations++;
    say = tt_solve_next(l->memory, l->guess, l->got, l->nominal);
    changed = pass_discrete(l);
    if (say == TT_SOLVE_LOST) {
        l->part->lost = l;
        return TT_CALL_FAILED;
    }
    remember_worst(l);
    for (uint32_t i = 0; i < l->n && say == TT_SOLVE_AGAIN; i++)
        *l->z[i] = l->guess[i];
    l->done = say == TT_SOLVE_DONE && !changed && !l->solver->substitute;
    return TT_CALL_OK;
}

/* --- leaving -----------------------------------------------------------------
 */

static enum tt_call_result play_end(const struct tt_call *c, struct tt_now *now)
{
    struct tt_loop *l = c->unit;

    l->first_turn = 0;
    if (l->done || --l->left == 0) {
        if (!l->solver || l->done || l->solver->substitute)
            return TT_CALL_OK;
        l->part->stats.unconverged++;
        if (l->solver->accept)
            return TT_CALL_OK;
        l->part->lost = l;
        return TT_CALL_FAILED;
    }
    now->pc = l->body;
    return TT_CALL_JUMP;
}

int tt_loop_in_first_turn(const struct tt_loop *l)
{
    return l->first_turn;
}

static void name_unknown(const struct tt_loop *l, uint32_t index, char *out,
                         size_t size)
{
    const tt_part *p = l->part;

    for (uint32_t k = 0; k < l->solver->n; k++) {
        uint32_t slot = p->score->member[l->solver->first + k];

        if (p->plan->slot[slot].type != TT_F64)
            continue;
        tt_plan_slot_name(p->plan, slot, out, size);
        if (index < p->plan->slot[slot].n)
            return;
        index -= p->plan->slot[slot].n;
    }
}

static void name_members(const struct tt_loop *l, struct tt_buf *out)
{
    const tt_part *p = l->part;
    char name[512];

    for (uint32_t k = 0; k < l->solver->n && k < 8; k++)
        tt_buf_fmt(out, "%s%s", k ? ", " : "",
                   tt_plan_slot_name(p->plan,
                                     p->score->member[l->solver->first + k],
                                     name, sizeof(name)));
    if (l->solver->n > 8)
        tt_buf_fmt(out, " and %u more", l->solver->n - 8);
}

/* Which unknowns, after how many evaluations, and which is worst off. */
enum tt_code tt_explain_loop(const tt_part *p, tt_err *err)
{
    const struct tt_loop *l = p->lost;
    char worst[512] = "", off[TT_NUM_MAX], t[TT_NUM_MAX];
    struct tt_buf members;
    uint32_t index = 0;
    double ratio = tt_solve_worst(l->memory, &index);
    enum tt_code rc;

    name_unknown(l, index, worst, sizeof(worst));
    tt_num_print_short(t, p->now->t[TT_T1]);
    tt_num_print_short(off, l->off);
    tt_buf_init(&members, TT_ERR_MAX / 2);
    name_members(l, &members);
    if (isnan(ratio))
        rc = tt_fail(err, TT_EUNIT,
                     "the loop of %s gave NaN for %s after %u evaluations at "
                     "t=%s",
                     members.data ? members.data : "units", worst,
                     tt_solve_count(l->memory), t);
    else
        rc = tt_fail(
            err, TT_EUNIT,
            "the loop of %s did not converge in %u evaluations (%s) "
            "at t=%s: %s is still off by %s",
            members.data ? members.data : "units", tt_solve_count(l->memory),
            tt_solve_method_name(l->solver->opts.method), t, worst, off);
    tt_buf_fini(&members);
    return rc;
}

int tt_is_loop(const struct tt_call *c)
{
    return c->fn == play_solve || c->fn == play_end;
}

/* --- binding -----------------------------------------------------------------
 */

/* Room for one guess behind what is used of the frame. */
static void *take_room(tt_part *p, uint32_t slot)
{
    void *at = p->frame->value + p->solver_used;

    p->solver_used += (tt_port_size(tt_plan_port(p->plan, slot)) + 7) / 8 * 8;
    p->guess_at[slot] = at;
    return at;
}

/* Guesses lie apart from the inputs' slots, which an exchange within the loop
 * may write. */
static enum tt_code bind_guesses(tt_part *p, struct tt_loop *l, tt_err *err)
{
    const struct tt_solver *v = l->solver;
    const uint32_t *slot = p->score->member + v->first;

    l->feed = tt_feed_moves(p, slot, v->n);
    l->begin = tt_feed_moves(p, slot, v->n);
    if (!l->feed || !l->begin)
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < v->n; k++) {
        struct tt_move *m = &l->feed->move[k];

        l->begin->move[k] = (struct tt_move){.from = m->to,
                                             .to = take_room(p, slot[k]),
                                             .n = m->n,
                                             .how = TT_FEED_COPY,
                                             .from_type = m->to_type,
                                             .to_type = m->to_type};
        m->to = l->begin->move[k].to;
        if (m->to_type == TT_F64)
            l->n += m->n;
    }
    return TT_OK;
}

static enum tt_code bind_numbers(tt_part *p, struct tt_loop *l, tt_err *err)
{
    const struct tt_solver *v = l->solver;
    uint32_t i = 0;

    l->z = tt_arena_alloc(p->arena, l->n, sizeof(*l->z));
    l->guess = tt_arena_alloc(p->arena, 3 * (size_t)l->n, sizeof(double));
    if (!l->z || !l->guess)
        return tt_part_nomem(err);
    l->got = l->guess + l->n;
    l->nominal = l->got + l->n;
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t slot = p->score->member[v->first + k];
        const struct tt_move *m = &l->feed->move[k];

        for (uint32_t e = 0; e < m->n && m->to_type == TT_F64; e++, i++) {
            l->z[i] = (double *)m->to + e;
            l->nominal[i] = fabs(tt_plan_port(p->plan, slot)->nominal);
        }
    }
    return TT_OK;
}

/* Solver memory lies in the frame, behind values and histories. */
size_t tt_solver_bytes(const tt_score *s)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < s->n_solver; i++) {
        uint32_t n = 0;

        for (uint32_t k = 0; k < s->solver[i].n; k++) {
            uint32_t slot = s->member[s->solver[i].first + k];

            n += s->plan->slot[slot].n;
            bytes += (tt_port_size(tt_plan_port(s->plan, slot)) + 7) / 8 * 8;
        }
        bytes += (tt_solve_size(&s->solver[i].opts, n) + 7) / 8 * 8;
    }
    return bytes;
}

enum tt_code tt_bind_loop(tt_part *p, const struct tt_op *op, struct tt_call *c,
                          struct tt_loop **out, tt_err *err)
{
    struct tt_loop *l = tt_arena_alloc(p->arena, 1, sizeof(*l));
    enum tt_code rc = TT_OK;

    if (!l)
        return tt_part_nomem(err);
    l->part = p;
    l->turns = op->arg;
    l->body = (uint32_t)p->n_call + 1;
    if (op->until) {
        l->solver = &p->score->solver[op->until - 1];
        rc = bind_guesses(p, l, err);
        if (rc == TT_OK)
            rc = bind_numbers(p, l, err);
        if (rc != TT_OK)
            return rc;
        l->memory = tt_solve_init(p->frame->value + p->solver_used,
                                  &l->solver->opts, l->n);
        p->solver_used += (tt_solve_size(&l->solver->opts, l->n) + 7) / 8 * 8;
    }
    c->fn = play_loop;
    c->unit = l;
    c->verb = TT_VERB_OTHER;
    *out = l;
    return TT_OK;
}

void tt_bind_solve(struct tt_call *c, struct tt_loop *l)
{
    c->fn = play_solve;
    c->unit = l;
    c->verb = TT_VERB_OTHER;
}

void tt_bind_end(struct tt_call *c, struct tt_loop *l)
{
    c->fn = play_end;
    c->unit = l;
    c->verb = TT_VERB_OTHER;
}
