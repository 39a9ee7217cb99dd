/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_MEASURE_H
#define TT_UNIT_MEASURE_H

/* Physical units of ports as expressions take them. */

#include "expr/expr.h"
#include "unit/desc.h"

/* NULL, or without a base: not known. */
struct tt_expr_unit tt_quantity_measure(const struct tt_quantity *q);

#endif
