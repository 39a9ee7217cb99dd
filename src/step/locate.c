/* SPDX-License-Identifier: MIT */
/* Crossings of zero, located: the step is repeated, shorter or longer, until it
 * ends behind the crossing by no more than a tolerance.
 *
 * The next attempt is chosen by ITP (Oliveira and Takahashi 2020, "An
 * Enhancement of the Bisection Method Average Performance Preserving Minmax
 * Optimality"): regula falsi, pushed towards the middle, and never farther from
 * it than bisection would be after one attempt more. So a function that leaps
 * takes one attempt more than bisection, a smooth one a handful.
 *
 * A crossing is looked for in (t0, t1]: one exactly at t1 is of this step, and
 * not of the next. */
#include "step/policy_impl.h"

#include <float.h>
#include <math.h>

#define ITP_PUSH  0.01 /* kappa 1, of the first bracket; kappa 2 is 2 */
#define ITP_SLACK 1    /* n0: attempts more than bisection takes */
#define NEXT      0.25 /* of the time between two crossings: the step after one */
#define SMOOTH                                                                 \
    0.01 /* of the value before: what is left behind a crossing                \
            that is no leap */

static double f_of(const struct tt_policy *p, const struct member *m,
                   const double *v)
{
    return v[tt_policy_ports(p, m)[0]];
}

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

static double tolerance_at(const struct member *m, double t)
{
    return fmax(m->locate.tolerance, tt_policy_instant_tol(t, 0));
}

/* From the side where it was seen last to the other one, or onto zero. */
static int crosses(const struct member *m, double f)
{
    if (m->side < 0)
        return m->locate.up && f >= 0;
    return m->side > 0 && m->locate.down && f <= 0;
}

/* --- the next attempt ------------------------------------------------------
 */

static double next_trial(const struct tt_policy_hunt *h, double tol)
{
    double width = h->b - h->a, half = h->a + width / 2;
    double falsi = h->a + width * (h->fa / (h->fa - h->fb));
    /* by less it would not end the search, where the estimate is right */
    double push = fmax(ITP_PUSH * width * width / h->span, 0.45 * tol);
    double to = half - falsi, x;
    double most = ceil(log2(h->span / tol)) + ITP_SLACK;
    double reach =
        ldexp(tol / 2, (int)most - (int)(h->trials - h->enclosed)) - width / 2;

    x = push <= fabs(to) ? falsi + copysign(push, to) : half;
    if (fabs(x - half) > reach)
        x = half - copysign(fmax(reach, 0), to);
    return x > h->a && x < h->b ? x : half;
}

/* Is this the first crossing of all, which is to be passed? */
static int is_shifted(const struct tt_policy *p, const struct member *m)
{
    for (uint32_t i = 0; m->locate.shift > 0 && i < p->n; i++)
        if (p->members[i].kind == TT_POLICY_LOCATE && p->members[i].crossings.n)
            return 0;
    return m->locate.shift > 0;
}

/* What the attempt at t1 states of a crossing. Returns where the next one is to
 * end; 0: nothing is to be done. *found: it is behind a crossing. */
static double look(const struct tt_policy *p, const struct member *m,
                   const struct tt_policy_evidence *ev,
                   struct tt_policy_hunt *h, int *found)
{
    double f = f_of(p, m, ev->v1), tol = tolerance_at(m, ev->t1);

    *found = crosses(m, f);
    if (h->shifted)
        return 0;
    if (!h->trials++) {
        h->a = ev->t0;
        h->fa = f_of(p, m, ev->v0);
    }
    if (*found) {
        h->b = ev->t1;
        h->fb = f;
        if (!h->enclosed) {
            h->span = h->b - h->a;
            h->enclosed = h->trials;
        }
        if (h->b - h->a > tol)
            return next_trial(h, tol);
        h->shifted = is_shifted(p, m);
        return h->shifted ? h->b + m->locate.shift : 0;
    }
    if (ev->t1 < h->a)
        return 0; /* something else wants a shorter step than has been tried */
    h->a = ev->t1;
    h->fa = f;
    if (!h->enclosed)
        return 0;
    return h->b - h->a > tol ? next_trial(h, tol) : h->b;
}

/* The nearest of several crossings comes first, and of those behind the end of
 * this attempt only if there is none before. */
struct tt_policy_ruling
tt_policy_rule_crossings(const struct tt_policy *p,
                         const struct tt_policy_evidence *ev,
                         const struct tt_policy_ruling *r)
{
    struct tt_policy_ruling again = {
        .verdict = TT_POLICY_RETRY, .reason = TT_POLICY_LOCATING, .exact = 1};
    int any = 0;

    if (!ev->hunt || !ev->can_roll_back)
        return *r;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct member *m = &p->members[i];
        int found;
        double t;

        if (m->kind != TT_POLICY_LOCATE || !m->side)
            continue;
        t = look(p, m, ev, &ev->hunt[i], &found);
        if (found && !any)
            again.t1 = 0;
        any |= found;
        if (t == 0 || (any && !found) || (again.t1 != 0 && t >= again.t1))
            continue;
        again.t1 = t;
        again.by = i;
        again.value = ev->hunt[i].a;
        again.limit = ev->hunt[i].b;
        again.scout = again.limit - again.value > tolerance_at(m, again.t1);
    }
    if (again.t1 == 0 && ev->scout)
        return tt_policy_rule_scout(p, ev);
    again.h = again.t1 - ev->t0;
    return again.t1 != 0 ? again : *r;
}

/* What was found stands when all have come there. */
struct tt_policy_ruling
tt_policy_rule_scout(const struct tt_policy *p,
                     const struct tt_policy_evidence *ev)
{
    return (struct tt_policy_ruling){.verdict = TT_POLICY_RETRY,
                                     .reason = TT_POLICY_LOCATING,
                                     .by = p->by,
                                     .h = ev->t1 - ev->t0,
                                     .t1 = ev->t1,
                                     .exact = 1,
                                     .value = ev->t1,
                                     .limit = ev->t1};
}

/* --- where steps cannot be taken back ------------------------------------- */

/* The value may come back at once, as a ball does that bounces less high each
 * time: a step across that would see nothing of it. */
static double after_crossing(const struct member *m)
{
    return fmax(NEXT * m->crossings.interval, m->locate.tolerance);
}

/* Along a line and along a parabola it is reached at two times: the difference
 * is kept away from it, since a crossing that is passed is late, and one that
 * is not reached is foretold anew from nearer. */
static double propose(const struct tt_policy *p, struct member *m)
{
    const struct track *k = &tt_policy_ctracks(p)[tt_policy_ports(p, m)[0]];
    struct course c = {.f = k->x, .d = k->d, .dd = k->dd};
    double line = -c.f / c.d, curve = c.dd != 0 ? tt_policy_root(&c) : line;
    double near;

    if (m->crossings.fired)
        return after_crossing(m);
    if (!m->locate.predicts || p->points < 2 || !crosses(m, -k->x) ||
        !(line > 0))
        return (double)INFINITY;
    if (p->points < 3 || isinf(curve))
        near = line / 2;
    else
        near = fmin(line, curve) - fabs(line - curve);
    if (near < m->locate.tolerance) /* it is there */
        near = fmin(line, curve);
    return fmax(near, m->locate.tolerance);
}

/* --- histories -------------------------------------------------------------
 */

/* Behind a crossing the value may go back across zero within the tolerance:
 * it counts again when it has left that band. */
static void arm(struct member *m, double f)
{
    if (!(fabs(f) > m->band))
        return;
    m->side = sign(f);
    m->band = 0;
}

void tt_policy_begin_crossing(struct member *m, double f)
{
    if (m->side && sign(f) != m->side)
        m->side = 0; /* it leapt there, or onto zero */
    arm(m, f);
}

static void account(const struct tt_policy *p, struct member *m,
                    const struct tt_policy_evidence *ev,
                    const struct tt_policy_hunt *h)
{
    double f0 = f_of(p, m, ev->v0), f1 = f_of(p, m, ev->v1);
    struct tt_policy_crossings *c = &m->crossings;
    double late = (ev->t1 - ev->t0) * (f1 / (f1 - f0));

    c->fired = m->side < 0 ? 1 : -1;
    c->interval = ev->t1 - (c->n++ ? c->at : p->lim.start);
    c->at = ev->t1;
    c->error = 0;
    c->late = 0;
    if (h && h->enclosed) {
        c->error = h->b - h->a;
        c->trials += h->trials - 1;
    } else if (f1 != 0) {
        c->late = late;
        c->n_late++;
    }
    c->error_most = fmax(c->error_most, c->error);
    c->late_most = fmax(c->late_most, c->late);
    c->late_sum += c->late;
}

static void commit(const struct tt_policy *p, struct member *m,
                   const struct tt_policy_evidence *ev)
{
    const struct tt_policy_hunt *h =
        ev->hunt ? &ev->hunt[m - p->members] : NULL;
    double f0 = f_of(p, m, ev->v0), f1 = f_of(p, m, ev->v1);

    m->crossings.fired = 0;
    if (crosses(m, f1)) {
        account(p, m, ev, h);
        m->side = 0;
        m->band = fabs(f1) < SMOOTH * fabs(f0) ? 2 * fabs(f1) : 0;
    }
    arm(m, f1);
}

static int crossed(const struct tt_policy *p, const struct member *m,
                   const struct tt_policy_evidence *ev)
{
    return crosses(m, f_of(p, m, ev->v1));
}

void tt_policy_silence(struct tt_policy *p, uint32_t i)
{
    p->members[i].locate.up = p->members[i].locate.down = 0;
    p->members[i].crossings.silent = 1;
}

struct tt_policy_crossings tt_policy_crossed(const struct tt_policy *p,
                                             uint32_t i)
{
    return p->members[i].crossings;
}

static enum tt_code check(const struct tt_policy_limits *lim,
                          const struct tt_policy_opts *o, tt_err *err)
{
    if (o->n_ports != 1 || o->ports[0] >= lim->n_watched)
        return tt_fail(err, TT_EINPUT, "needs one watched port");
    if (!(o->locate.tolerance >= 0))
        return tt_fail(err, TT_EINPUT, "tolerance must be positive");
    return TT_OK;
}

const struct policy_ops tt_policy_locate_ops = {
    TT_HOOKS(, check, propose, commit, crossed)};
