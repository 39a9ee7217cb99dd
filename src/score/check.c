/* SPDX-License-Identifier: MIT */
/* The checker: plays a score on time stamps instead of values. Without loops,
 * rates and feed-through it proves what Gomes (2019), Def. 43 asks of a valid
 * co-simulation step. */
#include <stdio.h>
#include <string.h>

#include "score/check_impl.h"

/* Of a score from a file: the place in it, and that it is no mistake of ours.
 */
static enum tt_code at_place(const struct check *c, struct tt_where where,
                             enum tt_code rc, tt_err *err)
{
    char at[512];

    if (!c->s->where)
        return rc;
    if (err) {
        err->code = TT_EINPUT;
        tt_scenario_place(c->p->scenario, where, &err->place);
    }
    return tt_context(err, TT_EINPUT, "%s",
                      tt_scenario_at(c->p->scenario, where, at, sizeof(at)));
}

enum tt_code check_at_op(const struct check *c, enum tt_code rc, tt_err *err)
{
    return c->s->where ? at_place(c, c->s->where[c->op], rc, err) : rc;
}

enum tt_code check_ended(const struct check *c, tt_err *err, const char *fmt,
                         ...)
{
    char text[TT_ERR_MAX];
    va_list ap;
    enum tt_code rc;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    rc = tt_fail(err, TT_ESTATE, "invalid score: %s", text);
    return at_place(c, c->s->section_where[c->section], rc, err);
}

enum tt_code check_wrong(const struct check *c, tt_err *err, const char *why,
                         uint32_t slot)
{
    struct tt_buf text;
    char name[512] = "";
    enum tt_code rc;

    tt_buf_init(&text, TT_ERR_MAX / 4);
    tt_score_op_text(c->s, c->op, &text);
    if (slot != TT_NONE)
        tt_plan_slot_name(c->p, slot, name, sizeof(name));
    rc = tt_fail(err, TT_ESTATE, "invalid score: %s, operation %u (%s): %s%s%s",
                 tt_section_name(c->section),
                 c->op - c->s->section[c->section].first + 1,
                 text.data ? text.data : "", why, *name ? ": " : "", name);
    tt_buf_fini(&text);
    return check_at_op(c, rc, err);
}

static enum stamp stamp_of(const struct check *c, uint16_t reg)
{
    return c->reg[reg];
}

static int is_stepping(const struct check *c)
{
    return c->section == TT_SEC_STEP || c->section == TT_SEC_LAST;
}

/* --- loops being played ------------------------------------------------- */

/* Does this loop solve at one instant? */
static int is_instant(const struct check *c, const struct tt_op *loop)
{
    return loop->until && c->s->solver[loop->until - 1].init;
}

/* Guesses and unknowns of a loop at one instant are distinguished from those of
 * the loop around steps that it may be in. */
static int kind_of(const struct tt_solver *v)
{
    return v->init ? 2 : 1;
}

/* Is one of those being played a solver's, at one instant or around steps? */
static int within_solver(const struct check *c, int instant)
{
    for (int i = 0; i < c->depth; i++) {
        const struct tt_op *op = &c->s->op[c->loop[i].begin];

        if (op->until && is_instant(c, op) == instant)
            return 1;
    }
    return 0;
}

/* --- values ------------------------------------------------------------ */

/* Is it of this instant? What is moved at events only is of any. */
static int is_of(const struct check *c, uint32_t slot, enum stamp at)
{
    return c->slot[slot].stamp == at || c->p->slot[slot].event_only;
}

/* The first input, of those the output depends on or may depend on, that is
 * not of its unit's instant; TT_NONE when all are. */
static uint32_t not_of_this_instant(const struct check *c, uint32_t out)
{
    const struct tt_plan_unit *u = &c->p->unit[c->p->slot[out].unit];
    enum stamp now = c->unit[c->p->slot[out].unit].time;
    struct tt_plan_inputs in =
        tt_plan_inputs_of(c->p, out, c->section == TT_SEC_INIT);
    uint32_t first = u->slot + u->n_read;

    if (in.known) {
        for (uint32_t k = 0; k < in.n; k++)
            if (!is_of(c, in.slot[k], now))
                return in.slot[k];
        return TT_NONE;
    }
    for (uint32_t i = first; i < first + u->n_in; i++)
        if (!is_of(c, i, now))
            return i;
    return TT_NONE;
}

/* May this output be read now? */
static enum tt_code check_read(const struct check *c, const struct tt_op *op,
                               uint32_t slot, tt_err *err)
{
    uint32_t in;

    if (c->section != TT_SEC_INIT && !c->p->unit[op->unit].consistent) {
        if (c->unit[op->unit].set_since_step)
            return check_wrong(
                c, err,
                "the instance forbids reading after setting without a "
                "step",
                slot);
        return TT_OK;
    }
    if (c->first_pass || (op->flags & (TT_OP_PREDICTED | TT_OP_CUT)))
        return TT_OK;
    in = not_of_this_instant(c, slot);
    if (in != TT_NONE)
        return check_wrong(c, err,
                           "an input it depends on is not of this instant", in);
    return TT_OK;
}

static enum tt_code play_get(struct check *c, const struct tt_op *op,
                             tt_err *err)
{
    const struct tt_batch *g = &c->s->batch[op->arg];
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < g->n && rc == TT_OK; k++) {
        uint32_t slot = c->s->member[g->first + k];

        rc = check_read(c, op, slot, err);
        c->slot[slot] = (struct slot_state){
            .stamp = c->unit[op->unit].time,
            .version = c->slot[slot].version + 1,
            .cut = (op->flags & TT_OP_CUT) != 0,
            .unknown = c->slot[slot].unknown,
            .moved = c->played,
        };
    }
    if (rc == TT_OK && c->unit[op->unit].time != stamp_of(c, op->at))
        rc = check_wrong(c, err, "the instance does not stand at that instant",
                         TT_NONE);
    return rc;
}

/* A coupling's line over a sub-step of its group. */
static int is_inner_line(const struct check *c, const struct tt_op *op,
                         uint32_t slot)
{
    return op->at == TT_S0 && op->to == TT_S1 &&
           (op->flags & TT_OP_INTERPOLATE) && (op->flags & TT_OP_GUESS) &&
           tt_plan_inner(c->p, c->p->slot[slot].feed);
}

/* Does a course have a beginning and a unit that will follow it? */
static const char *no_course(const struct check *c, const struct tt_op *op,
                             uint32_t slot)
{
    const struct tt_slot *in = &c->p->slot[slot];
    const struct tt_course *course;

    if (in->course == TT_NONE)
        return "the input takes no course";
    course = &c->p->course[in->course];
    if (!(op->at == TT_T0 && op->to == TT_T1) && !is_inner_line(c, op, slot))
        return "a course leads from T0 to T1";
    if (!is_stepping(c) || c->unit[op->unit].time == AT_T1)
        return "a course is set before its instance steps";
    if (course->kind == TT_COURSE_COUPLED &&
        !c->slot[course->begins_at].unknown)
        return "its course begins at an unknown of no loop around it";
    return NULL;
}

static enum tt_code set_course(struct check *c, const struct tt_op *op,
                               uint32_t slot, tt_err *err)
{
    const struct tt_slot *in = &c->p->slot[slot];
    const char *why = no_course(c, op, slot);
    struct slot_state *to = &c->slot[slot];
    int interpolate = (op->flags & TT_OP_INTERPOLATE) != 0;

    if (why)
        return check_wrong(c, err, why, slot);
    if (is_inner_line(c, op, slot)) {
        if (to->stamp != c->reg[TT_S0])
            return check_wrong(c, err, "a course starts from the value of S0",
                               slot);
        to->guessed |= 1;
        to->stamp = c->reg[TT_S1];
        to->moved = c->played;
        return TT_OK;
    }
    if (to->stamp != AT_T0 && !(c->reg[TT_S0] == BETWEEN && to->stamp == AT_T1))
        return check_wrong(c, err, "a course starts from the value of T0",
                           slot);
    if (interpolate && !(op->flags & TT_OP_GUESS) &&
        c->slot[c->p->feed[in->feed].from].stamp != AT_T1)
        return check_wrong(c, err, "its source is not at T1 yet", slot);
    to->guessed |= (op->flags & TT_OP_GUESS) != 0;
    to->stamp = interpolate ? AT_T1 : AT_T0;
    to->moved = c->played;
    return TT_OK;
}

/* A guess has no version: it must be set again from its source. */
static enum tt_code set_guess(struct check *c, const struct tt_op *op,
                              uint32_t slot, tt_err *err)
{
    const struct slot_state *from =
        &c->slot[c->p->feed[c->p->slot[slot].feed].from];

    if (!c->in_loop)
        return check_wrong(c, err, "a guess outside of a loop", slot);
    if (!from->unknown)
        return check_wrong(c, err, "its source is no unknown of the loop",
                           slot);
    if (op->flags & TT_OP_COURSE)
        return set_course(c, op, slot, err);
    if ((op->flags & TT_OP_LATER) && c->first_turn &&
        (c->slot[slot].stamp != AT_T0 ||
         c->slot[slot].version != from->version))
        return check_wrong(c, err, "it does not carry the first guess", slot);
    c->slot[slot] = (struct slot_state){
        .stamp = stamp_of(c, op->to),
        .version = UINT32_MAX,
        .guessed = c->slot[slot].guessed | (from->unknown > 1 ? 2 : 1),
        .moved = c->played,
    };
    return TT_OK;
}

static enum tt_code set_one(struct check *c, const struct tt_op *op,
                            uint32_t slot, tt_err *err)
{
    const struct slot_state *from =
        &c->slot[c->p->feed[c->p->slot[slot].feed].from];

    if (op->flags & TT_OP_GUESS)
        return set_guess(c, op, slot, err);
    if (op->flags & TT_OP_COURSE)
        return set_course(c, op, slot, err);
    if (from->stamp == UNSET && !c->first_pass)
        return check_wrong(c, err, "its source was never read", slot);
    if (from->stamp != stamp_of(c, op->at) && !c->first_pass)
        return check_wrong(c, err, "its source is of another instant", slot);
    c->slot[slot] = (struct slot_state){
        .stamp = stamp_of(c, op->at),
        .version = from->version,
        .guessed = c->slot[slot].guessed,
        .moved = c->played,
    };
    return TT_OK;
}

static enum tt_code play_set(struct check *c, const struct tt_op *op,
                             tt_err *err)
{
    const struct tt_batch *g = &c->s->batch[op->arg];
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < g->n && rc == TT_OK; k++)
        rc = set_one(c, op, c->s->member[g->first + k], err);
    c->unit[op->unit].set_since_step = 1;
    return rc;
}

/* --- time and states --------------------------------------------------- */

/* The first member of an ensemble steps all, when all inputs are set. */
static int steps_early(const struct check *c, const struct tt_op *op)
{
    const struct tt_plan_unit *u = c->p->unit;

    if (!u[op->unit].together || u[op->unit].group != op->unit)
        return 0;
    for (uint32_t i = 0; i < c->p->n_unit; i++)
        if (i != op->unit && u[i].together && u[i].group == op->unit &&
            c->unit[i].time != stamp_of(c, op->to))
            return 1;
    return 0;
}

static enum tt_code play_step(struct check *c, const struct tt_op *op,
                              tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    uint32_t in = u->slot + u->n_read;

    if (!is_stepping(c))
        return check_wrong(c, err, "only the step section steps", TT_NONE);
    if (u->desc->caps.implicit && !c->in_loop)
        return check_wrong(c, err, "a coupling steps in a loop that solves it",
                           TT_NONE);
    if (within_solver(c, 1))
        return check_wrong(c, err, "a step within a loop at one instant",
                           TT_NONE);
    if (!(op->at == TT_T0 && op->to == TT_T1) &&
        !(op->at == TT_S0 && op->to == TT_S1))
        return check_wrong(
            c, err, "a step leads from T0 to T1, or from S0 to S1", TT_NONE);
    if (stamp_of(c, op->at) == UNSET)
        return check_wrong(c, err, "no time was given to the sub-step",
                           TT_NONE);
    if (c->unit[op->unit].time != stamp_of(c, op->at))
        return check_wrong(c, err,
                           "the instance does not stand where the step starts",
                           TT_NONE);
    if (steps_early(c, op))
        return check_wrong(c, err,
                           "the others it is integrated together with step "
                           "before it",
                           TT_NONE);
    for (uint32_t i = in; i < in + u->n_in; i++) {
        enum tt_reactivity r = c->p->slot[i].event_only
                                   ? TT_REACT_EITHER
                                   : c->p->slot[i].reactivity;

        if (r == TT_REACT_REACTIVE && c->slot[i].stamp != AT_T1 &&
            c->slot[i].stamp != stamp_of(c, op->to))
            return check_wrong(c, err, "a reactive input is not at T1", i);
        if (r == TT_REACT_DELAYED && c->slot[i].stamp != AT_T0 &&
            c->slot[i].stamp != stamp_of(c, op->at))
            return check_wrong(c, err, "a delayed input is not at T0", i);
    }
    c->unit[op->unit].time = stamp_of(c, op->to);
    c->unit[op->unit].set_since_step = 0;
    return TT_OK;
}

/* A unit's inputs are part of its state: they go back with it. */
static void play_restore(struct check *c, const struct tt_op *op)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    struct unit_state *state = &c->unit[op->unit];
    uint32_t in = u->slot + u->n_read;

    state->time = state->saved_time[op->arg];
    state->set_since_step = (int)(state->saved_set >> op->arg & 1);
    memcpy(c->slot + in, c->saved + (size_t)op->arg * c->p->n_slot + in,
           u->n_in * sizeof(*c->slot));
}

/* What begin saved is what undo restores: whatever the step did, and wherever
 * it was left. A step that is played in halves begins elsewhere the second
 * time. */
static const char *section_forbids(const struct check *c,
                                   const struct tt_op *op)
{
    int kept = (int)(c->unit[op->unit].kept >> op->arg % STATES & 1);

    if (c->section == TT_SEC_UNDO && !kept)
        return "the begin section saved nothing in this register";
    if (c->section == TT_SEC_BEGIN || c->section == TT_SEC_UNDO || !kept)
        return NULL;
    if (op->code == TT_OP_SAVE)
        return "the begin section keeps a state in this register";
    return c->p->doubles ? "a step that may be played in halves restores what "
                           "it saved itself"
                         : NULL;
}

static enum tt_code play_state(struct check *c, const struct tt_op *op,
                               tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    struct unit_state *state = &c->unit[op->unit];
    uint32_t in = u->slot + u->n_read;
    uint64_t bit = UINT64_C(1) << (op->arg % STATES);

    if (c->section == TT_SEC_INIT)
        return check_wrong(c, err,
                           "an instance that initialises has no state to keep",
                           TT_NONE);
    if (!u->desc->caps.save)
        return check_wrong(c, err, "the instance cannot save its state",
                           TT_NONE);
    if (op->arg >= c->s->n_state)
        return check_wrong(c, err, "there is no such state register", TT_NONE);
    if (section_forbids(c, op))
        return check_wrong(c, err, section_forbids(c, op), TT_NONE);
    if ((op->flags & TT_OP_LATER) && c->first_turn)
        return TT_OK; /* left out in the first turn */
    if (op->code == TT_OP_RESTORE) {
        if (!(state->saved & bit))
            return check_wrong(c, err, "nothing was saved in this register",
                               TT_NONE);
        play_restore(c, op);
        return TT_OK;
    }
    if (c->section == TT_SEC_BEGIN)
        state->kept |= bit;
    state->saved |= bit;
    state->saved_set &= ~bit;
    state->saved_set |= state->set_since_step ? bit : 0;
    state->saved_time[op->arg] = state->time;
    memcpy(c->saved + (size_t)op->arg * c->p->n_slot + in, c->slot + in,
           u->n_in * sizeof(*c->slot));
    return TT_OK;
}

/* --- control ----------------------------------------------------------- */

/* The loop that is being played. */
static const struct tt_op *innermost(const struct check *c)
{
    return &c->s->op[c->loop[c->depth - 1].begin];
}

/* Inputs that carry the guess of this output; at one instant they carry its
 * value too, now that both agree. */
static int take_guessed(struct check *c, const struct tt_solver *v,
                        uint32_t out)
{
    int n = 0;

    for (uint32_t k = c->p->out_first[out]; k < c->p->out_first[out + 1]; k++) {
        struct slot_state *in = &c->slot[c->p->feed[c->p->out_feed[k]].to];

        if (!(in->guessed & kind_of(v)))
            continue;
        n++;
        if (v->init)
            in->version = c->slot[out].version;
        in->guessed &= ~kind_of(v);
    }
    return n;
}

static int ends_loop(const struct check *c)
{
    uint32_t next = c->op + 1 - c->s->section[c->section].first;

    return next < c->s->section[c->section].n &&
           c->s->op[c->op + 1].code == TT_OP_END;
}

/* What comes out of a turn must be there before it is compared with what was
 * guessed. */
static enum tt_code play_solve(struct check *c, const struct tt_op *op,
                               tt_err *err)
{
    const struct tt_solver *v = &c->s->solver[op->arg];

    if (!c->in_loop)
        return check_wrong(c, err, "nothing is solved outside of a loop",
                           TT_NONE);
    if (innermost(c)->until != op->arg + 1 || !ends_loop(c))
        return check_wrong(c, err, "it does not end the loop of its solver",
                           TT_NONE);
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t out = c->s->member[v->first + k];

        if (c->slot[out].stamp != stamp_of(c, op->at))
            return check_wrong(c, err, "it was not read in this turn", out);
        if (!take_guessed(c, v, out))
            return check_wrong(c, err, "no input was set to its guess", out);
    }
    return TT_OK;
}

/* A loop's unknowns are so until its end. */
static void mark_unknowns(struct check *c, const struct tt_op *loop, int on)
{
    const struct tt_solver *v;

    if (!loop->until)
        return;
    v = &c->s->solver[loop->until - 1];
    for (uint32_t k = 0; k < v->n; k++) {
        int *unknown = &c->slot[c->s->member[v->first + k]].unknown;

        *unknown = on ? *unknown | kind_of(v) : *unknown & ~kind_of(v);
    }
}

/* Is the innermost loop one of sub-steps? */
static int in_sub_steps(const struct check *c)
{
    return c->depth && !innermost(c)->until;
}

/* Is any loop around only counted? */
static int counts(const struct check *c)
{
    int n = 0;

    for (int i = 0; i < c->depth; i++)
        n += !c->s->op[c->loop[i].begin].until;
    return n;
}

/* The sub-step that the innermost loop is at: the first half, or the rest. */
static enum tt_code play_time(struct check *c, const struct tt_op *op,
                              tt_err *err)
{
    int first = op->arg == TT_HALF_FIRST;

    if (!is_stepping(c))
        return check_wrong(c, err, "only a step is divided", TT_NONE);
    if (op->at != TT_S0 || op->to != TT_S1)
        return check_wrong(c, err, "a sub-step leads from S0 to S1", TT_NONE);
    if (op->arg == TT_HALF_LOOP) {
        if (!in_sub_steps(c))
            return check_wrong(c, err, "time is divided by counted loops only",
                               TT_NONE);
        if (innermost(c) != op - 1)
            return check_wrong(c, err, "it does not begin its loop", TT_NONE);
        first = c->loop[c->depth - 1].again;
    } else if (counts(c)) {
        return check_wrong(c, err, "a loop of sub-steps has no halves",
                           TT_NONE);
    }
    c->reg[TT_S0] = first ? AT_T0 : BETWEEN;
    c->reg[TT_S1] = first ? BETWEEN : AT_T1;
    return TT_OK;
}

/* Sub-steps in a loop around steps or the other way round, and in either what
 * is solved at one instant. */
static const char *misplaced(const struct check *c, const struct tt_op *op)
{
    if (!op->until && (in_sub_steps(c) || within_solver(c, 1) || c->depth > 1))
        return "a loop within a loop of sub-steps";
    if (op->until &&
        (within_solver(c, 1) || (!is_instant(c, op) && within_solver(c, 0))))
        return "a solver within a loop";
    if (op->arg == 0)
        return "a loop of no turns";
    if (!op->until && op->arg == 1)
        return "a loop of one sub-step";
    return NULL;
}

static void look_at_loops(struct check *c)
{
    c->in_loop = c->first_pass = c->first_turn = 0;
    for (int i = 0; i < c->depth; i++) {
        c->in_loop |= c->s->op[c->loop[i].begin].until != 0;
        c->first_turn |= c->loop[i].first;
        c->first_pass |= c->loop[i].first && c->loop[i].again;
    }
}

static enum tt_code enter_loop(struct check *c, const struct tt_op *op,
                               tt_err *err)
{
    const char *why = misplaced(c, op);

    if (why)
        return check_wrong(c, err, why, TT_NONE);
    c->loop[c->depth].begin = c->op;
    c->loop[c->depth].first = op->until != 0;
    c->loop[c->depth++].again = op->arg > 1;
    mark_unknowns(c, op, 1);
    look_at_loops(c);
    return TT_OK;
}

/* The body is played twice: once with guesses, once in earnest; sub-steps to
 * the middle and to the end. */
static enum tt_code leave_loop(struct check *c, const struct tt_op *op,
                               tt_err *err)
{
    if (!c->depth)
        return check_wrong(c, err, "an end without a loop", TT_NONE);
    op = innermost(c);
    if (op->until && c->s->op[c->op - 1].code != TT_OP_SOLVE)
        return check_wrong(c, err, "the loop's solver is not asked", TT_NONE);
    c->loop[c->depth - 1].first = 0;
    if (c->loop[c->depth - 1].again) {
        c->loop[c->depth - 1].again = 0;
        c->op = c->loop[c->depth - 1].begin; /* again, after LOOP */
    } else {
        c->depth--;
        mark_unknowns(c, op, 0);
        if (!op->until)
            c->reg[TT_S0] = c->reg[TT_S1] = UNSET;
    }
    look_at_loops(c);
    return TT_OK;
}

/* Once, when all values of the instant are there: histories take each instant
 * once. */
static enum tt_code play_commit(struct check *c, const struct tt_op *op,
                                tt_err *err)
{
    uint32_t last =
        c->s->section[c->section].first + c->s->section[c->section].n - 1;

    if (c->section != TT_SEC_INIT && c->section != TT_SEC_EXCHANGE)
        return check_wrong(c, err, "values stand after the exchange only",
                           TT_NONE);
    if (c->op != last)
        return check_wrong(c, err, "operations follow", TT_NONE);
    if (stamp_of(c, op->to) != (c->section == TT_SEC_INIT ? AT_T0 : AT_T1))
        return check_wrong(c, err, "the values are of another instant",
                           TT_NONE);
    return TT_OK;
}

/* XFER is checked by whom it is between, others belong to events. */
static enum tt_code (*const play_op[])(struct check *c, const struct tt_op *op,
                                       tt_err *err) = {
    [TT_OP_GET] = play_get,       [TT_OP_SET] = play_set,
    [TT_OP_STEP] = play_step,     [TT_OP_SAVE] = play_state,
    [TT_OP_RESTORE] = play_state, [TT_OP_LOOP] = enter_loop,
    [TT_OP_TIME] = play_time,     [TT_OP_SOLVE] = play_solve,
    [TT_OP_END] = leave_loop,     [TT_OP_COMMIT] = play_commit,
    [TT_OP_XFER] = NULL};

static enum tt_code play_one(struct check *c, tt_err *err)
{
    const struct tt_op *op = &c->s->op[c->op];
    enum tt_code rc = check_form(c, op, err);

    c->played++;
    if (rc != TT_OK)
        return rc;
    if (c->section == TT_SEC_EVENT || c->section == TT_SEC_LEAVE)
        return check_event_op(c, op, err);
    rc = check_ranks_op(c, op, err);
    if (rc != TT_OK || op->code == TT_OP_XFER)
        return rc;
    return play_op[op->code]
               ? play_op[op->code](c, op, err)
               : check_wrong(c, err, "only events have this operation",
                             TT_NONE);
}

enum tt_code check_play(struct check *c, enum tt_section section, tt_err *err)
{
    uint32_t first = c->s->section[section].first;
    uint32_t end = first + c->s->section[section].n;
    enum tt_code rc = TT_OK;

    c->section = section;
    c->depth = 0;
    c->reg[TT_S0] = c->reg[TT_S1] = UNSET;
    for (c->op = first; c->op < end && rc == TT_OK; c->op++)
        rc = play_one(c, err);
    if (rc == TT_OK && c->depth) {
        c->op = c->loop[c->depth - 1].begin;
        rc = check_wrong(c, err, "a loop without an end", TT_NONE);
    }
    if (rc == TT_OK && (section == TT_SEC_INIT || section == TT_SEC_EXCHANGE) &&
        (first == end || c->s->op[end - 1].code != TT_OP_COMMIT))
        rc = check_ended(c, err, "the %s section does not end with a commit",
                         tt_section_name(section));
    return rc;
}

/* Nothing that was read in initialisation mode counts, and every unit may be
 * read before it is set. */
static enum tt_code check_start(struct check *c, tt_err *err)
{
    enum tt_code rc;

    for (uint32_t u = 0; u < c->p->n_unit; u++)
        c->unit[u] = (struct unit_state){.time = AT_T0};
    for (uint32_t i = 0; i < c->p->n_slot; i++)
        c->slot[i] = (struct slot_state){.stamp = UNSET};
    c->reg[TT_T1] = AT_T0;
    rc = check_play(c, TT_SEC_START, err);
    return rc == TT_OK ? check_committed(c, AT_T0, err) : rc;
}

static enum tt_code check_all(struct check *c, tt_err *err)
{
    enum tt_code rc;

    for (uint32_t u = 0; u < c->p->n_unit; u++)
        c->unit[u].time = AT_T0;
    check_ranks_begin(c);
    rc = check_play(c, TT_SEC_INIT, err);
    if (rc == TT_OK)
        rc = check_committed(c, AT_T0, err);
    if (rc == TT_OK)
        rc = check_protocol(c, err);
    if (rc == TT_OK && (c->p->n_event || c->s->section[TT_SEC_EVENT].n))
        rc = check_event(c, err);
    if (rc == TT_OK && c->s->section[TT_SEC_AGAIN].n) {
        rc = check_play(c, TT_SEC_AGAIN, err);
        if (rc == TT_OK)
            rc = check_committed(c, AT_T1, err);
    }
    if (rc == TT_OK && c->s->section[TT_SEC_RHS].n)
        rc = check_play(c, TT_SEC_RHS, err);
    if (rc == TT_OK && c->s->section[TT_SEC_START].n)
        rc = check_start(c, err);
    return rc;
}

enum tt_code tt_score_check(const tt_score *s, tt_err *err)
{
    struct check c = {
        .s = s, .p = s->plan, .reg = {AT_T0, AT_T1, UNSET, UNSET}};
    enum tt_code rc = check_sections(s, err);

    if (rc != TT_OK)
        return rc;
    if (TT_NEW_ARRAY(c.unit, s->plan->n_unit) &&
        TT_NEW_ARRAY(c.slot, s->plan->n_slot) &&
        TT_NEW_ARRAY(c.kept, s->plan->n_slot) &&
        TT_NEW_ARRAY(c.saved, (size_t)s->n_state * s->plan->n_slot) &&
        TT_NEW_ARRAY(c.shown, s->plan->n_slot) &&
        TT_NEW_ARRAY(c.arrived, (size_t)s->n_rank * s->plan->n_slot))
        rc = check_all(&c, err);
    else
        rc = tt_nomem(err, "checking the score");
    TT_FREE_ALL(c.unit, c.slot, c.kept, c.saved, c.arrived, c.shown);
    return rc;
}
