/* SPDX-License-Identifier: MIT */
#include "numerics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/num.h"

struct matrix product(const struct matrix *a, const struct matrix *b)
{
    struct matrix c = {.n = a->n};

    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->n; j++)
            for (size_t k = 0; k < a->n; k++)
                c.a[i][j] += a->a[i][k] * b->a[k][j];
    return c;
}

static struct matrix identity(size_t n)
{
    struct matrix c = {.n = n};

    for (size_t i = 0; i < n; i++)
        c.a[i][i] = 1;
    return c;
}

static struct matrix scaled(const struct matrix *a, double factor)
{
    struct matrix c = *a;

    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->n; j++)
            c.a[i][j] *= factor;
    return c;
}

static void add(struct matrix *to, const struct matrix *a)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->n; j++)
            to->a[i][j] += a->a[i][j];
}

static double norm(const struct matrix *a)
{
    double sum = 0;

    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->n; j++)
            sum += fabs(a->a[i][j]);
    return sum;
}

struct matrix exponential(const struct matrix *a, double t)
{
    enum { TERMS = 20 };
    struct matrix x = scaled(a, t);
    struct matrix sum = identity(a->n), term = sum;
    int halvings = 0;

    for (double size = norm(&x); size > 0.5; size /= 2)
        halvings++;
    x = scaled(&x, ldexp(1, -halvings));
    for (int i = 1; i < TERMS; i++) {
        term = product(&term, &x);
        term = scaled(&term, 1.0 / i);
        add(&sum, &term);
    }
    for (int i = 0; i < halvings; i++)
        sum = product(&sum, &sum);
    return sum;
}

void apply(const struct matrix *m, double *x)
{
    double y[MATRIX_MAX] = {0};

    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            y[i] += m->a[i][j] * x[j];
    for (size_t i = 0; i < m->n; i++)
        x[i] = y[i];
}

void characteristic(const struct matrix *a, double *c)
{
    size_t n = a->n;
    struct matrix m = {.n = n};
    double last = 1; /* coefficient of s^(n-k+1) */

    for (size_t k = 1; k <= n; k++) {
        struct matrix am;
        double trace = 0;

        m = product(a, &m);
        for (size_t i = 0; i < n; i++)
            m.a[i][i] += last;
        am = product(a, &m);
        for (size_t i = 0; i < n; i++)
            trace += am.a[i][i];
        last = -trace / (double)k;
        c[n - k] = last;
    }
}

double complex eigenvalue(const struct matrix *a, double complex guess)
{
    enum { ITERATIONS = 50 };
    double c[MATRIX_MAX];
    double complex s = guess;

    characteristic(a, c);
    for (int k = 0; k < ITERATIONS; k++) {
        double complex value = 1, slope = 0;

        for (size_t i = a->n; i-- > 0;) {
            slope = slope * s + value;
            value = value * s + c[i];
        }
        s -= value / slope;
    }
    return s;
}

void check_near(double a, double b, double tolerance, const char *claim,
                const char *file, int line)
{
    char text[3][TT_NUM_MAX];

    if (fabs(a - b) <= tolerance)
        return;
    (void)tt_num_print_short(text[0], a);
    (void)tt_num_print_short(text[1], b);
    (void)tt_num_print_short(text[2], tolerance);
    print_error("%s: %s and %s differ by more than %s\n", claim, text[0],
                text[1], text[2]);
    _fail(file, line);
}

double observed_order(double coarse, double fine)
{
    return log2(coarse / fine);
}

double fitted_order(const double *h, const double *error, size_t n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, count = (double)n;

    for (size_t i = 0; i < n; i++) {
        double x = log(h[i]), y = log(error[i]);

        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}
