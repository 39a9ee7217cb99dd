/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SPIN_H
#define TT_SYS_SPIN_H

/* Waiting for another process without parking, as long as that has paid lately:
 * to be woken costs many times what a quick answer takes, but what spins for
 * one that is long in coming keeps a core from others. */

#include <stdatomic.h>
#include <stdint.h>

struct tt_spin {
    uint64_t ns;                    /* how long the next wait spins */
    uint32_t waits;                 /* so far */
    uint32_t looks;                 /* between two looks at the clock */
    uint32_t cores;                 /* that this process may use */
    const _Atomic uint32_t *others; /* borrowed: others that want one */
};

/* looks: the cheaper one is, the more. others: processes and threads that want
 * a core besides us, as it changes; NULL: tt_spin_others(). Where a core is not
 * free for each of them and for us, every look is followed by giving ours to
 * another that wants it: still far cheaper than to park and be woken. */
void tt_spin_init(struct tt_spin *s, uint32_t looks,
                  const _Atomic uint32_t *others);
/* Until look_cb answers yes (1), or it has not paid (0). */
int tt_spin_await(struct tt_spin *s, int (*look_cb)(void *ctx), void *ctx);

/* Of this process: how many others there are that it waits for or that wait for
 * it on this machine, its own threads and processes it has forked. */
uint32_t tt_spin_others(void);
void tt_spin_join(uint32_t n);
void tt_spin_leave(uint32_t n);

#endif
