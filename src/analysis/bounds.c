/* SPDX-License-Identifier: MIT */
#include "analysis/bounds.h"

#include <math.h>
#include <string.h>

#include "analysis/algebra.h"
#include "base/mem.h"

#define SIZE_MOST (TT_MATRICES_ORDER * TT_MATRICES_ORDER)
#define CYCLES    2e5  /* words of cycles that are all looked at */
#define HALVINGS  24   /* of the rate that forms prove */
#define TREE      3e5  /* words that are followed */
#define TIGHT     5e-7 /* bounds this near to each other are good enough */

static void identity(uint32_t n, double *a)
{
    memset(a, 0, (size_t)n * n * sizeof(*a));
    for (uint32_t i = 0; i < n; i++)
        a[i + i * n] = 1;
}

double tt_word_rate(const struct tt_matrices *m, const uint32_t *symbol,
                    uint32_t n)
{
    uint32_t order = m->n, n2 = order * order;
    double p[SIZE_MOST], q[SIZE_MOST], rho, log_size = 0;

    identity(order, p);
    for (uint32_t k = 0; k < n; k++) {
        double size;

        tt_multiply(order, order, order, m->a + (size_t)symbol[k] * n2, p, q);
        size = tt_largest(q, n2);
        if (size == 0)
            return 0;
        for (uint32_t i = 0; i < n2; i++)
            p[i] = q[i] / size;
        log_size += log(size);
    }
    rho = tt_spectral_radius(order, p);
    return rho > 0 ? exp((log(rho) + log_size) / n) : 0;
}

/* --- from below ------------------------------------------------------------
 */

struct path {
    uint32_t from;                  /* the node it begins in */
    uint32_t edge[TT_CYCLE_MOST];   /* each once: it begins at the least */
    uint32_t symbol[TT_CYCLE_MOST]; /* of these */
    uint32_t n;
};

static void compare(struct tt_bounds *b, const struct tt_matrices *m,
                    const struct path *p)
{
    double rate = tt_word_rate(m, p->symbol, p->n);

    if (!(rate > b->lower * (1 + 1e-14)))
        return;
    b->lower = rate;
    b->n_word = p->n;
    memcpy(b->word, p->symbol, p->n * sizeof(*b->word));
}

static void extend(struct tt_bounds *b, const tt_automaton *a,
                   const struct tt_matrices *m, struct path *p, uint32_t most)
{
    uint32_t node = p->n ? a->edge[p->edge[p->n - 1]].to : p->from;

    if (p->n == most) {
        if (node == p->from)
            compare(b, m, p);
        return;
    }
    for (uint32_t e = a->first[node]; e < a->first[node + 1]; e++) {
        if (a->edge[e].removed || (p->n && e < p->edge[0]))
            continue;
        p->edge[p->n] = e;
        p->symbol[p->n++] = a->edge[e].symbol;
        extend(b, a, m, p, most);
        p->n--;
    }
}

/* All cycles of one length, then of one more, while there are not too many. */
static void find_lower(struct tt_bounds *b, const tt_automaton *a,
                       const struct tt_matrices *m)
{
    double words = tt_automaton_left(a);
    double each = words / a->n_node;

    for (uint32_t n = 1; n <= TT_CYCLE_MOST && words <= CYCLES; n++) {
        for (uint32_t v = 0; v < a->n_node; v++) {
            struct path p = {.from = v};

            extend(b, a, m, &p, n);
        }
        if (each <= 1 && n >= 8)
            break;
        words *= fmax(each, 1.2);
    }
}

/* --- forms -----------------------------------------------------------------
 */

/* Products of two coordinates, those of unequal ones times sqrt(2), follow A's
 * symmetric square: what grows by r grows by r^2 there, and quadratic forms of
 * them are forms of degree 4. */
static void square_of(uint32_t n, const double *a, double *out)
{
    uint32_t big = n * (n + 1) / 2, column = 0;
    const double root = sqrt(2);

    for (uint32_t l = 0; l < n; l++)
        for (uint32_t k = 0; k <= l; k++, column++) {
            uint32_t row = 0;

            for (uint32_t j = 0; j < n; j++)
                for (uint32_t i = 0; i <= j; i++, row++) {
                    double x = a[i + k * n] * a[j + l * n];

                    if (k != l)
                        x += a[i + l * n] * a[j + k * n];
                    x *= (i != j ? root : 1) / (k != l ? root : 1);
                    out[row + (size_t)column * big] = x;
                }
        }
}

static double *all_squares(const struct tt_matrices *m)
{
    uint32_t n2 = m->n * m->n, big = m->n * (m->n + 1) / 2;
    double *out = tt_zalloc((size_t)m->m * big * big, sizeof(*out));

    for (uint32_t i = 0; out && i < m->m; i++)
        square_of(m->n, m->a + (size_t)i * n2, out + (size_t)i * big * big);
    return out;
}

/* Are there forms that prove this rate? Those of matrices divided by it. */
static enum tt_code try_rate(struct tt_certificate *out, int *found,
                             const tt_automaton *a, const struct tt_matrices *m,
                             double rate, double *scaled, tt_err *err)
{
    size_t n = (size_t)m->m * m->n * m->n;
    const struct tt_matrices s = {m->n, m->m, scaled};
    enum tt_code rc;

    for (size_t i = 0; i < n; i++)
        scaled[i] = m->a[i] / rate;
    rc = tt_certificate_find(out, found, a, &s, err);
    if (rc == TT_OK && *found)
        out->rate *= rate;
    return rc;
}

/* The least rate for which forms are found, by halving. */
static enum tt_code find_forms(struct tt_certificate *best,
                               const tt_automaton *a,
                               const struct tt_matrices *m, double lower,
                               tt_err *err)
{
    double lo = lower, hi = lower * 1.0001, *scaled;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(scaled, (size_t)m->m * m->n * m->n))
        return tt_nomem(err, "bounds");
    for (int i = 0; i < HALVINGS && rc == TT_OK; i++) {
        struct tt_certificate one = {0};
        int found;

        rc = try_rate(&one, &found, a, m, hi, scaled, err);
        if (rc == TT_OK && found) {
            tt_certificate_fini(best);
            *best = one;
            hi = 0.5 * (lo + fmin(hi, one.rate));
        } else {
            tt_certificate_fini(&one);
            lo = hi;
            hi = best->p ? 0.5 * (lo + best->rate) : lower + (hi - lower) * 4;
        }
        if (best->p && best->rate - lo < 1e-8 * best->rate)
            break;
    }
    tt_free(scaled);
    return rc;
}

/* --- all words -------------------------------------------------------------
 */

struct tree {
    const tt_automaton *a;
    const struct tt_matrices *m; /* divided by the rate that is to be proved */
    const struct tt_certificate *c;
    const struct tt_matrices *plain;
    struct tt_bounds *out;
    struct path path;
    double words, most;
};

/* Is P_from - X' P_to X positive definite, X the product of a word? As an edge
 * from the one node to the other it is a certificate's. */
static int shrinks(const struct tree *t, uint32_t to, const double *x)
{
    struct tt_edge e = {.from = t->path.from, .to = to};
    const struct tt_matrices one = {t->m->n, 1, x};

    return tt_certificate_shrinks(t->c, &e, &one, 1);
}

static int follow(struct tree *t, uint32_t node, const double *x)
{
    const tt_automaton *a = t->a;
    uint32_t n = t->m->n, k = t->path.n;

    for (uint32_t e = a->first[node]; e < a->first[node + 1]; e++) {
        double y[SIZE_MOST];

        if (a->edge[e].removed)
            continue;
        if (k == TT_CYCLE_MOST || ++t->words > t->most)
            return 0;
        tt_multiply(n, n, n, t->m->a + (size_t)a->edge[e].symbol * n * n, x, y);
        if (shrinks(t, a->edge[e].to, y))
            continue;
        t->path.symbol[k] = a->edge[e].symbol;
        t->path.n = k + 1;
        if (a->edge[e].to == t->path.from)
            compare(t->out, t->plain, &t->path);
        if (!follow(t, a->edge[e].to, y))
            return 0;
    }
    return 1;
}

/* Have all words shrunk by `rate` per symbol, each at some length? */
static int all_shrink(struct tt_bounds *b, const tt_automaton *a,
                      const struct tt_matrices *plain,
                      const struct tt_matrices *m,
                      const struct tt_certificate *c, double rate,
                      double *scaled)
{
    size_t n2 = (size_t)m->n * m->n;
    const struct tt_matrices s = {m->n, m->m, scaled};
    struct tree t = {
        .a = a, .m = &s, .c = c, .plain = plain, .out = b, .most = TREE};
    double one[SIZE_MOST];

    identity(m->n, one);
    for (size_t i = 0; i < m->m * n2; i++)
        scaled[i] = m->a[i] / rate;
    for (uint32_t v = 0; v < a->n_node; v++) {
        t.path.from = v;
        t.path.n = 0;
        if (!follow(&t, v, one))
            return 0;
    }
    b->words = (uint64_t)t.words;
    return 1;
}

/* The least of some distances above the lower bound that is proved so. */
static enum tt_code find_words(struct tt_bounds *b, const tt_automaton *a,
                               const struct tt_matrices *plain,
                               const struct tt_matrices *m, tt_err *err)
{
    static const double above[] = {4e-7, 1e-5, 1e-4, 1e-3};
    double *scaled;

    if (!TT_NEW_ARRAY(scaled, (size_t)m->m * m->n * m->n))
        return tt_nomem(err, "bounds");
    for (uint32_t i = 0; i < sizeof(above) / sizeof(*above); i++) {
        double rate = b->lower * (1 + above[i]);

        if (rate >= b->upper)
            break;
        if (all_shrink(b, a, plain, m, &b->certificate,
                       pow(rate, 0.5 * b->degree), scaled)) {
            b->upper = fmax(rate, b->lower);
            break;
        }
    }
    tt_free(scaled);
    return TT_OK;
}

static int is_tight(const struct tt_bounds *b)
{
    return b->upper < b->lower * (1 + TIGHT);
}

/* Forms of the degree that b has, of what m has, and words in their norm. */
static enum tt_code find_with(struct tt_bounds *b, const tt_automaton *a,
                              const struct tt_matrices *plain,
                              const struct tt_matrices *m, tt_err *err)
{
    double power = 0.5 * b->degree;
    enum tt_code rc =
        find_forms(&b->certificate, a, m, pow(b->lower, power), err);

    b->upper =
        b->certificate.p ? pow(b->certificate.rate, 1 / power) : (double)NAN;
    if (rc == TT_OK && b->certificate.p && !is_tight(b))
        rc = find_words(b, a, plain, m, err);
    return rc;
}

/* Degree 4 takes longer: only where degree 2 leaves something open. */
static enum tt_code find_upper(struct tt_bounds *b, const tt_automaton *a,
                               const struct tt_matrices *m, tt_err *err)
{
    struct tt_matrices square = {m->n * (m->n + 1) / 2, m->m, NULL};
    struct tt_bounds more;
    double *squares;
    enum tt_code rc = find_with(b, a, m, m, err);

    if (rc != TT_OK || square.n > TT_MATRICES_ORDER || is_tight(b))
        return rc;
    square.a = squares = all_squares(m);
    if (!squares)
        return tt_nomem(err, "bounds");
    more = *b;
    more.certificate = (struct tt_certificate){0};
    more.words = 0;
    more.degree = 4;
    rc = find_with(&more, a, m, &square, err);
    if (rc == TT_OK && !(b->upper <= more.upper)) {
        struct tt_bounds less = *b;

        *b = more;
        more = less;
    }
    tt_bounds_fini(&more);
    tt_free(squares);
    return rc;
}

enum tt_code tt_bounds_find(struct tt_bounds *out, const tt_automaton *a,
                            const struct tt_matrices *m, tt_err *err)
{
    struct tt_bounds b = {.degree = 2};
    enum tt_code rc = tt_matrices_fit(m, "bounds", err);

    if (rc != TT_OK)
        return rc;
    find_lower(&b, a, m);
    if (b.lower > 0)
        rc = find_upper(&b, a, m, err);
    return TT_HAND_OVER_VALUE(rc, out, b, tt_bounds_fini);
}

void tt_bounds_fini(struct tt_bounds *b)
{
    tt_certificate_fini(&b->certificate);
    *b = (struct tt_bounds){0};
}
