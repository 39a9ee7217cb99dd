/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_EVENT_H
#define TT_PLAYER_EVENT_H

/* Events: microsteps of the event section at one instant.
 *
 *     tt_part_event_ask(p, u)             units that take part, ...
 *     tt_part_event_share(p);             ... on any rank
 *     while (tt_part_event_pending(p)) {  ... and those whose inputs changed;
 *                                         when none, tt_part_clock_ask(p, k)
 *         tt_part_event_tick(p);
 *         tt_part_play_event(p);
 *         tt_part_event_share(p);
 *     }
 *     tt_part_leave_event(p);
 *
 * Which units take part, which values are present, which units ask for more and
 * when their next events are lies in a block of the frame. There is none, and
 * nothing here may be called, where the plan has no unit with event mode. */

#include "player/part.h"
#include "step/beat.h"

/* The block. Flags: tt_flag_of_unit(), tt_flag_of_slot(). */
struct tt_events {
    uint32_t n;     /* microsteps at the instant committed last */
    uint32_t ender; /* a unit that wants the end, plus 1; 0: none */
    uint32_t n_unit, n_flag, n_clock;
    uint32_t pad;
    double next[]; /* per unit: its next event; +inf: none. Then per clock of
                      the plan when it ticks, then the flags of this microstep,
                      then per unit whether it takes part in the next, then per
                      clock whether it ticks in it, then per slot of a clock
                      whether it is carried to the next, and into this one */
};

static inline struct tt_tick *tt_events_tick(struct tt_events *e)
{
    return (struct tt_tick *)(void *)(e->next + e->n_unit);
}
static inline uint8_t *tt_events_flag(struct tt_events *e)
{
    return (uint8_t *)(tt_events_tick(e) + e->n_clock);
}
static inline uint8_t *tt_events_again(struct tt_events *e)
{
    return tt_events_flag(e) + e->n_flag;
}
static inline uint8_t *tt_events_ticks(struct tt_events *e)
{
    return tt_events_again(e) + e->n_unit;
}
static inline uint8_t *tt_events_carry(struct tt_events *e)
{
    return tt_events_ticks(e) + e->n_clock;
}
static inline uint8_t *tt_events_carried(struct tt_events *e)
{
    return tt_events_carry(e) + (e->n_flag - e->n_unit);
}
size_t tt_events_size(const tt_plan *p);
void tt_events_init(struct tt_events *e, const tt_plan *p);

struct tt_events *tt_part_events(const tt_part *p); /* NULL: none */
/* For a run that keeps to a clock: how long each update took that ran a
 * partition. What fails there fails the update. Borrowed. */
struct tt_event_clock {
    void *ctx;
    uint64_t (*now_cb)(void *ctx); /* ns */
    enum tt_code (*ran_cb)(void *ctx, uint32_t unit, uint32_t port, uint64_t ns,
                           tt_err *err);
};
void tt_part_event_clock(tt_part *p, const struct tt_event_clock *c);
/* The unit takes part in the next microstep. */
void tt_part_event_ask(tt_part *p, uint32_t unit);
/* The clock ticks in the next microstep. */
void tt_part_clock_ask(tt_part *p, uint32_t clock);
/* While initialising, at the start: when the clock ticks first, and then. */
void tt_part_clock_start(tt_part *p, uint32_t clock,
                         const struct tt_timing *is);
/* What each rank knows of its units becomes known to all: which of them ask,
 * their next events and when their clocks tick, which ends the simulation,
 * which inputs have another value to take. Nothing without ranks. */
TT_NODISCARD enum tt_code tt_part_event_share(tt_part *p, tt_err *err);
/* Does a unit ask, or have outputs changed that an event moves? The latter
 * first: *slot is an input that another value is due for, else TT_NONE; *unit
 * is one that asks. */
int tt_part_event_pending(tt_part *p, uint32_t *unit, uint32_t *slot);
/* A microstep begins: those that asked take part. */
void tt_part_event_tick(tt_part *p);
TT_NODISCARD enum tt_code tt_part_play_event(tt_part *p, tt_err *err);
/* All units that are in event mode leave it. */
TT_NODISCARD enum tt_code tt_part_leave_event(tt_part *p, tt_err *err);

/* In the middle of a microstep, of a run inside a unit: which outputs are asked
 * for, and the play up to their values, before any update. What this reads is
 * read again by the play of the whole. */
void tt_part_event_want(tt_part *p, uint32_t slot);
TT_NODISCARD enum tt_code tt_part_play_wanted(tt_part *p, tt_err *err);
/* The unit takes part from here on. */
TT_NODISCARD enum tt_code tt_part_event_join(tt_part *p, uint32_t unit,
                                             tt_err *err);
/* What another value means to an input: nothing, or not by more than rounding,
 * or an event. */
enum tt_news { TT_NEWS_NONE, TT_NEWS_SMALL, TT_NEWS_LEAP };
enum tt_news tt_event_news(const struct tt_port *port, const void *now,
                           const void *was);

/* --- private to the player -------------------------------------------------
 */

/* What the sections of events need besides their calls. */
struct tt_event_play {
    struct tt_moves **moves; /* per operation of the section: of a SET */
    char *scratch;           /* room for one input's value */
    uint8_t *wanted;         /* per slot: its value is asked for */
    uint8_t *needed;         /* per operation of the section */
    uint8_t *ticked;         /* per clock: in this microstep */
    int wants;               /* there are such */
};

const struct tt_op *tt_event_ops(const tt_part *p, uint32_t *n);
/* Of the k-th value an operation moves: its slot; and an input's source. */
uint32_t tt_event_slot(const tt_part *p, const struct tt_op *op, uint32_t k);
uint32_t tt_event_source(const tt_part *p, uint32_t slot);
/* All calls of an operation, if it is on; *pc is the first of them, then the
 * one behind. */
TT_NODISCARD enum tt_code tt_event_play_op(tt_part *p, uint32_t *pc,
                                           uint32_t end, tt_err *err);
/* An input of this rank's units that another value is due for, TT_NONE: none;
 * and behind which operation of the section. */
uint32_t tt_event_due(const tt_part *p, uint32_t *slot);

/* clocks.c: an INTERVAL, of a call whose unit is this. */
struct tt_event_call {
    tt_part *part;
    uint32_t unit;
};
enum tt_call_result tt_play_interval(const struct tt_call *c,
                                     struct tt_now *now);

/* bind.c: what the sections of events need besides calls. */
TT_NODISCARD enum tt_code tt_bind_event(tt_part *p, const struct tt_op *op,
                                        struct tt_call *c, tt_err *err);
TT_NODISCARD enum tt_code tt_bind_event_moves(tt_part *p, tt_err *err);

#endif
