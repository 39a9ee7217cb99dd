/* SPDX-License-Identifier: MIT */
/* Sequences with known roots, window by window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "step/growth.h"

typedef double (*sequence)(double n);

/* The cause when n steps were seen, and the last fit. */
static enum tt_growth_cause seen(sequence of, int n, int looped,
                                 struct tt_growth_fit *fit,
                                 struct tt_growth_past *past)
{
    enum tt_growth_cause cause = TT_GROWTH_NONE;

    *past = (struct tt_growth_past){0};
    for (int k = 0; k + TT_GROWTH_WINDOW <= n && cause == TT_GROWTH_NONE;
         k += TT_GROWTH_WINDOW) {
        double x[TT_GROWTH_WINDOW];

        for (int i = 0; i < TT_GROWTH_WINDOW; i++)
            x[i] = of(k + i);
        *fit = tt_growth_fit(x, 1);
        cause = tt_growth_judge(past, fit, looped, k);
    }
    return cause;
}

static void expect(sequence of, int n, enum tt_growth_cause cause,
                   double factor)
{
    struct tt_growth_fit fit;
    struct tt_growth_past past;

    assert_int_equal(seen(of, n, 0, &fit, &past), cause);
    if (cause != TT_GROWTH_NONE)
        assert_true(fabs(fit.factor / factor - 1) < 0.02);
}

static double alternating(double n)
{
    return 5 + 0.001 * pow(-1.83, n) + 3 * pow(0.8, n);
}

static double swinging(double n) /* a period of five steps */
{
    return pow(1.2, n) * cos(2 * 3.14159265358979 / 5 * n);
}

static double slowly(double n)
{
    return pow(-1.01, n);
}

static void what_alternates_and_grows_is_the_coupling(void **state)
{
    (void)state;
    expect(alternating, 32, TT_GROWTH_COUPLING, 1.83);
    expect(slowly, 600, TT_GROWTH_COUPLING, 1.01);
}

static void what_the_step_does_not_resolve_is_unknown(void **state)
{
    (void)state;
    expect(swinging, 64, TT_GROWTH_UNKNOWN, 1.2);
}

static double ramp(double n)
{
    return 3 * n - 4;
}

static double parabola(double n)
{
    return n * n;
}

static double unstable(double n) /* exp(lambda h n) */
{
    return exp(0.3 * n);
}

static double unstable_swing(double n) /* thirty steps to a period */
{
    return exp(0.05 * n) * sin(0.21 * n);
}

static double transient(double n)
{
    return 1e9 * pow(-0.7, n) + 1;
}

static double late_transient(double n) /* rises ten times, then decays */
{
    return n * pow(-0.9, n);
}

static double steady(double n)
{
    return pow(-1, n);
}

static double rounding(double n)
{
    return 1 + 1e-16 * pow(-1.5, n);
}

static double finite(double n)
{
    return n < 20 ? 1 : INFINITY;
}

static void what_is_no_explosion_of_the_coupling_is_none(void **state)
{
    static const sequence of[] = {ramp,           parabola,  unstable,
                                  unstable_swing, transient, late_transient,
                                  steady,         finite};

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        expect(of[i], 400, TT_GROWTH_NONE, 0);
    expect(rounding, 40, TT_GROWTH_NONE, 0);
}

static double doubling(double n)
{
    return pow(2, n) - 1;
}

/* Round a loop of feed-through that is cut, growth has no sign. */
static void a_loop_that_is_cut_is_named_for_it(void **state)
{
    struct tt_growth_fit fit;
    struct tt_growth_past past;

    (void)state;
    assert_int_equal(seen(doubling, 32, 1, &fit, &past), TT_GROWTH_LOOP);
    assert_true(fabs(fit.factor - 2) < 1e-9);
    assert_true(past.since == 0);
    assert_int_equal(seen(parabola, 4000, 1, &fit, &past), TT_GROWTH_NONE);
    expect(doubling, 32, TT_GROWTH_NONE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_alternates_and_grows_is_the_coupling),
        cmocka_unit_test(what_the_step_does_not_resolve_is_unknown),
        cmocka_unit_test(what_is_no_explosion_of_the_coupling_is_none),
        cmocka_unit_test(a_loop_that_is_cut_is_named_for_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
