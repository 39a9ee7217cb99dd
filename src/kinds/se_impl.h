/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_SE_IMPL_H
#define TT_KINDS_SE_IMPL_H

/* Scheduled execution (FMI 3.0.2, 5): the FMU has model partitions, each with
 * an input clock, and we are its scheduler. Private to kinds/.
 *
 * A partition runs when its clock ticks: its inputs are set, it is activated,
 * its outputs can be read. Of several clocks that tick at one time the one with
 * the smallest priority value goes first, then the one that is declared first;
 * a partition runs once at one time. Time is simulated: nothing is preempted.
 *
 * With event mode the ticks of an instant are an event of the unit, one
 * partition in each microstep: what it gives reaches other units, and other
 * partitions, before the next one runs. Ticks that a step passes are made
 * inside it, as all are without event mode. */

#include "kinds/fmi3_impl.h"
#include "step/beat.h"

struct tt_kse_clock { /* an input clock */
    uint32_t port;
    uint32_t priority;             /* the smallest goes first */
    const struct tt_clock *is;     /* borrowed; NULL: triggered */
    struct tt_ratio period, shift; /* declared, or set; of one that is timed */
};

/* When it ticks: part of the unit's state. */
struct tt_kse_tick {
    struct tt_tick time;
    double last; /* -inf: there was none */
};

/* A value that is passed on when a partition runs. */
struct tt_kse_input {
    uint32_t port;
    size_t at; /* in the unit's values */
};

struct tt_kse_unit {
    struct tt_k3_unit u;
    struct tt_kse_clock *clock; /* owned: by priority, then by declaration */
    uint32_t n_clock;
    uint32_t *out; /* owned: ports of output clocks */
    uint32_t n_out;
    struct tt_kse_input *input; /* owned */
    uint32_t n_input;
    uint32_t *place; /* owned: per port, its index in one of these */

    /* What changes, in one block that is saved with the FMU's own state. */
    char *kept; /* owned */
    size_t n_kept;
    struct tt_kse_tick *tick; /* n_clock */
    uint8_t *ticked;          /* n_out: since the last event */
    uint8_t *fresh;           /* n_input: not passed on yet */
    char *value;
    char *saved; /* owned: n_kept for each register */

    double at;         /* time of the partition that runs; NaN: none does */
    enum tt_code rc;   /* of what was asked for inside it */
    tt_err *err;       /* owned: its words */
    int warned_update; /* it called back while none ran */
};

static inline struct tt_kse_unit *tt_kse_unit(tt_unit *u)
{
    return (struct tt_kse_unit *)(void *)u;
}

/* --- clocks (se_clocks.c) ------------------------------------------------- */

/* Find clocks and inputs; make room. */
TT_NODISCARD enum tt_code tt_kse_plan(struct tt_kse_unit *u, tt_err *err);
/* In initialisation mode: when all clocks tick first. */
TT_NODISCARD enum tt_code tt_kse_first_ticks(struct tt_kse_unit *u,
                                             tt_err *err);
/* The earliest tick; +inf: none is known. */
double tt_kse_next(const struct tt_kse_unit *u);
/* The clock that goes first of those that tick by t; TT_NONE: none does. */
uint32_t tt_kse_due(const struct tt_kse_unit *u, double t);
/* It ticks at t: what is next follows from that, or from what the FMU states
 * when its partition has run. */
TT_NODISCARD enum tt_code tt_kse_begin_tick(struct tt_kse_unit *u, uint32_t i,
                                            double t, tt_err *err);
TT_NODISCARD enum tt_code tt_kse_end_tick(struct tt_kse_unit *u, uint32_t i,
                                          tt_err *err);
/* What the FMU calls inside a partition. */
void tt_kse_clock_update(void *env);
void tt_kse_no_lock(void); /* there is no preemption */

/* --- life (se.c) -----------------------------------------------------------
 */

void tt_kse_release(struct tt_kse_unit *u);
enum tt_code tt_kse_exit_init(TT_PAR_PLAIN);
enum tt_code tt_kse_prepare(TT_PAR_REGISTER);
enum tt_code tt_kse_reset(TT_PAR_PLAIN);
enum tt_code tt_kse_get(TT_PAR_SPAN);
enum tt_code tt_kse_set(TT_PAR_SPAN);
enum tt_code tt_kse_step(TT_PAR_STEP);
enum tt_code tt_kse_event_enter(TT_PAR_PLAIN);
enum tt_code tt_kse_event_update(TT_PAR_UPDATE);
enum tt_code tt_kse_event_leave(TT_PAR_PLAIN);
enum tt_code tt_kse_set_intervals(TT_PAR_TIMINGS);
enum tt_code tt_kse_save(TT_PAR_REGISTER);
enum tt_code tt_kse_restore(TT_PAR_REGISTER);
enum tt_code tt_kse_pack(TT_PAR_PACK);
enum tt_code tt_kse_unpack(TT_PAR_UNPACK);

#endif
