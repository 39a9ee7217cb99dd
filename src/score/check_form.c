/* SPDX-License-Identifier: MIT */
/* The form of a score: indices that exist, batches that one call can move. */
#include "score/check_impl.h"

/* Slots of one unit, direction and type, so that one call can move them. */
static enum tt_code check_batch(const struct check *c, const struct tt_op *op,
                                tt_err *err)
{
    int set = op->code == TT_OP_SET;
    const struct tt_batch *g = &c->s->batch[op->arg];

    if (g->n == 0)
        return check_wrong(c, err, "it moves nothing", TT_NONE);
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t i = c->s->member[g->first + k];
        const struct tt_slot *slot = &c->p->slot[i];

        if (slot->unit != op->unit || (slot->dir == TT_SLOT_IN) != set)
            return check_wrong(c, err,
                               set ? "it cannot be set on this instance"
                                   : "it cannot be read from this instance",
                               i);
        if ((slot->ticked != TT_NONE) != (op->code == TT_OP_TICK))
            return check_wrong(c, err,
                               op->code == TT_OP_TICK
                                   ? "it is no clock that the run ticks"
                                   : "it is a clock, which the run ticks",
                               i);
        if (slot->type != g->type)
            return check_wrong(c, err, "it is of another type than its batch",
                               i);
        if (slot->event_only && c->section != TT_SEC_INIT &&
            c->section != TT_SEC_EVENT)
            return check_wrong(c, err, "it is moved at events only", i);
    }
    return TT_OK;
}

static int has_batch(const tt_score *s, const struct tt_op *op)
{
    const struct tt_batch *g;

    if (op->arg >= s->n_batch)
        return 0;
    g = &s->batch[op->arg];
    if (g->first > s->n_member || g->n > s->n_member - g->first)
        return 0;
    for (uint32_t k = 0; k < g->n; k++)
        if (s->member[g->first + k] >= s->plan->n_slot)
            return 0;
    return 1;
}

static int has_solver(const tt_score *s, uint32_t i)
{
    const struct tt_solver *v = &s->solver[i];

    if (i >= s->n_solver || v->first > s->n_member ||
        v->n > s->n_member - v->first)
        return 0;
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t slot = s->member[v->first + k];

        if (slot >= s->plan->n_slot || s->plan->slot[slot].dir == TT_SLOT_IN)
            return 0;
    }
    return 1;
}

static int is_control(const struct tt_op *op)
{
    return op->code == TT_OP_LOOP || op->code == TT_OP_TIME ||
           op->code == TT_OP_SOLVE || op->code == TT_OP_END ||
           op->code == TT_OP_COMMIT || op->code == TT_OP_XFER;
}

/* What the first turn leaves out is restored or guessed, and left out at one
 * go. */
static int in_place(const struct check *c, const struct tt_op *op)
{
    const struct tt_op *before = op - 1;

    if (!(op->flags & TT_OP_LATER))
        return 1;
    if (op->code != TT_OP_RESTORE &&
        !(op->code == TT_OP_SET && (op->flags & TT_OP_GUESS)))
        return 0;
    return c->op > c->s->section[c->section].first &&
           ((before->code == TT_OP_LOOP && before->until) ||
            (before->flags & TT_OP_LATER));
}

enum tt_code check_form(const struct check *c, const struct tt_op *op,
                        tt_err *err)
{
    const char *why = NULL;
    int moves = op->code == TT_OP_GET || op->code == TT_OP_SET ||
                op->code == TT_OP_TICK;

    if (op->code > TT_OP_XFER)
        why = "there is no such operation";
    else if (op->unit == TT_NONE ? !is_control(op) : op->unit >= c->p->n_unit)
        why = "there is no such instance";
    else if (op->guard > tt_flags_of(c->p))
        why = "there is no such guard";
    else if (op->at > TT_S1 || op->to > TT_S1)
        why = "there is no such time register";
    else if (moves && !has_batch(c->s, op))
        why = "there is no such batch";
    else if ((op->code == TT_OP_SOLVE && !has_solver(c->s, op->arg)) ||
             (op->code == TT_OP_LOOP && op->until &&
              !has_solver(c->s, op->until - 1u)))
        why = "there is no such solver";
    else if (op->code == TT_OP_XFER && check_xfer_form(c, op) != TT_OK)
        why = "there is no such transfer";
    else if (!in_place(c, op))
        why = "it cannot be left out in the first turn";
    if (why)
        return check_at_op(
            c,
            tt_fail(err, TT_ESTATE, "invalid score: %s, operation %u: %s",
                    tt_section_name(c->section),
                    c->op - c->s->section[c->section].first + 1, why),
            err);
    return moves ? check_batch(c, op, err) : TT_OK;
}

enum tt_code check_sections(const tt_score *s, tt_err *err)
{
    for (int i = 0; i < TT_SEC_N; i++)
        if (s->section[i].first > s->n_op ||
            s->section[i].n > s->n_op - s->section[i].first)
            return tt_fail(err, TT_ESTATE,
                           "invalid score: the %s section ends after the last "
                           "operation",
                           tt_section_name((enum tt_section)i));
    if (s->n_state > STATES)
        return tt_fail(err, TT_ESTATE,
                       "invalid score: %u state registers, at most %d are "
                       "possible",
                       s->n_state, STATES);
    return TT_OK;
}
