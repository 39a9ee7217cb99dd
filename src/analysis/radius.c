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

/* How far answers to what was moved in both are from each other, relative. */
static double apart(const struct tt_response *a, const struct tt_response *b)
{
    uint32_t in_a = 0, in_b = 0;
    double off = 0, size = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        const double *x = tt_response_at(a, in_a, 0);
        const double *y = tt_response_at(b, in_b, 0);
        int both = a->number[i].movable && b->number[i].movable;

        for (size_t k = 0; both && k < (size_t)a->n * a->n_time; k++) {
            off = fmax(off, fabs(x[k] - y[k]));
            size = fmax(size, fabs(x[k]));
        }
        in_a += (uint32_t)(a->number[i].movable != 0);
        in_b += (uint32_t)(b->number[i].movable != 0);
    }
    return size > 0 ? off / size : (double)INFINITY;
}

/* Hidden states that instances give derivatives of: their linearised selves in
 * their place, if these answer as the instances do (real), whose own solvers
 * are not in derivatives. Returns whether that is all of them. */
static int find_tangent(struct tt_radius *out, const struct tt_case *c,
                        const struct tt_response *real)
{
    struct tt_case tangent = *c;
    struct tt_response r = {0};

    if (c->carry > 0 || c->budget > 0)
        return 0; /* not at the start, or it is to be cheap */
    tangent.tangent = 1;
    if (tt_response_take(&r, &tangent, OPEN_TIMES, 1, 1, NULL) != TT_OK)
        return 0;
    if (r.hidden || r.error > PROPORTION || !(apart(real, &r) < SOLVED)) {
        tt_response_fini(&r);
        return 0;
    }
    out->response = r;
    out->tangent = 1;
    return 1;
}

/* Large changes first: of an affine system they drown rounding. */
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
    return rc;
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
