/* SPDX-License-Identifier: MIT */
#include "player/frame.h"

#include <stdalign.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct tt_frame {
    struct tt_frame_layout layout;
    unsigned char *bytes; /* owned: region after region */
};

static size_t aligned(size_t n)
{
    return (n + alignof(max_align_t) - 1) / alignof(max_align_t) *
           alignof(max_align_t);
}

uint32_t tt_frame_reserve(struct tt_frame_layout *l, enum tt_region region,
                          const char *owner, size_t n)
{
    TT_ASSERT(l->n_block < TT_FRAME_BLOCKS);
    l->block[l->n_block] = (struct tt_block){
        .owner = owner, .region = region, .at = l->size[region], .n = n};
    l->size[region] += aligned(n);
    return l->n_block++;
}

uint64_t tt_frame_layout_hash(const struct tt_frame_layout *l)
{
    uint64_t h = TT_HASH_START;

    for (uint32_t i = 0; i < l->n_block; i++) {
        const struct tt_block *b = &l->block[i];
        uint64_t n = b->n, region = b->region;

        h = tt_hash(h, b->owner, strlen(b->owner));
        h = tt_hash(h, &region, sizeof(region));
        h = tt_hash(h, &n, sizeof(n));
    }
    return h;
}

enum tt_code tt_frame_new(tt_frame **out, const struct tt_frame_layout *l,
                          tt_err *err)
{
    size_t n = l->size[TT_REGION_STEP] + l->size[TT_REGION_RUN];
    tt_frame *f;

    if (!TT_NEW(f) || !(f->bytes = tt_zalloc(1, n))) {
        tt_free(f);
        return tt_nomem(err, "preparing the run");
    }
    f->layout = *l;
    *out = f;
    return TT_OK;
}

void tt_frame_free(tt_frame *f)
{
    if (f)
        tt_free(f->bytes);
    tt_free(f);
}

const struct tt_frame_layout *tt_frame_layout(const tt_frame *f)
{
    return &f->layout;
}

void *tt_frame_at(const tt_frame *f, uint32_t block)
{
    const struct tt_block *b = &f->layout.block[block];
    size_t at = b->at;

    if (b->region == TT_REGION_RUN)
        at += f->layout.size[TT_REGION_STEP];
    return f->bytes + at;
}

const void *tt_frame_bytes(const tt_frame *f)
{
    return f->bytes;
}

size_t tt_frame_size(const tt_frame *f)
{
    return f->layout.size[TT_REGION_STEP] + f->layout.size[TT_REGION_RUN];
}

size_t tt_frame_step_size(const tt_frame *f)
{
    return f->layout.size[TT_REGION_STEP];
}

void tt_frame_copy(const tt_frame *f, void *to)
{
    memcpy(to, f->bytes, tt_frame_size(f));
}

void tt_frame_bring_back(tt_frame *f, const void *from)
{
    memcpy(f->bytes, from, tt_frame_size(f));
}

void tt_frame_step_copy(const tt_frame *f, void *to)
{
    memcpy(to, f->bytes, tt_frame_step_size(f));
}

void tt_frame_step_bring_back(tt_frame *f, const void *from)
{
    memcpy(f->bytes, from, tt_frame_step_size(f));
}
