/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* madvise */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_uint_fast64_t countdown;
static atomic_uint_fast64_t counter;

/* True when a test asked for this allocation to fail. */
static int fail_now(void)
{
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    if (atomic_load_explicit(&countdown, memory_order_relaxed) == 0)
        return 0;
    return atomic_fetch_sub(&countdown, 1) == 1;
}

void tt_mem_fail_after(uint64_t n)
{
    atomic_store(&countdown, n);
}

uint64_t tt_mem_count(void)
{
    return atomic_load(&counter);
}

void *tt_alloc(size_t size)
{
    if (fail_now())
        return NULL;
    return malloc(size ? size : 1);
}

void *tt_zalloc(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    if (fail_now())
        return NULL;
    return calloc(n ? n : 1, size ? size : 1);
}

void *tt_resize(void *old, size_t n, size_t size)
{
    size_t bytes = n * size;

    if (size && n > SIZE_MAX / size)
        return NULL;
    if (fail_now())
        return NULL;
    return realloc(old, bytes ? bytes : 1);
}

void tt_free(void *p)
{
    free(p);
}

void tt_free_all(void *const *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tt_free(p[i]);
}

char *tt_strdup(const char *s)
{
    size_t n;
    char *copy;

    if (!s)
        return NULL;
    n = strlen(s) + 1;
    copy = tt_alloc(n);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}

int tt_grow(void **array, size_t n, size_t *cap, size_t size)
{
    size_t want;
    void *grown;

    if (n < *cap)
        return 0;
    want = *cap ? *cap * 2 : 16;
    grown = tt_resize(*array, want, size);
    if (!grown)
        return -1;
    *array = grown;
    *cap = want;
    return 0;
}

/* --- arena ------------------------------------------------------------- */

#define CHUNK ((size_t)16 * 1024)

struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t data[];
};

struct tt_arena {
    struct chunk *head;
};

tt_arena *tt_arena_new(void)
{
    tt_arena *a;

    return TT_NEW(a);
}

void tt_arena_free(tt_arena *a)
{
    if (!a)
        return;
    while (a->head) {
        struct chunk *next = a->head->next;

        tt_free(a->head);
        a->head = next;
    }
    tt_free(a);
}

/* Where a chunk has thousands of pages, walking along it is mostly looking up
 * pages: ask for large ones. Without them all is the same, but slower. */
static void ask_for_large_pages(const struct chunk *c, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21;
    uintptr_t from = ((uintptr_t)c + page - 1) / page * page,
              to = ((uintptr_t)c + size) / page * page;

    if (to > from)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)c;
    (void)size;
#endif
}

static struct chunk *chunk_new(tt_arena *a, size_t need)
{
    size_t size = need > CHUNK ? need : CHUNK;
    struct chunk *c;

    if (size > SIZE_MAX - sizeof(*c))
        return NULL;
    c = tt_alloc(sizeof(*c) + size);
    if (!c)
        return NULL;
    ask_for_large_pages(c, sizeof(*c) + size);
    c->used = 0;
    c->size = size;
    c->next = a->head;
    a->head = c;
    return c;
}

void *tt_arena_alloc(tt_arena *a, size_t n, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    struct chunk *c = a->head;
    size_t bytes;
    char *p;

    if (size && n > (SIZE_MAX - align) / size)
        return NULL;
    bytes = (n * size + align - 1) / align * align;
    if (bytes == 0)
        bytes = align;
    if (!c || c->size - c->used < bytes) {
        c = chunk_new(a, bytes);
        if (!c)
            return NULL;
    }
    p = (char *)c->data + c->used;
    c->used += bytes;
    memset(p, 0, bytes);
    return p;
}

char *tt_arena_strndup(tt_arena *a, const char *s, size_t n)
{
    char *copy = tt_arena_alloc(a, n + 1, 1);

    if (copy)
        memcpy(copy, s, n);
    return copy;
}

char *tt_arena_strdup(tt_arena *a, const char *s)
{
    return s ? tt_arena_strndup(a, s, strlen(s)) : NULL;
}

void *tt_arena_dup(tt_arena *a, const void *data, size_t n, size_t size)
{
    void *copy = tt_arena_alloc(a, n, size);

    if (copy && n)
        memcpy(copy, data, n * size);
    return copy;
}
