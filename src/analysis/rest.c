/* SPDX-License-Identifier: MIT */
#include "analysis/rest.h"

#include <math.h>
#include <string.h>

#include "analysis/algebra.h"

#define ROWS 3u /* of a plain run: two for b, one to see whether it stays */
/* What is farther from staying is no part of a step that is always the same. */
#define MUCH 1e-6
/* Eigenvalues nearer to 1 leave no single rest. */
#define NEAR 1e-6

struct work {
    const struct tt_fit *fit;
    uint32_t n;    /* numbers */
    uint32_t used; /* of them the first: states, if these determine the rest */
    double *row;   /* ROWS of n, in nominals */
    double *part;  /* order: in coordinates of the fit */
    double *next;  /* n */
    double *gram;  /* order by order: U' U of what is used */
};

static void put_gram(const struct work *w)
{
    const struct tt_fit *f = w->fit;

    for (uint32_t k = 0; k < f->order; k++)
        for (uint32_t l = 0; l < f->order; l++) {
            double sum = 0;

            for (uint32_t i = 0; i < w->used; i++)
                sum += f->u[i + (size_t)k * f->rows] *
                       f->u[i + (size_t)l * f->rows];
            w->gram[k + (size_t)l * f->order] = sum;
        }
}

/* Coordinates: U c is nearest to what is used of z. Returns 0, or -1: those
 * are not enough. */
static int project(const struct work *w, const double *z, double *out)
{
    const struct tt_fit *f = w->fit;

    for (uint32_t k = 0; k < f->order; k++) {
        out[k] = 0;
        for (uint32_t i = 0; i < w->used; i++)
            out[k] += f->u[i + (size_t)k * f->rows] * z[i];
    }
    put_gram(w);
    return tt_solve_positive(f->order, w->gram, out);
}

/* A z = U a c. Returns as project. */
static int image(const struct work *w, const double *z, double *out)
{
    const struct tt_fit *f = w->fit;
    int rc = project(w, z, w->part);

    memset(out, 0, w->n * sizeof(*out));
    for (uint32_t j = 0; rc == 0 && j < f->order; j++)
        for (uint32_t k = 0; k < f->order; k++)
            for (uint32_t i = 0; i < w->n; i++)
                out[i] += f->u[i + (size_t)j * f->rows] *
                          f->a[j + (size_t)k * f->order] * w->part[k];
    return rc;
}

/* b of one row, and how far that of the next is from it. */
static int find_constant(const struct work *w, struct tt_rest *out)
{
    double off = 0, size = 0;
    int rc = image(w, w->row, w->next);

    for (uint32_t i = 0; i < w->n; i++)
        out->constant[i] = w->row[w->n + i] - w->next[i];
    if (rc == 0)
        rc = image(w, w->row + w->n, w->next);
    for (uint32_t i = 0; i < w->used; i++) {
        double z = w->row[2 * (size_t)w->n + i];

        off = hypot(off, z - w->next[i] - out->constant[i]);
        size = hypot(size, z);
    }
    out->residual = size > 0 ? off / size : off;
    return rc;
}

/* (I - a)' (I - a), and (I - a)' times the difference of the first rows. */
static int put_equations(const struct work *w, double *m, double *rhs)
{
    const struct tt_fit *f = w->fit;
    uint32_t n = f->order;

    for (uint32_t i = 0; i < w->n; i++)
        w->next[i] = w->row[w->n + i] - w->row[i];
    if (project(w, w->next, w->part) != 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        rhs[i] = 0;
        for (uint32_t k = 0; k < n; k++)
            rhs[i] += ((k == i) - f->a[k + (size_t)i * n]) * w->part[k];
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;

            for (uint32_t k = 0; k < n; k++)
                sum += ((k == i) - f->a[k + (size_t)i * n]) *
                       ((k == j) - f->a[k + (size_t)j * n]);
            m[i + (size_t)j * n] = sum;
        }
    }
    return 0;
}

/* Where all that is still to come leads: the first row and U (I - a)^-1 U' of
 * what the first step changed. Returns whether there is such a place. */
static int find_rest(const struct work *w, double *at)
{
    const struct tt_fit *f = w->fit;
    double *m, *x;
    int found = 0;

    for (uint32_t i = 0; i < f->order; i++)
        if (hypot(f->re[i] - 1, f->im[i]) < NEAR)
            return 0;
    if (TT_NEW_ARRAY(m, (size_t)f->order * (f->order + 1))) {
        x = m + (size_t)f->order * f->order;
        found = put_equations(w, m, x) == 0 &&
                tt_solve_positive(f->order, m, x) == 0;
        memcpy(at, w->row, w->n * sizeof(*at));
        for (uint32_t k = 0; found && k < f->order; k++)
            for (uint32_t i = 0; i < w->n; i++)
                at[i] += f->u[i + (size_t)k * f->rows] * x[k];
    }
    tt_free(m);
    return found;
}

static void to_units(const struct tt_response *r, double *v)
{
    for (uint32_t i = 0; i < r->n; i++)
        v[i] *= r->number[i].nominal;
}

static int find(struct tt_rest *out, const struct tt_case *c,
                const struct tt_radius *r, const struct work *w)
{
    if (tt_response_plain(c, &r->response, ROWS, w->row) != TT_OK)
        return 0;
    if (find_constant(w, out) != 0 || !(out->residual < MUCH))
        return 0;
    for (uint32_t i = 0; w->used == w->n && i < w->n; i++)
        out->constant[i] = (double)NAN; /* pasts are in it, too */
    if (!find_rest(w, out->at)) {
        tt_free(out->at);
        out->at = NULL;
    }
    to_units(&r->response, out->constant);
    if (out->at)
        to_units(&r->response, out->at);
    out->n = w->n;
    return 1;
}

void tt_rest_find(struct tt_rest *out, const struct tt_case *c,
                  const struct tt_radius *r)
{
    struct work w = {.fit = &r->fit, .n = r->response.n};
    int found = 0;

    while (w.used < w.n && r->response.number[w.used].of == TT_PROBE_STATE)
        w.used++;
    if (r->fit.order > w.used)
        w.used = w.n;
    *out = (struct tt_rest){0};
    if (!r->affine || r->fit.instants != 1)
        return;
    if (TT_NEW_ARRAY(w.row, (size_t)ROWS * w.n) &&
        TT_NEW_ARRAY(w.part, r->fit.order) &&
        TT_NEW_ARRAY(w.gram, (size_t)r->fit.order * r->fit.order) &&
        TT_NEW_ARRAY(w.next, w.n) && TT_NEW_ARRAY(out->constant, w.n) &&
        TT_NEW_ARRAY(out->at, w.n))
        found = find(out, c, r, &w);
    TT_FREE_ALL(w.row, w.part, w.next, w.gram);
    if (!found)
        tt_rest_fini(out);
}

void tt_rest_fini(struct tt_rest *r)
{
    TT_FREE_ALL(r->constant, r->at);
    *r = (struct tt_rest){0};
}
