/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_AMONG_H
#define TT_CLI_AMONG_H

/* One of several ranks. */

#include "base/err.h"
#include "cli/play.h"
#include "scenario/scenario.h"

/* If a launcher started several of us: which one is this? Only the first
 * writes and talks. */
TT_NODISCARD enum tt_code tt_play_among(struct tt_play *p, tt_err *err);

/* What units cost in an earlier run, from what `tutti run --json` printed: one
 * number per unit of the scenario. NULL for no path. Owned by the caller. */
TT_NODISCARD enum tt_code tt_costs_load(double **cost, const tt_scenario *s,
                                        const char *path, tt_err *err);

#endif
