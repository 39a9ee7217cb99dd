/* SPDX-License-Identifier: MIT */
#include "tune/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Examples 26 to 28 of the thesis: steps 1e-7 and 1e-6, rates 100 and 10, the
 * smaller step and the greater rate weighing more. */
static void the_published_order_of_visits(void **state)
{
    static const double h[] = {1e-7, 1e-6}, rate[] = {100, 10};
    static const double of_h[] = {0.7, 0.3}, of_rate[] = {0.6, 0.4};
    static const struct tt_space_level level[] = {{2, of_h}, {2, of_rate}};
    static const double visit[4][2] = {
        {1e-7, 100}, {1e-7, 10}, {1e-6, 100}, {1e-6, 10}};
    uint32_t out[8];

    (void)state;
    assert_int_equal(tt_space_size(level, 2), 4);
    tt_space_visit(level, 2, out);
    for (int i = 0; i < 4; i++) {
        assert_true(h[out[2 * i]] == visit[i][0]);
        assert_true(rate[out[2 * i + 1]] == visit[i][1]);
    }
}

/* The level with the largest weight is nearest to the root, in whichever place
 * it is given, and siblings come by weight. */
static void levels_and_siblings_are_sorted(void **state)
{
    static const double a[] = {0.1, 0.5, 0.4}, b[] = {0.2, 0.8};
    static const struct tt_space_level level[] = {{3, a}, {2, b}};
    static const uint32_t visit[] = {1, 1, 2, 1, 0, 1, 1, 0, 2, 0, 0, 0};
    uint32_t out[12];

    (void)state;
    tt_space_visit(level, 2, out);
    assert_memory_equal(out, visit, sizeof(visit));
}

/* Adding weights along a path would bring another order. */
static void weights_compare_siblings_only(void **state)
{
    static const double a[] = {0.51, 0.49}, b[] = {0.5, 0.01};
    static const struct tt_space_level level[] = {{2, a}, {2, b}};
    static const uint32_t visit[] = {0, 0, 0, 1, 1, 0, 1, 1};
    uint32_t out[8];

    (void)state;
    tt_space_visit(level, 2, out);
    assert_memory_equal(out, visit, sizeof(visit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_order_of_visits),
        cmocka_unit_test(levels_and_siblings_are_sorted),
        cmocka_unit_test(weights_compare_siblings_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
