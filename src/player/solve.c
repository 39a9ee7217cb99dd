/* SPDX-License-Identifier: MIT */
/* Loops: counted, or until a solver is done. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "player/part_impl.h"

struct tt_loop {
    tt_part *part;
    struct tt_loop *outer; /* the loop around it, NULL: none */
    uint32_t turns, left;
    uint32_t body;  /* first call of the body */
    uint32_t first; /* ... of its first turn, which leaves some out */
    int done;
    const struct tt_solver *solver; /* NULL: only counted */
    struct tt_solve *memory;        /* in the frame */
    struct tt_moves *feed;          /* what comes out -> the next guess */
    int discrete;                   /* some are no numbers */
    int predicted;                  /* some past leads to the first guess */
    uint32_t n;                     /* unknowns that are numbers: elements */
    double **z;                     /* their guesses in the frame */
    const double **out;             /* ... and what came out */
    double *guess, *got, *nominal;  /* scratch, n each */
    double *off;                    /* |got - guess| of the last turn */
    struct tt_solve_opts opts;      /* the solver's, and what units offer */
    struct tt_tangent *tangent;     /* NULL: no derivatives to be had */
    int coupled;                    /* around the steps of a coupling */
    struct tt_waves **waves; /* of units whose course within the step counts */
    uint32_t n_waves;
};

/* --- entering a loop ----------------------------------------------------- */

/* Where the past of an input this output feeds leads at t1: in the output's
 * terms, into its elements. */
static void predict(const tt_part *p, uint32_t out, double t1, double *value)
{
    const tt_plan *plan = p->plan;

    for (uint32_t k = plan->out_first[out]; k < plan->out_first[out + 1]; k++) {
        const struct tt_feed *f = &plan->feed[plan->out_feed[k]];
        const struct tt_slot *in = &plan->slot[f->to];

        if (in->course == TT_NONE || plan->slot[out].type != TT_F64 ||
            (f->how == TT_FEED_LINEAR && f->factor == 0))
            continue;
        tt_course_predict(p, f->to, t1, value);
        for (uint32_t e = 0; e < in->n && f->how == TT_FEED_LINEAR; e++)
            value[e] = (value[e] - f->offset) / f->factor;
        return;
    }
}

/* The first guess is the value the output has, or where its past leads. */
static void guess(const struct tt_loop *l, double t1)
{
    const tt_part *p = l->part;

    for (uint32_t i = 0; i < l->n; i++)
        *l->z[i] = *l->out[i];
    for (uint32_t k = 0; k < l->solver->n && l->discrete; k++)
        tt_move_one(&l->feed->move[k]);
    for (uint32_t k = 0; k < l->solver->n && l->predicted; k++)
        predict(p, p->score->member[l->solver->first + k], t1,
                l->feed->move[k].to);
}

static enum tt_call_result play_loop(const struct tt_call *c,
                                     struct tt_now *now)
{
    struct tt_loop *l = c->unit;

    l->left = l->turns;
    l->done = 0;
    if (l->solver) {
        for (uint32_t i = 0; i < l->n_waves; i++)
            tt_waves_begin(l->waves[i]);
        guess(l, now->t[c->to]);
        tt_solve_begin(l->memory);
    }
    if (l->first == l->body)
        return TT_CALL_OK;
    now->pc = l->first;
    return TT_CALL_JUMP;
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

/* What came out of this turn. */
static void take_results(const struct tt_loop *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        l->got[i] = *l->out[i];
        l->guess[i] = *l->z[i];
    }
}

/* How far each unknown is off, for messages; probes state nothing of it. */
static void remember_residuals(struct tt_loop *l)
{
    if (tt_solve_probing(l->memory))
        return;
    for (uint32_t i = 0; i < l->n; i++)
        l->off[i] = fabs(l->got[i] - l->guess[i]);
}

/* Has what was followed within the step come out? If not, what came out is
 * followed next. Probes are off on purpose. */
static int waves_agree(struct tt_loop *l)
{
    const struct tt_solve_opts *o = &l->opts;
    int agree = 1;
    uint32_t i = 0;

    if (!l->n_waves || tt_solve_probing(l->memory))
        return !l->n_waves;
    for (uint32_t k = 0; k < l->solver->n; k++) {
        uint32_t slot = l->part->score->member[l->solver->first + k];
        int number = l->feed->move[k].to_type == TT_F64;
        int counts = number && tt_waves_of(l->part, slot) != NULL;

        for (uint32_t e = 0; number && e < l->feed->move[k].n; e++, i++)
            if (counts)
                agree &=
                    tt_wave_agrees(l->part, slot, e, o->atol * l->nominal[i],
                                   o->rtol, &l->off[i]);
    }
    for (uint32_t w = 0; w < l->n_waves; w++)
        tt_waves_turn(l->waves[w]);
    return agree;
}

/* Around steps there is another way: trying. */
static enum tt_solve_verdict do_without(struct tt_loop *l)
{
    tt_part *p = l->part;

    if (l->solver->init)
        return TT_SOLVE_LOST;
    p->refused = *p->cold;
    p->cold->code = TT_OK;
    tt_solve_no_jacobian(l->memory, l->guess, l->nominal);
    return TT_SOLVE_AGAIN;
}

static enum tt_solve_verdict give_jacobian(struct tt_loop *l)
{
    if (tt_tangent_jacobian(l->tangent, l->part->cold) != TT_OK)
        return do_without(l);
    tt_solve_jacobian(l->memory, tt_tangent_result(l->tangent), l->guess);
    l->part->counts->given += !l->solver->init;
    return TT_SOLVE_AGAIN;
}

static void report_doubts(tt_part *p)
{
    if (!p->doubts)
        p->doubts = p->refused.code != TT_OK
                        ? p->refused.msg
                        : "they lead to the solution too slowly";
}

static enum tt_solve_verdict next_guesses(struct tt_loop *l)
{
    int probing = tt_solve_probing(l->memory);
    enum tt_solve_verdict verdict =
        tt_solve_next(l->memory, l->guess, l->got, l->nominal);

    if (verdict == TT_SOLVE_JACOBIAN)
        verdict = give_jacobian(l);
    l->part->counts->tried +=
        l->coupled && !probing && tt_solve_probing(l->memory);
    if (l->coupled && tt_solve_doubts(l->memory))
        report_doubts(l->part);
    return verdict;
}

/* The last of a fixed number: what comes out stands, if it is numbers. */
static int no_more_turns(const struct tt_loop *l)
{
    double sum = 0;

    if (!l->solver->substitute || l->left > 1)
        return 0;
    for (uint32_t i = 0; i < l->n; i++)
        sum += l->off[i];
    return !isnan(sum);
}

/* There is a past, which led to the guesses: what comes out stands. */
static int goes_on(const struct tt_loop *l)
{
    return l->solver->at_start && l->part->anew && !*l->part->anew;
}

void tt_part_looks_at(tt_part *p, const int *anew)
{
    p->anew = anew;
}

/* No answer: the end, or a reason for a shorter step. */
static enum tt_call_result give_up(const struct tt_loop *l)
{
    l->part->lost = l;
    return l->solver->reduce ? TT_CALL_OUTCOME : TT_CALL_FAILED;
}

static enum tt_call_result play_solve(const struct tt_call *c,
                                      struct tt_now *now)
{
    struct tt_loop *l = c->unit;
    enum tt_solve_verdict verdict;
    int changed = 0, agree;

    (void)now;
    if (goes_on(l)) {
        l->done = 1;
        return TT_CALL_OK;
    }
    take_results(l);
    remember_residuals(l);
    agree = waves_agree(l);
    l->part->counts->evaluations++;
    if (no_more_turns(l))
        return TT_CALL_OK;
    verdict = next_guesses(l);
    if (l->discrete)
        changed = pass_discrete(l);
    if (verdict == TT_SOLVE_LOST)
        return give_up(l);
    for (uint32_t i = 0; i < l->n && verdict == TT_SOLVE_AGAIN; i++)
        *l->z[i] = l->guess[i];
    l->done =
        verdict == TT_SOLVE_DONE && !changed && agree && !l->solver->substitute;
    return TT_CALL_OK;
}

/* --- leaving -----------------------------------------------------------------
 */

static void note_residual(const struct tt_loop *l)
{
    double *most = &l->part->counts->residual;

    for (uint32_t i = 0; l->solver && !l->solver->init && i < l->n; i++)
        if (l->off[i] > *most)
            *most = l->off[i];
}

static enum tt_call_result play_end(const struct tt_call *c, struct tt_now *now)
{
    struct tt_loop *l = c->unit;

    if (l->done || --l->left == 0) {
        note_residual(l);
        if (!l->solver || l->done || l->solver->substitute)
            return TT_CALL_OK;
        if (!l->solver->accept)
            return give_up(l);
        l->part->counts->unconverged++;
        return TT_CALL_OK;
    }
    now->pc = l->body;
    now->turns++;
    return TT_CALL_JUMP;
}

/* Sub-points are computed from both ends; the last is the end itself. */
static enum tt_call_result play_time(const struct tt_call *c,
                                     struct tt_now *now)
{
    const struct tt_loop *l = c->unit;
    double t0 = now->t[TT_T0], t1 = now->t[TT_T1], n = l->turns;
    uint32_t k = l->turns - l->left;

    now->t[c->from] = k == 0 ? t0 : now->t[c->to];
    now->t[c->to] = l->left == 1 ? t1 : t0 + (t1 - t0) * ((k + 1) / n);
    now->h[c->to] = tt_h_within(now->t[c->from], now->h[TT_T1] / n,
                                l->part->plan->experiment.end);
    return TT_CALL_OK;
}

/* One half of the step, outside of loops that divide it. */
static enum tt_call_result play_half(const struct tt_call *c,
                                     struct tt_now *now, int second)
{
    const tt_part *p = c->unit;
    double t0 = now->t[TT_T0], t1 = now->t[TT_T1];
    double middle = t0 + (t1 - t0) * 0.5;

    now->t[c->from] = second ? middle : t0;
    now->t[c->to] = second ? t1 : middle;
    now->h[c->to] = tt_h_within(now->t[c->from], now->h[TT_T1] / 2,
                                p->plan->experiment.end);
    return TT_CALL_OK;
}

static enum tt_call_result play_first_half(const struct tt_call *c,
                                           struct tt_now *now)
{
    return play_half(c, now, 0);
}

static enum tt_call_result play_second_half(const struct tt_call *c,
                                            struct tt_now *now)
{
    return play_half(c, now, 1);
}

struct tt_loop *tt_loop_outer(const struct tt_loop *l)
{
    return l->outer;
}

void tt_loop_first_turn(struct tt_loop *l, uint32_t pc)
{
    l->first = pc;
}

#define MOST_NAMED 8

/* The residual of unknown k, its worst element; NaN wins, -1: no number. */
static double residual(const struct tt_loop *l, uint32_t k)
{
    const double *off = l->off;
    double worst = -1;

    for (uint32_t i = 0; i < k; i++)
        if (l->feed->move[i].to_type == TT_F64)
            off += l->feed->move[i].n;
    for (uint32_t e = 0; e < l->feed->move[k].n; e++)
        if (l->feed->move[k].to_type == TT_F64 && !(off[e] <= worst))
            worst = off[e];
    return worst;
}

/* "a.x (off by 0.1), b.y (off by 2) and 3 more" */
static void name_members(const struct tt_loop *l, struct tt_buf *out)
{
    const tt_part *p = l->part;
    char name[512], off[TT_NUM_MAX];

    for (uint32_t k = 0; k < l->solver->n && k < MOST_NAMED; k++) {
        double r = residual(l, k);

        tt_num_print_digits(off, r, 3);
        tt_buf_fmt(out, "%s%s", k ? ", " : "",
                   tt_plan_slot_name(p->plan,
                                     p->score->member[l->solver->first + k],
                                     name, sizeof(name)));
        if (r != -1)
            tt_buf_fmt(out, " (off by %s)", off);
    }
    if (l->solver->n > MOST_NAMED)
        tt_buf_fmt(out, " and %u more", l->solver->n - MOST_NAMED);
}

/* Which unknowns, how far off, after how many evaluations. */
enum tt_code tt_explain_loop(const tt_part *p, tt_err *err)
{
    const struct tt_loop *l = p->lost;
    char t[TT_NUM_MAX];
    struct tt_buf members;
    uint32_t index;
    int lost = isnan(tt_solve_worst(l->memory, &index));
    enum tt_code rc;

    if (p->cold->code != TT_OK) /* a derivative was refused */
        return tt_fail(err, p->cold->code, "%s", p->cold->msg);
    tt_num_print_short(
        t, p->now->t[l->outer && !l->outer->solver ? TT_S1 : TT_T1]);
    tt_buf_init(&members, TT_ERR_MAX / 2);
    name_members(l, &members);
    rc = tt_fail(err, TT_EUNIT, "the loop of %s %s %u evaluations (%s) at t=%s",
                 members.data && !members.failed ? members.data : "instances",
                 lost ? "gave NaN after" : "did not converge in",
                 tt_solve_count(l->memory),
                 tt_solve_method_name(l->opts.method), t);
    tt_buf_fini(&members);
    return rc;
}

static const struct tt_what what_loop = {.fn = play_loop,
                                         .verb = TT_VERB_OTHER},
                            what_time = {.fn = play_time,
                                         .verb = TT_VERB_OTHER},
                            what_solve = {.fn = play_solve,
                                          .verb = TT_VERB_OTHER},
                            what_end = {.fn = play_end, .verb = TT_VERB_OTHER};

int tt_is_loop(const struct tt_call *c)
{
    return c->what == &what_solve || c->what == &what_end;
}

/* --- binding -----------------------------------------------------------------
 */

/* Room for one guess behind what is used of the frame. */
static void *take_room(tt_part *p, uint32_t slot)
{
    void *at = p->values->value + p->solver_used;

    p->solver_used += (tt_port_size(tt_plan_port(p->plan, slot)) + 7) / 8 * 8;
    p->guess_at[slot] = at;
    return at;
}

/* Guesses lie apart from the outputs' slots, which the turn writes. */
static enum tt_code bind_guesses(tt_part *p, struct tt_loop *l, tt_err *err)
{
    const struct tt_solver *v = l->solver;

    l->feed = tt_new_moves(p, v->n);
    if (!l->feed)
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t slot = p->score->member[v->first + k];
        enum tt_type type = p->plan->slot[slot].type;
        struct tt_move m = {.from = tt_part_value(p, slot),
                            .to = take_room(p, slot),
                            .n = p->plan->slot[slot].n,
                            .how = TT_FEED_COPY,
                            .from_type = (uint8_t)type,
                            .to_type = (uint8_t)type};

        l->feed->move[k] = m;
        if (type == TT_F64)
            l->n += m.n;
    }
    return TT_OK;
}

static int feeds_course(const tt_plan *plan, uint32_t out)
{
    for (uint32_t k = plan->out_first[out]; k < plan->out_first[out + 1]; k++)
        if (plan->slot[plan->feed[plan->out_feed[k]].to].course != TT_NONE)
            return 1;
    return 0;
}

static enum tt_code bind_numbers(tt_part *p, struct tt_loop *l, tt_err *err)
{
    const struct tt_solver *v = l->solver;
    uint32_t i = 0;

    l->z = tt_arena_alloc(p->arena, l->n, sizeof(*l->z));
    l->out = tt_arena_alloc(p->arena, l->n, sizeof(*l->out));
    l->guess = tt_arena_alloc(p->arena, 4 * (size_t)l->n, sizeof(double));
    if (!l->z || !l->out || !l->guess)
        return tt_part_nomem(err);
    l->got = l->guess + l->n;
    l->nominal = l->got + l->n;
    l->off = l->nominal + l->n;
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t slot = p->score->member[v->first + k];
        const struct tt_move *m = &l->feed->move[k];

        l->discrete |= m->to_type != TT_F64;
        l->predicted |= !v->init && !l->outer && feeds_course(p->plan, slot);
        for (uint32_t e = 0; e < m->n && m->to_type == TT_F64; e++, i++) {
            l->z[i] = (double *)m->to + e;
            l->out[i] = (const double *)m->from + e;
            l->nominal[i] = fabs(tt_plan_port(p->plan, slot)->nominal);
        }
    }
    return TT_OK;
}

static size_t loop_bytes(const tt_score *s, const struct tt_solver *v)
{
    size_t bytes = 0;
    uint32_t n = 0;

    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t slot = s->member[v->first + k];

        n += s->plan->slot[slot].n;
        bytes += (tt_port_size(tt_plan_port(s->plan, slot)) + 7) / 8 * 8;
    }
    return bytes + (tt_solve_size(&v->opts, n) + 7) / 8 * 8;
}

/* Solver memory lies in the frame, behind values and histories; loops may share
 * a solver, but not its memory. */
size_t tt_solver_bytes(const tt_score *s)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < s->n_op; i++)
        if (s->op[i].code == TT_OP_LOOP && s->op[i].until)
            bytes += loop_bytes(s, &s->solver[s->op[i].until - 1]);
    return bytes;
}

static int is_coupled(const tt_part *p, const struct tt_solver *v)
{
    for (uint32_t k = 0; k < v->n && !v->init; k++)
        if (p->unit[p->plan->slot[p->score->member[v->first + k]].unit]
                ->desc->caps.implicit)
            return 1;
    return 0;
}

/* At one instant, and around couplings, units may report derivatives instead of
 * being probed. */
static enum tt_code bind_tangent(tt_part *p, const struct tt_op *op,
                                 struct tt_loop *l, tt_err *err)
{
    l->opts = l->solver->opts;
    l->coupled = is_coupled(p, l->solver);
    if (!(l->solver->init || l->coupled) || !tt_tangent_offered(p, op))
        return TT_OK;
    l->opts.jacobian = 1;
    l->opts.doubt = !l->solver->init;
    l->tangent = tt_tangent_new(p, op, l->n);
    return l->tangent ? TT_OK : tt_part_nomem(err);
}

/* Each unit once. */
static enum tt_code bind_waves(tt_part *p, struct tt_loop *l, tt_err *err)
{
    const struct tt_solver *v = l->solver;

    if (!p->waves || v->init)
        return TT_OK;
    if (!TT_NEW_IN(p->arena, l->waves, v->n))
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < v->n; k++) {
        struct tt_waves *w = tt_waves_of(p, p->score->member[v->first + k]);
        uint32_t i = 0;

        while (i < l->n_waves && l->waves[i] != w)
            i++;
        if (w && i == l->n_waves)
            l->waves[l->n_waves++] = w;
    }
    return TT_OK;
}

enum tt_code tt_bind_loop(tt_part *p, const struct tt_op *op, struct tt_call *c,
                          struct tt_loop **open, tt_err *err)
{
    struct tt_loop *l = tt_arena_alloc(p->arena, 1, sizeof(*l));
    enum tt_code rc = TT_OK;

    if (!l)
        return tt_part_nomem(err);
    l->part = p;
    l->outer = *open;
    l->turns = op->arg;
    l->body = l->first = (uint32_t)p->n_call + 1;
    if (op->until) {
        l->solver = &p->score->solver[op->until - 1];
        rc = bind_guesses(p, l, err);
        if (rc == TT_OK)
            rc = bind_numbers(p, l, err);
        if (rc != TT_OK)
            return rc;
        rc = bind_tangent(p, op, l, err);
        if (rc == TT_OK)
            rc = bind_waves(p, l, err);
        if (rc != TT_OK)
            return rc;
        l->memory =
            tt_solve_init(p->values->value + p->solver_used, &l->opts, l->n);
        p->solver_used += (tt_solve_size(&l->opts, l->n) + 7) / 8 * 8;
    }
    *c = (struct tt_call){.what = &what_loop, .unit = l};
    *open = l;
    return TT_OK;
}

void tt_bind_solve(struct tt_call *c, struct tt_loop *l)
{
    *c = (struct tt_call){.what = &what_solve, .unit = l};
}

void tt_bind_time(tt_part *p, const struct tt_op *op, struct tt_call *c,
                  struct tt_loop *l)
{
    static const struct tt_what first = {.fn = play_first_half,
                                         .verb = TT_VERB_OTHER},
                                second = {.fn = play_second_half,
                                          .verb = TT_VERB_OTHER};

    *c = (struct tt_call){.what = &what_time, .unit = l};
    if (op->arg != TT_HALF_LOOP)
        *c = (struct tt_call){
            .what = op->arg == TT_HALF_FIRST ? &first : &second, .unit = p};
}

void tt_bind_end(struct tt_call *c, struct tt_loop *l)
{
    *c = (struct tt_call){.what = &what_end, .unit = l};
}
