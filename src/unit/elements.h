/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_ELEMENTS_H
#define TT_UNIT_ELEMENTS_H

/* A wrapper whose ports are those of a unit and, behind them, single elements
 * of its arrays, each a port of its own, so that elements can be connected one
 * by one. Units are set and read by whole arrays: the wrapper keeps what each
 * input array is, changes the elements that are set, and sets it whole; what
 * it keeps is part of the unit's saved state. Elements take no courses; those
 * of strings and binaries can be read only. */

#include "unit/unit.h"

struct tt_element {
    uint32_t port; /* an array */
    uint32_t at;   /* which of its elements, row by row, from 0 */
};

/* Where the indices of "name[1,2]" begin, if they end the text: "[1,2]"; else
 * NULL. */
const char *tt_element_indices(const char *text);
/* Which element "[1,2]" of an array is, counted from 1 in every dimension. 0,
 * or -1: there is none. */
int tt_element_at(const struct tt_port *p, const char *indices, uint32_t *at);

/* What the wrapper declares of itself, in the arena; of->by_name is shared. */
TT_NODISCARD enum tt_code tt_elements_describe(struct tt_desc **out,
                                               tt_arena *a,
                                               const struct tt_desc *of,
                                               const struct tt_element *e,
                                               uint32_t n, tt_err *err);

/* Wrap a unit that was just made; m as for it, `e` is copied. Takes `inner`,
 * also when it fails. */
TT_NODISCARD enum tt_code tt_elements_new(tt_unit **out, tt_unit *inner,
                                          const struct tt_element *e,
                                          uint32_t n, const struct tt_make *m,
                                          tt_err *err);

#endif
