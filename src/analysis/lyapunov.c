/* SPDX-License-Identifier: MIT */
#include "analysis/lyapunov.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/algebra.h"
#include "base/mem.h"

#define SIZE_MOST (TT_MATRICES_ORDER * TT_MATRICES_ORDER)
#define TARGET    (1 - 1e-7) /* the rate that is asked for */
#define NEWTONS   200

/* --- small symmetric matrices ----------------------------------------------
 */

/* c = x y, of x element (i, k) at i * down + k * across. */
static void product(uint32_t n, const double *x, uint32_t down, uint32_t across,
                    const double *y, double *c)
{
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;

            for (uint32_t k = 0; k < n; k++)
                sum += x[i * down + k * across] * y[k + j * n];
            c[i + j * n] = sum;
        }
}

/* c = a' p a */
static void congruence(uint32_t n, const double *a, const double *p, double *c)
{
    double pa[SIZE_MOST];

    product(n, p, 1, n, a, pa);
    product(n, a, n, 1, pa, c);
}

/* In place, lower; 0: it is not positive definite by `least`. */
static int cholesky(uint32_t n, double *a, double least)
{
    for (uint32_t j = 0; j < n; j++) {
        double d = a[j + j * n];

        for (uint32_t k = 0; k < j; k++)
            d -= a[j + k * n] * a[j + k * n];
        if (!(d > least))
            return 0;
        a[j + j * n] = sqrt(d);
        for (uint32_t i = j + 1; i < n; i++) {
            double s = a[i + j * n];

            for (uint32_t k = 0; k < j; k++)
                s -= a[i + k * n] * a[j + k * n];
            a[i + j * n] = s / a[j + j * n];
        }
    }
    return 1;
}

/* The inverse of a positive definite matrix; returns 0 when it is none. */
static int invert(uint32_t n, const double *a, double *out)
{
    double l[SIZE_MOST];

    memcpy(l, a, (size_t)n * n * sizeof(*l));
    if (!cholesky(n, l, 0))
        return 0;
    for (uint32_t c = 0; c < n; c++) {
        double x[TT_MATRICES_ORDER] = {0};

        x[c] = 1;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < i; k++)
                x[i] -= l[i + k * n] * x[k];
            x[i] /= l[i + i * n];
        }
        for (uint32_t i = n; i-- > 0;) {
            for (uint32_t k = i + 1; k < n; k++)
                x[i] -= l[k + i * n] * x[k];
            x[i] /= l[i + i * n];
        }
        memcpy(out + (size_t)c * n, x, n * sizeof(*x));
    }
    return 1;
}

/* --- verifying -------------------------------------------------------------
 */

/* rate^2 P_from - A' P_to A, and how large rounding in it may be. */
static double slack(const struct tt_certificate *c, const struct tt_edge *e,
                    const struct tt_matrices *m, double rate, double *out)
{
    uint32_t n = c->n, n2 = n * n;
    const double *a = m->a + (size_t)e->symbol * n2;
    const double *from = c->p + (size_t)e->from * n2;
    const double *to = c->p + (size_t)e->to * n2;
    double size_a = tt_largest(a, n2), sum = 0;

    congruence(n, a, to, out);
    for (uint32_t i = 0; i < n2; i++)
        out[i] = rate * rate * from[i] - out[i];
    sum = tt_largest(from, n2) + n * n * size_a * size_a * tt_largest(to, n2);
    return 16 * n * n * sum * DBL_EPSILON;
}

int tt_certificate_shrinks(const struct tt_certificate *c,
                           const struct tt_edge *e, const struct tt_matrices *m,
                           double rate)
{
    double s[SIZE_MOST];
    double rounding = slack(c, e, m, rate, s);

    return cholesky(c->n, s, rounding);
}

int tt_certificate_holds(const struct tt_certificate *c, const tt_automaton *a,
                         const struct tt_matrices *m, double rate)
{
    uint32_t n = c->n;
    double s[SIZE_MOST];

    for (uint32_t v = 0; v < c->n_node; v++) {
        memcpy(s, c->p + (size_t)v * n * n, (size_t)n * n * sizeof(*s));
        if (!cholesky(n, s,
                      16.0 * n * n * DBL_EPSILON *
                          tt_largest(s, (size_t)n * n)))
            return 0;
    }
    for (uint32_t e = 0; e < a->n_edge; e++)
        if (!a->edge[e].removed &&
            !tt_certificate_shrinks(c, &a->edge[e], m, rate))
            return 0;
    return 1;
}

/* --- finding ---------------------------------------------------------------
 */

/* Unknowns: the upper triangles of all P, then t. Maximised is t, where
 *     rate^2 P_from - A' P_to A - t I > 0,  P - I > 0,  WIDEST I - P > 0. */
#define WIDEST 1e6
struct search {
    const tt_automaton *a;
    const struct tt_matrices *m;
    uint32_t n, each, unknowns;
    double rate;
    double *z, *step, *hessian; /* owned */
    struct tt_certificate trial;
};

/* Which unknown element i, j of P_v is. */
static uint32_t unknown(const struct search *s, uint32_t v, uint32_t i,
                        uint32_t j)
{
    uint32_t lo = i < j ? i : j, hi = i < j ? j : i;

    return v * s->each + hi * (hi + 1) / 2 + lo;
}

static void unpack(const struct search *s, const double *z, double *p)
{
    for (uint32_t v = 0; v < s->a->n_node; v++)
        for (uint32_t j = 0; j < s->n; j++)
            for (uint32_t i = 0; i < s->n; i++)
                p[i + s->n * (j + (size_t)s->n * v)] = z[unknown(s, v, i, j)];
}

/* One condition: F = sum of D_k z_k > 0 with its n by n directions. */
struct condition {
    uint32_t k;
    uint32_t at[2 * (TT_MATRICES_ORDER * (TT_MATRICES_ORDER + 1) / 2) + 1];
    double d[2 * (TT_MATRICES_ORDER * (TT_MATRICES_ORDER + 1) / 2) + 1]
            [SIZE_MOST];
    double f[SIZE_MOST], inverse[SIZE_MOST];
};

/* The direction of element i, j of P_v, times `factor`; under A if a. */
static void add_direction(const struct search *s, struct condition *c,
                          uint32_t v, uint32_t i, uint32_t j, double factor,
                          const double *a)
{
    uint32_t n = s->n;
    double *d = c->d[c->k];

    memset(d, 0, (size_t)n * n * sizeof(*d));
    if (!a) {
        d[i + j * n] = d[j + i * n] = factor;
    } else {
        for (uint32_t q = 0; q < n; q++)
            for (uint32_t p = 0; p < n; p++) {
                double x = a[i + p * n] * a[j + q * n];

                if (i != j)
                    x += a[j + p * n] * a[i + q * n];
                d[p + q * n] = factor * x;
            }
    }
    c->at[c->k++] = unknown(s, v, i, j);
}

static void add_matrix(const struct search *s, struct condition *c, uint32_t v,
                       double factor, const double *a)
{
    for (uint32_t j = 0; j < s->n; j++)
        for (uint32_t i = 0; i <= j; i++)
            add_direction(s, c, v, i, j, factor, a);
}

static void add_t(const struct search *s, struct condition *c)
{
    memset(c->d[c->k], 0, (size_t)s->n * s->n * sizeof(double));
    for (uint32_t i = 0; i < s->n; i++)
        c->d[c->k][i + i * s->n] = -1;
    c->at[c->k++] = s->unknowns - 1;
}

/* Condition number `which`: first the edges, then P > 1, then P < WIDEST. 0:
 * there are no more; -1: it is none (an edge that is removed). */
static int build(const struct search *s, uint32_t which, const double *z,
                 struct condition *c)
{
    uint32_t n_edge = s->a->n_edge, n_node = s->a->n_node, n2 = s->n * s->n;
    double constant = 0;

    c->k = 0;
    if (which < n_edge) {
        const struct tt_edge *e = &s->a->edge[which];

        if (e->removed)
            return -1;
        add_matrix(s, c, e->from, s->rate * s->rate, NULL);
        add_matrix(s, c, e->to, -1, s->m->a + (size_t)e->symbol * n2);
        add_t(s, c);
    } else if (which < n_edge + n_node) {
        add_matrix(s, c, which - n_edge, 1, NULL);
        constant = -1;
    } else if (which < n_edge + 2 * n_node) {
        add_matrix(s, c, which - n_edge - n_node, -1, NULL);
        constant = WIDEST;
    } else {
        return 0;
    }
    for (uint32_t i = 0; i < n2; i++) {
        c->f[i] = i % (s->n + 1) == 0 ? constant : 0;
        for (uint32_t k = 0; k < c->k; k++)
            c->f[i] += c->d[k][i] * z[c->at[k]];
    }
    return 1;
}

/* log det of a matrix less `shift` on the diagonal; -inf: it is not positive
 * definite. */
static double log_det(uint32_t n, const double *a, double shift)
{
    double l[SIZE_MOST], sum = 0;

    memcpy(l, a, (size_t)n * n * sizeof(*l));
    for (uint32_t i = 0; i < n; i++)
        l[i + i * n] -= shift;
    if (!cholesky(n, l, 0))
        return (double)-INFINITY;
    for (uint32_t j = 0; j < n; j++)
        sum += 2 * log(l[j + j * n]);
    return sum;
}

/* -kappa t - sum log det F; +inf outside. */
static double barrier(struct search *s, const double *z, double kappa)
{
    uint32_t n = s->n, n2 = n * n;
    double t = z[s->unknowns - 1], sum = -kappa * t, f[SIZE_MOST];

    unpack(s, z, s->trial.p);
    for (uint32_t v = 0; v < s->a->n_node; v++) {
        const double *p = s->trial.p + (size_t)v * n2;

        for (uint32_t i = 0; i < n2; i++)
            f[i] = -p[i];
        sum -= log_det(n, p, 1) + log_det(n, f, -WIDEST);
    }
    for (uint32_t e = 0; e < s->a->n_edge && isfinite(sum); e++)
        if (!s->a->edge[e].removed) {
            (void)slack(&s->trial, &s->a->edge[e], s->m, s->rate, f);
            sum -= log_det(n, f, t);
        }
    return isfinite(sum) ? sum : (double)INFINITY;
}

static double trace_of(uint32_t n, const double *a, const double *b)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            sum += a[i + k * n] * b[k + i * n];
    return sum;
}

/* Gradient (into step, negative) and Hessian of one condition. */
static void differentiate(struct search *s, struct condition *c)
{
    static _Thread_local double
        g[2 * (TT_MATRICES_ORDER * (TT_MATRICES_ORDER + 1) / 2) + 1][SIZE_MOST];
    uint32_t n = s->n;

    for (uint32_t k = 0; k < c->k; k++) {
        double trace = 0;

        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i < n; i++) {
                double sum = 0;

                for (uint32_t l = 0; l < n; l++)
                    sum += c->inverse[i + l * n] * c->d[k][l + j * n];
                g[k][i + j * n] = sum;
            }
        for (uint32_t i = 0; i < n; i++)
            trace += g[k][i + i * n];
        s->step[c->at[k]] += trace;
    }
    for (uint32_t k = 0; k < c->k; k++)
        for (uint32_t l = 0; l < c->k; l++)
            s->hessian[c->at[k] + (size_t)c->at[l] * s->unknowns] +=
                trace_of(n, g[k], g[l]);
}

/* Newton's direction into s->step; returns its decrement, or -1. */
static double direct(struct search *s, double kappa, struct condition *c)
{
    int failed, rc;
    double decrement = 0;
    double *gradient;

    memset(s->hessian, 0,
           (size_t)s->unknowns * s->unknowns * sizeof(*s->hessian));
    memset(s->step, 0, s->unknowns * sizeof(*s->step));
    s->step[s->unknowns - 1] = kappa;
    for (uint32_t w = 0; (rc = build(s, w, s->z, c)) != 0; w++) {
        if (rc < 0)
            continue;
        if (!invert(s->n, c->f, c->inverse))
            return -1;
        differentiate(s, c);
    }
    if (!TT_NEW_ARRAY(gradient, s->unknowns))
        return -1;
    memcpy(gradient, s->step, s->unknowns * sizeof(*gradient));
    failed = tt_solve_positive(s->unknowns, s->hessian, s->step);
    for (uint32_t i = 0; i < s->unknowns; i++)
        decrement += gradient[i] * s->step[i];
    tt_free(gradient);
    return failed ? -1 : decrement;
}

/* A step that descends, by halving; 0: there is none. */
static int descend(struct search *s, double kappa, double decrement,
                   double *trial)
{
    double now = barrier(s, s->z, kappa), size = 1;

    for (int i = 0; i < 40; i++, size *= 0.5) {
        for (uint32_t k = 0; k < s->unknowns; k++)
            trial[k] = s->z[k] + size * s->step[k];
        if (barrier(s, trial, kappa) <= now - 0.1 * size * decrement) {
            memcpy(s->z, trial, s->unknowns * sizeof(*trial));
            return 1;
        }
    }
    return 0;
}

/* Is what there is a proof already? */
static int proves(struct search *s)
{
    unpack(s, s->z, s->trial.p);
    return s->z[s->unknowns - 1] > 0 &&
           tt_certificate_holds(&s->trial, s->a, s->m, s->rate);
}

static int optimise(struct search *s, double *trial, struct condition *c)
{
    double kappa = 1e-2,
           conditions = (double)s->n * (s->a->n_edge + 2.0 * s->a->n_node);

    for (int i = 0; i < NEWTONS; i++) {
        double decrement = direct(s, kappa, c);

        if (decrement < 0)
            return 0;
        if (decrement > 1e-3 && descend(s, kappa, decrement, trial)) {
            if (proves(s))
                return 1;
            continue;
        }
        /* on the path: t is within conditions / kappa of the best */
        if (s->z[s->unknowns - 1] + conditions / kappa < 0 || kappa > 1e9)
            return 0;
        kappa *= 8;
    }
    return 0;
}

/* The least rate that these matrices prove. */
static double tighten(const struct search *s)
{
    double lo = 0, hi = s->rate;

    for (int i = 0; i < 60 && hi - lo > 1e-12; i++) {
        double middle = 0.5 * (lo + hi);

        if (tt_certificate_holds(&s->trial, s->a, s->m, middle))
            hi = middle;
        else
            lo = middle;
    }
    return hi;
}

/* A multiple of the identity for all P, and t below what that allows. */
static void begin(struct search *s)
{
    double most = 1;

    for (uint32_t v = 0; v < s->a->n_node; v++)
        for (uint32_t i = 0; i < s->n; i++)
            s->z[unknown(s, v, i, i)] = 2;
    most += s->n * s->n *
            pow(tt_largest(s->m->a, (size_t)s->m->m * s->n * s->n), 2);
    s->z[s->unknowns - 1] = -4 * most;
}

enum tt_code tt_matrices_fit(const struct tt_matrices *m, const char *what,
                             tt_err *err)
{
    if (m->n <= TT_MATRICES_ORDER)
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "%s are found for matrices of order %u at most, not %u",
                   what, TT_MATRICES_ORDER, m->n);
}

enum tt_code tt_certificate_find(struct tt_certificate *out, int *found,
                                 const tt_automaton *a,
                                 const struct tt_matrices *m, tt_err *err)
{
    struct search s = {.a = a, .m = m, .n = m->n, .rate = TARGET};
    struct condition *c;
    double *trial;
    enum tt_code rc = TT_OK;

    *found = 0;
    rc = tt_matrices_fit(m, "certificates", err);
    if (rc != TT_OK)
        return rc;
    s.each = m->n * (m->n + 1) / 2;
    s.unknowns = a->n_node * s.each + 1;
    s.trial = (struct tt_certificate){.n = m->n, .n_node = a->n_node};
    s.z = tt_zalloc(s.unknowns, sizeof(*s.z));
    s.step = tt_zalloc(s.unknowns, sizeof(*s.step));
    s.hessian = tt_zalloc((size_t)s.unknowns * s.unknowns, sizeof(*s.hessian));
    s.trial.p = tt_zalloc((size_t)a->n_node * m->n * m->n, sizeof(*s.trial.p));
    trial = tt_zalloc(s.unknowns, sizeof(*trial));
    c = tt_zalloc(1, sizeof(*c));
    if (!s.z || !s.step || !s.hessian || !s.trial.p || !trial || !c) {
        rc = tt_nomem(err, "a certificate");
    } else {
        begin(&s);
        *found = optimise(&s, trial, c);
    }
    if (rc == TT_OK) {
        s.trial.rate = *found ? tighten(&s) : (double)NAN;
        *out = s.trial;
        s.trial.p = NULL;
    }
    TT_FREE_ALL(s.z, s.step, s.hessian, s.trial.p, trial, c);
    return rc;
}

void tt_certificate_fini(struct tt_certificate *c)
{
    tt_free(c->p);
    *c = (struct tt_certificate){0};
}
