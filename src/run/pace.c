/* SPDX-License-Identifier: MIT */
#include "run/pace.h"

void tt_pace_start(struct tt_pace *p, double factor, double tolerance, double t,
                   uint64_t now)
{
    *p = (struct tt_pace){.t_start = t,
                          .wall_start = now,
                          .ns_per_s = 1e9 / factor,
                          .tolerance = tolerance,
                          .stats = {.factor = factor}};
}

void tt_pace_change(struct tt_pace *p, double factor, double t)
{
    p->wall_start = tt_pace_deadline(p, t);
    p->t_start = t;
    p->stats.factor = factor;
    p->ns_per_s = 1e9 / factor;
}

uint64_t tt_pace_deadline(const struct tt_pace *p, double t)
{
    double ns = (t - p->t_start) * p->ns_per_s;
    uint64_t room = UINT64_MAX - p->wall_start;

    if (!(ns > 0))
        return p->wall_start;
    return ns < (double)room ? p->wall_start + (uint64_t)ns : UINT64_MAX;
}

static double seconds(uint64_t a, uint64_t b)
{
    return a >= b ? (double)(a - b) * 1e-9 : -(double)(b - a) * 1e-9;
}

int tt_pace_arrive(struct tt_pace *p, double t, uint64_t now)
{
    struct tt_pace_stats *s = &p->stats;

    s->steps++;
    s->late = seconds(now, tt_pace_deadline(p, t));
    if (!(s->late > p->tolerance))
        return 0;
    s->overruns++;
    s->sum += s->late;
    if (s->late > s->worst) {
        s->worst = s->late;
        s->worst_t = t;
    }
    return 1;
}

double tt_pace_mean(const struct tt_pace_stats *s)
{
    return s->overruns ? s->sum / (double)s->overruns : 0;
}
