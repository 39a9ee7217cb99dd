/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_HALL_H
#define TT_PLAYER_HALL_H

/* For tests: ranks that are threads of one process. In tutti_testing only. */

#include "player/link.h"

typedef struct tt_hall tt_hall;

tt_hall *tt_hall_new(uint32_t n);
void tt_hall_free(tt_hall *h);
/* A rank's end, borrowed from the hall. */
tt_link *tt_hall_link(tt_hall *h, uint32_t rank);
/* Messages moved so far. */
uint64_t tt_hall_messages(const tt_hall *h);

/* fn(ctx, rank) on a thread for each rank, until all have returned. */
void tt_hall_play(tt_hall *h, void (*fn)(void *ctx, uint32_t rank), void *ctx);

#endif
