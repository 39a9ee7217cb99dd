/* SPDX-License-Identifier: MIT */
#include "sys/spin.h"

#include "sys/baton.h"
#include "sys/clock.h"
#include "sys/sync.h"

#define MOST  60000u /* ns */
#define LEAST 500u
#define TRY   64u /* so often it is tried for long all the same */

static _Atomic uint32_t n_others;

uint32_t tt_spin_others(void)
{
    return atomic_load_explicit(&n_others, memory_order_relaxed);
}

void tt_spin_join(uint32_t n)
{
    atomic_fetch_add_explicit(&n_others, n, memory_order_relaxed);
}

void tt_spin_leave(uint32_t n)
{
    atomic_fetch_sub_explicit(&n_others, n, memory_order_relaxed);
}

void tt_spin_init(struct tt_spin *s, uint32_t looks,
                  const _Atomic uint32_t *others)
{
    *s = (struct tt_spin){.ns = MOST,
                          .looks = looks,
                          .cores = tt_cores(),
                          .others = others ? others : &n_others};
}

static int is_crowded(const struct tt_spin *s)
{
    uint32_t n = atomic_load_explicit(s->others, memory_order_relaxed);

    return s->cores < 2 || n >= s->cores;
}

/* Among more than there are cores the one waited for may be waiting for ours:
 * every look gives it away. */
static int look_a_while(const struct tt_spin *s, int (*look_cb)(void *ctx),
                        void *ctx)
{
    if (is_crowded(s)) {
        tt_yield();
        return look_cb(ctx);
    }
    for (uint32_t i = 0; i < s->looks; i++) {
        tt_breathe();
        if (look_cb(ctx))
            return 1;
    }
    return 0;
}

int tt_spin_await(struct tt_spin *s, int (*look_cb)(void *ctx), void *ctx)
{
    uint64_t began = tt_clock_ns();
    int came = look_cb(ctx);

    if (s->waits++ % TRY == 0)
        s->ns = MOST;
    if (!came)
        do
            came = look_a_while(s, look_cb, ctx);
        while (!came && tt_clock_ns() - began < s->ns);
    if (came && s->ns < MOST)
        s->ns *= 2;
    else if (!came && s->ns > LEAST)
        s->ns /= 2;
    return came;
}
