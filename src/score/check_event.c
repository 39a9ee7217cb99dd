/* SPDX-License-Identifier: MIT */
/* The event section, checked as the first and as a later microstep of an event
 * in which everything takes part; and the section that leaves it. */
#include "score/check_impl.h"

/* Is this output only changed by steps? */
static int is_idle(const tt_plan *p, uint32_t out)
{
    const struct tt_plan_unit *u = &p->unit[p->slot[out].unit];

    return !u->events && !u->consistent;
}

static int is_moved(const struct check *c, uint32_t slot)
{
    return c->slot[slot].moved > c->microstep;
}

static int is_updated(const struct check *c, uint32_t unit)
{
    return c->unit[unit].updated > c->microstep;
}

static enum tt_code enter(struct check *c, const struct tt_op *op, tt_err *err)
{
    if (!c->p->unit[op->unit].events)
        return check_wrong(c, err, "the instance has no event mode", TT_NONE);
    c->unit[op->unit].in_event = 1;
    return TT_OK;
}

/* The first of these inputs that has not got its value of this microstep. */
static uint32_t not_set(const struct check *c, const uint32_t *in,
                        uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_moved(c, in ? in[i] : first + i))
            return in ? in[i] : first + i;
    return TT_NONE;
}

static int is_all_set(const struct check *c, uint32_t unit)
{
    const struct tt_plan_unit *u = &c->p->unit[unit];

    return not_set(c, NULL, u->slot + u->n_read, u->n_in) == TT_NONE;
}

static enum tt_code read_one(struct check *c, const struct tt_op *op,
                             uint32_t slot, tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    struct tt_plan_inputs in = tt_plan_inputs_of(c->p, slot, 0);
    uint32_t missing = TT_NONE;

    if (is_idle(c->p, slot))
        return check_wrong(c, err, "it does not change at events", slot);
    if (u->events && !c->unit[op->unit].in_event)
        return check_wrong(c, err, "the instance is not in event mode", slot);
    if (!is_updated(c, op->unit) && !(op->flags & TT_OP_CUT))
        missing = in.known ? not_set(c, in.slot, 0, in.n)
                           : not_set(c, NULL, u->slot + u->n_read, u->n_in);
    if (missing != TT_NONE)
        return check_wrong(
            c, err, "an input it depends on is not of this microstep", missing);
    if (is_updated(c, op->unit) && c->p->slot[slot].event_only)
        return check_wrong(c, err, "its clock has ticked before the update",
                           slot);
    return TT_OK;
}

static enum tt_code set_one(const struct check *c, uint32_t slot, tt_err *err)
{
    uint32_t from = c->p->feed[c->p->slot[slot].feed].from;

    if (c->updated > c->microstep)
        return check_wrong(c, err, "it is set after an update", slot);
    if (!is_idle(c->p, from) && !is_moved(c, from))
        return check_wrong(c, err, "its source was not read in this microstep",
                           from);
    return TT_OK;
}

/* When all is set, which the clock was read before. */
static enum tt_code read_late(const struct check *c, const struct tt_op *op,
                              uint32_t slot, tt_err *err)
{
    const struct tt_slot *s = &c->p->slot[slot];

    if (s->type != TT_CLOCK && s->clock == TT_NONE)
        return check_wrong(c, err, "it is no clock, nor belongs to one", slot);
    if (!is_moved(c, slot) || !is_all_set(c, op->unit))
        return check_wrong(c, err, "it is not the last to be moved", slot);
    return TT_OK;
}

static enum tt_code move(struct check *c, const struct tt_op *op, tt_err *err)
{
    const struct tt_batch *g = &c->s->batch[op->arg];
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < g->n && rc == TT_OK; k++) {
        uint32_t slot = c->s->member[g->first + k];

        if (op->guard != tt_write_guard(c->p, slot))
            return check_wrong(c, err,
                               "it belongs to another clock than its "
                               "batch",
                               slot);
        rc = op->code == TT_OP_GET ? read_one(c, op, slot, err)
                                   : set_one(c, slot, err);
        if (rc == TT_OK && (op->flags & TT_OP_LATE))
            rc = read_late(c, op, slot, err);
        c->slot[slot].moved = c->played;
    }
    return rc;
}

static enum tt_code tick(struct check *c, const struct tt_op *op, tt_err *err)
{
    const struct tt_batch *g = &c->s->batch[op->arg];
    uint32_t slot = c->s->member[g->first];

    if (g->n != 1)
        return check_wrong(c, err, "clocks tick one by one", slot);
    if (op->guard != tt_write_guard(c->p, slot))
        return check_wrong(c, err, "it is ticked when it is not due", slot);
    if (!c->unit[op->unit].in_event)
        return check_wrong(c, err, "the instance is not in event mode", slot);
    if (c->updated > c->microstep)
        return check_wrong(c, err, "it ticks after an update", slot);
    check_ranks_tick(c, slot);
    c->slot[slot].moved = c->played;
    return TT_OK;
}

/* After the update, which computes them. */
static enum tt_code interval(struct check *c, const struct tt_op *op,
                             tt_err *err)
{
    if (!c->p->unit[op->unit].asks)
        return check_wrong(c, err, "it has no clock to be asked about",
                           TT_NONE);
    if (!is_updated(c, op->unit))
        return check_wrong(c, err, "the instance was not updated", TT_NONE);
    c->unit[op->unit].asked = c->played;
    return TT_OK;
}

/* Was an input of its unit set after it was read? */
static int is_set_after(const struct check *c, uint32_t clock)
{
    const struct tt_plan_unit *u = &c->p->unit[c->p->slot[clock].unit];
    uint32_t in = u->slot + u->n_read;

    for (uint32_t i = in; i < in + u->n_in; i++)
        if (c->slot[i].moved > c->slot[clock].moved)
            return 1;
    return 0;
}

static int is_read_before_clock(const struct check *c, uint32_t slot)
{
    struct tt_clock_set of = tt_plan_clocks_of(c->p, slot);

    for (uint32_t i = 0; i < of.n; i++)
        if (c->slot[slot].moved < c->slot[of.slot[i]].moved)
            return 1;
    return 0;
}

/* Is it not moved in events at all? */
static int is_left_alone(const struct check *c, uint32_t slot)
{
    const struct tt_slot *s = &c->p->slot[slot];

    if (s->ticked != TT_NONE)
        return !c->p->unit[s->unit].events;
    return s->dir != TT_SLOT_IN && is_idle(c->p, slot);
}

static enum tt_code update(struct check *c, const struct tt_op *op, tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[op->unit];
    uint32_t slot = not_set(c, NULL, u->slot, u->n_read + u->n_in);

    if (!c->unit[op->unit].in_event)
        return check_wrong(c, err, "the instance is not in event mode",
                           TT_NONE);
    if (is_updated(c, op->unit))
        return check_wrong(c, err, "a second update in one microstep", TT_NONE);
    if (slot != TT_NONE)
        return check_wrong(c, err, "it was not moved before the update", slot);
    for (slot = u->slot; slot < u->slot + u->n_read; slot++)
        if (c->p->slot[slot].type == TT_CLOCK &&
            c->p->slot[slot].ticked == TT_NONE && is_set_after(c, slot))
            return check_wrong(c, err, "the clock was read before all was set",
                               slot);
    for (slot = u->slot; slot < u->slot + u->n_read; slot++)
        if (is_read_before_clock(c, slot))
            return check_wrong(c, err, "its clock was read after it", slot);
    c->unit[op->unit].updated = c->updated = c->played;
    return TT_OK;
}

static enum tt_code leave(struct check *c, const struct tt_op *op, tt_err *err)
{
    if (!c->unit[op->unit].in_event)
        return check_wrong(c, err, "the instance is not in event mode",
                           TT_NONE);
    c->unit[op->unit].in_event = 0;
    return TT_OK;
}

enum tt_code check_event_op(struct check *c, const struct tt_op *op,
                            tt_err *err)
{
    static enum tt_code (*const by_code[])(struct check *, const struct tt_op *,
                                           tt_err *) = {
        [TT_OP_GET] = move,          [TT_OP_SET] = move,
        [TT_OP_ENTER] = enter,       [TT_OP_TICK] = tick,
        [TT_OP_INTERVAL] = interval, [TT_OP_UPDATE] = update,
        [TT_OP_LEAVE] = leave,       [TT_OP_XFER] = check_ranks_op};
    int leaves = op->code == TT_OP_LEAVE;
    enum tt_code rc = TT_OK;

    if (leaves != (c->section == TT_SEC_LEAVE))
        return check_wrong(c, err, "it does not belong here", TT_NONE);
    if (op->code >= sizeof(by_code) / sizeof(*by_code) || !by_code[op->code])
        return check_wrong(c, err, "it does not belong to an event", TT_NONE);
    if (op->code != TT_OP_XFER)
        rc = check_ranks_op(c, op, err);
    return rc == TT_OK ? by_code[op->code](c, op, err) : rc;
}

/* Everything that may have changed was moved, and what updates change was read
 * again. */
static enum tt_code check_moved(const struct check *c, tt_err *err)
{
    char name[512];
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < c->p->n_slot; i++) {
        const struct tt_slot *s = &c->p->slot[i];
        int again = s->dir != TT_SLOT_IN && c->p->unit[s->unit].events &&
                    !s->event_only;

        if (is_left_alone(c, i))
            continue;
        if (!is_moved(c, i) ||
            (again && c->slot[i].moved < c->unit[s->unit].updated))
            rc = check_ended(c, err,
                             "'%s' was not %s when the event section "
                             "ends",
                             tt_plan_slot_name(c->p, i, name, sizeof(name)),
                             s->ticked != TT_NONE   ? "ticked"
                             : s->dir == TT_SLOT_IN ? "set"
                             : again                ? "read after the update"
                                                    : "read");
    }
    return rc;
}

static enum tt_code check_microstep(struct check *c, tt_err *err)
{
    enum tt_code rc;

    c->microstep = c->played;
    rc = check_play(c, TT_SEC_EVENT, err);
    for (uint32_t u = 0; rc == TT_OK && u < c->p->n_unit; u++)
        if (c->p->unit[u].events && !is_updated(c, u))
            rc = check_ended(c, err,
                             "instance '%s' has event mode and is not updated "
                             "when the event section ends",
                             c->p->unit[u].name);
    for (uint32_t u = 0; rc == TT_OK && u < c->p->n_unit; u++)
        if (c->p->unit[u].asks && c->unit[u].asked <= c->microstep)
            rc = check_ended(c, err,
                             "instance '%s' is not asked when its clocks tick "
                             "next when the event section ends",
                             c->p->unit[u].name);
    return rc == TT_OK ? check_moved(c, err) : rc;
}

enum tt_code check_event(struct check *c, tt_err *err)
{
    enum tt_code rc = check_microstep(c, err);

    if (rc == TT_OK)
        rc = check_microstep(c, err);
    if (rc == TT_OK)
        rc = check_play(c, TT_SEC_LEAVE, err);
    for (uint32_t u = 0; rc == TT_OK && u < c->p->n_unit; u++)
        if (c->unit[u].in_event)
            rc = check_ended(c, err,
                             "instance '%s' is in event mode when the leave "
                             "section ends",
                             c->p->unit[u].name);
    return rc;
}
