/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "approx/poly.h"

static void one_point_is_held(void **state)
{
    struct tt_poly p = tt_poly_through((double[]){2}, (double[]){7.5}, 1);

    (void)state;
    assert_true(tt_poly_at(&p, -100) == 7.5);
    assert_true(tt_poly_rate(&p, 3, 1) == 0);
}

static void two_points_give_the_straight_line_exactly(void **state)
{
    struct tt_poly p =
        tt_poly_through((double[]){1, 0.8}, (double[]){3, 2.7}, 2);

    (void)state;
    assert_true(p.c[0] == 3);
    assert_true(p.c[1] == (2.7 - 3) / (0.8 - 1));
    assert_true(tt_poly_at(&p, 1) == 3);
    assert_true(fabs(tt_poly_at(&p, 1.2) - 3.3) < 1e-14);
}

static void four_points_reproduce_a_cubic_and_its_derivatives(void **state)
{
    /* f = 2 - t + 3 t^2 - 0.5 t^3 at four uneven points */
    const double t[] = {1, 0.5, 0.1, -0.7};
    double v[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        v[i] = 2 - t[i] + 3 * t[i] * t[i] - 0.5 * t[i] * t[i] * t[i];
    struct tt_poly p = tt_poly_through(t, v, 4);
    double x = 1.7;

    assert_true(fabs(tt_poly_at(&p, x) -
                     (2 - x + 3 * x * x - 0.5 * x * x * x)) < 1e-12);
    assert_true(fabs(tt_poly_rate(&p, x, 1) - (-1 + 6 * x - 1.5 * x * x)) <
                1e-12);
    assert_true(fabs(tt_poly_rate(&p, x, 2) - (6 - 3 * x)) < 1e-12);
    assert_true(fabs(tt_poly_rate(&p, x, 3) + 3) < 1e-12);
}

/* f = 2 - t + 3 t^2 - 0.5 t^3 and its derivative */
static double f(double t)
{
    return 2 - t + 3 * t * t - 0.5 * t * t * t;
}

static double df(double t)
{
    return -1 + 6 * t - 1.5 * t * t;
}

static void a_repeated_time_brings_its_rate(void **state)
{
    const double t[] = {1, 1, 0.4, 0.4}, one[] = {1, 1, 2.5, 0.1};
    double v[4], r[4];
    struct tt_poly p;

    (void)state;
    for (int i = 0; i < 4; i++) {
        v[i] = f(t[i]);
        r[i] = df(t[i]);
    }
    p = tt_poly_hermite(t, v, r, 2); /* the tangent */
    assert_true(p.c[0] == f(1) && p.c[1] == df(1));
    p = tt_poly_hermite(t, v, r, 3); /* and through the value before */
    assert_true(fabs(tt_poly_at(&p, 0.4) - f(0.4)) < 1e-14);
    assert_true(fabs(tt_poly_rate(&p, 1, 1) - df(1)) < 1e-14);
    p = tt_poly_hermite(t, v, r, 4); /* the cubic itself */
    assert_true(fabs(tt_poly_at(&p, 3) - f(3)) < 1e-12);
    for (int i = 0; i < 4; i++)
        v[i] = f(one[i]);
    p = tt_poly_hermite(one, v, r, 4);
    assert_true(fabs(tt_poly_at(&p, -1) - f(-1)) < 1e-12);
}

static void a_mean_is_exact_for_cubics_and_for_constants(void **state)
{
    struct tt_poly p = {.t0 = 0, .c = {2, -1, 3, -0.5}, .order = 3};
    struct tt_poly held = {.t0 = 5, .c = {0.1}, .order = 3};
    double whole = 2 * 2 - 2 * 2 / 2.0 + 8 - 0.125 * 16; /* 0 to 2 */

    (void)state;
    assert_true(fabs(tt_poly_mean(&p, 0, 2) - whole / 2) < 1e-14);
    assert_true(tt_poly_mean(&held, 0.3, 0.7) == 0.1);
}

static double cubic(double t)
{
    return 2 - t + 3 * t * t - 0.5 * t * t * t;
}

static void a_course_along_points_of_a_cubic_is_that_cubic(void **state)
{
    const double t[] = {0, 0.1, 0.15, 0.4, 0.8, 1};
    struct tt_poly next[4], p;
    double v[6];

    (void)state;
    for (int i = 0; i < 6; i++)
        v[i] = cubic(t[i]);
    p = tt_poly_along(t, v, 6, 3, next);
    assert_int_equal(p.n_next, 4);
    for (int i = 0; i <= 100; i++)
        assert_true(fabs(tt_poly_at(&p, i / 100.0) - cubic(i / 100.0)) < 1e-13);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(tt_poly_rate(&p, t[i], 1) -
                         (-1 + 6 * t[i] - 1.5 * t[i] * t[i])) < 1e-11);
    /* int_0.05^0.9 / 0.85 */
    assert_true(fabs(tt_poly_mean(&p, 0.05, 0.9) * 0.85 -
                     (2 * 0.85 - (0.81 - 0.0025) / 2 + 0.729 - 0.000125 -
                      (0.6561 - 0.00000625) / 8)) < 1e-14);
    p = tt_poly_along(t, v, 6, 1, next); /* straight lines */
    assert_true(fabs(tt_poly_at(&p, 0.6) - (v[3] + v[4]) / 2) < 1e-14);
    p = tt_poly_along(t, v, 2, 3, next);
    assert_int_equal(p.n_next, 0);
    assert_true(fabs(tt_poly_at(&p, 0.05) - (v[0] + v[1]) / 2) < 1e-14);
}

static void no_piece_looks_over_a_leap(void **state)
{
    const double t[] = {0, 0.25, 0.5, 0.5, 0.75, 1};
    const double v[] = {1, 1, 1, 5, 6, 7};
    struct tt_poly next[4], p = tt_poly_along(t, v, 6, 3, next);

    (void)state;
    assert_int_equal(p.n_next, 3);
    for (int i = 0; i < 50; i++)
        assert_true(tt_poly_at(&p, i / 100.0) == 1);
    assert_true(tt_poly_at(&p, 0.5) == 5); /* the limit from the right */
    for (int i = 50; i <= 100; i++)
        assert_true(fabs(tt_poly_at(&p, i / 100.0) - (3 + i / 25.0)) < 1e-14);
    assert_true(fabs(tt_poly_mean(&p, 0, 1) - 3.5) < 1e-14);
    assert_true(fabs(tt_poly_mean(&p, 0.25, 0.75) - 3.25) < 1e-14);
    assert_true(tt_poly_mean(&p, 0.1, 0.2) == 1);
    /* what is left of a step that leaps at once */
    p = tt_poly_along(t + 2, v + 2, 4, 3, next);
    assert_true(tt_poly_at(&p, 0.5) == 5);
    p = tt_poly_along(t + 2, v + 2, 2, 3, next);
    assert_true(p.n_next == 0 && tt_poly_at(&p, 0.5) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_is_held),
        cmocka_unit_test(two_points_give_the_straight_line_exactly),
        cmocka_unit_test(four_points_reproduce_a_cubic_and_its_derivatives),
        cmocka_unit_test(a_repeated_time_brings_its_rate),
        cmocka_unit_test(a_mean_is_exact_for_cubics_and_for_constants),
        cmocka_unit_test(a_course_along_points_of_a_cubic_is_that_cubic),
        cmocka_unit_test(no_piece_looks_over_a_leap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
