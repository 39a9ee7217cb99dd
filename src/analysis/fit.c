/* SPDX-License-Identifier: MIT */
#include "analysis/fit.h"

#include <math.h>
#include <string.h>

#include "analysis/algebra.h"

/* Answers that have faded to this part of the largest are left out: only
 * rounding is left of them. */
#define FADED 1e-6

struct work {
    const struct tt_response *r;
    uint32_t instants, rows, columns, rank;
    int at_once;
    double *now, *next;       /* rows by columns: W, and W a step later */
    double *u, *s, *vt;       /* now = u s vt */
    double *a, *left, *right; /* rank by rank */
};

/* --- snapshots -------------------------------------------------------------
 */

static double norm(const double *a, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = hypot(sum, a[i]);
    return sum;
}

/* Instants of one cause follow each other, so that a window is one piece. Of
 * equal weight are all that have not faded. */
static void add_window(struct work *w, const double *at, double scale)
{
    double *now = w->now + (size_t)w->columns * w->rows;
    double *next = w->next + (size_t)w->columns * w->rows;

    for (uint32_t i = 0; i < w->rows; i++) {
        now[i] = at[i] / scale;
        next[i] = at[i + w->r->n] / scale;
    }
    w->columns++;
}

static void add_cause(struct work *w, uint32_t cause, double most)
{
    for (uint32_t k = 0; k + w->instants < w->r->n_time; k++) {
        const double *at = tt_response_at(w->r, cause, k);
        double size = norm(at, w->rows);

        if (!(size > FADED * most) || size == 0)
            continue;
        most = fmax(most, size);
        add_window(w, at, size);
        if (w->at_once)
            return;
    }
}

static enum tt_code collect(struct work *w, tt_err *err)
{
    size_t room = (size_t)w->r->n_cause * w->r->n_time;
    double most = 0;

    w->rows = w->r->n * w->instants;
    if (!TT_NEW_ARRAY(w->now, w->rows * room) ||
        !TT_NEW_ARRAY(w->next, w->rows * room))
        return tt_nomem(err, "the analysis");
    for (uint32_t c = 0; c < w->r->n_cause; c++)
        most = fmax(most, norm(tt_response_at(w->r, c, 0), w->rows));
    for (uint32_t c = 0; c < w->r->n_cause; c++)
        add_cause(w, c, most);
    if (w->columns == 0)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "nothing answers to what was moved");
    return TT_OK;
}

/* --- the matrix ------------------------------------------------------------
 */

static enum tt_code decompose(struct work *w, double floor, tt_err *err)
{
    uint32_t k = w->rows < w->columns ? w->rows : w->columns;
    size_t size = (size_t)w->rows * w->columns;
    double *copy;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(w->u, (size_t)w->rows * k) || !TT_NEW_ARRAY(w->s, k) ||
        !TT_NEW_ARRAY(w->vt, (size_t)w->columns * k) ||
        !TT_NEW_ARRAY(copy, size))
        return tt_nomem(err, "the analysis");
    memcpy(copy, w->now, size * sizeof(*copy));
    rc = tt_svd(w->rows, w->columns, copy, w->s, w->u, w->vt, err);
    tt_free(copy);
    while (rc == TT_OK && w->rank < k && w->s[w->rank] > floor * w->s[0])
        w->rank++;
    /* k rows of vt: those of the rank together */
    for (uint32_t j = 1; rc == TT_OK && j < w->columns; j++)
        memmove(w->vt + (size_t)j * w->rank, w->vt + (size_t)j * k,
                w->rank * sizeof(*w->vt));
    return rc;
}

/* u' next, rank by columns: the snapshots a step later, in coordinates. */
static void project(const struct work *w, double *out)
{
    for (uint32_t j = 0; j < w->columns; j++) {
        for (uint32_t i = 0; i < w->rank; i++) {
            const double *u = w->u + (size_t)i * w->rows;
            const double *next = w->next + (size_t)j * w->rows;
            double sum = 0;

            for (uint32_t l = 0; l < w->rows; l++)
                sum += u[l] * next[l];
            out[i + (size_t)j * w->rank] = sum;
        }
    }
}

/* a = (u' next) v s^-1 */
static void solve(struct work *w, const double *projected)
{
    uint32_t n = w->rank;

    memset(w->a, 0, (size_t)n * n * sizeof(*w->a));
    for (uint32_t j = 0; j < w->columns; j++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < n; i++)
                w->a[i + (size_t)k * n] += projected[i + (size_t)j * n] *
                                           w->vt[k + (size_t)j * n] / w->s[k];
}

/* Column j of a s vt. */
static void predict(const struct work *w, uint32_t j, double *out)
{
    uint32_t n = w->rank;

    memset(out, 0, n * sizeof(*out));
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            out[i] +=
                w->a[i + (size_t)k * n] * w->s[k] * w->vt[k + (size_t)j * n];
}

/* |next - u a s vt| / |next| */
static double residual(const struct work *w, double *scratch)
{
    double off = 0, all = 0;

    for (uint32_t j = 0; j < w->columns; j++) {
        const double *next = w->next + (size_t)j * w->rows;

        predict(w, j, scratch);
        for (uint32_t l = 0; l < w->rows; l++) {
            double sum = next[l];

            for (uint32_t i = 0; i < w->rank; i++)
                sum -= w->u[l + (size_t)i * w->rows] * scratch[i];
            off = hypot(off, sum);
            all = hypot(all, next[l]);
        }
    }
    return all > 0 ? off / all : 0;
}

static enum tt_code find_matrix(struct work *w, tt_err *err)
{
    size_t n2 = (size_t)w->rank * w->rank;
    double *projected;

    if (!TT_NEW_ARRAY(projected, (size_t)w->rank * w->columns) ||
        !TT_NEW_ARRAY(w->a, n2) || !TT_NEW_ARRAY(w->left, n2) ||
        !TT_NEW_ARRAY(w->right, n2)) {
        tt_free(projected);
        return tt_nomem(err, "the analysis");
    }
    project(w, projected);
    solve(w, projected);
    tt_free(projected);
    return TT_OK;
}

/* --- its dominant mode -----------------------------------------------------
 */

/* Real and imaginary part of row i of u times the vector of the mode. */
static void row_of(const struct work *w, const double *vector, int pair,
                   uint32_t i, double out[2])
{
    out[0] = out[1] = 0;
    for (uint32_t k = 0; k < w->rank; k++) {
        double u = w->u[i + (size_t)k * w->rows];

        out[0] += u * vector[k];
        if (pair)
            out[1] += u * vector[k + w->rank];
    }
}

/* |left| |right| / |left' right|: 1 for a mode at right angles to others. */
static double clash(const struct work *w, const struct tt_fit *f)
{
    const double *l = w->left + (size_t)f->first * w->rank;
    const double *r = w->right + (size_t)f->first * w->rank;
    int pair = f->im[f->first] != 0;
    double re = 0, im = 0, size;

    for (uint32_t k = 0; k < w->rank; k++) {
        double li = pair ? l[k + w->rank] : 0, ri = pair ? r[k + w->rank] : 0;

        re += l[k] * r[k] + li * ri;
        im += l[k] * ri - li * r[k];
    }
    size = norm(l, (size_t)w->rank * (pair ? 2 : 1)) *
           norm(r, (size_t)w->rank * (pair ? 2 : 1));
    return size / hypot(re, im);
}

static enum tt_code find_mode(const struct work *w, struct tt_fit *f,
                              tt_err *err)
{
    const double *l = w->left + (size_t)f->first * w->rank;
    const double *r = w->right + (size_t)f->first * w->rank;
    int pair = f->im[f->first] != 0;
    double sum = 0;

    if (!TT_NEW_ARRAY(f->mode, w->r->n) || !TT_NEW_ARRAY(f->part, w->r->n))
        return tt_nomem(err, "the analysis");
    for (uint32_t i = 0; i < w->rows; i++) {
        double a[2], b[2];

        row_of(w, r, pair, i, a);
        row_of(w, l, pair, i, b);
        if (i < w->r->n)
            f->mode[i] = hypot(a[0], a[1]);
        f->part[i % w->r->n] += hypot(a[0], a[1]) * hypot(b[0], b[1]);
        sum += hypot(a[0], a[1]) * hypot(b[0], b[1]);
    }
    for (uint32_t i = 0; i < w->r->n && sum > 0; i++)
        f->part[i] /= sum;
    f->clash = clash(w, f);
    return TT_OK;
}

static enum tt_code find_eigenvalues(struct work *w, struct tt_fit *f,
                                     tt_err *err)
{
    enum tt_code rc;

    f->order = w->rank;
    f->answers = w->columns;
    f->condition = w->s[0] / w->s[w->rank - 1];
    if (!TT_NEW_ARRAY(f->re, w->rank) || !TT_NEW_ARRAY(f->im, w->rank))
        return tt_nomem(err, "the analysis");
    f->residual = residual(w, f->re);
    f->rows = w->rows;
    if (!TT_NEW_ARRAY(f->a, (size_t)w->rank * w->rank))
        return tt_nomem(err, "the analysis");
    memcpy(f->a, w->a, (size_t)w->rank * w->rank * sizeof(*f->a));
    rc = tt_eigen(w->rank, w->a, f->re, f->im, w->left, w->right, err);
    if (rc != TT_OK)
        return rc;
    f->first = tt_dominant(w->rank, f->re, f->im);
    f->rho = hypot(f->re[f->first], f->im[f->first]);
    return find_mode(w, f, err);
}

enum tt_code tt_fit_make(struct tt_fit *out, const struct tt_response *r,
                         uint32_t instants, int at_once, double floor,
                         tt_err *err)
{
    struct work w = {.r = r, .instants = instants, .at_once = at_once};
    struct tt_fit f = {.instants = instants};
    enum tt_code rc = collect(&w, err);

    if (rc == TT_OK)
        rc = decompose(&w, floor, err);
    if (rc == TT_OK)
        rc = find_matrix(&w, err);
    if (rc == TT_OK)
        rc = find_eigenvalues(&w, &f, err);
    f.u = w.u;
    TT_FREE_ALL(w.now, w.next, w.s, w.vt, w.a, w.left, w.right);
    return TT_HAND_OVER_VALUE(rc, out, f, tt_fit_fini);
}

void tt_fit_fini(struct tt_fit *f)
{
    TT_FREE_ALL(f->a, f->u, f->re, f->im, f->mode, f->part);
    *f = (struct tt_fit){0};
}
