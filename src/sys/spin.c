/* SPDX-License-Identifier: MIT */
#include "sys/spin.h"

#include "sys/baton.h"
#include "sys/clock.h"
#include "sys/sync.h"

#define MOST  20000u /* ns */
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

int tt_spin_await(struct tt_spin *s, int (*look_cb)(void *ctx), void *ctx)
{
    uint64_t began;

    if (is_crowded(s))
        return look_cb(ctx);
    if (s->waits++ % TRY == 0)
        s->ns = MOST;
    began = tt_clock_ns();
    do {
        for (uint32_t i = 0; i < s->looks; i++) {
            if (look_cb(ctx)) {
                if (s->ns < MOST)
                    s->ns *= 2;
                return 1;
            }
            tt_breathe();
        }
    } while (tt_clock_ns() - began < s->ns);
    if (s->ns > LEAST)
        s->ns /= 2;
    return 0;
}
