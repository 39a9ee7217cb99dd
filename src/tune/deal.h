/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_DEAL_H
#define TT_TUNE_DEAL_H

/* Jobs of a pool, dealt out over the ranks that a launcher started. Each rank
 * takes every n-th with workers of its own, and what came of all is given to
 * every rank, in the order of the list: so all ranks come to the same
 * conclusions. */

#include "player/link.h"
#include "tune/pool.h"

/* link == NULL: as tt_pool_run(). Where a rank fails or is asked to stop, all
 * return that. */
TT_NODISCARD enum tt_code tt_deal_run(const struct tt_pool *p, tt_link *link,
                                      const uint32_t *job, uint32_t n,
                                      tt_err *err);

/* Does every rank go on? The code of the first that does not; *err is then
 * filled, if it was another one. link == NULL: rc. */
TT_NODISCARD enum tt_code tt_deal_agree(tt_link *link, enum tt_code rc,
                                        tt_err *err);

#endif
