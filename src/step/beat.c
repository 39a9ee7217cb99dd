/* SPDX-License-Identifier: MIT */
#include "step/beat.h"

#include <math.h>

struct tt_beat tt_beat_at(double start, struct tt_ratio after)
{
    return (struct tt_beat){.start = start,
                            .whole = after.num / after.den,
                            .rem = after.num % after.den,
                            .den = after.den};
}

/* rem/den over another denominator, a multiple of den or the nearest to it. */
static void rebase(struct tt_beat *b, uint64_t den)
{
    uint64_t g = tt_gcd(b->den, den);
    uint64_t more = den / g;

    if (b->den / g <= TT_RATIO_DEN_MAX / more) {
        b->rem *= more;
        b->den = b->den / g * den;
        return;
    }
    b->rem = (uint64_t)nearbyint((double)b->rem / (double)b->den * (double)den);
    b->den = den;
}

void tt_beat_add(struct tt_beat *b, struct tt_ratio interval)
{
    uint64_t rem = interval.num % interval.den;

    if (b->den != interval.den)
        rebase(b, interval.den);
    b->whole += interval.num / interval.den;
    b->rem += rem * (b->den / interval.den);
    b->whole += b->rem / b->den;
    b->rem %= b->den;
}

double tt_beat_time(const struct tt_beat *b)
{
    struct tt_ratio r = {b->rem, b->den};

    if (b->den >>
        53) /* else the quotient is rounded once, whatever the terms */
        r = tt_ratio_reduce(r);
    return b->start + ((double)b->whole + (double)r.num / (double)r.den);
}

void tt_tick_plan(struct tt_tick *k)
{
    struct tt_beat b = k->last;

    if (k->started)
        tt_beat_add(&b, k->interval);
    k->next = tt_beat_time(&b);
}

void tt_tick_now(struct tt_tick *k, int periodic, double t)
{
    do {
        if (k->started && tt_ratio_is(k->interval))
            tt_beat_add(&k->last, k->interval);
        k->started = 1;
        if (periodic)
            tt_tick_plan(k);
        else
            k->next = (double)INFINITY;
    } while (k->next <= t && tt_ratio_value(k->interval) > 0);
    k->done = 1;
}
