/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_SIGNED_H
#define TT_RUN_SIGNED_H

/* Errors of states with their signs, carried on from step to step: what a step
 * in some order adds, and what becomes of what is there. For small errors the
 * circle is x' = A x + B u, y = C x + D u, and u = y where connected. */

#include "run/sequence.h"

/* Room in the frame: states of the run, and of each order had it been kept. */
TT_NODISCARD enum tt_code run_signed_make(tt_run *r, tt_err *err);
/* Find A, B, C and D at this instant. */
TT_NODISCARD enum tt_code run_signed_start(tt_run *r, tt_err *err);
/* Which order is best for a first step of length h, in which inputs are held:
 * they miss what they move by, as their sources do at the start. */
uint32_t run_signed_first(tt_run *r, double h);
/* A step of length h stands; anew: it had no past, so that inputs were held.
 * next: per order, what an error after another step like it will
 * have cost when it has faded. fixed: the error now,
 * had each order been kept. Returns what it is. */
double run_signed_estimate(tt_run *r, double h, int anew, double *next,
                           double *fixed);

#endif
