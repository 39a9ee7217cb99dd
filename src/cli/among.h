/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_AMONG_H
#define TT_CLI_AMONG_H

/* One of several ranks. */

#include "base/err.h"
#include "cli/cli.h"
#include "cli/play.h"
#include "scenario/scenario.h"

/* If a launcher started several of us: which one is this? Only the first
 * writes and talks. */
TT_NODISCARD enum tt_code tt_play_among(struct tt_play *p, tt_err *err);

/* Many runs, dealt out: meet the other ranks, if a launcher started some. *link
 * NULL: none. The first does the talking. */
TT_NODISCARD enum tt_code tt_among_meet(struct tt_link **link, tt_err *err);
/* All have come to an end, rc here. What went wrong is for the first to print;
 * the others end well, since a launcher that sees a process fail kills those
 * that still write, and returns the first exit code that is none of success.
 * Returns what this one is to return. */
enum tt_code tt_among_part(struct tt_link *link, enum tt_code rc);

/* All ranks of one run, at the same point of it: each then has the warnings of
 * all, as one process had them. */
TT_NODISCARD enum tt_code tt_among_warnings(struct tt_link *link,
                                            struct tt_sink *sink, tt_err *err);

/* What units cost in an earlier run, from what `tutti run --json` printed: one
 * number per unit of the scenario. NULL for no path. Owned by the caller. */
TT_NODISCARD enum tt_code tt_costs_load(double **cost, const tt_scenario *s,
                                        const char *path, tt_err *err);

#endif
