/* SPDX-License-Identifier: MIT */
#include "step/monitor.h"

#include <math.h>
#include <string.h>

#define SLACK 1e-9 /* a rounding of a time is not a violation */

static double worse(double a, double b)
{
    return isnan(a) ? b : fmin(a, b);
}

void tt_monitor_start(struct tt_monitor *m)
{
    *m = (struct tt_monitor){.t = (double)NAN,
                             .margin = (double)NAN,
                             .measured = (double)NAN,
                             .cause = (double)NAN};
}

/* --- segments -------------------------------------------------------------
 */

static void open_segment(struct tt_monitor *m, double t)
{
    m->counted = m->inside = 1;
    m->since = t;
    m->worst = m->began = m->asked = (double)NAN;
    m->broken = m->looked = m->held_p = m->held_q = 0;
    m->n = 0;
    memset(m->scale, 0, sizeof(m->scale));
}

/* Notes the margin of the segment; the first violation is kept. */
static int judge_by(struct tt_monitor *m, double margin, double t,
                    double measured, double cause)
{
    m->worst = worse(m->worst, margin);
    if (margin >= 0 || m->broken)
        return 0;
    m->broken = 1;
    m->broken_t = t;
    m->measured = measured;
    m->cause = cause;
    return 1;
}

static int judge(struct tt_monitor *m, double margin, double t)
{
    return judge_by(m, margin, t, (double)NAN, (double)NAN);
}

static void violate(struct tt_monitor *m)
{
    m->is = TT_MONITOR_VIOLATED;
    m->t = m->broken_t;
}

/* Does a violation stand already? */
static void settle(struct tt_monitor *m, const struct tt_monitor_spec *s)
{
    if (!m->broken || s->pending)
        return;
    m->margin = worse(m->margin, m->worst);
    violate(m);
}

/* --- families -------------------------------------------------------------
 */

static double slack(double seconds)
{
    return SLACK * (isfinite(seconds) ? fabs(seconds) : 0);
}

/* How much time is left of `within`, since then. */
static double left(const struct tt_monitor_spec *s, double since, double t)
{
    double rest = s->within - (t - since);

    return rest < 0 && rest >= -slack(s->within) ? 0 : rest;
}

/* Where a condition that holds now began to: between the last look and this
 * one, by a line. */
static double edge(const struct tt_monitor *m, double last, double now,
                   double t)
{
    if (!m->looked || !isfinite(last) || !isfinite(now) || !(now - last > 0))
        return t;
    return m->last_t + (t - m->last_t) * fmin(1, fmax(0, -last / (now - last)));
}

static int look_once(struct tt_monitor *m, const struct tt_monitor_spec *s,
                     double by, double t)
{
    double rest = left(s, m->since, t);

    if (m->n)
        return 0; /* it has held */
    if (rest < 0)
        return judge(m, by >= 0 ? rest : isnan(m->worst) ? by : m->worst, t);
    m->worst = isnan(m->worst) ? by : fmax(m->worst, by);
    if (by < 0)
        return 0;
    m->n = 1;
    m->t = t;
    if (s->opens && s->closes)
        return 0; /* it is asked again */
    m->margin = m->worst;
    if (!s->pending)
        m->is = TT_MONITOR_HELD;
    return 0;
}

static int look_settles(struct tt_monitor *m, const struct tt_monitor_spec *s,
                        double by, double t)
{
    m->worst = by;
    if (by >= 0) {
        m->began = isnan(m->began) ? t : m->began;
        m->t = m->began;
        return 0;
    }
    m->began = m->t = (double)NAN;
    return left(s, m->since, t) < 0 ? judge(m, by, t) : 0;
}

static int look_occurs(struct tt_monitor *m, const struct tt_monitor_spec *s,
                       double by, double t)
{
    if (by >= 0 && !m->held_p)
        m->n++;
    return judge_by(m, s->high - m->n, t, m->n, (double)NAN);
}

/* What is due has come, as far as it goes at this instant. */
static int look_follows(struct tt_monitor *m, const struct tt_monitor_spec *s,
                        const struct tt_monitor_sight *at)
{
    double rest, asked;

    if (at->q >= 0 && !m->held_q && isnan(m->asked)) {
        m->asked = at->t;
        m->n = 0;
    }
    if (isnan(m->asked))
        return 0;
    while (m->n < s->n_chain && at->p[m->n] >= 0)
        m->n++;
    asked = m->asked;
    rest = left(s, asked, at->t);
    if (m->n == s->n_chain)
        m->asked = (double)NAN;
    else if (rest >= 0)
        return 0;
    return judge_by(m, rest, at->t, (double)NAN, asked);
}

static int look_stays(struct tt_monitor *m, const struct tt_monitor_spec *s,
                      const struct tt_monitor_sight *at)
{
    if (at->q >= 0 && !m->held_q)
        m->asked = at->t;
    if (!isnan(m->asked) && left(s, m->asked, at->t) < 0)
        m->asked = (double)NAN;
    return isnan(m->asked)
               ? 0
               : judge_by(m, at->p[0], at->t, (double)NAN, m->asked);
}

static int look_lasts(struct tt_monitor *m, const struct tt_monitor_spec *s,
                      double by, double t)
{
    double end, taken, began;

    if (by >= 0) {
        if (!m->held_p)
            m->began = m->looked ? edge(m, m->last_p, by, t) : (double)NAN;
        taken = isnan(m->began) ? t - m->since : t - m->began;
        return judge_by(m, s->high * (1 + SLACK) - taken, t, taken, m->began);
    }
    if (!m->held_p || isnan(m->began))
        return 0; /* it held at the start: who knows since when */
    end = edge(m, -m->last_p, -by, t);
    taken = end - m->began;
    began = m->began;
    m->began = (double)NAN;
    return judge_by(
        m, fmin(taken - s->low * (1 - SLACK), s->high * (1 + SLACK) - taken), t,
        taken, began);
}

static int look_recurs(struct tt_monitor *m, const struct tt_monitor_spec *s,
                       double by, double t)
{
    double last = isnan(m->began) ? m->since : m->began;

    if (by >= 0)
        m->began = t;
    return judge_by(m, left(s, last, t), t, t - last, last);
}

static int look_period(struct tt_monitor *m, const struct tt_monitor_spec *s,
                       double by, double t)
{
    double begins, taken, last;

    if (by < 0 || m->held_p || !m->looked)
        return isnan(m->began) ? 0
                               : judge_by(m, s->high - (t - m->began), t,
                                          t - m->began, m->began);
    begins = edge(m, m->last_p, by, t);
    last = m->began;
    taken = begins - last;
    m->began = begins;
    return isnan(taken) ? 0
                        : judge_by(m, fmin(taken - s->low, s->high - taken), t,
                                   taken, last);
}

static int look_falls(struct tt_monitor *m, const struct tt_monitor_spec *s,
                      double x, double t)
{
    double least = m->looked ? fmin(m->scale[0].x[0], x) : x;

    m->scale[0].x[0] = least;
    return judge_by(m, isnan(x) ? -(double)INFINITY : s->high - (x - least), t,
                    x - least, (double)NAN);
}

/* Every row belongs to the first scale, every other one to the next, and so on.
 */
static void look_smooth(struct tt_monitor *m, double v)
{
    uint32_t row = m->scale[0].n;

    for (uint32_t i = 0; i < TT_MONITOR_SCALES && row % (1u << i) == 0; i++) {
        struct tt_monitor_scale *s = &m->scale[i];

        if (s->n >= 3)
            s->sum += fabs(v - 3 * s->x[0] + 3 * s->x[1] - s->x[2]);
        s->x[2] = s->x[1];
        s->x[1] = s->x[0];
        s->x[0] = v;
        s->n++;
    }
}

static double ratio_of(const struct tt_monitor_scale *s)
{
    if (!(s[0].sum > 0))
        return s[0].sum < 0 || isnan(s[0].sum) ? (double)INFINITY : 0;
    return s[1].sum > 0 ? s[0].sum / s[1].sum : (double)INFINITY;
}

double tt_monitor_roughness(const struct tt_monitor *m)
{
    double rough = ratio_of(&m->scale[0]);

    return m->scale[2].n < 16 ? rough : fmax(rough, ratio_of(&m->scale[1]));
}

static int look_inside(struct tt_monitor *m, const struct tt_monitor_spec *s,
                       const struct tt_monitor_sight *at)
{
    double by = at->p[0], t = at->t;

    switch (s->family) {
    case TT_MONITOR_ALWAYS:
        return judge(m, by, t);
    case TT_MONITOR_ONCE:
        return look_once(m, s, by, t);
    case TT_MONITOR_FINAL:
        m->worst = by;
        return 0;
    case TT_MONITOR_SETTLES:
        return look_settles(m, s, by, t);
    case TT_MONITOR_OCCURS:
        return look_occurs(m, s, by, t);
    case TT_MONITOR_FOLLOWS:
        return look_follows(m, s, at);
    case TT_MONITOR_STAYS:
        return look_stays(m, s, at);
    case TT_MONITOR_LASTS:
        return look_lasts(m, s, by, t);
    case TT_MONITOR_RECURS:
        return look_recurs(m, s, by, t);
    case TT_MONITOR_PERIOD:
        return look_period(m, s, by, t);
    case TT_MONITOR_FALLS:
        return look_falls(m, s, by, t);
    case TT_MONITOR_SMOOTH:
        look_smooth(m, by);
    }
    return 0;
}

/* --- the end of a segment -------------------------------------------------
 */

/* What only the end can show. */
static int judge_end(struct tt_monitor *m, const struct tt_monitor_spec *s,
                     double t)
{
    switch (s->family) {
    case TT_MONITOR_ONCE:
        return m->n ? 0 : judge(m, fmin(m->worst, -0x1p-1022), t);
    case TT_MONITOR_FINAL:
    case TT_MONITOR_SETTLES:
        return judge(m, m->worst, t);
    case TT_MONITOR_OCCURS:
        return judge_by(m, m->n - s->low, t, m->n, (double)NAN);
    case TT_MONITOR_FOLLOWS:
        return isnan(m->asked) || isfinite(s->within)
                   ? 0
                   : judge_by(m, fmin(m->asked - t, -0x1p-1022), t, (double)NAN,
                              m->asked);
    case TT_MONITOR_SMOOTH:
        return judge_by(m, s->high - tt_monitor_roughness(m), t,
                        tt_monitor_roughness(m), (double)NAN);
    case TT_MONITOR_ALWAYS:
    case TT_MONITOR_STAYS:
    case TT_MONITOR_LASTS:
    case TT_MONITOR_RECURS:
    case TT_MONITOR_PERIOD:
    case TT_MONITOR_FALLS:
        break;
    }
    return 0;
}

static int close_segment(struct tt_monitor *m, const struct tt_monitor_spec *s,
                         double t, int stands)
{
    int begins = judge_end(m, s, t);

    m->late |= begins;
    m->inside = 0;
    if (!stands) {
        m->broken = 0;
        return 0;
    }
    m->n_closed++;
    if (!isnan(m->worst))
        m->margin = worse(m->margin, m->worst);
    if (m->broken)
        violate(m);
    return begins;
}

/* --- all ------------------------------------------------------------------
 */

int tt_monitor_look(struct tt_monitor *m, const struct tt_monitor_spec *s,
                    const struct tt_monitor_sight *at)
{
    int begins;

    if (m->is != TT_MONITOR_OPEN)
        return 0;
    if (!m->inside && m->counted && (!s->opens || !s->closes))
        return 0; /* the only segment is over */
    if (!m->inside && s->opens && !(at->opens >= 0))
        return 0;
    if (m->inside && s->closes && at->closes >= 0)
        return close_segment(m, s, at->t, 1);
    if (!m->inside && s->closes && at->closes >= 0)
        return 0; /* it would end where it begins */
    if (!m->inside)
        open_segment(m, at->t);
    begins = look_inside(m, s, at);
    m->held_p = at->p[0] >= 0;
    m->held_q = at->q >= 0;
    m->last_p = at->p[0];
    m->last_t = at->t;
    m->looked = 1;
    settle(m, s);
    return begins;
}

int tt_monitor_end(struct tt_monitor *m, const struct tt_monitor_spec *s,
                   double t)
{
    int begins = 0;

    if (m->is != TT_MONITOR_OPEN || !m->counted)
        return 0;
    if (m->inside)
        begins = close_segment(m, s, t, !s->pending);
    if (m->is == TT_MONITOR_OPEN && m->n_closed)
        m->is = TT_MONITOR_HELD;
    return begins;
}
