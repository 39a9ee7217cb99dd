/* SPDX-License-Identifier: MIT */
#include "step/zeno.h"

#include <math.h>

/* Of the last TT_ZENO_RATIOS + 1 intervals. */
static double newest(const struct tt_zeno *z)
{
    return z->interval[z->at];
}

static uint32_t next_place(const struct tt_zeno *z)
{
    return z->at == TT_ZENO_RATIOS ? 0 : z->at + 1;
}

void tt_zeno_note(struct tt_zeno *z, double t)
{
    double h = t - z->last;

    if (z->n && !(h > 0))
        return;
    if (z->n >= 2 && h < TT_ZENO_RATIO * newest(z)) {
        if (!z->shrunk++)
            z->began = z->last - newest(z);
    } else {
        z->shrunk = 0;
    }
    if (z->n) {
        z->at = next_place(z);
        z->interval[z->at] = h;
    }
    z->last = t;
    z->n++;
}

/* The rest is h (r + r^2 + ...). */
struct tt_zeno_verdict tt_zeno_judge(const struct tt_zeno *z)
{
    struct tt_zeno_verdict v = {.found = z->shrunk >= TT_ZENO_RATIOS};
    double h = newest(z);

    if (!v.found)
        return v;
    v.ratio = pow(h / z->interval[next_place(z)], 1.0 / TT_ZENO_RATIOS);
    v.end = z->last + h * v.ratio / (1 - v.ratio);
    v.rests = h < TT_ZENO_REST * (z->last - z->began);
    return v;
}
