/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_CHECK_IMPL_H
#define TT_SCORE_CHECK_IMPL_H

/* The rooms of the checker: form (check_form.c), playing (check.c), what must
 * hold when values are committed (check_rest.c), and that no rank reads what
 * it has not got (check_ranks.c). */

#include "score/score.h"
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
    enum stamp saved_time[STATES];
};

struct slot_state {
    enum stamp stamp;
    uint32_t version; /* outputs: how often read; inputs: version they carry */
    int cut;          /* outputs: the last read cut a loop */
    int unknown;      /* outputs: guessed in the loop being played */
    int guessed;      /* inputs: set to a loop's guess in this turn */
    uint64_t moved;   /* when it was read or set last, counted in operations */
};

struct check {
    const tt_score *s;
    const tt_plan *p;
    struct unit_state *unit;
    struct slot_state *slot;
    struct slot_state *saved; /* slots as they were: per register, per slot */
    enum tt_section section;
    uint32_t op;
    uint64_t played; /* operations so far */
    struct {
        uint32_t begin; /* its LOOP */
        int again;      /* the body is played once more */
    } loop[2];          /* those being played, the outer first */
    int depth;
    int in_loop;       /* ... of which one has a solver */
    int first_pass;    /* in its first pass guesses are allowed */
    enum stamp reg[4]; /* what the time registers stand for */
    uint8_t *arrived;  /* per slot and rank: it has the slot's last value */
};

/* "invalid score: step, operation 3 (set ...): why: {a}.b.u" */
enum tt_code check_wrong(const struct check *c, tt_err *err, const char *why,
                         uint32_t slot);

/* Indices that exist, before anything is looked up or put into words. */
TT_NODISCARD enum tt_code check_form(const struct check *c,
                                     const struct tt_op *op, tt_err *err);
TT_NODISCARD enum tt_code check_sections(const tt_score *s, tt_err *err);

/* All units and values are of this instant, and consistent. */
TT_NODISCARD enum tt_code check_at_rest(const struct check *c, enum stamp at,
                                        tt_err *err);

/* Ranks; they say nothing about a score that one plays. check_xfer_form has no
 * words: the caller knows them. */
TT_NODISCARD enum tt_code check_xfer_form(const struct check *c,
                                          const struct tt_op *op);
void check_ranks_read(const struct check *c, const struct tt_op *op);
TT_NODISCARD enum tt_code check_ranks_set(const struct check *c,
                                          const struct tt_op *op, tt_err *err);
TT_NODISCARD enum tt_code
check_ranks_solve(const struct check *c, const struct tt_op *op, tt_err *err);
TT_NODISCARD enum tt_code check_xfer(const struct check *c,
                                     const struct tt_op *op, tt_err *err);

#endif
