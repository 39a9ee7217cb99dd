/* SPDX-License-Identifier: MIT */
#include "kinds/kept.h"

#include <string.h>

#include "base/mem.h"

static struct tt_kept_unit *block_of(tt_unit *u)
{
    return (struct tt_kept_unit *)(void *)u;
}

static void *register_of(const struct tt_kept_unit *u, uint32_t reg)
{
    return u->kept + reg * u->size;
}

void *tt_kept_new(struct tt_kept_unit *u, size_t size)
{
    u->size = size;
    u->is = tt_zalloc(1, size);
    return u->is;
}

void tt_kept_fini(struct tt_kept_unit *u)
{
    TT_FREE_ALL(u->is, u->kept, u->where);
    tt_unit_fini(&u->base);
}

void tt_kept_free(tt_unit *u)
{
    tt_kept_fini(block_of(u));
    tt_free(u);
}

enum tt_code tt_kept_reset(tt_unit *u, tt_err *err)
{
    (void)err;
    memset(block_of(u)->is, 0, block_of(u)->size);
    return TT_OK;
}

enum tt_code tt_kept_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    struct tt_kept_unit *b = block_of(u);

    tt_free(b->kept);
    b->kept = tt_zalloc(n_state, b->size);
    return b->kept ? TT_OK : tt_fail(err, TT_ENOMEM, "room for states");
}

enum tt_code tt_kept_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    const struct tt_kept_unit *b = block_of(u);

    (void)err;
    memcpy(register_of(b, reg), b->is, b->size);
    return TT_OK;
}

enum tt_code tt_kept_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    const struct tt_kept_unit *b = block_of(u);

    (void)err;
    memcpy(b->is, register_of(b, reg), b->size);
    return TT_OK;
}

enum tt_code tt_kept_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                          tt_err *err)
{
    b->n = block_of(u)->size;
    b->data = tt_alloc(b->n);
    if (!b->data)
        return tt_fail(err, TT_ENOMEM, "packing a state");
    memcpy(b->data, register_of(block_of(u), reg), b->n);
    return TT_OK;
}

enum tt_code tt_kept_unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                            tt_err *err)
{
    const struct tt_kept_unit *k = block_of(u);

    if (b->n != k->size || (k->may_be && !k->may_be(k, b->data)))
        return tt_fail(err, TT_EINPUT, "the state is of something else");
    memcpy(register_of(k, reg), b->data, b->n);
    return TT_OK;
}
