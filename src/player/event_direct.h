/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_EVENT_DIRECT_H
#define TT_PLAYER_EVENT_DIRECT_H

/* Microsteps of a network of discrete events that is played from unit to unit.
 * Private to the player; tt_part_event_direct() makes it. */

#include "player/event_impl.h"

/* Is the microstep that begins played so? For parts that have what it takes. */
int tt_event_goes_direct(const tt_part *p);
void tt_event_direct_tick(tt_part *p);
TT_NODISCARD enum tt_code tt_event_play_direct(tt_part *p, tt_err *err);
/* Units leave event mode. */
TT_NODISCARD enum tt_code tt_event_leave_direct(tt_part *p, tt_err *err);

#endif
