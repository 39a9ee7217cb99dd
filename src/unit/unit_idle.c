/* SPDX-License-Identifier: MIT */
/* Ops of units that have nothing to do at some points of their life. */
#include "unit/unit.h"

enum tt_code tt_unit_idle(tt_unit *u, tt_err *err)
{
    (void)u;
    (void)err;
    return TT_OK;
}

enum tt_code tt_unit_idle_init(tt_unit *u, const struct tt_experiment *e,
                               tt_err *err)
{
    (void)e;
    return tt_unit_idle(u, err);
}

enum tt_code tt_unit_idle_step(tt_unit *u, const struct tt_step *s,
                               struct tt_stepped *r, tt_err *err)
{
    (void)s;
    (void)r; /* states plain success already */
    return tt_unit_idle(u, err);
}

enum tt_code tt_unit_idle_register(tt_unit *u, uint32_t reg, tt_err *err)
{
    (void)reg;
    return tt_unit_idle(u, err);
}

enum tt_code tt_unit_idle_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                               tt_err *err)
{
    (void)u;
    (void)reg;
    *b = (struct tt_bytes){tt_alloc(0), 0};
    return b->data ? TT_OK : tt_fail(err, TT_ENOMEM, "packing a state");
}

enum tt_code tt_unit_idle_unpack(tt_unit *u, uint32_t reg,
                                 const struct tt_bytes *b, tt_err *err)
{
    if (b->n)
        return tt_fail(err, TT_EINPUT, "the state is of something else");
    return tt_unit_idle_register(u, reg, err);
}
