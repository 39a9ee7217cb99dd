/* SPDX-License-Identifier: MIT */
#include "step/zeno.h"

#include <math.h>

static double newest(const struct tt_zeno *z, uint32_t back)
{
    uint32_t n = TT_ZENO_RATIOS + 1;

    return z->interval[(z->at + n - back) % n];
}

void tt_zeno_note(struct tt_zeno *z, double t)
{
    double h = t - z->last;

    if (z->n && !(h > 0))
        return;
    if (z->n >= 2 && h < TT_ZENO_RATIO * newest(z, 0)) {
        if (!z->shrunk++)
            z->began = z->last - newest(z, 0);
    } else {
        z->shrunk = 0;
    }
    if (z->n) {
        z->at = (z->at + 1) % (TT_ZENO_RATIOS + 1);
        z->interval[z->at] = h;
    }
    z->last = t;
    z->n++;
}

/* The rest is h (r + r^2 + ...). */
struct tt_zeno_verdict tt_zeno_judge(const struct tt_zeno *z)
{
    struct tt_zeno_verdict v = {.found = z->shrunk >= TT_ZENO_RATIOS};
    double h = newest(z, 0);

    if (!v.found)
        return v;
    v.ratio = pow(h / newest(z, TT_ZENO_RATIOS), 1.0 / TT_ZENO_RATIOS);
    v.end = z->last + h * v.ratio / (1 - v.ratio);
    v.rests = h < TT_ZENO_REST * (z->last - z->began);
    return v;
}
