/* SPDX-License-Identifier: MIT */
/* The physical unit of a column, from its name. */
#include <string.h>

#include "expr/expr.h"
#include "kinds/signal_impl.h"

const struct tt_quantity *tt_signal_quantity(tt_arena *arena, const char *s,
                                             size_t n)
{
    struct tt_quantity *q = tt_arena_alloc(arena, 1, sizeof(*q));
    struct tt_expr_unit unit;

    if (!q)
        return NULL;
    q->has_base = tt_expr_unit_parse(&unit, s, n) == 0;
    q->name = tt_arena_strndup(arena, s, n);
    q->factor = unit.factor;
    q->offset = unit.offset;
    memcpy(q->exponent, unit.exponent, sizeof(q->exponent));
    return q->name ? q : NULL;
}
