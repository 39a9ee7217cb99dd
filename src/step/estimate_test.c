/* SPDX-License-Identifier: MIT */
#include "step/estimate.h"
#include "step/test_rig.h"

static void the_norm_is_the_worst_relative_to_its_tolerance(void **state)
{
    const double a[] = {1, 10, 0}, b[] = {1.5, 11, 0};
    const double nominal[] = {1, 10, 1}, nan_in[] = {1, (double)NAN, 0};

    (void)state;
    near(tt_estimate_norm(a, b, NULL, 3, 0.5, 0), 2, 1e-15);
    near(tt_estimate_norm(a, b, nominal, 3, 0.5, 0), 1, 1e-15);
    near(tt_estimate_norm(a, b, NULL, 3, 0.1, 0.1), 0.5 / 0.25, 1e-15);
    near(tt_estimate_norm(a, a, NULL, 3, 0, 0), 0, 0);
    assert_true(isinf(tt_estimate_norm(a, b, NULL, 3, 0, 0)));
    assert_true(isnan(tt_estimate_norm(a, nan_in, NULL, 3, 1, 1)));
}

/* Midpoint on y' = y from 1, once 0.1 and twice 0.05. */
static void richardson_reports_the_error_of_the_better_value(void **state)
{
    double once = 1 + 0.1 * 1.05, half = 1 + 0.05 * 1.025;
    double twice = half + 0.05 * half * 1.025;
    double error = fabs(exp(0.1) - twice);

    (void)state;
    near(tt_estimate_richardson(1), 1, 0);
    near(tt_estimate_richardson(2) * fabs(twice - once) / error, 1, 0.1);
}

/* Integrals done by hand: 2, 14/5, 32/9, 1076/251 times the halves' error. */
static void extrapolated_inputs_gain_less_from_halves(void **state)
{
    (void)state;
    near(tt_estimate_doubling(0), 1, 1e-15);
    near(tt_estimate_doubling(1), 5.0 / 9, 1e-15);
    near(tt_estimate_doubling(2), 9.0 / 23, 1e-15);
    near(tt_estimate_doubling(3), 251.0 / 825, 1e-15);
}

/* y' = y from 1 with h = 0.1: Adams-Bashforth 2 (C = 5/12) predicts, the
 * trapezoidal rule (C = -1/12) corrects; y(-h) is exact. */
static void milne_reports_the_error_of_the_corrector(void **state)
{
    double h = 0.1, back = exp(-h);
    double p = 1 + h * (1.5 - 0.5 * back);
    double c = (1 + h / 2) / (1 - h / 2);
    double error = fabs(exp(h) - c);

    (void)state;
    near(tt_estimate_milne(5.0 / 12, -1.0 / 12), 1.0 / 6, 1e-15);
    near(tt_estimate_milne(5.0 / 12, -1.0 / 12) * fabs(c - p) / error, 1, 0.15);
    near(tt_estimate_milne(0, 1), 1, 0);
}

static void two_orders_differ_by_newtons_last_term(void **state)
{
    const double t[] = {0, -1, -3}, x[] = {1, 3, 31}; /* 4t^2 + 2t + 1 */

    (void)state;
    near(tt_estimate_orders(t, x, 0, 2), (1 - 3) * 2, 1e-14);
    /* the parabola at 2 is 21, the line through the newest two -3 */
    near(tt_estimate_orders(t, x, 1, 2), 24, 1e-13);
}

/* The last term for k = 3 shrinks as h^4: halving gives a sixteenth. */
static void the_difference_of_orders_shrinks_as_the_order_states(void **state)
{
    double d[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        double h = i ? 0.01 : 0.02;
        double t[] = {0, -h, -2 * h, -3 * h, -4 * h}, x[5];

        for (int j = 0; j < 5; j++)
            x[j] = exp(t[j]);
        d[i] = tt_estimate_orders(t, x, 3, h);
    }
    near(log2(d[0] / d[1]), 4, 0.1);
}

static void a_perfect_bond_has_no_residual(void **state)
{
    struct tt_bond perfect = {.ua = 3, .ya = 2, .ub = 2, .yb = 3};
    struct tt_bond late = {.ua = 3, .ya = 2, .ub = 1, .yb = 3.5};
    struct tt_bond both[2];

    (void)state;
    both[0] = perfect;
    both[1] = late;
    near(tt_bond_residual(&perfect), 0, 0);
    near(tt_bond_residual(&late), 6 - 3.5, 1e-15);
    near(tt_estimate_ecco(&perfect, NULL, 1, 0.1, 1e-3, 1e-3), 0, 0);
    /* dE = 0.25, E = 0.6: 0.25/(0.1 + 0.06) */
    near(tt_estimate_ecco(&late, NULL, 1, 0.1, 0.1, 0.1), 0.25 / 0.16, 1e-14);
    near(tt_estimate_ecco(both, NULL, 2, 0.1, 0.1, 0.1), 0.25 / 0.16 / sqrt(2),
         1e-14);
    near(tt_estimate_ecco(NULL, NULL, 0, 0.1, 0.1, 0.1), 0, 0);
}

/* A source that is linear, an input held: with the correction the integral of
 * the input follows that of the source one step late, without drift. */
static void nepce_repays_what_was_missing(void **state)
{
    double h = 0.1, missing = 0, given = 0, plain = 0;

    (void)state;
    for (int n = 0; n < 100; n++) {
        double y0 = 2 * n * h, y1 = 2 * (n + 1) * h;
        double u = y0 + tt_nepce_correction(missing, h, 1);

        given += u * h;
        plain += y0 * h;
        /* what is missing in all: the held course, its debt included */
        missing += tt_nepce_missing(y0, u, y1, u, h);
    }
    near(plain - 100, -1, 1e-9);    /* 10 s of 2 t: 100 */
    near(given - 100, -0.01, 1e-9); /* only the last step is still owed */
}

/* The middle of the step from 1 to 2, of which the whole step gave 4: with t^2
 * before it, what came is as near as one of the polynomials brings it. */
static void the_middle_is_compared_with_the_nearest_polynomial(void **state)
{
    const double t[] = {2, 1, 0, -1}, x[] = {4, 1, 0, 1};
    const double nan_at_end[] = {(double)NAN, 1};

    (void)state;
    near(tt_estimate_between(t, x, 4, 1.5, 2.25), 2.25, 1e-15);
    near(tt_estimate_between(t, x, 2, 1.5, 2.25), 2.5, 1e-15);
    near(tt_estimate_between(t, x, 4, 1.5, 3), 2.5, 1e-15);
    near(tt_estimate_between(t, x, 4, 1.5, -7), 1, 1e-15);
    near(tt_estimate_between(t, x, 4, 1.5, 1.4), 1.5, 1e-15);
    assert_true(isnan(tt_estimate_between(t, nan_at_end, 2, 1.5, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_norm_is_the_worst_relative_to_its_tolerance),
        cmocka_unit_test(richardson_reports_the_error_of_the_better_value),
        cmocka_unit_test(the_middle_is_compared_with_the_nearest_polynomial),
        cmocka_unit_test(extrapolated_inputs_gain_less_from_halves),
        cmocka_unit_test(milne_reports_the_error_of_the_corrector),
        cmocka_unit_test(two_orders_differ_by_newtons_last_term),
        cmocka_unit_test(the_difference_of_orders_shrinks_as_the_order_states),
        cmocka_unit_test(a_perfect_bond_has_no_residual),
        cmocka_unit_test(nepce_repays_what_was_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
