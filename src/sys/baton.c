/* SPDX-License-Identifier: MIT */
#include "sys/baton.h"

#include "sys/clock.h"
#include "sys/sync.h"

#define LOOKS_PER_CLOCK 32 /* a look is cheaper than the clock */

void tt_baton_init(struct tt_baton *b)
{
    atomic_init(&b->passed, 0);
    atomic_init(&b->parked, 0);
    (void)pthread_mutex_init(&b->mutex, NULL);
    (void)pthread_cond_init(&b->come, NULL);
}

void tt_baton_fini(struct tt_baton *b)
{
    (void)pthread_cond_destroy(&b->come);
    (void)pthread_mutex_destroy(&b->mutex);
}

static int has_come(struct tt_baton *b, uint32_t count)
{
    uint32_t passed = (uint32_t)atomic_load(&b->passed);

    return (int32_t)(passed - count) >= 0;
}

/* Passing and parking both write their own word and then read the other's, in
 * one total order: either the waiter sees the pass or the passer sees that a
 * thread waits. */
void tt_baton_pass(struct tt_baton *b)
{
    atomic_fetch_add(&b->passed, 1);
    if (!atomic_load(&b->parked))
        return;
    (void)pthread_mutex_lock(&b->mutex);
    (void)pthread_cond_broadcast(&b->come);
    (void)pthread_mutex_unlock(&b->mutex);
}

static int spin(struct tt_baton *b, uint32_t count, uint64_t ns)
{
    uint64_t began = 0;

    if (has_come(b, count))
        return 1;
    if (ns == 0)
        return 0;
    began = tt_clock_ns();
    do {
        for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
            if (has_come(b, count))
                return 1;
            tt_breathe();
        }
    } while (tt_clock_ns() - began < ns);
    return 0;
}

void tt_baton_await(struct tt_baton *b, uint32_t count, uint64_t spin_ns)
{
    if (spin(b, count, spin_ns))
        return;
    (void)pthread_mutex_lock(&b->mutex);
    atomic_fetch_add(&b->parked, 1);
    while (!has_come(b, count))
        (void)pthread_cond_wait(&b->come, &b->mutex);
    atomic_fetch_sub(&b->parked, 1);
    (void)pthread_mutex_unlock(&b->mutex);
}
