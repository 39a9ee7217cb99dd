/* SPDX-License-Identifier: MIT */
#include "solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "solve/dense.h"

/* Arrays behind the header, found by the method; see carve(). */
struct tt_solve {
    struct tt_solve_opts o;
    uint32_t n;
    uint32_t count;    /* evaluations since begin */
    uint32_t kept;     /* Anderson: residual differences kept */
    uint32_t column;   /* Newton: probe under way, n when none */
    uint32_t factored; /* Newton: there is a Jacobian */
    uint32_t given;    /* Newton: one was given since begin */
    uint32_t doubted;  /* ... and will not be asked for again */
    uint32_t settled;  /* AUTO: substitution is over */
    uint32_t halved;   /* AUTO: how often the last Newton step was halved */
    uint32_t worst_i;
    double omega;
    double worst;
    double far; /* Newton: the last residual, see distance() */
    double data[];
};

struct arrays {
    double *r;                 /* last residual */
    double *z, *g;             /* last z and G(z) */
    double *dr, *dg;           /* Anderson: differences, by columns */
    double *ls, *lr, *lx, *lb; /* Anderson: scratch */
    double *lu;                /* Newton: I - J */
    double *dz;                /* AUTO: the last Newton step */
    uint32_t *pivot;
};

static uint32_t depth_of(uint32_t n)
{
    return n < TT_SOLVE_DEPTH ? n : TT_SOLVE_DEPTH;
}

/* Lay the arrays out from `at` (may be NULL, to measure); returns doubles. */
static size_t carve(const struct tt_solve_opts *o, uint32_t n, double *at,
                    struct arrays *a)
{
    uint32_t m = depth_of(n);
    size_t used = 0;
#define TAKE(p, k)                                                             \
    do {                                                                       \
        (p) = at ? at + used : NULL;                                           \
        used += (k);                                                           \
    } while (0)

    *a = (struct arrays){0};
    TAKE(a->r, n);
    TAKE(a->z, n);
    TAKE(a->g, n);
    if (o->method == TT_SOLVE_ANDERSON) {
        TAKE(a->dr, (size_t)n * m);
        TAKE(a->dg, (size_t)n * m);
        TAKE(a->ls, (size_t)n * m);
        TAKE(a->lr, (size_t)m * m);
        TAKE(a->lx, m);
        TAKE(a->lb, n);
    }
    if (o->method == TT_SOLVE_AUTO)
        TAKE(a->dz, n);
    if (o->method == TT_SOLVE_NEWTON || o->method == TT_SOLVE_AUTO) {
        TAKE(a->lu, (size_t)n * n);
        a->pivot = at ? (uint32_t *)(void *)(at + used) : NULL;
        used += ((size_t)n + 1) / 2;
    }
#undef TAKE
    return used;
}

size_t tt_solve_size(const struct tt_solve_opts *o, uint32_t n)
{
    struct arrays a;

    return sizeof(struct tt_solve) + sizeof(double) * carve(o, n, NULL, &a);
}

struct tt_solve *tt_solve_init(void *block, const struct tt_solve_opts *o,
                               uint32_t n)
{
    struct tt_solve *s = block;

    memset(block, 0, tt_solve_size(o, n));
    s->o = *o;
    if (!(s->o.relax > 0))
        s->o.relax = 1;
    s->n = n;
    tt_solve_begin(s);
    return s;
}

void tt_solve_begin(struct tt_solve *s)
{
    s->count = 0;
    s->kept = 0;
    s->column = s->n;
    s->given = 0;
    s->settled = 0;
    s->halved = 0;
    s->omega = s->o.relax;
    s->worst = 0;
    s->far = (double)INFINITY;
}

/* A residual in tolerances of a value of this size. */
static double in_tolerances(const struct tt_solve *s, double off, double size,
                            const double *nominal, uint32_t i)
{
    double tol = s->o.atol * (nominal ? nominal[i] : 1) + s->o.rtol * size;

    return off == 0 ? 0 : off / tol;
}

/* The residual relative to its tolerance, at its worst. */
static void measure(struct tt_solve *s, const double *z, const double *g,
                    const double *nominal)
{
    s->worst = 0;
    s->worst_i = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        double w = in_tolerances(s, fabs(g[i] - z[i]), fabs(g[i]), nominal, i);

        if (!(w <= s->worst)) { /* NaN is the worst */
            s->worst = w;
            s->worst_i = i;
        }
        if (isnan(w))
            return;
    }
}

static void relax(const struct tt_solve *s, double *z, const double *g,
                  double by)
{
    for (uint32_t i = 0; i < s->n; i++)
        z[i] += by * (g[i] - z[i]);
}

/* Aitken (1926) for vectors, as Irons and Tuck (1969) have it:
 * w := -w r.(r' - r) / |r' - r|^2 with r the residual before r'. */
static void aitken(struct tt_solve *s, struct arrays *a, double *z,
                   const double *g)
{
    double top = 0, bottom = 0;

    for (uint32_t i = 0; i < s->n && s->count > 1; i++) {
        double d = (g[i] - z[i]) - a->r[i];

        top += a->r[i] * d;
        bottom += d * d;
    }
    if (bottom > 0)
        s->omega = -s->omega * top / bottom;
    for (uint32_t i = 0; i < s->n; i++)
        a->r[i] = g[i] - z[i];
    relax(s, z, g, s->omega);
}

static void shift(double *block, uint32_t n, uint32_t m)
{
    memmove(block + n, block, sizeof(*block) * n * (m - 1));
}

/* Anderson (1965), type II, full step: z := g - DG x, where x minimises
 * |r - DR x| over the last differences of residuals and of G. Rows are scaled
 * by nominals, so that metres and newtons weigh alike. */
static void anderson(struct tt_solve *s, struct arrays *a, double *z,
                     const double *g, const double *nominal)
{
    uint32_t n = s->n, m = depth_of(n);

    TT_ASSERT(a->dr && a->dg && a->ls && a->lb); /* carved for Anderson */
    if (s->count > 1) {
        shift(a->dr, n, m);
        shift(a->dg, n, m);
        for (uint32_t i = 0; i < n; i++) {
            a->dr[i] = (g[i] - z[i]) - a->r[i];
            a->dg[i] = g[i] - a->g[i];
        }
        if (s->kept < m)
            s->kept++;
    }
    for (uint32_t i = 0; i < n; i++) {
        a->r[i] = g[i] - z[i];
        a->g[i] = g[i];
        a->lb[i] = a->r[i] / (nominal ? nominal[i] : 1);
        for (uint32_t k = 0; k < s->kept; k++)
            a->ls[k * n + i] = a->dr[k * n + i] / (nominal ? nominal[i] : 1);
    }
    tt_least_squares(a->ls, a->lb, n, s->kept, a->lr, a->lx, 1e-10);
    for (uint32_t i = 0; i < n; i++) {
        z[i] = g[i];
        for (uint32_t k = 0; k < s->kept; k++)
            z[i] -= a->lx[k] * a->dg[k * n + i];
    }
}

/* --- Newton on F(z) = G(z) - z, Jacobian by differences ---------------------
 */

static double probe_size(double z, double nominal)
{
    double scale = fabs(z) > nominal ? fabs(z) : nominal;

    return sqrt(DBL_EPSILON) * scale;
}

static void ask_probe(struct tt_solve *s, const struct arrays *a, double *z,
                      const double *nominal)
{
    uint32_t j = s->column;

    memcpy(z, a->z, sizeof(*z) * s->n);
    z[j] += probe_size(a->z[j], nominal ? nominal[j] : 1);
}

/* The Jacobian is complete, or still serves: one step of Newton from (z, g)
 * kept in the arrays. A singular one falls back to substitution. */
static void newton_step(struct tt_solve *s, struct arrays *a, double *z)
{
    for (uint32_t i = 0; i < s->n; i++)
        a->r[i] = a->g[i] - a->z[i];
    if (s->factored)
        tt_lu_solve(a->lu, a->pivot, s->n, a->r);
    for (uint32_t i = 0; i < s->n; i++)
        z[i] = a->z[i] + a->r[i];
    if (a->dz)
        memcpy(a->dz, a->r, sizeof(*a->dz) * s->n);
}

/* A probe came back: column j of I - J. */
static void take_probe(struct tt_solve *s, struct arrays *a, double *z,
                       const double *g, const double *nominal)
{
    uint32_t j = s->column, n = s->n;
    double d = z[j] - a->z[j]; /* what was really added, after rounding */

    TT_ASSERT(a->lu && a->pivot); /* only Newton probes */
    for (uint32_t i = 0; i < n; i++)
        a->lu[i * n + j] = (i == j) - (g[i] - a->g[i]) / d;
    s->column++;
    if (s->column < n) {
        ask_probe(s, a, z, nominal);
        return;
    }
    s->factored = tt_lu_factor(a->lu, a->pivot, n) == 0;
    newton_step(s, a, z);
}

/* The residual to compare with that of another z. The tolerance will not do as
 * its measure: it follows G(z), so at a kink, with a value on one side and none
 * on the other, going back and forth would look like a gain each second time.
 */
static double distance(const struct tt_solve *s, const double *z,
                       const double *g, const double *nominal)
{
    double most = 0;

    for (uint32_t i = 0; i < s->n; i++)
        most =
            fmax(most, in_tolerances(s, fabs(g[i] - z[i]),
                                     fmax(fabs(z[i]), fabs(g[i])), nominal, i));
    return most;
}

static enum tt_solve_verdict probe(struct tt_solve *s, const struct arrays *a,
                                   double *z, const double *nominal)
{
    s->column = 0;
    ask_probe(s, a, z, nominal);
    return TT_SOLVE_AGAIN;
}

/* Did a Jacobian that was given lead to a worse place, or to none? Probes then
 * go on from where it was given. */
static int misled(struct tt_solve *s, double far)
{
    int worse = s->o.doubt && s->given && !s->doubted && !(far < s->far);

    s->doubted |= (uint32_t)worse;
    return worse;
}

/* A kept Jacobian serves while each step gains a factor of ten or so. */
static enum tt_solve_verdict newton(struct tt_solve *s, struct arrays *a,
                                    double *z, const double *g,
                                    const double *nominal)
{
    double far = distance(s, z, g, nominal);
    int slow = far > 0.1 * s->far;

    if (misled(s, far))
        return probe(s, a, z, nominal);
    memcpy(a->z, z, sizeof(*z) * s->n);
    memcpy(a->g, g, sizeof(*g) * s->n);
    s->far = far;
    s->halved = 0;
    if (s->factored && !slow) {
        newton_step(s, a, z);
        return TT_SOLVE_AGAIN;
    }
    s->doubted |= s->o.doubt && s->given;
    if (s->o.jacobian && !s->doubted) {
        s->given = 1;
        return TT_SOLVE_JACOBIAN;
    }
    return probe(s, a, z, nominal);
}

void tt_solve_no_jacobian(struct tt_solve *s, double *z, const double *nominal)
{
    struct arrays a;

    carve(&s->o, s->n, s->data, &a);
    s->doubted = 1;
    (void)probe(s, &a, z, nominal);
}

int tt_solve_doubts(const struct tt_solve *s)
{
    return s->doubted != 0;
}

void tt_solve_jacobian(struct tt_solve *s, const double *jacobian, double *z)
{
    struct arrays a;
    uint32_t n = s->n;

    carve(&s->o, n, s->data, &a);
    TT_ASSERT(a.lu && a.pivot); /* only Newton asks */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            a.lu[i * n + j] = (i == j) - jacobian[i * n + j];
    s->factored = tt_lu_factor(a.lu, a.pivot, n) == 0;
    newton_step(s, &a, z);
}

/* --- substitution, then damped Newton --------------------------------------
 */

#define MOST_HALVED 10

/* Values that do not truly depend on each other need as many turns as there
 * are unknowns, and one, to come round; till then nothing is judged. */
static int still_on_their_way(const struct tt_solve *s)
{
    return s->count <= s->n + 1;
}

/* Substitute while that gains a factor of three a turn; then go on from the
 * best place met. */
static enum tt_solve_verdict substitute(struct tt_solve *s, struct arrays *a,
                                        double *z, const double *g, double far)
{
    int gains = far < s->far / 3;

    if (far < s->far || s->count == 1) {
        memcpy(a->z, z, sizeof(*z) * s->n);
        s->far = isnan(far) ? (double)INFINITY : far;
    }
    if (still_on_their_way(s) || gains) {
        memcpy(z, g, sizeof(*z) * s->n);
        return TT_SOLVE_AGAIN;
    }
    s->settled = 1;
    s->factored = 0;
    s->far = (double)INFINITY;
    memcpy(z, a->z, sizeof(*z) * s->n);
    return TT_SOLVE_AGAIN;
}

/* A Newton step that led to a worse place, or to none, was too long. */
static int too_far(const struct tt_solve *s, double far)
{
    return s->factored && s->halved < MOST_HALVED && !(far < s->far);
}

static enum tt_solve_verdict fixed_point_then_newton(struct tt_solve *s,
                                                     struct arrays *a,
                                                     double *z, const double *g,
                                                     const double *nominal)
{
    double far = isnan(s->worst) ? s->worst : distance(s, z, g, nominal);

    if (!s->settled)
        return substitute(s, a, z, g, far);
    if (too_far(s, far)) {
        s->halved++;
        for (uint32_t i = 0; i < s->n; i++) {
            a->dz[i] /= 2;
            z[i] = a->z[i] + a->dz[i];
        }
        return TT_SOLVE_AGAIN;
    }
    return isnan(far) ? TT_SOLVE_LOST : newton(s, a, z, g, nominal);
}

enum tt_solve_verdict tt_solve_next(struct tt_solve *s, double *z,
                                    const double *g, const double *nominal)
{
    struct arrays a;

    carve(&s->o, s->n, s->data, &a);
    s->count++;
    if (s->column < s->n) { /* only Newton probes */
        take_probe(s, &a, z, g, nominal);
        return TT_SOLVE_AGAIN;
    }
    measure(s, z, g, nominal);
    if (s->o.method == TT_SOLVE_AUTO && !(s->worst <= 1))
        return fixed_point_then_newton(s, &a, z, g, nominal);
    if (isnan(s->worst))
        return misled(s, s->worst) ? probe(s, &a, z, nominal) : TT_SOLVE_LOST;
    if (s->worst <= 1 && s->count >= s->o.least)
        return TT_SOLVE_DONE;
    switch (s->o.method) {
    case TT_SOLVE_NONE:
        relax(s, z, g, 1);
        break;
    case TT_SOLVE_RELAX:
        relax(s, z, g, s->o.relax);
        break;
    case TT_SOLVE_AITKEN:
        aitken(s, &a, z, g);
        break;
    case TT_SOLVE_ANDERSON:
        anderson(s, &a, z, g, nominal);
        break;
    case TT_SOLVE_NEWTON:
        return newton(s, &a, z, g, nominal);
    case TT_SOLVE_AUTO:
        break; /* served above */
    }
    return TT_SOLVE_AGAIN;
}

uint32_t tt_solve_count(const struct tt_solve *s)
{
    return s->count;
}

double tt_solve_worst(const struct tt_solve *s, uint32_t *index)
{
    *index = s->worst_i;
    return s->worst;
}

int tt_solve_probing(const struct tt_solve *s)
{
    return s->column < s->n;
}

const char *tt_solve_method_name(enum tt_solve_method m)
{
    static const char *const name[] = {"none",   "relax",
                                       "aitken", "anderson",
                                       "newton", "fixed point, then newton"};

    return name[m];
}
