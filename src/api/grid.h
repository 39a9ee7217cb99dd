/* SPDX-License-Identifier: MIT */
#ifndef TT_API_GRID_H
#define TT_API_GRID_H

/* A table for people: columns as wide as they must be, the last one cut to
 * the terminal. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"

#define TT_GRID_COLUMNS 8u

struct tt_grid {
    const char *const *head; /* n titles; a leading '>' aligns right */
    uint32_t n;
    tt_arena *arena;   /* borrowed: copies of the cells */
    const char ***row; /* owned */
    size_t n_row, cap_row;
    size_t width[TT_GRID_COLUMNS];
};

void tt_grid_init(struct tt_grid *g, tt_arena *arena, const char *const *head,
                  uint32_t n);
void tt_grid_fini(struct tt_grid *g);
/* n cells, made harmless and copied. A row that finds no memory is left out:
 * the rest is still worth showing. */
void tt_grid_add(struct tt_grid *g, const char *const *cell);
/* Lines of at most `width` columns; 0: as long as they are. */
void tt_grid_print(const struct tt_grid *g, struct tt_buf *b, int colours,
                   size_t width);

#endif
