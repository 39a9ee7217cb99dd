/* SPDX-License-Identifier: MIT */
/* Deadlines and lateness on a clock that only we turn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/pace.h"

#define S UINT64_C(1000000000)

static void an_instant_is_due_a_factor_after_the_start(void **state)
{
    struct tt_pace p;

    (void)state;
    tt_pace_start(&p, 1, 0, 0, 7 * S);
    assert_int_equal(tt_pace_deadline(&p, 0), 7 * S);
    assert_int_equal(tt_pace_deadline(&p, 2.5), 9 * S + S / 2);
    tt_pace_start(&p, 4, 0, 100, 7 * S); /* four times as fast, from t=100 */
    assert_int_equal(tt_pace_deadline(&p, 100), 7 * S);
    assert_int_equal(tt_pace_deadline(&p, 102), 7 * S + S / 2);
    tt_pace_start(&p, 0.25, 0, 0, 0); /* slow motion */
    assert_int_equal(tt_pace_deadline(&p, 0.5), 2 * S);
}

/* A hundred days in steps of 1 ms: the last deadline is as exact as the
 * first, to the nanosecond. */
static void deadlines_do_not_drift(void **state)
{
    const uint64_t n = UINT64_C(8640000) * 1000;
    struct tt_pace p;

    (void)state;
    tt_pace_start(&p, 1, 0, 0, 3);
    for (uint64_t i = n - 10; i < n; i++) {
        uint64_t due = tt_pace_deadline(&p, (double)i * 1e-3);
        uint64_t exact = 3 + i * 1000000u;

        assert_true(due + 1 >= exact && due <= exact + 1);
    }
}

static void instants_that_never_come_are_never_due(void **state)
{
    struct tt_pace p;

    (void)state;
    tt_pace_start(&p, 1e-300, 0, 0, 5);
    assert_true(tt_pace_deadline(&p, 1e10) == UINT64_MAX);
    assert_true(tt_pace_deadline(&p, (double)INFINITY) == UINT64_MAX);
    assert_int_equal(tt_pace_deadline(&p, -1), 5);
}

static void lateness_is_counted(void **state)
{
    struct tt_pace p;

    (void)state;
    tt_pace_start(&p, 1, 0, 0, 10 * S);
    assert_false(tt_pace_arrive(&p, 1, 10 * S + S / 4)); /* early */
    assert_true(p.stats.late == -0.75);
    assert_false(tt_pace_arrive(&p, 2, 12 * S)); /* on the dot */
    assert_true(p.stats.late == 0);
    assert_true(tt_pace_arrive(&p, 3, 15 * S));  /* 2 s late */
    assert_true(tt_pace_arrive(&p, 4, 15 * S));  /* catching up: 1 s late */
    assert_false(tt_pace_arrive(&p, 5, 15 * S)); /* caught up */
    assert_int_equal(p.stats.steps, 5);
    assert_int_equal(p.stats.overruns, 2);
    assert_true(p.stats.worst == 2 && p.stats.worst_t == 3);
    assert_true(tt_pace_mean(&p.stats) == 1.5);
}

static void lateness_within_the_tolerance_is_no_overrun(void **state)
{
    struct tt_pace p;

    (void)state;
    tt_pace_start(&p, 1, 0.5, 0, 0);
    assert_false(tt_pace_arrive(&p, 1, S + S / 2)); /* exactly within */
    assert_true(p.stats.late == 0.5);
    assert_true(tt_pace_arrive(&p, 2, 2 * S + S / 2 + 1));
    assert_int_equal(p.stats.overruns, 1);
    assert_true(fabs(p.stats.worst - 0.500000001) < 1e-15);
}

/* The factor scales deadlines, not lateness: that is wall time. */
static void lateness_is_wall_time(void **state)
{
    struct tt_pace p;

    (void)state;
    tt_pace_start(&p, 10, 0, 0, 0);
    assert_true(tt_pace_arrive(&p, 10, 3 * S));
    assert_true(p.stats.late == 2);
}

static void without_overruns_the_mean_is_zero(void **state)
{
    struct tt_pace_stats none = {0};

    (void)state;
    assert_true(tt_pace_mean(&none) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instant_is_due_a_factor_after_the_start),
        cmocka_unit_test(deadlines_do_not_drift),
        cmocka_unit_test(instants_that_never_come_are_never_due),
        cmocka_unit_test(lateness_is_counted),
        cmocka_unit_test(lateness_within_the_tolerance_is_no_overrun),
        cmocka_unit_test(lateness_is_wall_time),
        cmocka_unit_test(without_overruns_the_mean_is_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
