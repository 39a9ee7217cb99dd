/* SPDX-License-Identifier: MIT */
#include "unit/turn.h"

#include <stddef.h>

_Thread_local struct tt_turn *tt_turn_here TT_TLS_NEAR;

/* The last cold call, and where in which play it was made. A play goes on
 * without a note when it has returned, so that the note is only good as long as
 * the play is in that same call. */
static _Thread_local struct {
    struct tt_unit *unit;
    const struct tt_turn *turn;
    uint32_t pc;
} noted TT_TLS_NEAR;

void tt_turn_note(struct tt_unit *u)
{
    noted.unit = u;
    noted.turn = tt_turn_here;
    noted.pc = tt_turn_here ? tt_turn_here->now->pc : 0;
}

struct tt_unit *tt_turn_played(void)
{
    const struct tt_turn *t = tt_turn_here;

    if (!t)
        return NULL;
    if (noted.unit && noted.turn == t && noted.pc == t->now->pc)
        return noted.unit;
    return t->unit_cb(t->ctx, t->now->pc);
}

struct tt_unit *tt_turn_noted(void)
{
    return tt_turn_here ? NULL : noted.unit;
}
