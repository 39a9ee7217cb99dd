/* SPDX-License-Identifier: MIT */
#include "analysis/radius.h"

#include <math.h>
#include <stdio.h>

#define OPEN_TIMES   6u
#define HIDDEN_TIMES 28u

/* Answers in proportion to within this are those of an affine system. */
#define PROPORTION    1e-6
/* What is farther from proportion, or from a matrix, is not described by one.
 */
#define NO_PROPORTION 1e-2
#define NO_MATRIX     1e-3
/* Instances that answer by less than this otherwise than their derivatives do
 * are taken to be solved exactly. */
#define SOLVED        1e-4
/* Of nominals: changes that what is not linear answers in proportion. */
#define SMALL         1e-4
/* What bends more than this within a step its derivatives do not describe. */
#define BEND          0.1
/* A matrix that leaves less than this is taken. */
#define MATRIX        1e-8
/* Nearer to 1 than this is 1. */
#define NEAR          1e-9

const char *tt_stability_name(enum tt_stability s)
{
    static const char *const name[] = {"unknown", "stable", "unstable",
                                       "marginal"};

    return name[s];
}

/* How far answers to what was moved in both are from each other, relative, in
 * the first `times` instants. inputs: of states moved at the start, which was
 * not the same, nothing counts. */
static double apart(const struct tt_response *a, const struct tt_response *b,
                    uint32_t times, int inputs)
{
    uint32_t in_a = 0, in_b = 0;
    double off = 0, size = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        const double *x = tt_response_at(a, in_a, 0);
        const double *y = tt_response_at(b, in_b, 0);
        int both = a->number[i].movable && b->number[i].movable &&
                   !(inputs && a->number[i].of == TT_PROBE_STATE);

        for (size_t k = 0; both && k < (size_t)a->n * times; k++) {
            off = fmax(off, fabs(x[k] - y[k]));
            size = fmax(size, fabs(x[k]));
        }
        in_a += (uint32_t)(a->number[i].movable != 0);
        in_b += (uint32_t)(b->number[i].movable != 0);
    }
    return size > 0 ? off / size : (double)INFINITY;
}

/* The fewest instants that determine what follows. */
static enum tt_code find_fit(struct tt_radius *out, tt_err *err)
{
    static const uint32_t instants[] = {1, 2, 3, 5, 8, 12};
    const struct tt_response *r = &out->response;
    double floor = fmin(fmax(30 * r->error, 1e-10), 1e-3);
    int once = !out->affine && !out->identified && !out->tangent;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < sizeof(instants) / sizeof(*instants) &&
                         2 * instants[i] < r->n_time;
         i++) {
        struct tt_fit one = {0};

        rc = tt_fit_make(&one, r, instants[i], once, floor, err);
        if (rc != TT_OK)
            return rc;
        if (out->fit.re && out->fit.residual <= one.residual) {
            tt_fit_fini(&one);
            continue;
        }
        tt_fit_fini(&out->fit);
        out->fit = one;
        if (one.residual < fmax(MATRIX, 30 * r->error))
            break;
    }
    return rc;
}

/* What is not linear answers otherwise a step later, which linearised selves do
 * not know of. Do they answer to small changes as it does, in the first step
 * and but for that? If so they are replaced by those of a step later: what is
 * read begins there. */
static int answers_near(struct tt_radius *out, const struct tt_case *tangent,
                        struct tt_response *r)
{
    struct tt_case itself = *tangent, after = *tangent;
    struct tt_radius before = {.tangent = 1};
    struct tt_response small = {0}, later = {0};
    double bend = (double)NAN;
    int near;

    itself.tangent = TT_TANGENT_NOT;
    after.carry += r->step;
    if (tt_response_take(&small, &itself, OPEN_TIMES, SMALL, 1, NULL) ==
            TT_OK &&
        small.error < PROPORTION &&
        tt_response_take(&later, &after, OPEN_TIMES, 1, 1, NULL) == TT_OK)
        bend = apart(r, &later, 1, 1);
    near = bend < BEND && apart(&small, r, 1, 1) < fmax(SOLVED, bend);
    before.response = *r;
    near = near && find_fit(&before, NULL) == TT_OK;
    out->before = before.fit.rho;
    tt_radius_fini(&before);
    tt_response_fini(&small);
    *r = later;
    r->time -= r->step;
    return near;
}

/* Hidden states that instances give derivatives of: their linearised selves in
 * their place, if these answer as the instances do (real), whose own solvers
 * are not in derivatives. Returns whether that is all of them. */
static int find_tangent(struct tt_radius *out, const struct tt_case *c,
                        const struct tt_response *real)
{
    struct tt_case tangent = *c;
    struct tt_response r = {0};
    int bent = real->error >= PROPORTION, alike;

    if (c->budget > 0)
        return 0; /* it is to be cheap */
    tangent.tangent =
        bent || c->carry > 0 ? TT_TANGENT_LATE : TT_TANGENT_AT_START;
    if (tt_response_take(&r, &tangent, OPEN_TIMES, 1, 1, NULL) != TT_OK)
        return 0;
    alike = !r.hidden && r.error < PROPORTION &&
            (bent ? answers_near(out, &tangent, &r)
                  : apart(real, &r, OPEN_TIMES, c->carry > 0) < SOLVED);
    if (!alike) {
        tt_response_fini(&r);
        return 0;
    }
    out->response = r;
    out->tangent = 1;
    return 1;
}

/* Large changes first: of an affine system they drown rounding. What fails
 * under them, because they lead to where an instance has no values or a loop
 * does not converge, may bear smaller ones. */
static enum tt_code find_response(struct tt_radius *out,
                                  const struct tt_case *c, tt_err *err)
{
    static const double size[] = {1, 1e-2, 1e-4};
    struct tt_response *best = &out->response;
    uint32_t times = OPEN_TIMES;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < sizeof(size) / sizeof(*size); i++) {
        struct tt_response one = {0};

        rc = tt_response_take(&one, c, times, size[i], 1, err);
        if (rc == TT_OK && one.hidden && times == OPEN_TIMES) {
            int done = find_tangent(out, c, &one);

            tt_response_fini(&one);
            if (done)
                return TT_OK;
            times = HIDDEN_TIMES;
            rc = tt_response_take(&one, c, times, size[i], 1, err);
        }
        if (rc == TT_EUNIT)
            continue;
        if (rc != TT_OK)
            return rc;
        if (best->number && best->error <= one.error) {
            tt_response_fini(&one);
            continue;
        }
        tt_response_fini(best);
        *best = one;
        out->affine = i == 0 && one.error < PROPORTION;
        if (one.error < PROPORTION)
            break;
    }
    return best->number ? TT_OK : rc;
}

/* How much rho depends on directions that stand out of the noise a little. */
static double doubt(const struct tt_radius *r)
{
    double floor = fmin(1e3 * fmax(r->response.error, 1e-12), 1e-3);
    struct tt_fit other = {0};
    double off = 0;

    if (r->affine || r->identified || r->tangent)
        return 0;
    if (tt_fit_make(&other, &r->response, r->fit.instants, 1, floor, NULL) ==
            TT_OK &&
        other.order < r->fit.order)
        off = fabs(other.rho - r->fit.rho);
    tt_fit_fini(&other);
    return off;
}

static enum tt_stability judge(double rho, double error)
{
    double near = fmax(NEAR, 3 * error);

    if (rho > 1 + near)
        return TT_STABILITY_UNSTABLE;
    return rho < 1 - near ? TT_STABILITY_STABLE : TT_STABILITY_MARGINAL;
}

/* Where states are hidden, one matrix must do for all instants that are read.
 */
static enum tt_code check_lasting(const struct tt_radius *r,
                                  const struct tt_case *c, tt_err *err)
{
    struct tt_case after = *c;
    struct tt_response later = {0};
    uint32_t n = r->response.n_time;
    enum tt_code rc;

    if (!r->identified || r->affine)
        return TT_OK;
    after.carry += n * r->step;
    rc = tt_response_take(&later, &after, n, SMALL, 0, err);
    if (rc == TT_OK && !(apart(&r->response, &later, n, 1) < NO_MATRIX))
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "states are hidden, and what follows from inputs changes "
                     "in %u steps, so that no matrix describes it",
                     n);
    tt_response_fini(&later);
    return rc;
}

/* Has it no more answers than a matrix of its order always fits? */
static int is_bare(const struct tt_fit *f)
{
    return f->answers < f->order + f->order / 2 + 1;
}

static enum tt_code find(struct tt_radius *out, const struct tt_case *c,
                         tt_err *err)
{
    const struct tt_response *r = &out->response;
    const struct tt_fit *f = &out->fit;
    enum tt_code rc = find_response(out, c, err);

    if (rc != TT_OK)
        return rc;
    out->identified = r->hidden;
    out->step = r->step;
    out->cost = r->work / r->step;
    if (r->error > NO_PROPORTION)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "instances do not answer in proportion to small "
                       "changes, as with events, modes or noise");
    rc = check_lasting(out, c, err);
    if (rc != TT_OK)
        return rc;
    rc = find_fit(out, err);
    if (rc != TT_OK)
        return rc;
    if (f->residual > NO_MATRIX || (out->identified && is_bare(f)))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "what can be read does not determine what follows");
    out->rho = f->rho;
    /* what is left over is relative */
    out->error = 10 * (f->residual + r->error * 1e-2 + 1e-16) * f->clash *
                 fmax(1, f->rho);
    out->error = fmax(out->error, doubt(out));
    if (out->tangent && out->before > 0)
        out->error = fmax(out->error, 2 * fabs(out->before - out->rho));
    out->verdict = judge(out->rho, out->error);
    return TT_OK;
}

void tt_radius_find(struct tt_radius *out, const struct tt_case *c)
{
    tt_err err = {0};

    *out = (struct tt_radius){
        .rho = (double)NAN, .error = (double)NAN, .cost = (double)NAN};
    if (find(out, c, &err) == TT_OK)
        return;
    out->verdict = TT_STABILITY_UNKNOWN;
    (void)snprintf(out->reason, sizeof(out->reason), "%s", err.msg);
}

void tt_radius_fini(struct tt_radius *r)
{
    tt_response_fini(&r->response);
    tt_fit_fini(&r->fit);
}
