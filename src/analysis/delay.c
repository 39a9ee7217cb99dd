/* SPDX-License-Identifier: MIT */
#include "analysis/delay.h"

#include <math.h>
#include <string.h>

#define ROUGH   1e-8  /* local error of what is compared, ... */
#define FINE    1e-13 /* ... and of what is the answer */
#define STEPS   200000
#define NEAREST 1e-5 /* turning points from so far off the equilibrium ... */
#define FARTHEST                                                               \
    1e1 /* ... to so far, in units of its distance from g = 0 ...              \
         */
#define SAMPLES 48

struct flow {
    const struct tt_planar *p;
    double tolerance;
    double size[2]; /* of the states, for errors */
    double span;    /* a time that is surely long */
    tt_err *err;
    enum tt_code rc;        /* of what failed */
    struct tt_delay *trail; /* orbits are noted here; may be NULL */
};

/* --- integration -----------------------------------------------------------
 */

static void rate(struct flow *f, int mode, const double *x, double *dx)
{
    dx[0] = dx[1] = 0;
    if (f->rc == TT_OK)
        f->rc = f->p->rate_cb(f->p->ctx, mode, x, dx, f->err);
}

static double side(struct flow *f, const double *x)
{
    double g = 0;

    if (f->rc == TT_OK)
        f->rc = f->p->side_cb(f->p->ctx, x, &g, f->err);
    return g;
}

/* One step of Dormand and Prince, order 5; returns its estimated error, 1 is
 * tolerated. */
static double step(struct flow *f, int mode, const double *x, double h,
                   double *out)
{
    static const double a[6][6] = {
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176,
         -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {
        71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
        -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][2], most = 0;

    rate(f, mode, x, k[0]);
    for (int s = 0; s < 6; s++) {
        for (int i = 0; i < 2; i++) {
            out[i] = x[i];
            for (int j = 0; j <= s; j++)
                out[i] += h * a[s][j] * k[j][i];
        }
        rate(f, mode, out, k[s + 1]);
    }
    for (int i = 0; i < 2; i++) {
        double sum = 0;

        for (int j = 0; j < 7; j++)
            sum += e[j] * k[j][i];
        most = fmax(most, fabs(h * sum) / (f->tolerance * f->size[i]));
    }
    return most;
}

static void note(struct flow *f, const double *x)
{
    struct tt_delay *t = f->trail;

    if (t && t->n < TT_DELAY_POINTS) {
        t->x[t->n] = x[0];
        t->y[t->n++] = x[1];
    }
}

/* A step that is accurate enough; *h is what was taken, *next what to try. */
static void good_step(struct flow *f, int mode, const double *x, double *h,
                      double *next, double *out)
{
    for (int i = 0; i < 60 && f->rc == TT_OK; i++) {
        double error = step(f, mode, x, *h, out);
        double factor = error > 0 ? 0.9 * pow(error, -0.2) : 4;

        factor = fmin(fmax(factor, 0.2), 4);
        *next = *h * factor;
        if (error <= 1)
            return;
        *h = *next;
    }
}

/* For so long. */
static void go_for(struct flow *f, int mode, double *x, double time)
{
    double t = 0, h = fmin(time, f->span * 1e-5), next, to[2];

    for (int i = 0; i < STEPS && t < time && f->rc == TT_OK; i++) {
        h = fmin(h, time - t);
        good_step(f, mode, x, &h, &next, to);
        t = time - t <= h ? time : t + h;
        memcpy(x, to, sizeof(to));
        note(f, x);
        h = next;
    }
}

/* dg/dt in a mode. */
static double approach(struct flow *f, int mode, const double *x)
{
    double dx[2], at[2], slope = 0;

    rate(f, mode, x, dx);
    for (int i = 0; i < 2; i++) {
        double d = 1e-3 * f->size[i], up;

        memcpy(at, x, sizeof(at));
        at[i] = x[i] + d;
        up = side(f, at);
        at[i] = x[i] - d;
        slope += (up - side(f, at)) / (2 * d) * dx[i];
    }
    return slope;
}

/* What it is gone for: to g = 0, or to where dg/dt in mode 1 is. */
enum goal { BORDER, TURN };

static double measure(struct flow *f, enum goal goal, const double *x)
{
    return goal == BORDER ? side(f, x) : approach(f, 1, x);
}

/* A root between lo and hi, where a function is a and b. */
struct bracket {
    double lo, hi, a, b;
    int last; /* the end that moved: 1 is hi, 2 lo */
};

static double between(const struct bracket *r)
{
    return r->lo - r->a * (r->hi - r->lo) / (r->b - r->a);
}

/* It is m at `at`. By Illinois' rule the end that stays is halved. */
static void narrow(struct bracket *r, double at, double m)
{
    if ((m > 0) == (r->b > 0)) {
        r->hi = at;
        r->b = m;
        r->a *= r->last == 1 ? 0.5 : 1;
        r->last = 1;
    } else {
        r->lo = at;
        r->a = m;
        r->b *= r->last == 2 ? 0.5 : 1;
        r->last = 2;
    }
}

/* Within a step of length h from x, where the goal is met: steps of any length
 * up to it are accurate. */
static void land(struct flow *f, int mode, enum goal goal, double *x, double h)
{
    struct bracket r = {.hi = h, .a = measure(f, goal, x)};
    double to[2];

    (void)step(f, mode, x, h, to);
    r.b = measure(f, goal, to);
    for (int i = 0; i < 100 && r.hi - r.lo > 1e-16 * h && r.b != r.a; i++) {
        double at = between(&r), m;

        (void)step(f, mode, x, at, to);
        m = measure(f, goal, to);
        if (m == 0 || f->rc != TT_OK)
            break;
        narrow(&r, at, m);
        if (fabs(m) < 1e-17)
            break;
    }
    memcpy(x, to, sizeof(to));
}

/* Until the goal changes its sign to `sign`; 0: it does not. What begins on it
 * leaves it first. */
static int go_to(struct flow *f, int mode, enum goal goal, int sign, double *x)
{
    double h = f->span * 1e-7, next, t = 0, to[2];
    double before = measure(f, goal, x);
    int armed = before * sign < 0;

    for (int i = 0; i < STEPS && t < f->span && f->rc == TT_OK; i++) {
        double after;

        good_step(f, mode, x, &h, &next, to);
        after = measure(f, goal, to);
        if (armed && after * sign >= 0) {
            land(f, mode, goal, x, h);
            note(f, x);
            return f->rc == TT_OK;
        }
        armed |= after * sign < 0;
        memcpy(x, to, sizeof(to));
        note(f, x);
        t += h;
        h = next;
    }
    return 0;
}

/* --- turning points --------------------------------------------------------
 */

/* Newton on f1 = 0, by differences. */
static int find_rest(struct flow *f, double *x)
{
    for (int n = 0; n < 50 && f->rc == TT_OK; n++) {
        double at[2], j[2][2], dx[2], up[2], down[2], det, d[2];

        rate(f, 1, x, dx);
        for (int i = 0; i < 2; i++) {
            double e = 1e-4 * f->size[i];

            memcpy(at, x, sizeof(at));
            at[i] = x[i] + e;
            rate(f, 1, at, up);
            at[i] = x[i] - e;
            rate(f, 1, at, down);
            j[0][i] = (up[0] - down[0]) / (2 * e);
            j[1][i] = (up[1] - down[1]) / (2 * e);
        }
        det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        if (!(fabs(det) > 0))
            return 0;
        d[0] = (j[1][1] * dx[0] - j[0][1] * dx[1]) / det;
        d[1] = (j[0][0] * dx[1] - j[1][0] * dx[0]) / det;
        x[0] -= d[0];
        x[1] -= d[1];
        if (!isfinite(x[0]) || !isfinite(x[1]))
            return 0;
        if (fabs(d[0]) <= 1e-14 * f->size[0] &&
            fabs(d[1]) <= 1e-14 * f->size[1])
            return 1;
    }
    return f->rc == TT_OK;
}

/* The turning point at this first state: the second by the secant method. */
static int turn_at(struct flow *f, double first, double guess, double *x)
{
    double a = guess, b = guess + 1e-3 * f->size[1], fa, fb;

    x[0] = first;
    x[1] = a;
    fa = approach(f, 1, x);
    for (int i = 0; i < 60 && f->rc == TT_OK; i++) {
        x[1] = b;
        fb = approach(f, 1, x);
        if (fb == fa || fabs(b - a) <= 1e-15 * f->size[1])
            break;
        x[1] = b - fb * (b - a) / (fb - fa);
        a = b;
        fa = fb;
        b = x[1];
    }
    return f->rc == TT_OK && isfinite(x[1]);
}

/* --- orbits ----------------------------------------------------------------
 */

/* How far from where it began (in the first state) the round ends, if mode 2
 * is left h2 late. x2: on the border, where mode 2 comes back to it. */
static double misses(struct flow *f, const double *x2, double h2, double begun)
{
    double x[2] = {x2[0], x2[1]};

    go_for(f, 2, x, h2);
    if (!go_to(f, 1, TURN, 1, x))
        return (double)NAN;
    return x[0] - begun;
}

/* The root of misses() between lo and hi, by Illinois' rule. */
static double close_between(struct flow *f, const double *x2, double begun,
                            struct bracket r)
{
    double at = r.hi;

    for (int i = 0; i < 80 && r.hi - r.lo > 1e-15 + 1e-14 * r.hi; i++) {
        double m;

        at = between(&r);
        m = misses(f, x2, at, begun);
        if (!isfinite(m) || m == 0)
            break;
        narrow(&r, at, m);
        if (fabs(m) <= 1e-3 * f->tolerance * f->size[0])
            break;
    }
    return at;
}

/* The delay out of mode 2 that closes the orbit from a turning point, with h1
 * out of mode 1; +inf: none does. */
static double closing(struct flow *f, const double *turn, double h1)
{
    double x[2] = {turn[0], turn[1]}, lo = 0, hi, a, b;

    if (!go_to(f, 1, BORDER, 1, x))
        return (double)INFINITY;
    go_for(f, 1, x, h1);
    if (!go_to(f, 2, BORDER, -1, x))
        return (double)INFINITY;
    a = misses(f, x, 0, turn[0]);
    hi = f->span * 1e-5;
    for (int i = 0; i < 60 && isfinite(a) && f->rc == TT_OK; i++) {
        b = misses(f, x, hi, turn[0]);
        if (!isfinite(b))
            return (double)INFINITY;
        if ((a > 0) != (b > 0))
            return close_between(f, x, turn[0],
                                 (struct bracket){lo, hi, a, b, 0});
        lo = hi;
        a = b;
        hi *= 1.5;
    }
    return (double)INFINITY;
}

/* --- the least -------------------------------------------------------------
 */

struct search {
    struct flow *f;
    double rest[2];
    double away; /* first state per unit of distance, so that g falls */
};

struct orbit {
    double delay, h1, h2, turn[2];
};

static void turn_of(const struct search *s, double distance, double *x)
{
    if (!turn_at(s->f, s->rest[0] + s->away * distance, s->rest[1], x))
        x[1] = (double)NAN;
}

/* Of all orbits through one turning point: h1 = 0 is best where h2 does not
 * fall as h1 grows. */
static struct orbit through(const struct search *s, double distance)
{
    struct orbit o = {.delay = (double)INFINITY}, p;
    double lo = 0, hi;

    turn_of(s, distance, o.turn);
    if (!isfinite(o.turn[1]))
        return o;
    o.h2 = o.delay = closing(s->f, o.turn, 0);
    if (!isfinite(o.h2))
        return o;
    p = o;
    p.h1 = 0.05 * o.h2;
    p.h2 = closing(s->f, o.turn, p.h1);
    if (!(p.h2 < o.h2))
        return o;
    hi = o.h2;
    for (int i = 0; i < 40; i++) { /* h1 grows, h2 falls: where they meet */
        p.h1 = 0.5 * (lo + hi);
        p.h2 = closing(s->f, o.turn, p.h1);
        if (p.h2 > p.h1)
            lo = p.h1;
        else
            hi = p.h1;
    }
    p.delay = fmax(p.h1, p.h2);
    return p.delay < o.delay ? p : o;
}

/* Golden section over the logarithm of the distance. */
static struct orbit refine(const struct search *s, double lo, double hi)
{
    const double ratio = 0.5 * (sqrt(5) - 1);
    double a = hi - ratio * (hi - lo), b = lo + ratio * (hi - lo);
    struct orbit at_a = through(s, exp(a)), at_b = through(s, exp(b));

    for (int i = 0; i < 34 && s->f->rc == TT_OK; i++) {
        if (at_a.delay <= at_b.delay) {
            hi = b;
            b = a;
            at_b = at_a;
            a = hi - ratio * (hi - lo);
            at_a = through(s, exp(a));
        } else {
            lo = a;
            a = b;
            at_a = at_b;
            b = lo + ratio * (hi - lo);
            at_b = through(s, exp(b));
        }
    }
    return at_a.delay <= at_b.delay ? at_a : at_b;
}

static struct orbit search(const struct search *s, double unit, int *at_end)
{
    double least = log(NEAREST * unit), most = log(FARTHEST * unit);
    double width = (most - least) / (SAMPLES - 1), best = (double)INFINITY;
    int at = -1;

    s->f->tolerance = ROUGH;
    for (int i = 0; i < SAMPLES && s->f->rc == TT_OK; i++) {
        double d = through(s, exp(least + i * width)).delay;

        if (d < best) {
            best = d;
            at = i;
        }
    }
    if (at < 0)
        return (struct orbit){.delay = (double)INFINITY};
    *at_end = at == 0 || at == SAMPLES - 1;
    s->f->tolerance = FINE;
    return refine(s, least + (at - 1) * width, least + (at + 1) * width);
}

/* The round again, to be drawn. */
static void draw(struct flow *f, struct tt_delay *d)
{
    double x[2] = {d->turn[0], d->turn[1]};

    f->tolerance = 1e-9;
    f->trail = d;
    note(f, x);
    (void)go_to(f, 1, BORDER, 1, x);
    go_for(f, 1, x, d->h1);
    (void)go_to(f, 2, BORDER, -1, x);
    go_for(f, 2, x, d->h2);
    (void)go_to(f, 1, TURN, 1, x);
}

static enum tt_code find(struct tt_delay *out, struct flow *f, tt_err *err)
{
    struct search s = {.f = f};
    struct orbit best;
    double slope[2], unit;

    memcpy(s.rest, f->p->near, sizeof(s.rest));
    if (!find_rest(f, s.rest) || !(side(f, s.rest) < 0))
        return f->rc != TT_OK
                   ? f->rc
                   : tt_fail(err, TT_EUNSUPPORTED,
                             "mode 1 has no equilibrium where it holds");
    slope[0] = s.rest[0] + 1e-3 * f->size[0];
    slope[1] = s.rest[1];
    s.away = side(f, slope) > side(f, s.rest) ? -1 : 1;
    unit = f->size[0];
    best = search(&s, unit, &out->at_end);
    if (f->rc != TT_OK)
        return f->rc;
    if (!isfinite(best.delay))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "no orbit closes, however late it is switched: any "
                       "delay that was tried comes to rest");
    out->delay = best.delay;
    out->h1 = best.h1;
    out->h2 = best.h2;
    memcpy(out->turn, best.turn, sizeof(out->turn));
    memcpy(out->rest, s.rest, sizeof(out->rest));
    draw(f, out);
    return f->rc;
}

enum tt_code tt_delay_find(struct tt_delay *out, const struct tt_planar *p,
                           tt_err *err)
{
    struct flow f = {.p = p, .err = err, .tolerance = FINE, .span = 100};

    *out = (struct tt_delay){.n = 0};
    for (int i = 0; i < 2; i++)
        f.size[i] = fabs(p->near[i]) > 0 ? fabs(p->near[i]) : 1;
    return find(out, &f, err);
}
