/* SPDX-License-Identifier: MIT */
#include "analysis/algebra.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* Fortran's; lengths of texts come last. */
/* NOLINTBEGIN(readability-identifier-naming): LAPACK's names */
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a,
            const int *lda, double *wr, double *wi, double *vl, const int *ldvl,
            double *vr, const int *ldvr, double *work, const int *lwork,
            int *info, size_t, size_t);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n,
             double *a, const int *lda, double *s, double *u, const int *ldu,
             double *vt, const int *ldvt, double *work, const int *lwork,
             int *info, size_t, size_t);

void dposv_(const char *uplo, const int *n, const int *nrhs, double *a,
            const int *lda, double *b, const int *ldb, int *info, size_t);
/* NOLINTEND(readability-identifier-naming) */

static int is_finite(const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return 0;
    return 1;
}

static enum tt_code refuse(tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "a matrix has a number that is not finite");
}

/* --- eigenvalues -----------------------------------------------------------
 */

uint32_t tt_dominant(uint32_t n, const double *re, const double *im)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (hypot(re[i], im[i]) > hypot(re[best], im[best]))
            best = i;
    return best && im[best] < 0 ? best - 1 : best;
}

enum tt_code tt_eigen(uint32_t n, double *a, double *re, double *im,
                      double *left, double *right, tt_err *err)
{
    int order = (int)n, one = 1, info = 0, room;
    double *work, none;

    if (n == 0)
        return TT_OK;
    if (!is_finite(a, (size_t)n * n))
        return refuse(err);
    room = 8 * order;
    if (!TT_NEW_ARRAY(work, (size_t)room))
        return tt_nomem(err, "a matrix");
    dgeev_(left ? "V" : "N", right ? "V" : "N", &order, a, &order, re, im,
           left ? left : &none, left ? &order : &one, right ? right : &none,
           right ? &order : &one, work, &room, &info, 1, 1);
    tt_free(work);
    if (info != 0)
        return tt_fail(err, TT_EINPUT,
                       "eigenvalues of a matrix of order %u "
                       "were not found",
                       n);
    return TT_OK;
}

double tt_spectral_radius(uint32_t n, const double *a)
{
    double *copy, *value, rho = (double)NAN;
    uint32_t first;

    if (n == 0)
        return 0;
    copy = tt_zalloc((size_t)n * n, sizeof(*copy));
    value = tt_zalloc((size_t)2 * n, sizeof(*value));
    if (copy && value) {
        memcpy(copy, a, (size_t)n * n * sizeof(*copy));
        if (tt_eigen(n, copy, value, value + n, NULL, NULL, NULL) == TT_OK) {
            first = tt_dominant(n, value, value + n);
            rho = hypot(value[first], value[first + n]);
        }
    }
    TT_FREE_ALL(copy, value);
    return rho;
}

/* --- singular values -------------------------------------------------------
 */

enum tt_code tt_svd(uint32_t m, uint32_t n, double *a, double *s, double *u,
                    double *vt, tt_err *err)
{
    int rows = (int)m, columns = (int)n, k = rows < columns ? rows : columns;
    int info = 0, room = 8 * (rows > columns ? rows : columns);
    double *work;

    if (k == 0)
        return TT_OK;
    if (!is_finite(a, (size_t)m * n))
        return refuse(err);
    if (!TT_NEW_ARRAY(work, (size_t)room))
        return tt_nomem(err, "a matrix");
    dgesvd_("S", "S", &rows, &columns, a, &rows, s, u, &rows, vt, &k, work,
            &room, &info, 1, 1);
    tt_free(work);
    return info == 0 ? TT_OK
                     : tt_fail(err, TT_EINPUT,
                               "singular values of %u by %u numbers were not "
                               "found",
                               m, n);
}

int tt_solve_positive(uint32_t n, double *a, double *b)
{
    int order = (int)n, one = 1, info = 0;

    dposv_("L", &order, &one, a, &order, b, &order, &info, 1);
    return info == 0 ? 0 : -1;
}

void tt_multiply(uint32_t m, uint32_t k, uint32_t n, const double *a,
                 const double *b, double *c)
{
    memset(c, 0, (size_t)m * n * sizeof(*c));
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t l = 0; l < k; l++)
            for (uint32_t i = 0; i < m; i++)
                c[i + (size_t)j * m] +=
                    a[i + (size_t)l * m] * b[l + (size_t)j * k];
}

double tt_largest(const double *a, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}
