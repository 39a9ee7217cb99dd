/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_EVENT_DIRECT_IMPL_H
#define TT_PLAYER_EVENT_DIRECT_IMPL_H

/* What a network of discrete events is laid out as, to be played from unit to
 * unit. Private to event_direct.c, which plays it, and event_direct_bind.c.
 *
 * Units of which everything goes through their doors (unit/door.h) are *open*:
 * they are neither entered nor left, and what comes to them is put where they
 * take it from as soon as it ticks, if that is the order of the section. Of
 * what they move flags are raised only where the run looks at them. */

#include "player/event_direct.h"

/* Lists are chained by numbers; TT_NONE ends them. */
struct direct_unit {
    /* what each event of an open one is about: a cache line */
    tt_unit *is;
    struct tt_event_calls calls; /* the door's */
    size_t next;                 /* where its next event is in the tree */
    uint32_t tick_pc, update_pc; /* calls, of `tick` and `update` */
    uint32_t own;   /* its own clock; one that never ticks: it has none */
    uint32_t clock; /* output clocks that are read */
    uint32_t shown; /* ... values that are copied behind the update */
    uint8_t open;
    uint8_t ahead; /* of an open one: its event was played before its time */
    uint8_t usual; /* ... it is not, it has left initialisation, nothing is
                      shown, and `update` is there: tt_event_is_usual() */
    /* and the rest */
    const struct tt_event_door *door; /* NULL: it is called */
    const uint8_t *ticks;             /* the flag of its own clock, or NULL */
    uint32_t enter, tick, update;     /* operations */
    uint32_t plain, late, after;      /* operations: values that belong to no
                                         clock; what is read behind the sets;
                                         what follows the update */
    char pad[32];                     /* of a second one */
};
#define TT_LINE ((size_t)64)
_Static_assert(sizeof(struct direct_unit) == 2 * TT_LINE, "two cache lines");

struct direct_clock {
    const uint8_t *at; /* where its unit has it; NULL: it is called */
    /* of its only value, if that is a number and neither is heeded: as there */
    const double *from; /* NULL: see `value`; tt_event_find_number() */
    double *to;
    uint8_t *ticks;    /* its value */
    const uint8_t *up; /* its flag */
    uint32_t flag, op;
    uint32_t value; /* what belongs to it */
    uint32_t link;  /* where it leads */
    uint32_t next;
    uint8_t heeded; /* the run looks at its flag */
};

struct direct_value {
    const void *at;
    void *to;
    uint32_t size;
    uint32_t flag, op, next;
    uint8_t heeded;
};

/* A connection of clocks, with the values that come along. Links are numbered
 * in the order in which these are set. */
struct direct_link {
    uint8_t *ticks; /* of the target */
    uint8_t *there; /* where the unit has it; NULL: it is called */
    /* of its only input, if that is a number that is not heeded: as there */
    const double *from; /* NULL: see `value` */
    double *to, *place;
    uint32_t unit, flag;
    uint32_t set;   /* the operation, of the clock */
    uint32_t value; /* ... and of values */
    uint32_t next;
    uint8_t at_once; /* needs not wait for others */
};

/* What an input takes. */
struct direct_input {
    const void *from; /* NULL: it is called */
    void *to;
    void *place; /* where the unit has it */
    uint32_t size;
    uint32_t port, flag, op, next;
    uint8_t heeded;
};

struct tt_event_direct {
    struct direct_unit *unit;
    struct direct_clock *clock;
    struct direct_value *value;
    struct direct_link *link;
    struct direct_input *input;
    uint32_t n_clock, n_value, n_link, n_input;
    int mixed;          /* not all units are open */
    size_t first, last; /* where units' next events are in the tree */
    uint32_t *next;     /* per operation, of lists of them */
    uint32_t *lowers;   /* per flag, if it is a clock's: where that has its
                           value, plus 1; else 0 */
    struct tt_bits hit; /* links */
    struct tt_bits all; /* units that take part */
    uint8_t *called;    /* per clock: is its unit called? */
    uint32_t *asked, n_asked;
    uint32_t *list;
    struct tt_event_ahead *ahead; /* in the arena; NULL: none is played so */
};

/* Does its own clock tick in this microstep? */
static inline int tt_event_is_due(const tt_part *p, const struct direct_unit *u)
{
    return tt_bits_has(&p->event->ticked, u->own);
}
static inline uint8_t tt_event_is_usual(const struct direct_unit *u)
{
    return u->open && !u->ahead && u->is->life == TT_LIFE_READY &&
           u->shown == TT_NONE && u->calls.update;
}
/* event_direct_bind.c: ... and each time when outputs lie elsewhere. */
void tt_event_find_number(const struct tt_event_direct *d,
                          struct direct_clock *c);

/* event_direct.c: the transition of an open unit. */
TT_NODISCARD enum tt_code tt_event_direct_update(const struct direct_unit *u,
                                                 struct tt_event_result *r,
                                                 tt_err *err);

/* event_ahead.c: where one is due that was not played before, all that nothing
 * can arrive at are, by several threads. */
void tt_event_look_ahead(struct tt_event_ahead *a);
/* A unit that was played ahead takes part now. If that was not meant, or not
 * at this instant, it is put back, and has its event as any other. */
TT_NODISCARD enum tt_code tt_event_begin_early(struct tt_event_ahead *a,
                                               uint32_t unit, tt_err *err);
/* Its outputs are given away: it is ahead no more. What its update has left. */
const struct tt_event_result *tt_event_end_early(struct tt_event_ahead *a,
                                                 uint32_t unit);

#endif
