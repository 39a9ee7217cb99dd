/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_TESTING_H
#define TT_PLAYER_TESTING_H

/* For tests: a plan and a score on live mocks, played step by step without a
 * run. In tutti_testing only. */

#include "player/part.h"
#include "plan/crowd.h"
#include "plan/testing.h"

#define TT_RIG_UNITS 32

struct tt_rig {
    tt_plan *plan;               /* borrowed */
    const tt_score *score;       /* borrowed */
    tt_unit *unit[TT_RIG_UNITS]; /* owned */
    tt_frame *frame;             /* owned */
    struct tt_part_place place;
    tt_part *part; /* owned */
    struct tt_now now;
    struct tt_halt halt;
    int timed; /* play with the clock */
    tt_err err;
};

/* Make the units, of types by scenario FMU, and initialise them by the score.
 * Whatever fails, tt_rig_fini is due. */
TT_NODISCARD enum tt_code tt_rig_start(struct tt_rig *r, tt_plan *p,
                                       const tt_score *s,
                                       tt_unit_type *const *type);
/* All of it: plan the scenario on its stand, write *score (owned by the
 * caller), start. Fails with words in r->err. */
TT_NODISCARD enum tt_code tt_rig_perform(struct tt_rig *r, struct tt_stand *st,
                                         tt_score **score, const char *json);
/* One macro step of length h. */
TT_NODISCARD enum tt_code tt_rig_step(struct tt_rig *r, double h);
void tt_rig_fini(struct tt_rig *r);

/* The part's block of the frame. */
void *tt_rig_values(const struct tt_rig *r, size_t *n);

/* A live value, straight from its unit. */
void tt_rig_get(struct tt_rig *r, uint32_t slot, void *value);
double tt_rig_number(struct tt_rig *r, uint32_t slot);

/* The types a stand's scenario wants, in its order. */
void tt_rig_types(const struct tt_stand *st, tt_unit_type **type);

#endif
