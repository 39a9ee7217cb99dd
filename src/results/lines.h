/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_LINES_H
#define TT_RESULTS_LINES_H

/* Different texts, numbered as they come: formats without columns of text
 * record the numbers. Bounded; text that changes all the time does not belong
 * there. */

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/names.h"

#define TT_LINES_MAX_BYTES ((size_t)64 << 20)

struct tt_lines {
    struct tt_names number;
    tt_arena *arena;   /* owned: the texts */
    const char **line; /* owned: in order */
    size_t n, cap;
    size_t longest, bytes;
};

int tt_lines_init(struct tt_lines *l); /* 0, or -1: out of memory */
void tt_lines_fini(struct tt_lines *l);
/* Number of this text, from 1; 0: no more fit. */
uint32_t tt_lines_add(struct tt_lines *l, const char *text, size_t n);

#endif
