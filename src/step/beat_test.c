/* SPDX-License-Identifier: MIT */
#include "step/beat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct tt_ratio none = {0, 1};

/* Three ticks of one are two of the other; every sixth instant they meet, and
 * then at the same double, which is the nearest to the exact time. */
static void three_to_two_never_drifts(void **state)
{
    struct tt_beat a = tt_beat_at(0, none), b = tt_beat_at(0, none);
    const struct tt_ratio fast = {1, 5}, slow = {3, 10};

    (void)state;
    for (uint64_t i = 1; i <= 1000000; i++) {
        tt_beat_add(&a, fast);
        assert_true(a.whole == i / 5 && a.rem * 5 == i % 5 * a.den);
        if (i % 3 != 0)
            continue;
        tt_beat_add(&b, slow);
        tt_beat_add(&b, slow);
        assert_true(tt_beat_time(&a) == tt_beat_time(&b));
        assert_true(tt_beat_time(&a) == (double)i / 5);
    }
}

/* Thirds, sevenths and a decimal shift, from a start that is no integer. */
static void other_terms_are_the_same_time(void **state)
{
    struct tt_beat a = tt_beat_at(0.5, tt_ratio_of(0.25)), b = a;

    (void)state;
    for (int i = 0; i < 21; i++) {
        tt_beat_add(&a, (struct tt_ratio){1, 3});
        tt_beat_add(&b, (struct tt_ratio){1, 7});
    }
    assert_true(tt_beat_time(&a) == 7.75);
    assert_true(tt_beat_time(&b) == 3.75);
    tt_beat_add(&b, (struct tt_ratio){4, 1});
    assert_true(tt_beat_time(&a) == tt_beat_time(&b));
}

/* No common denominator fits: what was there is rounded, once. */
static void what_does_not_fit_is_rounded(void **state)
{
    struct tt_beat b =
        tt_beat_at(0, (struct tt_ratio){1, (UINT64_C(1) << 61) - 1});

    (void)state;
    tt_beat_add(&b, (struct tt_ratio){1, (UINT64_C(1) << 59) - 55});
    tt_beat_add(&b, (struct tt_ratio){1, 3});
    assert_true(fabs(tt_beat_time(&b) - 1.0 / 3) < 1e-15);
}

static void a_periodic_clock_begins_with_its_shift(void **state)
{
    struct tt_tick k = {.last = tt_beat_at(1, (struct tt_ratio){1, 2}),
                        .interval = {2, 1}};

    (void)state;
    tt_tick_plan(&k);
    assert_true(k.next == 1.5);
    tt_tick_now(&k, 1, 1.5);
    assert_true(k.next == 3.5 && k.done);
    k.interval = (struct tt_ratio){1, 4}; /* tuned: counts from the last tick */
    tt_tick_plan(&k);
    assert_true(k.next == 1.75);
}

/* Two were due before the instant that was reached. */
static void missed_ticks_are_left_out(void **state)
{
    struct tt_tick k = {.last = tt_beat_at(0, none), .interval = {1, 10}};

    (void)state;
    tt_tick_plan(&k);
    tt_tick_now(&k, 1, 0);
    tt_tick_now(&k, 1, 0.35);
    assert_true(k.next == 0.4);
}

/* A countdown whose interval is not known ticks by another clock. */
static void what_has_no_interval_can_tick(void **state)
{
    struct tt_tick k = {.last = tt_beat_at(2, none)};

    (void)state;
    for (int i = 0; i < 2; i++) {
        tt_tick_now(&k, 0, 2);
        assert_true(isinf(k.next));
        assert_true(tt_beat_time(&k.last) == 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_to_two_never_drifts),
        cmocka_unit_test(other_terms_are_the_same_time),
        cmocka_unit_test(what_does_not_fit_is_rounded),
        cmocka_unit_test(a_periodic_clock_begins_with_its_shift),
        cmocka_unit_test(missed_ticks_are_left_out),
        cmocka_unit_test(what_has_no_interval_can_tick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
