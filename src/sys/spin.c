/* SPDX-License-Identifier: MIT */
#include "sys/spin.h"

#include "sys/baton.h"
#include "sys/clock.h"
#include "sys/sync.h"

#define MOST  20000u /* ns */
#define LEAST 500u
#define TRY   64u /* so often it is tried for long all the same */

void tt_spin_init(struct tt_spin *s, uint32_t looks)
{
    *s = (struct tt_spin){.ns = tt_cores() > 1 ? MOST : 0, .looks = looks};
}

int tt_spin_await(struct tt_spin *s, int (*look_cb)(void *ctx), void *ctx)
{
    uint64_t began;

    if (!s->ns)
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
