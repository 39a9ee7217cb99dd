/* SPDX-License-Identifier: MIT */
/* Columns of values that belong to a clock: in a row they are present when it
 * ticked at that instant, or with a row for every microstep, in that one. */
#include <string.h>

#include "player/event.h"
#include "run/run_impl.h"

struct tt_presence {
    uint64_t *word;  /* owned: a bit for each flag in the block of events that
                        such columns have */
    uint32_t *last;  /* owned, per slot: the last of its columns, plus 1 */
    uint32_t *other; /* owned, per column: another one of its slot, plus 1 */
    uint8_t *here;   /* in the frame: whether it is present */
    uint32_t n;
    struct tt_bits up; /* in the frame: flags that are up */
};

static int is_clocked(const tt_run *r, uint32_t column)
{
    const struct tt_slot *s = &r->plan->slot[r->plan->column[column].slot];

    return s->clock != TT_NONE && r->plan->unit[s->unit].events;
}

static int make_room(struct tt_presence *p, const tt_plan *plan, uint32_t n)
{
    return TT_NEW_ARRAY(p->word, tt_flags_of(plan) / 64 + 1) &&
           TT_NEW_ARRAY(p->last, plan->n_slot) && TT_NEW_ARRAY(p->other, n);
}

static void add(tt_run *r, uint32_t column)
{
    struct tt_presence *p = r->presence;
    uint32_t slot = r->plan->column[column].slot;
    uint32_t flag = tt_flag_of_slot(r->plan, slot);

    p->word[flag / 64] |= UINT64_C(1) << (flag % 64);
    p->other[p->n] = p->last[slot];
    r->column[column].present = &p->here[p->n++];
    p->last[slot] = p->n;
}

enum tt_code run_presence_columns(tt_run *r, tt_err *err)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->plan->n_column; i++)
        n += is_clocked(r, i) != 0;
    if (!n || !tt_part_events(r->part) || !r->opts.n_observer)
        return TT_OK;
    if (!TT_NEW(r->presence) || !make_room(r->presence, r->plan, n))
        return run_nomem(err);
    r->presence->here = r->present;
    r->presence->up = tt_events_set(tt_part_events(r->part), TT_SET_RAISED);
    for (uint32_t i = 0; i < r->plan->n_column; i++)
        if (is_clocked(r, i))
            add(r, i);
    if (!r->opts.begin)       /* else nothing ticks in the first row */
        run_presence_note(r); /* of the event at the start */
    return TT_OK;
}

static void note_slot(const struct tt_presence *p, uint32_t slot)
{
    for (uint32_t i = p->last[slot]; i; i = p->other[i - 1])
        p->here[i - 1] = 1;
}

/* Goes over what is there, not over what there could be. */
void run_presence_note(tt_run *r)
{
    const struct tt_presence *p = r->presence;
    const struct tt_bits up = p->up;
    uint32_t n_unit = r->plan->n_unit;

    if (r->opts.microsteps)
        run_presence_clear(r);
    for (uint32_t k = tt_bits_next_word(&up, 0); k != TT_BITS_END;
         k = tt_bits_next_word(&up, k + 1))
        for (uint64_t w = up.word[k] & p->word[k]; w; w &= w - 1)
            note_slot(p, 64 * k + (uint32_t)__builtin_ctzll(w) - n_unit);
}

void run_presence_clear(tt_run *r)
{
    memset(r->presence->here, 0, r->presence->n);
}

void run_presence_free(tt_run *r)
{
    if (r->presence)
        TT_FREE_ALL(r->presence->word, r->presence->last, r->presence->other,
                    r->presence);
    r->presence = NULL;
}
