/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SHARED_H
#define TT_SYS_SHARED_H

/* Memory that processes share. */

#include <stddef.h>

/* Zeroed memory shared with later children; NULL when there is none. */
void *tt_shared_alloc(size_t size);
void tt_shared_free(void *p, size_t size);

/* In a copy of a process: give up all memory it could write and others see,
 * whatever made it, but the one that begins at `keep` (or NULL). Two of them
 * that lie side by side stay two. Allocates nothing and takes no lock. 0, or
 * -1: it cannot be found out what there is. */
int tt_shared_leave(const void *keep);

#endif
