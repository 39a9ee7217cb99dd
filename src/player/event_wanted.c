/* SPDX-License-Identifier: MIT */
/* Part of a microstep: what the outputs that are asked for follow from. */
#include <string.h>

#include "player/event_impl.h"
#include "player/team.h"

void tt_part_event_want(tt_part *p, uint32_t slot)
{
    p->event->wanted[slot] = 1;
    p->event->wants = 1;
}

static int is_wanted(const tt_part *p, const struct tt_op *op)
{
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++)
        if (p->event->wanted[tt_event_slot(p, op, k)])
            return 1;
    return 0;
}

/* What an output follows from in event mode, and the clock it comes with. */
static void want_inputs(tt_part *p, uint32_t slot)
{
    const struct tt_slot *s = &p->plan->slot[slot];
    const struct tt_plan_unit *u = &p->plan->unit[s->unit];
    struct tt_plan_inputs in = tt_plan_inputs_of(p->plan, slot, 0);
    struct tt_clock_set c = tt_plan_clocks_of(p->plan, slot);
    uint32_t first = u->slot + u->n_read, n = in.known ? in.n : u->n_in;

    for (uint32_t i = 0; i < n; i++)
        p->event->wanted[in.known ? in.slot[i] : first + i] = 1;
    for (uint32_t i = 0; i < c.n; i++)
        p->event->wanted[c.slot[i]] = 1;
}

/* Of what is wanted in this batch: where that comes from is wanted, too. */
static void want_sources(tt_part *p, const struct tt_op *op)
{
    for (uint32_t k = 0; k < p->score->batch[op->arg].n; k++) {
        uint32_t slot = tt_event_slot(p, op, k);

        if (!p->event->wanted[slot])
            continue;
        if (op->code == TT_OP_GET)
            want_inputs(p, slot);
        else
            p->event->wanted[tt_event_source(p, slot)] = 1;
    }
}

/* Operations stand behind those they depend on. */
static void find_needed(tt_part *p)
{
    uint32_t n, end = 0;
    const struct tt_op *op = tt_event_ops(p, &n);

    while (end < n && op[end].code != TT_OP_UPDATE)
        end++;
    memset(p->event->needed, 0, n);
    for (uint32_t i = end; i-- > 0;) {
        int moves = op[i].code == TT_OP_GET || op[i].code == TT_OP_SET;

        if ((moves && !is_wanted(p, &op[i])) || (op[i].flags & TT_OP_LATE))
            continue;
        p->event->needed[i] = 1;
        if (moves)
            want_sources(p, &op[i]);
    }
    memset(p->event->wanted, 0, p->plan->n_slot);
    p->event->wants = 0;
}

static enum tt_code play_needed(tt_part *p, tt_err *err)
{
    const struct tt_event_play *e = p->event;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < p->score->section[TT_SEC_EVENT].n && rc == TT_OK;
         i++)
        if (e->needed[i])
            rc = tt_event_play_op(p, &e->op[0][i], err);
    return rc;
}

enum tt_code tt_part_play_wanted(tt_part *p, tt_err *err)
{
    enum tt_code rc;

    if (!p->event->wants)
        return TT_OK;
    find_needed(p);
    tt_turn_take(&p->turn);
    rc = play_needed(p, err);
    tt_turn_give(&p->turn);
    return rc;
}
