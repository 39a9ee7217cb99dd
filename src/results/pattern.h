/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_PATTERN_H
#define TT_RESULTS_PATTERN_H

/* Columns chosen by pattern: `*` is any run of characters, `?` any one, upper
 * and lower case differ. A pattern is held against "{k}.i.v", "i.v" and "v".
 * Brackets and braces stand for themselves. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "table/table.h"

int tt_pattern_match(const char *pattern, const char *name);
/* One of n patterns, or there is none. */
int tt_pattern_any(const char *const *pattern, size_t n, const char *name);

struct tt_patterns {
    const char **item;
    size_t n;
};

/* "a,b" "c" to "a" "b" "c", into the arena; commas in brackets do not part,
 * empty ones are left out. */
TT_NODISCARD enum tt_code tt_pattern_split(struct tt_patterns *out,
                                           const char *const *list, size_t n,
                                           tt_arena *arena, tt_err *err);

/* The columns the patterns choose: in the order of the patterns, then of the
 * table, none twice; all columns when n is 0. A pattern that chooses nothing
 * is an error that names the nearest column. *column is the caller's
 * (tt_free). */
TT_NODISCARD enum tt_code tt_pattern_select(const tt_table *t,
                                            const char *const *pattern,
                                            size_t n, uint32_t **column,
                                            size_t *n_column, tt_err *err);

#endif
