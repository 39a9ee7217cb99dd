/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_SCORE_H
#define TT_SCORE_SCORE_H

/* The score: a master algorithm as data.
 *
 * How to initialise, how to advance one macro step, and how to exchange values
 * at a communication point: each a *section*, a flat array of operations on
 * units, values and time registers. Indices only: it can be printed, hashed,
 * checked, analysed, sent to another process. A score writer makes it; no
 * other code knows what a "Jacobi" is.
 *
 *   GET      read a batch of ports of a unit into their slots
 *   SET      move values along the feeds into a batch of inputs and set them;
 *            with TT_OP_COURSE the inputs' courses over at .. to instead
 *   STEP     advance a unit to register `to`; nothing if it is there
 *   SAVE     keep a unit's state in register `arg`
 *   RESTORE  go back to it
 *   LOOP     repeat up to the matching END `arg` times, or until its solver
 *            is done
 *   TIME     the sub-step registers S0 .. S1 at this turn of the loop, which
 *            divides T0 .. T1 evenly; outside of such loops, one half of it
 *   SOLVE    hand a loop's guesses and what came of them to its solver, which
 *            gives the next guesses or states that it is done
 *   END      of a loop
 *   ENTER    bring a unit into event mode
 *   TICK     activate a clock that the run ticks
 *   UPDATE   its discrete states follow what was set
 *   INTERVAL ask when its clocks tick next
 *   LEAVE    event mode
 *   COMMIT   the values of this instant stand: into the histories
 *   XFER     values go from rank to rank, in a score that several play
 *
 * What seems to need another operation is a unit kind, a solver, a policy or a
 * section. Dependencies between operations are computed from what they read
 * and write, never written down.
 *
 * Immutable once checked (tt_score_check); borrows the plan; owns its arena.
 */

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "plan/plan.h"
#include "score/protocol.h"
#include "solve/solve.h"

enum tt_section {
    TT_SEC_INIT,     /* in initialisation mode: consistent first values */
    TT_SEC_BEGIN,    /* before a step that may be rejected: keep the states */
    TT_SEC_STEP,     /* every unit from T0 to T1, but ... */
    TT_SEC_LAST,     /* ... those that cannot go back: when the step stands */
    TT_SEC_EXCHANGE, /* values at T1 */
    TT_SEC_UNDO,     /* after a rejected step: every unit back to T0 */
    TT_SEC_AGAIN,    /* inside another scenario: values at T1, when those from
                        outside have changed */
    TT_SEC_START,    /* all values, when leaving initialisation mode has
                        changed some: T0 and T1 are the same. Mostly the
                        operations of the exchange, but its commit */
    TT_SEC_EVENT,    /* one microstep of an event at T1: values move, then
                        discrete states follow. Operations have guards, and a
                        SET moves only what is another value than before */
    TT_SEC_LEAVE,    /* the event is over */
    TT_SEC_RHS,      /* what members of an ensemble feed each other, at any
                        point their integrator looks at, ensemble by ensemble:
                        played within the step of its first member, which sets
                        time and states before and reads derivatives
                        afterwards */
    TT_SEC_N
};

/* Name, word, and what takes part in it: one unit beside others, all of them,
 * or neither (times, transfers; events, which are played alone). */
#define TT_OPS(X)                                                              \
    X(GET, "get", UNIT)                                                        \
    X(SET, "set", UNIT)                                                        \
    X(STEP, "step", UNIT)                                                      \
    X(SAVE, "save", UNIT)                                                      \
    X(RESTORE, "restore", UNIT)                                                \
    X(LOOP, "loop", ALL)                                                       \
    X(TIME, "time", NONE)                                                      \
    X(SOLVE, "solve", ALL)                                                     \
    X(END, "end", ALL)                                                         \
    X(COMMIT, "commit", ALL)                                                   \
    X(ENTER, "enter", NONE)                                                    \
    X(UPDATE, "update", NONE)                                                  \
    X(LEAVE, "leave", NONE)                                                    \
    X(TICK, "tick", NONE)                                                      \
    X(INTERVAL, "interval", NONE)                                              \
    X(XFER, "xfer", NONE)

enum tt_op_scope { TT_SCOPE_NONE, TT_SCOPE_UNIT, TT_SCOPE_ALL };

enum tt_op_code {
#define X(name, word, scope) TT_OP_##name,
    TT_OPS(X)
#undef X
};

enum tt_op_flags {
    TT_OP_COURSE = 1 << 0,      /* SET: a course over at .. to */
    TT_OP_INTERPOLATE = 1 << 1, /* ... that ends at the source's new value */
    TT_OP_PREDICTED = 1 << 2,   /* GET: inputs count at their courses' ends */
    TT_OP_CUT = 1 << 3,   /* GET: some input is not of this instant: a loop was
                             cut here */
    TT_OP_GUESS = 1 << 4, /* SET: the loop's guess, not the source's value */
    TT_OP_LATE = 1 << 6,  /* GET of a clock, or of what belongs to one, when all
                             is set: what ticks only now is there in the next
                             microstep */
    TT_OP_LATER = 1 << 5, /* not in the first turn of its loop; such operations
                             come first in it */
};

/* TIME: what S0 .. S1 become. */
enum tt_half { TT_HALF_LOOP, TT_HALF_FIRST, TT_HALF_SECOND };

struct tt_op {
    uint8_t code;    /* enum tt_op_code */
    uint8_t flags;   /* enum tt_op_flags */
    uint16_t at, to; /* time registers */
    uint16_t until;  /* LOOP: its solver's index plus 1; 0: only counted */
    uint32_t unit;   /* TT_NONE for LOOP, TIME, SOLVE, END, COMMIT, XFER */
    uint32_t arg;    /* batch, state register, count, solver, half, xfer */
    uint32_t guard; /* the flag without which it is left out, plus 1; 0: none */
};

/* Flags of an event: those of units (it takes part), then those of slots (there
 * is a value; of clocks: it ticks). They only rise within a microstep. */
static inline uint32_t tt_flag_of_unit(uint32_t unit)
{
    return unit;
}
static inline uint32_t tt_flag_of_slot(const tt_plan *p, uint32_t slot)
{
    return p->n_unit + slot;
}
/* Behind them, for guards only: one of several clocks ticks. */
static inline uint32_t tt_flag_of_clocks(const tt_plan *p, uint32_t set)
{
    return p->n_unit + p->n_slot + set;
}
static inline uint32_t tt_flags_of(const tt_plan *p)
{
    return p->n_unit + p->n_slot + p->n_clock_set;
}

/* Ports one call moves: slots of one unit, direction and type. */
struct tt_batch {
    uint32_t first, n; /* into tt_score.member: slots */
    enum tt_type type;
};

/* A loop's unknowns: outputs that must come out as they were guessed. All
 * inputs they feed within the loop carry the guess. */
struct tt_solver {
    uint32_t first, n; /* into tt_score.member: output slots */
    struct tt_solve_opts opts;
    int substitute; /* a fixed number of turns: no test of convergence */
    int accept;     /* not converged: go on with a warning, ... */
    int reduce;     /* ... or halt, for a shorter step; else fail */
    int init;       /* at one instant, nothing is stepped */
    int at_start;   /* repeated only where there is no past: else one turn */
};

/* Values that go from one rank to another at once. */
struct tt_message {
    uint32_t from, to; /* ranks */
    uint32_t first, n; /* into tt_score.member: slots */
};

/* Messages under way at the same time, at most one from each rank to each. */
struct tt_xfer {
    uint32_t first, n; /* into tt_score.message */
};

typedef struct tt_score {
    tt_arena *arena;     /* owned */
    const tt_plan *plan; /* borrowed: shared by many scores */
    const char *writer;  /* "jacobi", "gauss-seidel", a file's own name */
    const tt_protocol *protocol; /* the order its sections are played in */
    struct {
        uint32_t first, n;
    } section[TT_SEC_N];
    struct tt_op *op;
    uint32_t n_op;
    struct tt_batch *batch;
    uint32_t n_batch;
    uint32_t *member;
    uint32_t n_member;
    struct tt_solver *solver;
    uint32_t n_solver;
    uint32_t n_rank; /* that play it together; 0: one plays all */
    uint32_t *owner; /* per unit: the rank that has it */
    struct tt_message *message;
    uint32_t n_message;
    struct tt_xfer *xfer;
    uint32_t n_xfer;
    uint32_t *order;  /* units in the order they are stepped */
    uint8_t *looped;  /* per slot: on a loop of declared feed-through that
                         is cut, not solved; NULL: not looked for */
    uint32_t n_state; /* state registers wanted per unit */
    const struct tt_where *where; /* per operation, of a score from a file:
                                     in the scenario's files; else NULL */
    struct tt_where section_where[TT_SEC_N];
    struct tt_note *note; /* what the writer decided */
    uint32_t n_note;
    uint64_t hash;
} tt_score;

/* Write the score the scenario asks for, and check it. */
TT_NODISCARD enum tt_code tt_score_new(tt_score **out, const tt_plan *plan,
                                       tt_err *err);
/* The same, with units in this order (NULL: as the scenario states). All scores
 * of one plan begin a step where any other left the last one: units and values
 * at T0, pasts up to there; the checker proves it of each. */
TT_NODISCARD enum tt_code tt_score_new_in_order(tt_score **out,
                                                const tt_plan *plan,
                                                const uint32_t *order,
                                                tt_err *err);
/* ... and by this master, whatever the scenario states. */
TT_NODISCARD enum tt_code tt_score_new_by(tt_score **out, const tt_plan *plan,
                                          enum tt_sc_master master,
                                          const uint32_t *order, tt_err *err);
void tt_score_free(tt_score *s); /* accepts NULL */

/* Orders of units worth a comparison, at most `most`, into `order`, n_unit
 * each: first the base, then each circle of units begun at another one,
 * forwards and backwards. Units on no circle stay where they are. *n 1: there
 * is no other. */
TT_NODISCARD enum tt_code tt_score_orders(const tt_plan *p,
                                          const uint32_t *base, uint32_t most,
                                          uint32_t *order, uint32_t *n,
                                          tt_err *err);
/* component[u], the same for units on a common circle of values that may be
 * new within a step. */
TT_NODISCARD enum tt_code tt_score_circles(const tt_plan *p,
                                           uint32_t *component, tt_err *err);

/* Prove a score valid, by playing it on time stamps instead of values: each
 * unit has a time, each slot a stamp. The message names the operation. Every
 * score passes through here before it is played. */
TT_NODISCARD enum tt_code tt_score_check(const tt_score *s, tt_err *err);

/* Of everything that changes what is played; of a score that was checked. */
uint64_t tt_score_hash(const tt_score *s);

/* The protocol a score of these sections is played by. */
const tt_protocol *tt_protocol_of(const tt_score *s);

/* For people: a table of the operations, one line each. */
void tt_score_print(const tt_score *s, struct tt_buf *out);
/* The same for machines, as JSON: the file form, docs/reference/score-file.md,
 * which tt_write_file() reads. */
void tt_score_print_json(const tt_score *s, struct tt_buf *out);
/* One operation in words: "set {a}.b: x, y". */
void tt_score_op_text(const tt_score *s, uint32_t op, struct tt_buf *out);
/* A picture: a lane per unit, operations in playing order, arrows where
 * values move. */
void tt_score_svg(const tt_score *s, struct tt_buf *out);

const char *tt_op_name(enum tt_op_code code);
enum tt_op_scope tt_op_scope(const struct tt_op *op);
const char *tt_section_name(enum tt_section section);
/* "T0", "T1", "S0", "S1"; else "?". */
const char *tt_register_name(unsigned i);
/* Is it listed: has it operations, or must every score have it? */
int tt_score_shows(const tt_score *s, enum tt_section section);

#endif
