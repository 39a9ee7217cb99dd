/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_RESIDUALS_H
#define TT_CLI_RESIDUALS_H

/* How well equations were satisfied. */

#include "cli/play.h"

/* The member "residuals" of a run's summary, with the comma behind it. */
void tt_residuals_json(struct tt_buf *b, const struct tt_played *p);

#endif
