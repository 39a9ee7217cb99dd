/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_MEM_H
#define TT_BASE_MEM_H

/* The one door to the heap. Failure is returned (NULL), never fatal: we are a
 * library inside a server. Sizes come from the pointer, products are checked.
 *
 * Test builds can make the n-th allocation fail (tt_mem_fail_after) and count
 * allocations (tt_mem_count), to prove that nothing is lost on failure and
 * that playing allocates nothing. Both are per process and for tests only.
 */

#include <stddef.h>
#include <stdint.h>

void *tt_alloc(size_t size);            /* uninitialised; size 0 is 1 */
void *tt_zalloc(size_t n, size_t size); /* zeroed; n * size checked */
void *tt_resize(void *old, size_t n, size_t size); /* old stays on failure */
void tt_free(void *p);                             /* accepts NULL */
void tt_free_all(void *const *p, size_t n);
char *tt_strdup(const char *s); /* NULL gives NULL */

#define TT_NEW(p)          ((p) = tt_zalloc(1, sizeof(*(p))))
#define TT_NEW_ARRAY(p, n) ((p) = tt_zalloc((n), sizeof(*(p))))

/* Several, all read before the first is freed: the last may hold the others. */
#define TT_FREE_ALL(...)                                                       \
    tt_free_all((void *[]){__VA_ARGS__},                                       \
                sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* Make room for one more element of a growing array. `n` used, `cap` known
 * capacity. Returns 0, or -1 when out of memory (array untouched). */
#define TT_GROW(p, n, cap) tt_grow((void **)&(p), (n), &(cap), sizeof(*(p)))
int tt_grow(void **array, size_t n, size_t *cap, size_t size);

/* Arena: loaded data (a description, a scenario) lives in one, is const
 * afterwards and is freed as a whole. */
typedef struct tt_arena tt_arena;

tt_arena *tt_arena_new(void);
void tt_arena_free(tt_arena *a);                          /* accepts NULL */
void *tt_arena_alloc(tt_arena *a, size_t n, size_t size); /* zeroed */
#define TT_NEW_IN(a, p, n) ((p) = tt_arena_alloc((a), (n), sizeof(*(p))))
char *tt_arena_strdup(tt_arena *a, const char *s); /* NULL gives NULL */
char *tt_arena_strndup(tt_arena *a, const char *s, size_t n);
void *tt_arena_dup(tt_arena *a, const void *data, size_t n, size_t size);

/* Tests only. n = 0 turns failing off; n = 1 fails the next allocation. */
void tt_mem_fail_after(uint64_t n);
uint64_t tt_mem_count(void); /* allocations so far */

#endif
