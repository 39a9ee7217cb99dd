/* SPDX-License-Identifier: MIT */
/* What is left for the rest of a step, on a clock that only we turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/margin.h"

#define MS UINT64_C(1000000)

/* One step: the unit is waited for, and what follows takes as long as that. */
static void step(struct tt_margin *m, struct tt_waits *w, uint64_t *now,
                 uint64_t wait, uint64_t follows)
{
    tt_waits_begin(w, *now);
    *now += wait;
    tt_waits_end(w, *now);
    tt_margin_stepped(m, w, *now);
    *now += follows;
    tt_margin_ready(m, w, *now);
}

static void there_is_time_for_what_follows_twice(void **state)
{
    struct tt_margin m = {.n = 0};
    struct tt_waits w = {0};
    uint64_t now = 7 * MS;

    (void)state;
    step(&m, &w, &now, 80 * MS, 3 * MS);
    assert_int_equal(tt_margin_cut(&m, 100 * MS), 93 * MS);
    step(&m, &w, &now, 0, 5 * MS);
    step(&m, &w, &now, 20 * MS, 4 * MS);
    assert_int_equal(tt_margin_cut(&m, 100 * MS), 89 * MS);
    assert_int_equal(tt_margin_cut(&m, 11 * MS), 0);
    assert_int_equal(tt_margin_cut(&m, 3 * MS), 0);
    assert_int_equal(tt_margin_cut(&m, 0), 0);
}

/* One step that took long is forgotten. */
static void the_last_four_steps_count(void **state)
{
    struct tt_margin m = {.n = 0};
    struct tt_waits w = {0};
    uint64_t now = 0;

    (void)state;
    step(&m, &w, &now, MS, 40 * MS);
    for (int i = 0; i < 3; i++)
        step(&m, &w, &now, MS, 2 * MS);
    assert_int_equal(tt_margin_cut(&m, 100 * MS), 19 * MS);
    step(&m, &w, &now, MS, 2 * MS);
    assert_int_equal(tt_margin_cut(&m, 100 * MS), 95 * MS);
}

static void a_short_step_leaves_less_for_waking(void **state)
{
    struct tt_margin m = {.n = 0};
    struct tt_waits w = {0};
    uint64_t now = 0;

    (void)state;
    step(&m, &w, &now, MS, MS / 8);
    assert_int_equal(tt_margin_cut(&m, MS), MS - MS / 8 - MS / 4);
}

static void before_anything_was_measured_a_part_of_the_step_is_left(void **s)
{
    const struct tt_margin m = {.n = 0};

    (void)s;
    assert_int_equal(tt_margin_cut(&m, 100 * MS), 74 * MS);
    assert_int_equal(tt_margin_cut(&m, 4 * MS), 2 * MS + MS / 2);
    assert_true(tt_margin_cut(&m, UINT64_MAX) == UINT64_MAX);
}

/* b is waited for behind a, 90 ms: who gives a up gives b up as well. */
static void waits_for_others_do_not_count(void **state)
{
    struct tt_margin a = {.n = 0}, b = {.n = 0};
    struct tt_waits w = {0};

    (void)state;
    tt_waits_begin(&w, 0);
    tt_waits_end(&w, 1 * MS);
    tt_margin_stepped(&a, &w, 1 * MS);
    tt_waits_begin(&w, 3 * MS); /* another unit has stepped */
    tt_waits_end(&w, 93 * MS);
    tt_margin_stepped(&b, &w, 93 * MS);
    tt_margin_ready(&a, &w, 96 * MS);
    tt_margin_ready(&b, &w, 96 * MS);
    assert_int_equal(tt_margin_cut(&a, 100 * MS), 89 * MS);
    assert_int_equal(tt_margin_cut(&b, 100 * MS), 93 * MS);
}

/* Threads wait for both at the same time. */
static void waits_at_the_same_time_count_once(void **state)
{
    struct tt_margin a = {.n = 0}, b = {.n = 0};
    struct tt_waits w = {0};

    (void)state;
    tt_waits_begin(&w, 0);
    tt_waits_begin(&w, 2 * MS);
    tt_waits_end(&w, 10 * MS);
    tt_margin_stepped(&a, &w, 10 * MS);
    tt_waits_end(&w, 50 * MS);
    tt_margin_stepped(&b, &w, 50 * MS);
    tt_margin_ready(&a, &w, 54 * MS);
    tt_margin_ready(&b, &w, 54 * MS);
    assert_int_equal(tt_margin_cut(&a, 100 * MS), 91 * MS);
    assert_int_equal(tt_margin_cut(&b, 100 * MS), 91 * MS);
}

/* One that steps now and then was not followed by the steps it left out. */
static void steps_without_it_are_not_measured(void **state)
{
    struct tt_margin m = {.n = 0};
    struct tt_waits w = {0};
    uint64_t now = 0;

    (void)state;
    step(&m, &w, &now, MS, 2 * MS);
    tt_margin_ready(&m, &w, now + 100 * MS);
    assert_int_equal(tt_margin_cut(&m, 100 * MS), 95 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_time_for_what_follows_twice),
        cmocka_unit_test(the_last_four_steps_count),
        cmocka_unit_test(a_short_step_leaves_less_for_waking),
        cmocka_unit_test(
            before_anything_was_measured_a_part_of_the_step_is_left),
        cmocka_unit_test(waits_for_others_do_not_count),
        cmocka_unit_test(waits_at_the_same_time_count_once),
        cmocka_unit_test(steps_without_it_are_not_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
