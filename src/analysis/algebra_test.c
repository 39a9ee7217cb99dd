/* SPDX-License-Identifier: MIT */
/* Eigenvalues and singular values of matrices that are known, and what is
 * refused. */
#include "analysis/algebra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "unit/test_ok.h"

/* A rotation by 1 rad that grows by 1.5, beside 0.2. */
static void dominant_pair(void **state)
{
    double a[9] = {
        0.2,           0,           0, 0, 1.5 * cos(1), 1.5 * sin(1), 0,
        -1.5 * sin(1), 1.5 * cos(1)};
    double re[3], im[3], left[9], right[9];
    uint32_t first;

    (void)state;
    assert_true(fabs(tt_spectral_radius(3, a) - 1.5) < 1e-14);
    assert_ok(tt_eigen(3, a, re, im, left, right, err));
    first = tt_dominant(3, re, im);
    assert_true(im[first] > 0);
    assert_true(fabs(re[first] - 1.5 * cos(1)) < 1e-14);
    assert_true(fabs(im[first] - 1.5 * sin(1)) < 1e-14);
}

/* 3 by 2, by columns: (3, 0, 0) and (0, 0, 4). */
static void singular_values(void **state)
{
    double a[6] = {3, 0, 0, 0, 0, 4}, s[2], u[6], vt[4], back[6], sv[4];
    const double was[6] = {3, 0, 0, 0, 0, 4};

    (void)state;
    assert_ok(tt_svd(3, 2, a, s, u, vt, err));
    assert_true(fabs(s[0] - 4) < 1e-14 && fabs(s[1] - 3) < 1e-14);
    for (uint32_t i = 0; i < 4; i++)
        sv[i] = s[i % 2] * vt[i];
    tt_multiply(3, 2, 2, u, sv, back);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(fabs(back[i] - was[i]) < 1e-14);
}

static void not_finite(void **state)
{
    double a[4] = {1, 0, (double)NAN, 1}, re[2], im[2], s[2], u[4], vt[4];

    (void)state;
    assert_fails(TT_EINPUT, tt_eigen(2, a, re, im, NULL, NULL, err),
                 "a matrix has a number that is not finite");
    assert_fails(TT_EINPUT, tt_svd(2, 2, a, s, u, vt, err),
                 "a matrix has a number that is not finite");
    assert_true(isnan(tt_spectral_radius(2, a)));
    assert_true(tt_spectral_radius(0, a) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominant_pair),
        cmocka_unit_test(singular_values),
        cmocka_unit_test(not_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
