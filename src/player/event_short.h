/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_EVENT_SHORT_H
#define TT_PLAYER_EVENT_SHORT_H

/* Microsteps of a few units without clocks: each set is one word, and what an
 * operation means for others is known as bits beforehand. They come to what
 * event.c does, and leave in the block what it would. Private to the player. */

#include "player/event_impl.h"

/* Behind the rest of binding; nothing where it does not fit. */
TT_NODISCARD enum tt_code tt_bind_event_short(tt_part *p, tt_err *err);
/* Is the next microstep to be played so? */
static inline int tt_event_is_short(const tt_part *p)
{
    return p->event->brief && !p->event->has_clocks && !p->event_clock;
}
void tt_event_short_tick(tt_part *p);
TT_NODISCARD enum tt_code tt_event_play_short(tt_part *p, tt_err *err);
TT_NODISCARD enum tt_code tt_event_leave_short(tt_part *p, tt_err *err);

#endif
