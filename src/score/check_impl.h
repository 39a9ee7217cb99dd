/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_CHECK_IMPL_H
#define TT_SCORE_CHECK_IMPL_H

/* The rooms of the checker: form (check_form.c), playing (check.c), the order
 * of sections (check_protocol.c), what must hold when values are committed
 * (check_commit.c), and that no rank reads what it has not got
 * (check_ranks.c). */

#include "score/score.h"
#include "score/write.h"
#include "unit/call.h"

/* A loop of sub-steps is played as if it had two: BETWEEN is where the first
 * ends. */
enum stamp { UNSET, AT_T0, BETWEEN, AT_T1 };

#define STATES 64 /* most state registers: bits of unit_state.saved */

struct unit_state {
    enum stamp time;
    int set_since_step;
    uint64_t saved;     /* bit per state register */
    uint64_t saved_set; /* ... set_since_step at that time */
    uint64_t kept;      /* ... saved by the begin section */
    enum stamp saved_time[STATES];
    int in_event;     /* event mode */
    uint64_t updated; /* when last, counted in operations */
    uint64_t asked;   /* when its clocks tick next, likewise */
};

struct slot_state {
    enum stamp stamp;
    uint32_t version; /* outputs: how often read; inputs: version they carry */
    int cut;          /* outputs: the last read cut a loop */
    int unknown;      /* outputs: guessed in loops being played, a bit each */
    int guessed;      /* inputs: set to their guesses in this turn, likewise */
    uint64_t moved;   /* when it was read or set last, counted in operations */
};

struct check {
    const tt_score *s;
    const tt_plan *p;
    struct unit_state *unit;
    struct slot_state *slot;
    struct slot_state *kept;  /* ... when the step began */
    struct slot_state *saved; /* slots as they were: per register, per slot */
    enum tt_section section;
    uint32_t op;
    uint64_t played;    /* operations so far */
    uint64_t microstep; /* ... when that of an event began, */
    uint64_t updated;   /* and when a unit was updated last */
    struct {
        uint32_t begin; /* its LOOP */
        int again;      /* the body is played once more */
        int first;      /* a solver's, in its first turn */
    } loop[3];          /* those being played, the outer first */
    int depth;
    int in_loop;       /* ... of which one has a solver ... */
    int first_pass;    /* ... and is in its first pass: guesses are allowed */
    int first_turn;    /* ... which leaves something out */
    enum stamp reg[4]; /* what the time registers stand for */
    uint8_t *arrived;  /* per slot and rank: it has the slot's last value */
    uint8_t *shown;    /* per slot: a recorded input, or the clock of one */
};

/* "invalid score: step, operation 3 (set ...): why: {a}.b.u" */
enum tt_code check_wrong(const struct check *c, tt_err *err, const char *why,
                         uint32_t slot);

/* Something that does not hold when the section ends: "invalid score: ...". */
TT_PRINTF(3, 4)
enum tt_code check_ended(const struct check *c, tt_err *err, const char *fmt,
                         ...);
/* rc, after the place of the operation in the file it comes from. */
enum tt_code check_at_op(const struct check *c, enum tt_code rc, tt_err *err);

/* Indices that exist, before anything is looked up or put into words. */
TT_NODISCARD enum tt_code check_form(const struct check *c,
                                     const struct tt_op *op, tt_err *err);
TT_NODISCARD enum tt_code check_sections(const tt_score *s, tt_err *err);

/* check.c: the operations of a section. */
TT_NODISCARD enum tt_code check_play(struct check *c, enum tt_section section,
                                     tt_err *err);
/* A macro step, taken back once where the score can do that. */
TT_NODISCARD enum tt_code check_protocol(struct check *c, tt_err *err);

/* check_event.c: an event after it, where units have event mode. op: one of its
 * operations. */
TT_NODISCARD enum tt_code check_event(struct check *c, tt_err *err);
TT_NODISCARD enum tt_code check_event_op(struct check *c,
                                         const struct tt_op *op, tt_err *err);

/* All units and values are of this instant, and consistent. */
TT_NODISCARD enum tt_code check_committed(const struct check *c, enum stamp at,
                                          tt_err *err);

/* Ranks; they state nothing about a score that one plays. check_xfer_form has
 * no words: the caller knows them. */
TT_NODISCARD enum tt_code check_xfer_form(const struct check *c,
                                          const struct tt_op *op);
void check_ranks_begin(const struct check *c);
void check_ranks_tick(const struct check *c, uint32_t slot);
TT_NODISCARD enum tt_code check_ranks_op(struct check *c,
                                         const struct tt_op *op, tt_err *err);

#endif
