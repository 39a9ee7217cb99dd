/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_LOCAL_RANKS_H
#define TT_PLAYER_LOCAL_RANKS_H

/* For tests: ranks that are threads of one process. In tutti_testing only. */

#include "player/link.h"

typedef struct tt_local_ranks tt_local_ranks;

tt_local_ranks *tt_local_ranks_new(uint32_t n);
void tt_local_ranks_free(tt_local_ranks *h);
/* A rank's end, borrowed. */
tt_link *tt_local_ranks_link(tt_local_ranks *h, uint32_t rank);
/* fn(ctx, rank) on a thread for each rank, until all have returned. */
void tt_local_ranks_play(tt_local_ranks *h,
                         void (*fn)(void *ctx, uint32_t rank), void *ctx);

#endif
