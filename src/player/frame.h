/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_FRAME_H
#define TT_PLAYER_FRAME_H

/* The frame: all that a run changes besides its units, in one piece of memory.
 *
 * Owners reserve named blocks in a layout; then the frame is made, and a block
 * stays where it is until the frame is freed. Blocks hold no pointers. Saving a
 * run is a copy of the frame and its units' states, and so is a checkpoint.
 *
 * There are two regions. What goes back when a step is rejected is the first,
 * so that going back is a copy of as little as possible; counts and what only
 * changes with steps that stand are the second.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tt_region {
    TT_REGION_STEP, /* goes back with a rejected step */
    TT_REGION_RUN,  /* does not */
    TT_REGION_N
};

#define TT_FRAME_BLOCKS 32

struct tt_frame_layout {
    struct tt_block {
        const char *owner; /* borrowed: a constant */
        enum tt_region region;
        size_t at, n; /* bytes, `at` from the start of the region */
    } block[TT_FRAME_BLOCKS];
    uint32_t n_block;
    size_t size[TT_REGION_N];
};

typedef struct tt_frame tt_frame;

/* n bytes, aligned for any number; returns the block. */
uint32_t tt_frame_reserve(struct tt_frame_layout *l, enum tt_region region,
                          const char *owner, size_t n);
/* Of all owners and sizes: frames of equal layout can be copied. */
uint64_t tt_frame_layout_hash(const struct tt_frame_layout *l);

/* Zeroed. The layout is copied. */
TT_NODISCARD enum tt_code
tt_frame_new(tt_frame **out, const struct tt_frame_layout *l, tt_err *err);
void tt_frame_free(tt_frame *f); /* accepts NULL */
const struct tt_frame_layout *tt_frame_layout(const tt_frame *f);

void *tt_frame_at(const tt_frame *f, uint32_t block);
const void *tt_frame_bytes(const tt_frame *f); /* tt_frame_size() of them */
/* How much a copy of the first region, or of all, takes. */
size_t tt_frame_size(const tt_frame *f);
size_t tt_frame_step_size(const tt_frame *f);
void tt_frame_copy(const tt_frame *f, void *to);
void tt_frame_bring_back(tt_frame *f, const void *from);
void tt_frame_step_copy(const tt_frame *f, void *to);
void tt_frame_step_bring_back(tt_frame *f, const void *from);

#endif
