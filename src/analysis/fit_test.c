/* SPDX-License-Identifier: MIT */
/* A matrix found again from what it does: seen whole, through one number only,
 * and with noise. */
#include "analysis/fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "unit/test_ok.h"

#define N     3
#define TIMES 20

/* Eigenvalues -0.9, 0.5 and 0.2. */
static const double a[N][N] = {{-0.9, 1, 0}, {0, 0.5, 2}, {0, 0, 0.2}};

/* Responses to unit vectors; of the `seen` first numbers. */
static void respond(struct tt_response *r, uint32_t seen, double noise)
{
    *r = (struct tt_response){.n = seen, .n_cause = N, .n_time = TIMES};
    r->number = tt_zalloc(seen, sizeof(*r->number));
    r->at = tt_zalloc((size_t)seen * N * TIMES, sizeof(*r->at));
    for (uint32_t c = 0; c < N; c++) {
        double x[N] = {0};

        x[c] = 1;
        for (uint32_t k = 0; k < TIMES; k++) {
            double next[N] = {0};

            for (uint32_t i = 0; i < seen; i++)
                r->at[((size_t)c * TIMES + k) * seen + i] =
                    x[i] + noise * sin(1e3 * (c + 7 * k + 31 * i));
            for (uint32_t i = 0; i < N; i++)
                for (uint32_t j = 0; j < N; j++)
                    next[i] += a[i][j] * x[j];
            memcpy(x, next, sizeof(x));
        }
    }
}

static void expect(const struct tt_fit *f, double tolerance)
{
    assert_int_equal(f->order, N);
    assert_true(fabs(f->rho - 0.9) < tolerance);
    assert_true(f->re[f->first] < 0);
}

static void seen_whole(void **state)
{
    struct tt_response r;
    struct tt_fit f;
    double sum = 0;

    (void)state;
    respond(&r, N, 0);
    assert_ok(tt_fit_make(&f, &r, 1, 0, 1e-10, err));
    expect(&f, 1e-12);
    assert_true(f.residual < 1e-13);
    for (uint32_t i = 0; i < N; i++)
        sum += f.part[i];
    assert_true(fabs(sum - 1) < 1e-12);
    assert_true(f.mode[0] > 0.99 && f.mode[2] < 1e-10);
    tt_fit_fini(&f);
    assert_ok(tt_fit_make(&f, &r, 1, 1, 1e-10, err));
    assert_int_equal(f.answers, N);
    expect(&f, 1e-12);
    tt_fit_fini(&f);
    tt_response_fini(&r);
}

/* One instant of the first number does not determine the next, three do. */
static void seen_in_part(void **state)
{
    struct tt_response r;
    struct tt_fit f;

    (void)state;
    respond(&r, 1, 0);
    assert_ok(tt_fit_make(&f, &r, 1, 0, 1e-10, err));
    assert_true(f.residual > 0.1);
    tt_fit_fini(&f);
    assert_ok(tt_fit_make(&f, &r, 3, 0, 1e-10, err));
    expect(&f, 1e-9);
    assert_true(f.residual < 1e-12);
    tt_fit_fini(&f);
    tt_response_fini(&r);
}

static void seen_through_noise(void **state)
{
    struct tt_response r;
    struct tt_fit f;

    (void)state;
    respond(&r, N, 1e-8);
    assert_ok(tt_fit_make(&f, &r, 2, 0, 1e-5, err));
    expect(&f, 1e-5);
    assert_true(f.residual > 1e-10 && f.residual < 1e-5);
    tt_fit_fini(&f);
    tt_response_fini(&r);
}

static void refused(void **state)
{
    struct tt_response r;
    struct tt_fit f = {0};

    (void)state;
    respond(&r, N, 0);
    r.at[5] = (double)INFINITY;
    assert_fails(TT_EINPUT, tt_fit_make(&f, &r, 1, 0, 1e-10, err),
                 "a matrix has a number that is not finite");
    memset(r.at, 0, sizeof(*r.at) * N * N * TIMES);
    assert_fails(TT_EUNSUPPORTED, tt_fit_make(&f, &r, 1, 0, 1e-10, err),
                 "nothing answers to what was moved");
    tt_response_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seen_whole),
        cmocka_unit_test(seen_in_part),
        cmocka_unit_test(seen_through_noise),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
