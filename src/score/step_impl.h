/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_STEP_IMPL_H
#define TT_SCORE_STEP_IMPL_H

/* The rooms of the step section: units (step.c), groups with a rate of their
 * own (rate.c), components that are repeated (repeat.c). */

#include "score/schedule.h"
#include "score/write.h"
#include "unit/call.h"

struct stepping {
    struct tt_draft *w;
    const tt_plan *p;
    const uint8_t *reactive;
    const uint32_t *component; /* NULL: nothing is repeated */
    uint8_t *fresh;            /* slot carries its final value of T1 */
    uint8_t *read;             /* slot was read since its unit stepped */
    uint32_t *list;    /* scratch, as long as the most slots of a unit */
    uint32_t *unknown; /* scratch: outputs a component's guesses stand for */
    uint8_t *listed;   /* scratch: slot is in `unknown` */
    int repeated;      /* the component being written is a loop */
};

enum treatment { HELD, FED, GUESSED };

/* An input of a repeated component that is not fed within the turn is guessed.
 */
int step_guessed(const struct stepping *st, uint32_t slot);

/* n outputs in st->list, with inputs at their courses' ends. */
void step_get_predicted(struct stepping *st, uint32_t unit, uint32_t n,
                        uint16_t at);
/* Read the sources of reactive inputs of a unit; those of its own group are
 * left to the group. */
void step_read_sources(struct stepping *st, uint32_t unit);
/* Set inputs of one unit that want the same treatment, with a course or
 * without, from outside its group. */
void step_set(struct stepping *st, uint32_t unit, enum treatment how,
              int course);
/* Set the guesses of one unit's inputs that need none in the first turn: they
 * carry it already. */
void step_set_later(struct stepping *st, uint32_t unit);
/* Units in order, groups among them. */
void step_units(struct stepping *st, const uint32_t *order, uint32_t n);

/* Before a unit steps: its inputs, from outside its group. */
void step_feed(struct stepping *st, uint32_t unit);
/* Its step, from T0 to T1. */
void step_alone(struct stepping *st, uint32_t unit);
/* together.c: the step of an ensemble. */
void step_together(struct stepping *st, const uint32_t *order, uint32_t n);
/* rate.c: a group's steps within T0 .. T1. */
void step_group(struct stepping *st, const uint32_t *order, uint32_t n);

/* repeat.c: a component, until what was guessed comes out. */
void step_repeated(struct stepping *st, const uint32_t *order, uint32_t n);
/* How many outputs a component must guess; into st->unknown. */
typedef int (*step_guessed_fn)(const struct stepping *st, uint32_t slot);
uint32_t step_unknowns(struct stepping *st, const uint32_t *order, uint32_t n,
                       step_guessed_fn is_guessed);
int step_has_coupling(const tt_plan *p, const uint32_t *order, uint32_t n);
/* The head of a loop with rollback of these units from `at` to `to`, for the
 * n_z outputs in st->unknown; returns its solver. */
uint32_t step_begin_turns(struct stepping *st, const uint32_t *order,
                          uint32_t n, uint32_t n_z, uint16_t at, uint16_t to);
void step_end_turns(struct stepping *st, uint32_t solver, uint16_t to);

#endif
