/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_SCHEDULE_H
#define TT_SCORE_SCHEDULE_H

/* Moving values at one instant, in dependency order, in as few batched calls
 * as that order allows.
 *
 * An item is a slot to be read (GET) or set (SET). An input waits for the
 * output that feeds it; an output waits for the inputs it depends on, if its
 * unit may be read after setting. An output whose dependencies are unknown
 * waits for every input of its unit, but such a wait is only assumed: it
 * orders, and never makes a loop worth refusing.
 *
 * What concerns all inputs of a unit goes through its *hub*, a node of the
 * graph without a value, so that there are as many edges as ports and not
 * their product. Nodes are the slots, then a hub per unit. Time and memory are
 * linear in slots and declared dependencies, but for one sort.
 */

#include "score/graph.h"
#include "score/write.h"

#define TT_SCHEDULE_QUEUES 4

/* What instant it is: one between steps, one of initialisation, or one of an
 * event, at which values are moved that are moved nowhere else. */
enum tt_schedule_when { TT_SCHEDULE_RUN, TT_SCHEDULE_INIT, TT_SCHEDULE_EVENT };

struct tt_schedule {
    struct tt_draft *w;
    const tt_plan *plan;
    int init;  /* dependencies of initialisation; every unit may be re-read */
    int flows; /* within an ensemble: loops are solved that are only assumed */
    int event; /* operations have guards; units with event mode may be, too */
    uint16_t reg;        /* the instant, as a time register */
    uint8_t reading;     /* flags of every GET */
    uint8_t *todo;       /* per slot: still to be moved */
    uint8_t *torn;       /* per output: its followers go by a guess of it */
    uint32_t *waits;     /* per node: edges from nodes that are not done */
    uint32_t *component; /* per node, in topological order; known from the first
                            tt_schedule_choose() on */
    uint32_t *pending, *n_ready; /* per unit and direction: items */
    uint32_t *ready; /* per unit and direction: the first ready item ... */
    uint32_t *next;  /* ... per slot: the next one of the same list */
    uint32_t *held;  /* ready items of components beyond `limit` */
    uint32_t n_held, limit;
    uint64_t *cut; /* outputs in the order they would be cut */
    uint32_t n_cut, at_cut;
    uint32_t *list;                      /* scratch: slots of one operation */
    uint32_t *queue[TT_SCHEDULE_QUEUES]; /* units to look at: schedule.c */
    size_t head[TT_SCHEDULE_QUEUES], tail[TT_SCHEDULE_QUEUES];
    uint8_t *queued;       /* per unit and queue */
    struct tt_graph graph; /* all edges */
    uint32_t left;         /* items still to be moved */
};

/* `done` slots (may be NULL) carry their value already. */
TT_NODISCARD enum tt_code tt_schedule_init(struct tt_schedule *s,
                                           struct tt_draft *w,
                                           enum tt_schedule_when when,
                                           const uint8_t *done, tt_err *err);
void tt_schedule_fini(struct tt_schedule *s);

/* Emit until everything is moved or every item waits for another. Items of
 * components beyond `limit` are held back. */
void tt_schedule_run(struct tt_schedule *s);

/* Where to cut when every item waits: in the first component that is stuck an
 * output that waits for assumed dependencies only, else the first output that
 * is not torn. TT_NONE when no such output is left. */
uint32_t tt_schedule_choose(struct tt_schedule *s);

/* Emit one item although it waits (a loop is cut here). */
void tt_schedule_force(struct tt_schedule *s, uint32_t slot, unsigned flags);

/* Let the inputs this output feeds within its component go by a guess of it
 * (their SET is flagged); it is read itself when it no longer waits. */
void tt_schedule_tear(struct tt_schedule *s, uint32_t slot);

/* Let out no item beyond this component; TT_NONE lets out all. */
void tt_schedule_limit(struct tt_schedule *s, uint32_t component);

/* Every item waits: solve the first component that is stuck, in a loop. noted:
 * among the decisions. */
void tt_schedule_solve(struct tt_schedule *s, int noted);
/* Emit everything while running: loops of declared feed-through are solved,
 * where their units evaluate, others are cut by a GET with flags `cut`. */
void tt_schedule_move(struct tt_schedule *s, int noted, unsigned cut);

/* Is the wait of this output for its inputs only assumed? */
int tt_schedule_assumed(const struct tt_schedule *s, uint32_t slot);

#endif
