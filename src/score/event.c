/* SPDX-License-Identifier: MIT */
/* The event section: one microstep of an event, and how it is left.
 *
 *     enter    units that take part
 *     tick     clocks that are due
 *     get, set values in dependency order; what is set takes part, too
 *     get      clocks of units that were set after these were read: one that
 *              ticks only now is carried to the next microstep
 *     update   discrete states of all that take part
 *     interval when clocks tick next, of which that is asked
 *     get      what that has changed: the next microstep, if there is one,
 *              moves it on
 *
 * Everything is guarded: a unit that does not take part is left alone. */
#include "score/schedule.h"
#include "unit/call.h"

uint32_t tt_write_guard(const tt_plan *p, uint32_t slot)
{
    const struct tt_slot *s = &p->slot[slot];

    if (s->ticked != TT_NONE)
        return tt_flag_of_slot(p, slot) + 1;
    if (s->clocks != TT_NONE)
        return tt_flag_of_clocks(p, s->clocks) + 1;
    if (s->clock != TT_NONE)
        return tt_flag_of_slot(p, s->clock) + 1;
    return s->dir == TT_SLOT_IN ? 0 : tt_flag_of_unit(s->unit) + 1;
}

static void write_each(struct tt_draft *w, enum tt_op_code code)
{
    for (uint32_t u = 0; u < w->plan->n_unit; u++)
        if (w->plan->unit[u].events &&
            (code != TT_OP_INTERVAL || w->plan->unit[u].asks))
            tt_write_op(w, (struct tt_op){.code = (uint8_t)code,
                                          .unit = u,
                                          .at = TT_T1,
                                          .to = TT_T1,
                                          .guard = tt_flag_of_unit(u) + 1});
}

static void tick_all(struct tt_draft *w)
{
    for (uint32_t i = 0; i < w->plan->n_clock; i++) {
        uint32_t slot = w->plan->clock[i].slot;
        uint32_t unit = w->plan->slot[slot].unit;

        if (w->plan->unit[unit].events)
            tt_write_move(
                w,
                (struct tt_op){.code = TT_OP_TICK,
                               .unit = unit,
                               .at = TT_T1,
                               .to = TT_T1,
                               .guard = tt_write_guard(w->plan, slot)},
                &slot, 1);
    }
}

/* Outputs that stay as they are until the next step. */
static void mark_idle(const tt_plan *p, uint8_t *idle)
{
    for (uint32_t i = 0; i < p->n_slot; i++) {
        const struct tt_plan_unit *u = &p->unit[p->slot[i].unit];

        idle[i] = p->slot[i].dir != TT_SLOT_IN && !u->events && !u->consistent;
    }
}

/* Loops are cut: what comes round is moved in the next microstep. */
static void move_all(struct tt_schedule *s)
{
    while (s->left && !s->w->failed) {
        uint32_t slot;

        tt_schedule_run(s);
        slot = s->left ? tt_schedule_choose(s) : TT_NONE;
        if (slot != TT_NONE)
            tt_schedule_force(s, slot, TT_OP_CUT);
        TT_ASSERT(!s->left || slot != TT_NONE);
    }
}

/* Of the section from `first` on: behind which operation each slot was read,
 * then each unit set, last; 0: nowhere. NULL: out of memory. */
static size_t *find_moves(const struct tt_draft *w, size_t first)
{
    size_t *at = tt_zalloc(w->plan->n_slot + w->plan->n_unit, sizeof(*at));

    for (size_t i = first; at && i < w->n_op; i++) {
        const struct tt_op *op = &w->op[i];

        if (op->code == TT_OP_SET)
            at[w->plan->n_slot + op->unit] = i + 1;
        for (uint32_t k = 0; op->code == TT_OP_GET && k < w->batch[op->arg].n;
             k++)
            at[w->member[w->batch[op->arg].first + k]] = i + 1;
    }
    return at;
}

/* Is this an output clock whose unit is set after it was read? */
static int is_late(const tt_plan *p, const size_t *at, uint32_t clock)
{
    const struct tt_slot *s = &p->slot[clock];

    return s->type == TT_CLOCK && s->dir != TT_SLOT_IN &&
           s->ticked == TT_NONE && p->unit[s->unit].events &&
           at[clock] < at[p->n_slot + s->unit];
}

/* ... or an output that belongs to one? */
static int comes_late(const tt_plan *p, const size_t *at, uint32_t slot)
{
    struct tt_clock_set c = tt_plan_clocks_of(p, slot);

    for (uint32_t i = 0; i < c.n; i++)
        if (is_late(p, at, c.slot[i]))
            return p->slot[slot].dir != TT_SLOT_IN;
    return 0;
}

static void read_late(struct tt_draft *w, size_t first)
{
    const tt_plan *p = w->plan;
    size_t *at = find_moves(w, first);

    w->failed |= !at;
    for (int clocks = 1; clocks >= 0; clocks--) /* then what belongs to them */
        for (uint32_t i = 0; at && i < p->n_slot; i++) {
            uint32_t slot = i;

            if (!(clocks ? is_late : comes_late)(p, at, i))
                continue;
            tt_write_move(w,
                          (struct tt_op){.code = TT_OP_GET,
                                         .flags = TT_OP_LATE,
                                         .unit = p->slot[i].unit,
                                         .at = TT_T1,
                                         .to = TT_T1,
                                         .guard = tt_write_guard(p, i)},
                          &slot, 1);
        }
    tt_free(at);
}

/* What an update changes, but what comes with a clock. */
static void read_updated(struct tt_draft *w, uint32_t *list)
{
    const tt_plan *p = w->plan;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        const struct tt_plan_unit *unit = &p->unit[u];
        uint32_t n = 0;

        for (uint32_t s = unit->slot; s < unit->slot + unit->n_read; s++)
            if (unit->events && !p->slot[s].event_only)
                list[n++] = s;
        if (n)
            tt_write_move(w,
                          (struct tt_op){.code = TT_OP_GET,
                                         .unit = u,
                                         .at = TT_T1,
                                         .to = TT_T1,
                                         .guard = tt_flag_of_unit(u) + 1},
                          list, n);
    }
}

static enum tt_code write_event(struct tt_draft *w, uint8_t *idle, tt_err *err)
{
    struct tt_schedule s;
    size_t first = w->n_op;
    enum tt_code rc;

    mark_idle(w->plan, idle);
    rc = tt_schedule_init(&s, w, TT_SCHEDULE_EVENT, idle, err);
    if (rc == TT_OK) {
        write_each(w, TT_OP_ENTER);
        tick_all(w);
        move_all(&s);
        read_late(w, first);
        write_each(w, TT_OP_UPDATE);
        write_each(w, TT_OP_INTERVAL);
        read_updated(w, s.list);
    }
    tt_schedule_fini(&s);
    return rc;
}

enum tt_code tt_write_event(struct tt_draft *w, tt_err *err)
{
    uint8_t *idle = tt_zalloc(w->plan->n_slot, 1);
    enum tt_code rc = TT_OK;

    w->failed |= !idle;
    tt_write_begin(w, TT_SEC_EVENT);
    if (w->plan->n_event && idle)
        rc = write_event(w, idle, err);
    tt_write_end(w, TT_SEC_EVENT);
    tt_free(idle);
    return rc;
}

void tt_write_leave(struct tt_draft *w)
{
    tt_write_begin(w, TT_SEC_LEAVE);
    write_each(w, TT_OP_LEAVE);
    tt_write_end(w, TT_SEC_LEAVE);
}
