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

#include "base/bits.h"
#include "player/part.h"
#include "step/beat.h"

/* Sets in the block, of ... */
enum tt_event_set {
    TT_SET_AGAIN,   /* units that take part in the next microstep */
    TT_SET_INSIDE,  /* LEAVEs of units in event mode */
    TT_SET_QUIET,   /* units inside which clocks tick in the next microstep */
    TT_SET_TICKS,   /* clocks that tick in the next microstep */
    TT_SET_DONE,    /* clocks that ticked in this event */
    TT_SET_RAISED,  /* flags that are up in this microstep */
    TT_SET_CARRY,   /* slots of clocks that are carried to the next microstep */
    TT_SET_CARRIED, /* ... and into this one */
    TT_SET_NEWS,    /* slots of inputs that may have another value to take */
    TT_SET_N
};

/* The block. Flags: tt_flag_of_unit(), tt_flag_of_slot(). */
struct tt_events {
    uint32_t n;     /* microsteps at the instant committed last */
    uint32_t ender; /* a unit that wants the end, plus 1; 0: none */
    uint32_t n_unit, n_clock, n_flag;
    uint32_t known; /* inputs that are not among the news have none */
    uint32_t
        n_leaf; /* a power of two, at least 2 n_unit + n_clock + n_ranked */
    uint32_t n_word;        /* of all sets */
    uint32_t n_ranked, pad; /* units that Select chooses from */
    double next[]; /* when units have their next events and, behind them,
                      clocks tick, then clocks inside units, then events of
                      units that Select chooses from, in its order, +inf: not
                      known: the leaves of a tree, whose nodes are the earlier
                      one of two; the first node is 1, the first leaf n_leaf.
                      Then per clock of the plan when it ticks, then the words
                      of the sets, then per unit its leaf, then the flags */
};

static inline struct tt_tick *tt_events_tick(struct tt_events *e)
{
    return (struct tt_tick *)(void *)(e->next + (size_t)2 * e->n_leaf);
}
static inline uint64_t *tt_events_word(struct tt_events *e)
{
    return (uint64_t *)(void *)(tt_events_tick(e) + e->n_clock);
}
static inline uint32_t *tt_events_leaf(struct tt_events *e)
{
    return (uint32_t *)(void *)(tt_events_word(e) + e->n_word);
}
static inline uint8_t *tt_events_flag(struct tt_events *e)
{
    return (uint8_t *)(tt_events_leaf(e) + e->n_unit);
}
/* Bytes from `next` on: what is known of coming events. */
static inline size_t tt_events_times(const struct tt_events *e)
{
    return (size_t)2 * e->n_leaf * sizeof(double) +
           e->n_clock * sizeof(struct tt_tick);
}
size_t tt_events_size(const tt_plan *p);
void tt_events_init(struct tt_events *e, const tt_plan *p);
struct tt_bits tt_events_set(struct tt_events *e, enum tt_event_set set);

/* The next event of a unit, of a clock with n_unit added to its number, of a
 * clock inside a unit with n_unit + n_clock added to the unit's. */
static inline size_t tt_events_place(struct tt_events *e, uint32_t i)
{
    return (size_t)e->n_leaf + (i < e->n_unit ? tt_events_leaf(e)[i] : i);
}
static inline double tt_events_next(struct tt_events *e, uint32_t i)
{
    return e->next[tt_events_place(e, i)];
}
/* Of what lies at this place of the tree; times are never NaN. */
static inline void tt_events_change(struct tt_events *e, size_t at, double t)
{
    e->next[at] = t;
    for (at /= 2; at; at /= 2) {
        double a = e->next[2 * at], b = e->next[2 * at + 1];
        double first = a < b ? a : b;

        if (e->next[at] == first)
            return;
        e->next[at] = first;
    }
}
/* Leaves at the places first .. last were set without that. */
void tt_events_mend(struct tt_events *e, size_t first, size_t last);
static inline void tt_events_put(struct tt_events *e, size_t at, double t)
{
    if (TT_UNLIKELY(e->next[at] != t))
        tt_events_change(e, at, t);
}
static inline void tt_events_set_next(struct tt_events *e, uint32_t i, double t)
{
    tt_events_put(e, tt_events_place(e, i), t);
}
static inline double tt_events_first(const struct tt_events *e)
{
    return e->next[1];
}
/* Where the leaves begin of units that Select chooses from; those of others are
 * the units' numbers. */
static inline uint32_t tt_events_ranked(const struct tt_events *e)
{
    return 2 * e->n_unit + e->n_clock;
}
/* The earliest of the leaves from .. to - 1. */
double tt_events_first_of(const struct tt_events *e, uint32_t from,
                          uint32_t to);
/* The first leaf at or behind `from` that is due at t; TT_NONE: none. */
uint32_t tt_events_search(const struct tt_events *e, uint32_t from, double t);
static inline uint32_t tt_events_due(const struct tt_events *e, uint32_t from,
                                     double t)
{
    return tt_events_first(e) <= t ? tt_events_search(e, from, t) : UINT32_MAX;
}

/* ... behind this one. */
static inline uint32_t tt_events_after(const struct tt_events *e, uint32_t leaf,
                                       double t)
{
    return ++leaf < e->n_leaf && e->next[(size_t)e->n_leaf + leaf] <= t
               ? leaf
               : tt_events_search(e, leaf, t);
}

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
/* Does any? */
int tt_part_event_asked(const tt_part *p);
/* Values were moved otherwise since the last microstep: any input may have
 * another one to take. */
void tt_part_event_moved(tt_part *p);
/* Operations of events that were looked at so far, played or not: what playing
 * them cost. */
uint64_t tt_part_event_looked(const tt_part *p);
/* Is the network so small, and without clocks, that its microsteps are played
 * by words (event_short.h)? */
int tt_part_event_is_short(const tt_part *p);
/* The clock ticks in the next microstep. */
void tt_part_clock_ask(tt_part *p, uint32_t clock);
/* ... of this unit. */
void tt_part_unit_clock_ask(tt_part *p, uint32_t unit, uint32_t clock);
/* All units that Select chooses from and that are due have their own events.
 * Answers the clock of one, TT_NONE: none is due. */
uint32_t tt_part_selected_ask(tt_part *p, double until);
/* All else is quiet: clocks inside the unit tick in the next microstep. */
void tt_part_quiet_ask(tt_part *p, uint32_t unit);
/* Does a clock tick in the next microstep? Then nothing else was asked for; and
 * this takes it back. */
int tt_part_clock_asked(const tt_part *p);
void tt_part_clock_unask(tt_part *p);
/* ... or in the one that has just begun: what was asked for since. */
void tt_part_event_tick_too(tt_part *p);
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

/* Once, after binding: where the network is one of discrete events its
 * microsteps are played from unit to unit. Not for a run inside a unit, nor
 * where the order of events is tried. `heeded`, per slot: its flag is looked at
 * after microsteps; NULL: any may be. */
TT_NODISCARD enum tt_code
tt_part_event_direct(tt_part *p, const uint8_t *heeded, tt_err *err);
/* Whether steps have no calls of units, since these have nothing to do in them:
 * one that has no event at an instant is not touched there, and stands where it
 * had its last one. This puts all of them to the instant committed last, as
 * steps would have: for those that look at them. */
int tt_part_idles(const tt_part *p);
TT_NODISCARD enum tt_code tt_part_catch_up(tt_part *p, tt_err *err);

/* Behind that: of how many units may events be played before their time, by
 * several threads? Of those whose state can be saved. And once, with a team
 * (tt_part_share): they are, where nothing can arrive meanwhile. */
uint32_t tt_part_event_width(const tt_part *p);
struct tt_ahead {
    uint32_t reg; /* each unit's, for that alone */
    int force;    /* whether that pays or not */
    double end;   /* not behind this time */
};
TT_NODISCARD enum tt_code
tt_part_event_ahead(tt_part *p, const struct tt_ahead *how, tt_err *err);
/* They are as if they had not been, for who looks at a unit; a run that goes on
 * plays them again. */
TT_NODISCARD enum tt_code tt_part_event_put_back(tt_part *p, tt_err *err);

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

#endif
