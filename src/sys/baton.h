/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_BATON_H
#define TT_SYS_BATON_H

/* How threads wait for each other. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* A baton: a count that one side raises and the other waits for. Waiting
 * spins briefly, because the other side is mostly about to come, and then
 * parks. What was written before a pass is seen after the wait for it. */
struct tt_baton {
    char before[64]; /* a cache line of its own */
    atomic_uint_fast32_t passed;
    atomic_uint_fast32_t parked; /* a thread waits at `come` */
    pthread_mutex_t mutex;
    pthread_cond_t come;
    char after[64];
};

void tt_baton_init(struct tt_baton *b);
void tt_baton_fini(struct tt_baton *b);
void tt_baton_pass(struct tt_baton *b);
/* Until it was passed `count` times since it was made (modulo 2^32; at most
 * 2^31 ahead). Spins for about spin_ns at most. */
void tt_baton_await(struct tt_baton *b, uint32_t count, uint64_t spin_ns);

/* Processors this process may use, at least 1 (cores.c). */
uint32_t tt_cores(void);

#endif
