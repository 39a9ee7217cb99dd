/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_WALK_H
#define TT_CLI_WALK_H

/* A walk through the life of an FMU's instance, in a process of its own:
 * instantiate, set and read every start value, initialise, step, save and
 * restore where offered, reset, terminate, free. Every call that goes wrong
 * is reported. */

#include "api/check.h"
#include "base/err.h"
#include "unit/unit.h"

/* In shared memory: the walker may die. */
struct tt_walk {
    struct tt_activity activity;
    volatile int done, finished;
    struct tt_check_walk found;
};

/* *w is zeroed shared memory. Fails only when there is no process. */
TT_NODISCARD enum tt_code tt_walk(struct tt_walk *w, const char *path,
                                  tt_err *err);

#endif
