/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_TURN_H
#define TT_UNIT_TURN_H

/* Which unit is being called on this thread, for what a unit prints without
 * naming the unit.
 *
 * A play knows it without writing anything down: the number of the call being
 * made is in its registers. So a player takes the thread's turn with them and
 * gives it back when done; plays inside of plays nest. Cold calls are noted one
 * by one. */

#include <stddef.h>
#include <stdint.h>

#include "unit/call.h"

struct tt_unit;

struct tt_turn {
    const struct tt_now *now;                                 /* of the play; */
    struct tt_unit *(*unit_cb)(const void *ctx, uint32_t pc); /* or NULL */
    const void *ctx;
    struct tt_turn *outer; /* filled in */
};

/* Found without a call also in a shared library. */
extern _Thread_local struct tt_turn *tt_turn_here TT_TLS_NEAR;

static inline void tt_turn_take(struct tt_turn *t)
{
    t->outer = tt_turn_here;
    tt_turn_here = t;
}

static inline void tt_turn_give(const struct tt_turn *t)
{
    tt_turn_here = t->outer;
}

/* In a copy of a process that was playing: the registers of that play may not
 * even be mapped here. */
static inline void tt_turn_forget(void)
{
    tt_turn_here = NULL;
}

/* A cold call on u begins; NULL: none is under way. */
void tt_turn_note(struct tt_unit *u);

/* The unit a play on this thread is calling, NULL: none is. It lives. */
struct tt_unit *tt_turn_played(void);
/* The unit of the last cold call on this thread outside of plays. It lives if
 * that call is under way. */
struct tt_unit *tt_turn_noted(void);

#endif
