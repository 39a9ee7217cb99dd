/* SPDX-License-Identifier: MIT */
/* The checker: plays a score on time stamps instead of values. Without loops,
 * rates and feed-through it proves what Gomes (2019), Def. 43 asks of a valid
 * co-simulation step. */
#include <string.h>

#include "score/check_impl.h"

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
    return rc;
}

static enum stamp stamp_of(const struct check *c, uint16_t reg)
{
    return c->reg[reg];
}

/* --- values ------------------------------------------------------------ */

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
            if (c->slot[in.slot[k]].stamp != now)
                return in.slot[k];
        return TT_NONE;
    }
    for (uint32_t i = first; i < first + u->n_in; i++)
        if (c->slot[i].stamp != now)
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
                "the unit forbids reading after setting without a "
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
    const struct tt_group *g = &c->s->group[op->arg];
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
    return rc;
}

static enum tt_code set_course(struct check *c, const struct tt_op *op,
                               uint32_t slot, tt_err *err)
{
    const struct tt_slot *in = &c->p->slot[slot];
    struct slot_state *to = &c->slot[slot];
    int interpolate = (op->flags & TT_OP_INTERPOLATE) != 0;

    if (in->course == TT_NONE)
        return check_wrong(c, err, "the input takes no course", slot);
    if (op->at != TT_T0 || op->to != TT_T1)
        return check_wrong(c, err, "a course leads from T0 to T1", slot);
    if (to->stamp != AT_T0 && !(c->reg[TT_S0] == BETWEEN && to->stamp == AT_T1))
        return check_wrong(c, err, "a course starts from the value of T0",
                           slot);
    if (interpolate && !(op->flags & TT_OP_GUESS) &&
        c->slot[c->p->feed[in->feed].from].stamp != AT_T1)
        return check_wrong(c, err, "its source is not at T1 yet", slot);
    to->guessed = (op->flags & TT_OP_GUESS) != 0;
    to->stamp = interpolate ? AT_T1 : AT_T0;
    to->moved = c->played;
    return TT_OK;
}

/* A guess has no version: it must be set again from its source. */
static enum tt_code set_guess(struct check *c, const struct tt_op *op,
                              uint32_t slot, tt_err *err)
{
    if (!c->in_loop)
        return check_wrong(c, err, "a guess outside of a loop", slot);
    if (!c->slot[c->p->feed[c->p->slot[slot].feed].from].unknown)
        return check_wrong(c, err, "its source is no unknown of the loop",
                           slot);
    if (op->flags & TT_OP_COURSE)
        return set_course(c, op, slot, err);
    if ((op->flags & TT_OP_LATER) && c->first_pass &&
        (c->slot[slot].stamp != AT_T0 ||
         c->slot[slot].version !=
             c->slot[c->p->feed[c->p->slot[slot].feed].from].version))
        return check_wrong(c, err, "it does not carry the first guess", slot);
    c->slot[slot] = (struct slot_state){
        .stamp = stamp_of(c, op->to),
        .version = UINT32_MAX,
        .guessed = 1,
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
    const struct tt_group *g = &c->s->group[op->arg];
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < g->n && rc == TT_OK; k++)
        rc = set_one(c, op, c->s->member[g->first + k], err);
    c->unit[op->unit].set_since_step = 1;
    return rc;
}

/* --- time and states --------------------------------------------------- */

static enum tt_code play_step(struct check *c, const struct tt_op *op,
                              tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    uint32_t in = u->slot + u->n_read;

    if (c->section != TT_SEC_STEP && c->section != TT_SEC_LAST)
        return check_wrong(c, err, "only the step section steps", TT_NONE);
    if (!(op->at == TT_T0 && op->to == TT_T1) &&
        !(op->at == TT_S0 && op->to == TT_S1))
        return check_wrong(
            c, err, "a step leads from T0 to T1, or from S0 to S1", TT_NONE);
    if (stamp_of(c, op->at) == UNSET)
        return check_wrong(c, err, "no time was given to the sub-step",
                           TT_NONE);
    if (c->unit[op->unit].time != stamp_of(c, op->at))
        return check_wrong(
            c, err, "the unit does not stand where the step starts", TT_NONE);
    for (uint32_t i = in; i < in + u->n_in; i++) {
        enum tt_reactivity r = c->p->slot[i].reactivity;

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

static enum tt_code play_state(struct check *c, const struct tt_op *op,
                               tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    struct unit_state *state = &c->unit[op->unit];
    uint32_t in = u->slot + u->n_read;
    uint64_t bit = UINT64_C(1) << (op->arg % STATES);

    if (c->section == TT_SEC_INIT)
        return check_wrong(
            c, err, "a unit that initialises has no state to keep", TT_NONE);
    if (!u->desc->caps.save)
        return check_wrong(c, err, "the unit cannot save its state", TT_NONE);
    if (op->arg >= c->s->n_state)
        return check_wrong(c, err, "there is no such state register", TT_NONE);
    if ((op->flags & TT_OP_LATER) && c->first_pass)
        return TT_OK; /* left out in the first turn */
    if (op->code == TT_OP_RESTORE) {
        if (!(state->saved & bit))
            return check_wrong(c, err, "nothing was saved in this register",
                               TT_NONE);
        play_restore(c, op);
        return TT_OK;
    }
    state->saved |= bit;
    state->saved_set &= ~bit;
    state->saved_set |= state->set_since_step ? bit : 0;
    state->saved_time[op->arg] = state->time;
    memcpy(c->saved + (size_t)op->arg * c->p->n_slot + in, c->slot + in,
           u->n_in * sizeof(*c->slot));
    return TT_OK;
}

/* --- control ----------------------------------------------------------- */

/* Inputs that carry the guess of this output; at one instant they carry its
 * value too, now that both agree. */
static int take_guessed(struct check *c, const struct tt_solver *v,
                        uint32_t out)
{
    int n = 0;

    for (uint32_t k = c->p->out_first[out]; k < c->p->out_first[out + 1]; k++) {
        struct slot_state *in = &c->slot[c->p->feed[c->p->out_feed[k]].to];

        n += in->guessed;
        if (in->guessed && v->init)
            in->version = c->slot[out].version;
        in->guessed = 0;
    }
    return n;
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
    for (uint32_t k = 0; k < v->n; k++)
        c->slot[c->s->member[v->first + k]].unknown = on;
}

/* Is the innermost loop one of sub-steps? */
static int in_sub_steps(const struct check *c)
{
    return c->depth && !c->s->op[c->loop[c->depth - 1].begin].until;
}

/* The sub-step that the innermost loop is at: the first half, or the rest. */
static enum tt_code play_time(struct check *c, const struct tt_op *op,
                              tt_err *err)
{
    if (!in_sub_steps(c))
        return check_wrong(c, err, "time is divided by counted loops only",
                           TT_NONE);
    if (op->at != TT_S0 || op->to != TT_S1)
        return check_wrong(c, err, "a sub-step leads from S0 to S1", TT_NONE);
    c->reg[TT_S0] = c->loop[c->depth - 1].again ? AT_T0 : BETWEEN;
    c->reg[TT_S1] = c->loop[c->depth - 1].again ? BETWEEN : AT_T1;
    return TT_OK;
}

static enum tt_code enter_loop(struct check *c, tt_err *err)
{
    const struct tt_op *op = &c->s->op[c->op];

    if (c->depth == 2 || (c->depth && in_sub_steps(c)))
        return check_wrong(c, err, "a loop within a loop of sub-steps",
                           TT_NONE);
    if (c->depth && op->until)
        return check_wrong(c, err, "a solver within a loop", TT_NONE);
    if (op->arg == 0)
        return check_wrong(c, err, "a loop of no turns", TT_NONE);
    if (!op->until && op->arg == 1)
        return check_wrong(c, err, "a loop of one sub-step", TT_NONE);
    c->loop[c->depth].begin = c->op;
    c->loop[c->depth++].again = op->arg > 1;
    if (op->until) {
        c->in_loop = 1;
        c->first_pass = op->arg > 1;
        mark_unknowns(c, op, 1);
    }
    return TT_OK;
}

/* The body is played twice: once with guesses, once in earnest; sub-steps to
 * the middle and to the end. */
static enum tt_code leave_loop(struct check *c, tt_err *err)
{
    const struct tt_op *op;

    if (!c->depth)
        return check_wrong(c, err, "an end without a loop", TT_NONE);
    op = &c->s->op[c->loop[c->depth - 1].begin];
    if (c->loop[c->depth - 1].again) {
        c->loop[c->depth - 1].again = 0;
        c->op = c->loop[c->depth - 1].begin; /* again, after LOOP */
        if (op->until)
            c->first_pass = 0;
        return TT_OK;
    }
    c->depth--;
    if (op->until) {
        c->in_loop = 0;
        mark_unknowns(c, op, 0);
    } else {
        c->reg[TT_S0] = c->reg[TT_S1] = UNSET;
    }
    return TT_OK;
}

/* Once, when all values of the instant are there: histories take each instant
 * once. */
static enum tt_code play_commit(const struct check *c, tt_err *err)
{
    uint32_t last =
        c->s->section[c->section].first + c->s->section[c->section].n - 1;

    if (c->section == TT_SEC_STEP || c->section == TT_SEC_LAST)
        return check_wrong(c, err, "values stand after the exchange only",
                           TT_NONE);
    if (c->op != last)
        return check_wrong(c, err, "operations follow", TT_NONE);
    if (stamp_of(c, c->s->op[c->op].to) !=
        (c->section == TT_SEC_INIT ? AT_T0 : AT_T1))
        return check_wrong(c, err, "the values are of another instant",
                           TT_NONE);
    return TT_OK;
}

static enum tt_code play_one(struct check *c, tt_err *err)
{
    const struct tt_op *op = &c->s->op[c->op];
    enum tt_code rc = check_form(c, op, err);

    c->played++;
    if (rc != TT_OK)
        return rc;
    switch ((enum tt_op_code)op->code) {
    case TT_OP_GET:
        check_ranks_read(c, op);
        return play_get(c, op, err);
    case TT_OP_SET:
        rc = check_ranks_set(c, op, err);
        return rc == TT_OK ? play_set(c, op, err) : rc;
    case TT_OP_STEP:
        return play_step(c, op, err);
    case TT_OP_SAVE:
    case TT_OP_RESTORE:
        return play_state(c, op, err);
    case TT_OP_SOLVE:
        rc = check_ranks_solve(c, op, err);
        return rc == TT_OK ? play_solve(c, op, err) : rc;
    case TT_OP_XFER:
        return check_xfer(c, op, err);
    case TT_OP_LOOP:
        return enter_loop(c, err);
    case TT_OP_TIME:
        return play_time(c, op, err);
    case TT_OP_END:
        return leave_loop(c, err);
    case TT_OP_COMMIT:
        break;
    }
    return play_commit(c, err);
}

static enum tt_code play_section(struct check *c, enum tt_section section,
                                 tt_err *err)
{
    uint32_t first = c->s->section[section].first;
    uint32_t end = first + c->s->section[section].n;
    enum tt_code rc = TT_OK;

    c->section = section;
    c->depth = 0;
    for (c->op = first; c->op < end && rc == TT_OK; c->op++)
        rc = play_one(c, err);
    if (rc == TT_OK && c->depth) {
        c->op = c->loop[c->depth - 1].begin;
        rc = check_wrong(c, err, "a loop without an end", TT_NONE);
    }
    if (rc == TT_OK && (section == TT_SEC_INIT || section == TT_SEC_EXCHANGE) &&
        (first == end || c->s->op[end - 1].code != TT_OP_COMMIT))
        rc = tt_fail(err, TT_ESTATE,
                     "invalid score: the %s section does not end with a commit",
                     tt_section_name(section));
    return rc;
}

/* After a rejected step everyone stands where it began. */
static enum tt_code all_back(const struct check *c, tt_err *err)
{
    for (uint32_t u = 0; u < c->p->n_unit; u++)
        if (c->unit[u].time != AT_T0)
            return tt_fail(err, TT_ESTATE,
                           "invalid score: unit '%s' is not back at T0 when "
                           "the undo section ends",
                           c->p->unit[u].name);
    return TT_OK;
}

static enum tt_code go_back(struct check *c, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (c->s->section[TT_SEC_UNDO].n)
        rc = play_section(c, TT_SEC_UNDO, err);
    if (rc == TT_OK && c->s->section[TT_SEC_UNDO].n)
        rc = all_back(c, err);
    return rc;
}

/* With units that step last the step is judged before them: it is taken back
 * then, and made again. Values go back with the frame. */
static enum tt_code go_back_and_on(struct check *c, tt_err *err)
{
    enum tt_code rc;

    if (c->s->section[TT_SEC_UNDO].n == 0)
        return tt_fail(err, TT_ESTATE,
                       "invalid score: units step last although nothing is "
                       "taken back");
    rc = go_back(c, err);
    for (uint32_t i = 0; i < c->p->n_slot; i++)
        if (c->p->slot[i].dir != TT_SLOT_IN)
            c->slot[i].stamp = AT_T0;
    if (rc == TT_OK)
        rc = play_section(c, TT_SEC_STEP, err);
    if (rc == TT_OK)
        rc = play_section(c, TT_SEC_LAST, err);
    return rc;
}

/* Nothing that was read in initialisation mode counts, and every unit may be
 * read before it is set. */
static enum tt_code check_start(struct check *c, tt_err *err)
{
    enum tt_code rc;

    for (uint32_t u = 0; u < c->p->n_unit; u++)
        c->unit[u].set_since_step = 0;
    for (uint32_t i = 0; i < c->p->n_slot; i++)
        c->slot[i] = (struct slot_state){.stamp = UNSET};
    rc = play_section(c, TT_SEC_START, err);
    return rc == TT_OK ? check_at_rest(c, AT_T0, err) : rc;
}

static enum tt_code check_all(struct check *c, tt_err *err)
{
    enum tt_code rc;

    for (uint32_t u = 0; u < c->p->n_unit; u++)
        c->unit[u].time = AT_T0;
    rc = play_section(c, TT_SEC_INIT, err);
    if (rc == TT_OK)
        rc = check_at_rest(c, AT_T0, err);
    if (rc == TT_OK && c->s->section[TT_SEC_START].n)
        rc = check_start(c, err);
    if (rc == TT_OK)
        rc = play_section(c, TT_SEC_BEGIN, err);
    if (rc == TT_OK)
        rc = play_section(c, TT_SEC_STEP, err);
    if (rc == TT_OK && c->s->section[TT_SEC_LAST].n)
        rc = go_back_and_on(c, err);
    if (rc == TT_OK)
        rc = play_section(c, TT_SEC_EXCHANGE, err);
    if (rc == TT_OK)
        rc = check_at_rest(c, AT_T1, err);
    if (rc == TT_OK && c->s->section[TT_SEC_AGAIN].n) {
        rc = play_section(c, TT_SEC_AGAIN, err);
        if (rc == TT_OK)
            rc = check_at_rest(c, AT_T1, err);
    }
    if (rc == TT_OK && !c->s->section[TT_SEC_LAST].n)
        rc = go_back(c, err);
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
        TT_NEW_ARRAY(c.saved, (size_t)s->n_state * s->plan->n_slot) &&
        TT_NEW_ARRAY(c.arrived, (size_t)s->n_rank * s->plan->n_slot))
        rc = check_all(&c, err);
    else
        rc = tt_fail(err, TT_ENOMEM, "checking the score: out of memory");
    tt_free(c.unit);
    tt_free(c.slot);
    tt_free(c.saved);
    tt_free(c.arrived);
    return rc;
}
