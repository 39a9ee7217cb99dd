/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_CURSOR_H
#define TT_BASE_CURSOR_H

/* Reading bytes that may end too early: what is missing is 0, and the cursor
 * is bad from then on. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tt_cursor {
    const char *at;
    size_t left;
    int bad;
};

/* The next n bytes, or NULL. */
static inline const char *tt_cursor_skip(struct tt_cursor *c, size_t n)
{
    const char *p = c->at;

    if (c->bad || n > c->left) {
        c->bad = 1;
        return NULL;
    }
    c->at += n;
    c->left -= n;
    return p;
}

static inline void tt_cursor_read(struct tt_cursor *c, void *to, size_t n)
{
    const char *p = tt_cursor_skip(c, n);

    if (p && n)
        memcpy(to, p, n);
    else if (n)
        memset(to, 0, n);
}

static inline uint64_t tt_cursor_u64(struct tt_cursor *c)
{
    uint64_t v;

    tt_cursor_read(c, &v, sizeof(v));
    return v;
}

#endif
