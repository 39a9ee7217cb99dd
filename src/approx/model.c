/* SPDX-License-Identifier: MIT */
#include "approx/model.h"

#include <math.h>
#include <string.h>

#define FADE   0.7  /* weight of what was missed before */
#define EVEN   1e-6 /* relative difference of steps that are equal */
#define ENOUGH 5u   /* instants that are fitted to, at least */
#define RANK   1e-9 /* of a column that adds nothing, relative */

const char *tt_model_way_name(enum tt_model_way w)
{
    static const char *const name[] = {"held", "a line", "a curve", "fitted"};

    return name[w];
}

/* --- the fitted way ------------------------------------------------------- */

/* d[k]: the difference that ends at the k-th newest instant. */
static uint32_t differences(const struct tt_model *m, double *d)
{
    for (uint32_t k = 0; k + 1 < m->even; k++)
        d[k] = m->v[k] - m->v[k + 1];
    return m->even ? m->even - 1 : 0;
}

/* Least squares by orthogonal columns: normal equations would lose half the
 * digits. A second column that is a multiple of the first adds nothing. */
static void fit(struct tt_model *m)
{
    double d[TT_MODEL_DEPTH], second[TT_MODEL_DEPTH];
    uint32_t n = differences(m, d), rows = n > 2 ? n - 2 : 0;
    double xx = 0, xy = 0, xz = 0, zz = 0, zy = 0, whole = 0, by;

    m->a = m->b = 0;
    for (uint32_t k = 0; k < rows; k++) {
        xx += d[k + 1] * d[k + 1];
        xz += d[k + 1] * d[k + 2];
        xy += d[k + 1] * d[k];
        whole += d[k + 2] * d[k + 2];
    }
    if (!(xx > 0))
        return;
    by = xz / xx;
    for (uint32_t k = 0; k < rows; k++) {
        second[k] = d[k + 2] - by * d[k + 1];
        zz += second[k] * second[k];
    }
    m->a = xy / xx;
    if (!(zz > RANK * RANK * whole))
        return;
    for (uint32_t k = 0; k < rows; k++)
        zy += second[k] * (d[k] - m->a * d[k + 1]);
    m->b = zy / zz;
    m->a -= m->b * by;
}

/* A cubic through the last two instants and the next two: within these it is
 * of fourth order. */
static struct tt_poly fitted(const struct tt_model *m)
{
    double h = m->t[0] - m->t[1], d0 = m->v[0] - m->v[1];
    double d1 = m->v[1] - m->v[2];
    double next = m->a * d0 + m->b * d1, later = m->a * next + m->b * d0;
    const double t[] = {m->t[0], m->t[0] + h, m->t[0] + 2 * h, m->t[1]};
    const double v[] = {m->v[0], m->v[0] + next, m->v[0] + next + later,
                        m->v[1]};

    return tt_poly_through(t, v, 4);
}

/* --- ways ----------------------------------------------------------------- */

/* Can it lead to `end`? */
static int leads(const struct tt_model *m, enum tt_model_way w, double end)
{
    if (w != TT_MODEL_FITTED)
        return m->n > (uint32_t)w;
    return m->even >= ENOUGH &&
           end - m->t[0] <= 2 * (1 + EVEN) * (m->t[0] - m->t[1]);
}

static struct tt_poly course_of(const struct tt_model *m, enum tt_model_way w)
{
    return w == TT_MODEL_FITTED ? fitted(m)
                                : tt_poly_through(m->t, m->v, (size_t)w + 1);
}

/* The one that missed least; a line before it has ever been held against
 * anything, for two values are there to be used. */
static enum tt_model_way choose(const struct tt_model *m, double end)
{
    enum tt_model_way best = TT_MODEL_HOLD;

    if (leads(m, TT_MODEL_LINE, end) && m->miss[TT_MODEL_LINE] < 0)
        return TT_MODEL_LINE;
    for (int w = TT_MODEL_LINE; w < TT_MODEL_WAYS; w++)
        if (leads(m, (enum tt_model_way)w, end) && m->miss[w] >= 0 &&
            m->miss[w] < m->miss[best])
            best = (enum tt_model_way)w;
    return best;
}

static void judge(struct tt_model *m, double t, double v)
{
    double off = fabs(v - tt_model_at(m, t));

    m->led[choose(m, t)]++;
    m->sum += off * off;
    if (off > m->worst) {
        m->worst = off;
        m->worst_t = t;
    }
    for (int w = 0; w < TT_MODEL_WAYS; w++) {
        struct tt_poly p;

        if (!leads(m, (enum tt_model_way)w, t))
            continue;
        p = course_of(m, (enum tt_model_way)w);
        off = v - tt_poly_at(&p, t);
        m->miss[w] = m->miss[w] < 0
                         ? off * off
                         : FADE * m->miss[w] + (1 - FADE) * off * off;
    }
}

static void restart(struct tt_model *m)
{
    m->n = m->even = m->n ? 1 : 0;
    for (int w = 0; w < TT_MODEL_WAYS; w++)
        m->miss[w] = -1;
}

static void count_even(struct tt_model *m)
{
    double h = m->n > 1 ? m->t[0] - m->t[1] : 0;

    m->even = m->n < 2 ? m->n : 2;
    while (m->even >= 2 && m->even < m->n &&
           fabs(m->t[m->even - 1] - m->t[m->even] - h) <= EVEN * h)
        m->even++;
}

void tt_model_add(struct tt_model *m, double t, double v)
{
    if (m->n == 0)
        restart(m);
    else
        judge(m, t, v);
    memmove(m->t + 1, m->t, (TT_MODEL_DEPTH - 1) * sizeof(*m->t));
    memmove(m->v + 1, m->v, (TT_MODEL_DEPTH - 1) * sizeof(*m->v));
    m->t[0] = t;
    m->v[0] = v;
    m->n += m->n < TT_MODEL_DEPTH;
    count_even(m);
    fit(m);
}

void tt_model_begin(struct tt_model *m, double t, double v)
{
    m->n = 0;
    tt_model_add(m, t, v);
}

void tt_model_amend(struct tt_model *m, double v)
{
    m->v[0] = v;
    fit(m);
}

void tt_model_forget(struct tt_model *m)
{
    restart(m);
}

double tt_model_at(const struct tt_model *m, double t)
{
    struct tt_poly p = tt_model_course(m, t, TT_POLY_MAX);

    return tt_poly_at(&p, t);
}

/* What it gives is sampled where the order is less than its own. */
struct tt_poly tt_model_course(const struct tt_model *m, double end,
                               uint32_t order)
{
    double t[TT_POLY_MAX + 1], v[TT_POLY_MAX + 1];
    struct tt_poly p;

    if (m->n == 0)
        return (struct tt_poly){.t0 = end};
    p = course_of(m, choose(m, end));
    if (p.order <= order)
        return p;
    for (uint32_t k = 0; k <= order; k++) {
        t[k] = m->t[0] + (end - m->t[0]) * k / (order ? order : 1);
        v[k] = tt_poly_at(&p, t[k]);
    }
    return tt_poly_through(t, v, (size_t)order + 1);
}
