/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SPIN_H
#define TT_SYS_SPIN_H

/* Waiting for another process without parking, as long as that has paid
 * lately: to be woken costs many times what a quick answer takes, but who
 * spins for one that is long in coming keeps a core from others. */

#include <stdint.h>

struct tt_spin {
    uint64_t ns;    /* how long the next wait spins */
    uint32_t waits; /* so far */
    uint32_t looks; /* between two looks at the clock */
};

/* looks: the cheaper one is, the more. On one core nobody spins. */
void tt_spin_init(struct tt_spin *s, uint32_t looks);
/* Until look_cb says yes (1), or it has not paid (0). */
int tt_spin_await(struct tt_spin *s, int (*look_cb)(void *ctx), void *ctx);

#endif
