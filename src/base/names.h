/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_NAMES_H
#define TT_BASE_NAMES_H

/* Names: a map from name to index, and the nearest valid name for a wrong
 * one. Keys are borrowed and must outlive the map. */

#include <stddef.h>
#include <stdint.h>

#define TT_NONE UINT32_MAX

struct tt_names {
    const char **key; /* owned array of borrowed strings */
    uint32_t *value;  /* owned */
    size_t n, cap;    /* cap is a power of two */
};

void tt_names_init(struct tt_names *m);
void tt_names_fini(struct tt_names *m);
/* 0; 1 when the name was there already (its value stays); -1 out of memory. */
int tt_names_add(struct tt_names *m, const char *key, uint32_t value);
uint32_t tt_names_find(const struct tt_names *m, const char *key); /* TT_NONE */

/* The candidate nearest to `wrong` by edit distance (insert, delete, change,
 * swap of neighbours; case counts half), or NULL when none is near enough to
 * be worth suggesting: at most a third of the name's length and 4 edits, or
 * only case. Of equally near ones the first. `get(ctx, i)` gives candidate i
 * of n (NULL is skipped). */
typedef const char *(*tt_name_fn)(const void *ctx, size_t i);
const char *tt_names_nearest(const char *wrong, size_t n, tt_name_fn get,
                             const void *ctx);

/* Name i of a list of words, as a tt_name_fn. */
static inline const char *tt_name_in(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

/* Is it one of the n in the list? */
int tt_name_is_among(const char *name, const char *const *list, size_t n);

#endif
