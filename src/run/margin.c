/* SPDX-License-Identifier: MIT */
#include "run/margin.h"

#define WAKING UINT64_C(1000000) /* ns: a sleeper is woken late */

void tt_waits_begin(struct tt_waits *w, uint64_t now)
{
    if (w->n++ == 0)
        w->since = now;
}

void tt_waits_end(struct tt_waits *w, uint64_t now)
{
    if (--w->n == 0)
        w->total += now - w->since;
}

static uint64_t total(const struct tt_waits *w, uint64_t now)
{
    return w->total + (w->n ? now - w->since : 0);
}

void tt_margin_stepped(struct tt_margin *m, const struct tt_waits *w,
                       uint64_t now)
{
    m->stepped = 1;
    m->at = now;
    m->waited = total(w, now);
}

void tt_margin_ready(struct tt_margin *m, const struct tt_waits *w,
                     uint64_t now)
{
    if (!m->stepped)
        return;
    m->stepped = 0;
    m->took[m->n++ % TT_MARGIN_STEPS] =
        now - m->at - (total(w, now) - m->waited);
}

/* Twice the longest: no two steps take the same. */
static uint64_t follows(const struct tt_margin *m, uint64_t left)
{
    uint64_t most = 0;

    if (!m->n)
        return left / 4;
    for (uint32_t i = 0; i < TT_MARGIN_STEPS; i++)
        most = m->took[i] > most ? m->took[i] : most;
    return 2 * most;
}

uint64_t tt_margin_cut(const struct tt_margin *m, uint64_t left)
{
    uint64_t waking = left / 8 < WAKING ? left / 8 : WAKING;
    uint64_t margin = follows(m, left) + waking;

    if (left == UINT64_MAX)
        return left;
    return left > margin ? left - margin : 0;
}
