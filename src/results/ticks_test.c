/* SPDX-License-Identifier: MIT */
#include "results/ticks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* All labels with a blank between, and the power of ten. */
static void expect(double lo, double hi, int want, int whole,
                   const char *labels)
{
    struct tt_ticks t = tt_ticks(lo, hi, want, whole);
    char all[512] = "";
    size_t n = 0;

    assert_true(t.n < 32);
    for (int i = 0; i < t.n; i++) {
        double v = tt_tick_value(&t, i);
        double slack = 1e-9 * (hi - lo);

        assert_true(v >= lo - slack && v <= hi + slack);
        n += tt_tick_label(all + n, &t, i);
        all[n++] = ' ';
    }
    snprintf(all + n, sizeof(all) - n, "e%d", t.scale);
    assert_string_equal(all, labels);
}

static void ticks_are_round_numbers(void **state)
{
    (void)state;
    expect(0, 10, 5, 0, "0 2 4 6 8 10 e0");
    expect(0, 1, 5, 0, "0 0.2 0.4 0.6 0.8 1 e0");
    expect(0, 0.3, 5, 0, "0 0.1 0.2 0.3 e0");
    expect(-1.05, 1.05, 4, 0, "-1 0 1 e0");
    expect(-1.05, 1.05, 5, 0, "-1 -0.5 0 0.5 1 e0");
    expect(0.013, 0.087, 5, 0, "0.02 0.04 0.06 0.08 e0");
    expect(97.3, 102.9, 5, 0, "98 100 102 e0");
    expect(0, 60, 6, 0, "0 10 20 30 40 50 60 e0");
    expect(0, 86400, 5, 0, "0 20000 40000 60000 80000 e0");
}

static void large_and_small_values_share_a_power_of_ten(void **state)
{
    (void)state;
    expect(0, 604800, 5, 0, "0 200 400 600 e3");
    expect(-2.1e9, 2.1e9, 5, 0, "-2 -1 0 1 2 e9");
    expect(0, 3e-6, 5, 0, "0 1 2 3 e-6");
    expect(0, 1e-300, 5, 0, "0 0.2 0.4 0.6 0.8 1 e-300");
    expect(-1.1e300, 1.1e300, 5, 0, "-1 -0.5 0 0.5 1 e300");
    expect(101325, 101325.4, 4, 0,
           "101325 101325.1 101325.2 101325.3 101325.4 e0");
    expect(1.0001, 1.0003, 4, 0, "1.0001 1.00015 1.0002 1.00025 1.0003 e0");
}

static void whole_numbers_get_no_ticks_between_them(void **state)
{
    (void)state;
    expect(-0.05, 1.05, 5, 1, "0 1 e0");
    expect(-0.1, 3.1, 5, 1, "0 1 2 3 e0");
    expect(0, 40, 5, 1, "0 10 20 30 40 e0");
}

static void expect_range(double lo, double hi, double want_lo, double want_hi)
{
    tt_ticks_range(&lo, &hi);
    assert_true(lo < hi && isfinite(hi - lo));
    assert_true(fabs(lo - want_lo) <= 1e-12 * fabs(want_lo));
    assert_true(fabs(hi - want_hi) <= 1e-12 * fabs(want_hi));
}

static void axes_show_something_for_any_values(void **state)
{
    (void)state;
    expect_range(0, 1, -0.05, 1.05);
    expect_range(0, 0, -1, 1);
    expect_range(5, 5, 4.5, 5.5);
    expect_range(-5, -5, -5.5, -4.5);
    expect_range(1e9, 1e9 + 1e-6, 0.9e9, 1.1e9);
    expect_range(-1e308, 1e308, -1.1e300, 1.1e300);
    expect_range(0, 5e-324, -1, 1);
}

static void any_range_gives_a_few_ticks(void **state)
{
    (void)state;
    for (int e = -299; e <= 300; e++) {
        for (int k = 1; k < 100; k++) {
            double hi = k * pow(10, e), lo = -0.37 * hi;
            struct tt_ticks t;
            char text[TT_TICK_TEXT];

            tt_ticks_range(&lo, &hi);
            t = tt_ticks(lo, hi, 5, 0);
            assert_true(t.n >= 2 && t.n <= 8);
            for (int i = 0; i < t.n; i++)
                assert_true(tt_tick_label(text, &t, i) < 12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(large_and_small_values_share_a_power_of_ten),
        cmocka_unit_test(whole_numbers_get_no_ticks_between_them),
        cmocka_unit_test(axes_show_something_for_any_values),
        cmocka_unit_test(any_range_gives_a_few_ticks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
