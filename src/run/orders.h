/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_ORDERS_H
#define TT_RUN_ORDERS_H

/* Several scores of one plan in a run: the same units in other orders, by
 * another master, or at other rates, as policies have it. The first is the
 * run's own, which plays everything but steps and exchanges; those are played
 * by the part of the order that was chosen. All parts lie on one frame, so that
 * nothing has to be carried over. */

#include "run/run_impl.h"

#define RUN_ORDERS TT_SC_ORDERS_MAX

struct run_orders {
    uint32_t n;
    tt_score *score[RUN_ORDERS]; /* owned, but the first */
    tt_part *part[RUN_ORDERS];   /* owned, but the first; once it is bound */
    uint32_t playing;
    uint32_t *of_policy; /* owned, per policy; NULL: policies change none */
    struct {
        uint32_t first, n; /* of the stage */
    } name[RUN_ORDERS];
};

/* Of those given, where they are played; NULL: as the scenario states. */
const uint32_t *run_first_order(const tt_scenario *s);
/* Write them, if the scenario asks for a sequence, or switches among policies
 * of several masters, orders or rates, and there is a choice. */
TT_NODISCARD enum tt_code run_write_orders(tt_run *r, tt_err *err);
void run_free_orders(tt_run *r);
/* The plan of the one that plays steps: the run's, but for rates. */
const tt_plan *run_plan_playing(const tt_run *r);
/* The run's own part is bound: bind the others. */
TT_NODISCARD enum tt_code
run_bind_orders(tt_run *r, const struct tt_part_place *at, tt_err *err);
/* From now on this one plays steps and exchanges. */
void run_play_order(tt_run *r, uint32_t order);
/* A step stands: until the next one the run's own part plays. */
void run_rest_orders(const tt_run *r);
/* Of all that may be played; that of the score alone where there is one. */
uint64_t run_orders_hash(const tt_run *r);
/* "a -> b" */
void run_order_put(const tt_run *r, uint32_t order, struct tt_buf *out);

#endif
