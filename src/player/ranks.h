/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_RANKS_H
#define TT_PLAYER_RANKS_H

/* How several ranks play one part. Private to the player.
 *
 * All play the same calls; those on units of other ranks do nothing. A rank
 * whose play must end (a unit failed, or halts) becomes *mute*: it makes no
 * more calls on units, but goes on with transfers and with what everyone
 * decides, so that no rank waits for it. One that receives values of a mute
 * rank becomes mute too. At the end of each section all agree on what happened:
 * the first in the order of the score is what every rank gets. */

#include "player/link.h"
#include "player/part_impl.h"

struct tt_ranks_play {
    tt_link *link;         /* borrowed */
    int muted;             /* in this section */
    uint32_t wish, wished; /* of this rank; of any */
    struct tt_verdict *v;  /* owned: of every rank, and our own */
    tt_err words;          /* why our play failed */
    char *notes;           /* owned: of events, every rank's and our own */
    size_t n_note;         /* bytes of each */
    uint32_t due;          /* an input of any rank with another value to take,
                              TT_NONE: none */
};

TT_NODISCARD enum tt_code tt_ranks_new(tt_part *p, tt_link *link, tt_err *err);
/* The calls from .. end of one section. */
enum tt_code tt_ranks_play(tt_part *p, uint32_t from, uint32_t end, int timed,
                           struct tt_halt *halt, tt_err *err);
/* The same in pieces, for another way of playing: begin, whatever fails on the
 * way, and what all ranks agree on. */
void tt_ranks_begin(tt_part *p);
void tt_ranks_fail(tt_part *p, uint32_t pc, const tt_err *why);
TT_NODISCARD enum tt_code tt_ranks_agree(tt_part *p, struct tt_halt *halt,
                                         tt_err *err);
/* Does the unit live on another rank? */
int tt_ranks_away(const tt_part *p, uint32_t unit);
void tt_ranks_free(struct tt_ranks_play *r); /* accepts NULL */

/* event_ranks.c: room for what ranks send each other of events. */
TT_NODISCARD enum tt_code tt_ranks_note_events(tt_part *p, tt_err *err);

/* xfer.c */
TT_NODISCARD enum tt_code tt_bind_xfer(tt_part *p, const struct tt_op *op,
                                       struct tt_call *c, tt_err *err);
int tt_is_xfer(const struct tt_call *c);

#endif
