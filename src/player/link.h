/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_LINK_H
#define TT_PLAYER_LINK_H

/* How the ranks of a play reach each other: a collective interface, whatever
 * implements it. Every rank makes the same calls in the same order; a call
 * returns when this rank's part of it is done. A link that fails is broken for
 * good. Confined to one thread. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct tt_link tt_link;

/* A block that goes to a peer, or comes from one. */
struct tt_link_box {
    uint32_t peer;
    int out; /* it goes */
    void *data;
    size_t n;
};

struct tt_link_ops {
    /* These blocks, at the same time. */
    enum tt_code (*move)(tt_link *l, const struct tt_link_box *box, uint32_t n,
                         tt_err *err);
    /* n bytes from everyone to everyone, in the order of ranks. */
    enum tt_code (*gather)(tt_link *l, const void *mine, size_t n, void *all,
                           tt_err *err);
    /* n bytes of rank `from` to all. */
    enum tt_code (*share)(tt_link *l, uint32_t from, void *data, size_t n,
                          tt_err *err);
};

struct tt_link {
    const struct tt_link_ops *ops;
    uint32_t rank, n;
};

#endif
