/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_GUEST_H
#define TT_RUN_GUEST_H

/* A run inside a unit: its host states when it begins, what comes from outside
 * and how far it plays. It has no rows, no pace and no threads of its own.
 *
 *   tt_run_new            with opts.host
 *   tt_guest_make         units, configured and with their start values
 *   tt_guest_enter        initialisation mode, in the host's experiment
 *   tt_guest_leave
 *   tt_guest_prepare      n_state registers for save and restore
 *   tt_guest_step         as many macro steps as it takes
 *   tt_run_end, tt_run_free
 *
 * A caller that sets a unit from outside calls tt_guest_touch(); before values
 * are read tt_guest_refresh() plays what follows: the init section, or again.
 *
 * With a step of its own it keeps to the grid start + n*H; a step of the host
 * that ends between two points of it ends with a shorter one, and the next
 * goes on to the grid. Without one every step of the host is one macro step.
 *
 * Its state is that of a run: tt_run_save() and so on. */

#include "run/run.h"

TT_NODISCARD enum tt_code tt_guest_make(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code
tt_guest_enter(tt_run *r, const struct tt_experiment *e, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_leave(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_prepare(tt_run *r, uint32_t n_state,
                                           tt_err *err);

/* Around everything the host lets it do, for the parent process: so a crash
 * names the unit inside. done() returns rc. */
uint32_t tt_guest_begin(tt_run *r);
enum tt_code tt_guest_done(tt_run *r, uint32_t was, enum tt_code rc);

tt_unit *tt_guest_unit(const tt_run *r, uint32_t unit);
void tt_guest_touch(tt_run *r);
TT_NODISCARD enum tt_code tt_guest_refresh(tt_run *r, tt_err *err);

/* *out states plain success when it is called. A step that is not made whole is
 * rejected if the host takes steps back, and an error else. A failure is
 * always one of the unit's: afterwards only a restore helps. */
TT_NODISCARD enum tt_code tt_guest_step(tt_run *r, const struct tt_step *s,
                                        struct tt_stepped *out, tt_err *err);
/* Events, where the host handles them together with others (event_mode): each
 * microstep of the host is one here.
 *
 *   tt_guest_event_enter    a microstep begins; quiet: all else at this instant
 *                           is, so that clocks tick that are due
 *   tt_guest_event_go       the event that it has named
 *   tt_guest_event_join     a unit gets another value from outside
 *   tt_guest_event_want     an output is to be read, ...
 *   tt_guest_event_show     ... and has its value in this microstep
 *   tt_guest_event_update   the rest of it
 *   tt_guest_event_leave    it is over
 *
 * Where the host does not, what comes to units by join is handled here before
 * anything is read or stepped. */
int tt_guest_in_event(const tt_run *r);
/* Did units leave initialisation in event mode? They take part then. */
int tt_guest_starts_in_event(tt_run *r);
void tt_guest_event_enter(tt_run *r, int quiet);
/* Of discrete-event units inside: the first that is due has its event now. */
void tt_guest_event_go(tt_run *r);
TT_NODISCARD enum tt_code tt_guest_event_join(tt_run *r, uint32_t unit,
                                              tt_err *err);
void tt_guest_event_want(tt_run *r, uint32_t slot);
TT_NODISCARD enum tt_code tt_guest_event_show(tt_run *r, tt_err *err);
int tt_guest_ticks(const tt_run *r, uint32_t slot); /* of a clock */
TT_NODISCARD enum tt_code
tt_guest_event_update(tt_run *r, struct tt_event_result *out, tt_err *err);
TT_NODISCARD enum tt_code tt_guest_event_leave(tt_run *r, tt_err *err);

/* The least of what the units allow. */
TT_NODISCARD enum tt_code tt_guest_max_step(tt_run *r, double *h, tt_err *err);

#endif
