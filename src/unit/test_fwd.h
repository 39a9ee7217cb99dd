/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_TEST_FWD_H
#define TT_UNIT_TEST_FWD_H

/* A wrapper's table that forwards everything. */

#include "unit/unit.h"

static const struct tt_unit_ops fwd_ops = {
#define X(op, name, wire, lives, claim, shape) .op = tt_fwd_##op,
    TT_UNIT_OPS(X)
#undef X
        .free = tt_fwd_free,
    .bind = tt_fwd_bind,
    .explain = tt_fwd_explain,
};

#endif
