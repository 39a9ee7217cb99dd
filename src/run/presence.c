/* SPDX-License-Identifier: MIT */
/* Columns of values that belong to a clock: in a row they are present when it
 * ticked at that instant, or with a row for every microstep, in that one. */
#include <string.h>

#include "player/event.h"
#include "run/run_impl.h"

struct tt_presence {
    uint32_t *flag; /* owned: of each such column, in the block of events */
    uint8_t *here;  /* in the frame: whether it is present */
    uint32_t n;
};

static int is_clocked(const tt_run *r, uint32_t column)
{
    const struct tt_slot *s = &r->plan->slot[r->plan->column[column].slot];

    return s->clock != TT_NONE && r->plan->unit[s->unit].events;
}

enum tt_code run_presence_columns(tt_run *r, tt_err *err)
{
    struct tt_presence *p;
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->plan->n_column; i++)
        n += is_clocked(r, i) != 0;
    if (!n || !tt_part_events(r->part))
        return TT_OK;
    if (!TT_NEW(r->presence))
        return run_nomem(err);
    p = r->presence;
    if (!TT_NEW_ARRAY(p->flag, n))
        return run_nomem(err);
    p->here = r->present;
    for (uint32_t i = 0; i < r->plan->n_column; i++) {
        if (!is_clocked(r, i))
            continue;
        p->flag[p->n] = tt_flag_of_slot(r->plan, r->plan->column[i].slot);
        r->column[i].present = &p->here[p->n++];
    }
    run_presence_note(r); /* of the event at the start */
    return TT_OK;
}

void run_presence_note(tt_run *r)
{
    const uint8_t *flag = tt_events_flag(tt_part_events(r->part));
    struct tt_presence *p = r->presence;

    for (uint32_t i = 0; i < p->n; i++)
        p->here[i] =
            (uint8_t)((!r->opts.microsteps && p->here[i]) || flag[p->flag[i]]);
}

void run_presence_clear(tt_run *r)
{
    memset(r->presence->here, 0, r->presence->n);
}

void run_presence_free(tt_run *r)
{
    if (r->presence)
        TT_FREE_ALL(r->presence->flag, r->presence);
    r->presence = NULL;
}
