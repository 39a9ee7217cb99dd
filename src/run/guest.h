/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_GUEST_H
#define TT_RUN_GUEST_H

/* A run inside a unit: its host says when it begins, what comes from outside
 * and how far it plays. It has no rows, no pace and no threads of its own.
 *
 *   tt_run_new            with opts.host
 *   tt_guest_make         units with their start values
 *   tt_guest_configure    ... as a unit's life has it
 *   tt_guest_enter        initialisation mode, in the host's experiment
 *   tt_guest_leave
 *   tt_guest_prepare      n_state registers for save and restore
 *   tt_guest_step         as many macro steps as it takes
 *   tt_run_end, tt_run_free
 *
 * Whoever sets a unit from outside says so with tt_guest_touch(); before
 * values are read tt_guest_refresh() plays what follows: the init section, or
 * again.
 *
 * With a step of its own it keeps to the grid start + n*H; a step of the host
 * that ends between two points of it ends with a shorter one, and the next
 * goes on to the grid. Without one every step of the host is one macro step.
 *
 * Its state is all its units' states and the blocks of memory it changes. */

#include "run/run.h"

TT_NODISCARD enum tt_code tt_guest_make(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_configure(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code
tt_guest_enter(tt_run *r, const struct tt_experiment *e, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_leave(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_prepare(tt_run *r, uint32_t n_state,
                                           tt_err *err);

/* Around everything the host lets it do, for whoever watches: so a crash names
 * the unit inside. done() returns rc. */
uint32_t tt_guest_begin(tt_run *r);
enum tt_code tt_guest_done(tt_run *r, uint32_t was, enum tt_code rc);

tt_unit *tt_guest_unit(const tt_run *r, uint32_t unit);
void tt_guest_touch(tt_run *r);
TT_NODISCARD enum tt_code tt_guest_refresh(tt_run *r, tt_err *err);

/* *out says plain success when it is called. A step that is not made whole is
 * rejected if the host takes steps back, and an error else. A failure is
 * always one of the unit's: afterwards only a restore helps. */
TT_NODISCARD enum tt_code tt_guest_step(tt_run *r, const struct tt_step *s,
                                        struct tt_stepped *out, tt_err *err);
/* The least of what the units allow. */
TT_NODISCARD enum tt_code tt_guest_max_step(tt_run *r, double *h, tt_err *err);

TT_NODISCARD enum tt_code tt_guest_save(tt_run *r, uint32_t reg, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_restore(tt_run *r, uint32_t reg,
                                           tt_err *err);
TT_NODISCARD enum tt_code tt_guest_pack(tt_run *r, uint32_t reg,
                                        struct tt_bytes *b, tt_err *err);
TT_NODISCARD enum tt_code
tt_guest_unpack(tt_run *r, uint32_t reg, const struct tt_bytes *b, tt_err *err);

#endif
