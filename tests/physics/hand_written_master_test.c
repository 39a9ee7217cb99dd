/* SPDX-License-Identifier: MIT */
/*
 * A master from a file against theory: the same scheme in matrices, its order,
 * and the leading term of its error (examples/hand-written-master).
 *
 * With the units' own matrix B and what couples them, K, the system is
 * x' = A x, A = B + K, and a unit whose input is held makes
 * x -> e^(B h) x + int_0^h e^(B s) ds K z of the held z.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define FOLDER   "hand-written-master/"
#define SCENARIO FOLDER "scenario.json"
#define MIDPOINT "--score", TT_BUILD_DIR "/examples/" FOLDER "midpoint.json"
#define N        4

/* States x1, v1, x2, v2; F = x2 - x1 + v2 - v1. */
static const struct matrix own = {
    N, {{0, 1, 0, 0}, {-5, -1, 0, 0}, {0, 0, 0, 1}, {0, 0, -1.1, -1}}};
static const struct matrix couples = {
    N, {{0, 0, 0, 0}, {-1, -1, 1, 1}, {0, 0, 0, 0}, {1, 1, 0, 0}}};

static struct matrix sum(double a, const struct matrix *x, double b,
                         const struct matrix *y)
{
    struct matrix m = {.n = x->n};

    for (size_t i = 0; i < m.n; i++)
        for (size_t k = 0; k < m.n; k++)
            m.a[i][k] = a * x->a[i][k] + b * y->a[i][k];
    return m;
}

/* [[a, b], [0, d]], and the block b of such a matrix. */
static struct matrix blocks(const struct matrix *a, const struct matrix *b,
                            const struct matrix *d)
{
    struct matrix m = {.n = 2 * N};

    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            m.a[i][k] = a->a[i][k];
            m.a[i][N + k] = b->a[i][k];
            m.a[N + i][N + k] = d->a[i][k];
        }
    return m;
}

/* x := e^(B h) x + int_0^h e^(B s) ds K z */
static void step(double h, const double *z, double *x)
{
    static const struct matrix zero = {.n = N};
    struct matrix m = blocks(&own, &couples, &zero), e = exponential(&m, h);
    double both[2 * N];

    memcpy(both, x, N * sizeof(*x));
    memcpy(both + N, z, N * sizeof(*z));
    apply(&e, both);
    memcpy(x, both, N * sizeof(*x));
}

/* Half a step on the values of T0, then a whole one on those of the middle. */
static void midpoint(double h, double *x)
{
    double middle[N], start[N];

    memcpy(start, x, sizeof(start));
    memcpy(middle, x, sizeof(middle));
    step(h / 2, start, middle);
    step(h, middle, x);
}

/* The error's leading term at t, without its h^2: the integral over s of
 * e^(A (t - s)) C e^(A s) x0, C = (2 B K - K B - 4 K K) A / 24. */
static void leading(double t, double *x)
{
    struct matrix a = sum(1, &own, 1, &couples);
    struct matrix bk = product(&own, &couples), kb = product(&couples, &own);
    struct matrix kk = product(&couples, &couples);
    struct matrix c = sum(2.0 / 24, &bk, -1.0 / 24, &kb);
    struct matrix all, e;
    double both[2 * N] = {0, 0, 0, 0, 1, 0, 0, 0};

    c = sum(1, &c, -4.0 / 24, &kk);
    c = product(&c, &a);
    all = blocks(&a, &c, &a);
    e = exponential(&all, t);
    apply(&e, both);
    memcpy(x, both, N * sizeof(*x));
}

static double exact(double t)
{
    struct matrix a = sum(1, &own, 1, &couples), e = exponential(&a, t);
    double x[] = {1, 0, 0, 0};

    apply(&e, x);
    return x[0];
}

static tt_table *run(const char *step_size, int by_hand)
{
    struct play p = {.scenario = SCENARIO, .options = {"--step", step_size}};

    if (by_hand)
        memcpy(p.options + 2, (const char *const[]){MIDPOINT},
               2 * sizeof(*p.options));
    return play(&p);
}

static void every_row_is_that_of_the_scheme(void **state)
{
    tt_table *t = run("0.2", 1);
    double x[] = {1, 0, 0, 0};

    (void)state;
    assert_int_equal(tt_table_rows(t), 51);
    for (size_t i = 0; i < 51; i++) {
        assert_near(column(t, "{msd1}.msd1.x1")[i], x[0], 1e-13);
        assert_near(column(t, "{msd1}.msd1.v1")[i], x[1], 1e-13);
        assert_near(column(t, "{msd2}.msd2.x2")[i], x[2], 1e-13);
        assert_near(column(t, "{msd2}.msd2.v2")[i], x[3], 1e-13);
        midpoint(0.2, x);
    }
    tt_table_free(t);
}

/* The largest error of x1, and how far it is from its leading term. */
static double largest(const char *step_size, int by_hand, double *beside)
{
    tt_table *t = run(step_size, by_hand);
    const double *time = tt_table_time(t), *x1 = column(t, "{msd1}.msd1.x1");
    double h = time[1], worst = 0;

    *beside = 0;
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double error = x1[i] - exact(time[i]), term[N];

        leading(time[i], term);
        worst = fmax(worst, fabs(error));
        *beside = fmax(*beside, fabs(error - h * h * term[0]));
    }
    tt_table_free(t);
    return worst;
}

static void it_is_of_order_two_with_the_predicted_error(void **state)
{
    static const char *const h[] = {"0.1", "0.05", "0.025", "0.0125"};
    double error[4], beside[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        error[i] = largest(h[i], 1, &beside[i]);
    for (size_t i = 0; i < 3; i++) {
        assert_near(observed_order(error[i], error[i + 1]), 2, 0.1);
        assert_near(observed_order(beside[i], beside[i + 1]), 3, 0.1);
    }
    assert_true(beside[3] < 0.05 * error[3]);
}

/* Two steps of Jacobi cost the same calls as one of this master. */
static void it_pays(void **state)
{
    double beside, by_hand = largest("0.05", 1, &beside);

    (void)state;
    assert_true(by_hand < largest("0.025", 0, &beside) / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_that_of_the_scheme),
        cmocka_unit_test(it_is_of_order_two_with_the_predicted_error),
        cmocka_unit_test(it_pays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
