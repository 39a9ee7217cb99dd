/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_PROTOCOL_H
#define TT_SCORE_PROTOCOL_H

/* The protocol: in which order the sections of a score are played in one macro
 * step, and where each outcome leads. A constant table of phases; there are a
 * few of them. One driver performs it (run/perform.c) for runs and for runs
 * inside units, the checker walks it (score/check.c), `tutti score` prints it.
 *
 *   PROPOSE  ask for the step's end; a retry asks for a nearer one
 *   KEEP     keep the frame, and play `section`, which keeps the units' states
 *   PLAY     play `section` over the part of the step from mark to mark
 *   JUDGE    may the step stand? Or is there an event where it began?
 *   UNDO     bring the frame back, and play `section`, which restores the units
 *   COMMIT   it stands: time, histories and counts move on
 *   ROW      what observers see of it; do units ask for an event?
 *   EVENT    one microstep of it: play `section`, and its row; is there more?
 *   SETTLE   play `section`, which ends it: values and histories go on from it
 */

#include <stdint.h>

#include "base/buf.h"

enum tt_act {
    TT_ACT_PROPOSE,
    TT_ACT_KEEP,
    TT_ACT_PLAY,
    TT_ACT_JUDGE,
    TT_ACT_UNDO,
    TT_ACT_COMMIT,
    TT_ACT_ROW,
    TT_ACT_EVENT,
    TT_ACT_SETTLE,
};

/* Instants of a macro step. */
enum tt_mark { TT_MARK_START, TT_MARK_MIDDLE, TT_MARK_END };

/* How a phase ends, and so which one is next. */
enum tt_way {
    TT_WAY_OK,
    TT_WAY_CUT,   /* a unit rejected the step or returned early, or a loop did
                     not converge: nothing is exchanged */
    TT_WAY_RETRY, /* a shorter step is wanted */
    TT_WAY_END,   /* a unit has reached the instant and wants the simulation to
                     end there */
    TT_WAY_EVENT, /* at the instant reached there is something to handle */
    TT_WAY_N
};

#define TT_PHASE_DONE 0xfe /* the macro step is over */
#define TT_PHASE_STOP 0xff /* ... and was not made: the last instant stands */

struct tt_phase {
    uint8_t act;      /* enum tt_act */
    uint8_t section;  /* KEEP, PLAY, UNDO: enum tt_section */
    uint8_t from, to; /* PLAY: marks */
    uint8_t trial;    /* PLAY: only to be compared, then taken back */
    uint8_t next[TT_WAY_N];
};

typedef struct tt_protocol {
    const char *name;
    const struct tt_phase *phase;
    uint32_t n;
} tt_protocol;

/* Steps that stand whatever they bring; likewise, of lengths that units accept
 * (no score's own: a run goes over to it); that may be taken back; likewise,
 * with units that cannot, which step last; that are played whole and in halves.
 */
extern const tt_protocol tt_protocol_fixed, tt_protocol_divided,
    tt_protocol_varied, tt_protocol_last, tt_protocol_doubled,
    tt_protocol_embedded;

/* "propose, step, exchange, commit, row"; with events these, too. */
void tt_protocol_print(const tt_protocol *p, int events, struct tt_buf *out);

#endif
