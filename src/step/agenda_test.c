/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "step/agenda.h"

static uint64_t walk(struct tt_agenda *a, double *last, double *last_h)
{
    double t0, t1, h;
    uint64_t n = 0;

    *last = *last_h = (double)NAN;
    while (tt_agenda_next(a, &t0, &t1, &h)) {
        *last = t1;
        *last_h = h;
        tt_agenda_advance(a);
        n++;
    }
    return n;
}

static void a_whole_number_of_steps_ends_at_the_end_exactly(void **state)
{
    struct tt_agenda a;
    double last, h;

    (void)state;
    tt_agenda_init(&a, 0, 10, 0.1); /* 0.1 is not a binary fraction */
    assert_int_equal(walk(&a, &last, &h), 100);
    assert_true(last == 10);
    assert_true(h == 0.1); /* a unit sees exact H, not 10 - 9.9 */
}

static void grid_points_are_computed_not_accumulated(void **state)
{
    struct tt_agenda a;
    double t0, t1, h;

    (void)state;
    tt_agenda_init(&a, 0, 1, 0.1);
    for (int n = 0; n < 3; n++)
        tt_agenda_advance(&a);
    assert_true(tt_agenda_next(&a, &t0, &t1, &h));
    assert_true(t0 == 3 * 0.1); /* 0.1 + 0.1 + 0.1 would be another number */
    assert_true(t1 == 4 * 0.1);
}

static void a_step_that_does_not_divide_the_span_is_shortened_last(void **state)
{
    struct tt_agenda a;
    double last, h;

    (void)state;
    tt_agenda_init(&a, 0, 1, 0.3);
    assert_int_equal(walk(&a, &last, &h), 4);
    assert_true(last == 1);
    assert_true(h == 1 - 3 * 0.3);
    assert_true(a.n_full + (uint64_t)a.short_last == 4);
}

static void a_step_longer_than_the_span_is_one_short_step(void **state)
{
    struct tt_agenda a;
    double last, h;

    (void)state;
    tt_agenda_init(&a, 2, 2.5, 1);
    assert_int_equal(walk(&a, &last, &h), 1);
    assert_true(last == 2.5 && h == 0.5);
}

static void microsecond_steps_do_not_end_early(void **state)
{
    struct tt_agenda a;
    double last, h;

    (void)state;
    tt_agenda_init(&a, 0, 0.5, 1e-6);
    assert_int_equal(walk(&a, &last, &h), 500000);
    assert_true(last == 0.5);
}

/* The quotients are 7200300000.000001 and 699999999.9999999. */
static void rounding_of_large_quotients_makes_no_step_of_its_own(void **state)
{
    struct tt_agenda a;

    (void)state;
    tt_agenda_init(&a, 0, 7200.3, 1e-6);
    assert_true(a.n_full == 7200300000 && !a.short_last);
    tt_agenda_init(&a, 0, 0.7, 1e-9);
    assert_true(a.n_full == 700000000 && !a.short_last);
}

static void an_open_end_never_ends(void **state)
{
    struct tt_agenda a;
    double t0, t1, h;

    (void)state;
    tt_agenda_init(&a, 0, (double)INFINITY, 0.5);
    for (int n = 0; n < 1000; n++)
        tt_agenda_advance(&a);
    assert_true(tt_agenda_next(&a, &t0, &t1, &h));
    assert_true(t0 == 500 && t1 == 500.5 && h == 0.5);
    assert_true(a.n_full == UINT64_MAX);
}

static uint64_t add_up(struct tt_agenda *a, double *last)
{
    double t0, t1, h;
    uint64_t n = 0;

    *last = a->start;
    while (tt_agenda_next(a, &t0, &t1, &h)) {
        assert_true(t0 == *last && t1 == t0 + h && t1 <= a->end);
        tt_agenda_advance(a);
        a->t = *last = t1;
        n++;
    }
    return n;
}

static void maestros_time_is_added_up_and_has_no_short_step(void **state)
{
    static const struct {
        double end, step, last;
        uint64_t n, n_first;
    } row[] = {
        {10, 0.1, 9.99999999999998, 100, 100},
        {0.3, 0.1, 0.2, 2, 2}, /* 0.30000000000000004 would be too far */
        {1, 0.3, 0.8999999999999999, 3, 3},
        {1, 3, 0, 0, 1}, /* Maestro 1's first step */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct tt_agenda a;
        double last;

        tt_agenda_init(&a, 0, row[i].end, row[i].step);
        tt_agenda_sum(&a, TT_AGENDA_SUM);
        assert_int_equal(add_up(&a, &last), row[i].n);
        assert_true(last == row[i].last);
        tt_agenda_init(&a, 0, row[i].end, row[i].step);
        tt_agenda_sum(&a, TT_AGENDA_SUM_FIRST);
        assert_int_equal(add_up(&a, &last), row[i].n_first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_number_of_steps_ends_at_the_end_exactly),
        cmocka_unit_test(grid_points_are_computed_not_accumulated),
        cmocka_unit_test(
            a_step_that_does_not_divide_the_span_is_shortened_last),
        cmocka_unit_test(a_step_longer_than_the_span_is_one_short_step),
        cmocka_unit_test(microsecond_steps_do_not_end_early),
        cmocka_unit_test(rounding_of_large_quotients_makes_no_step_of_its_own),
        cmocka_unit_test(an_open_end_never_ends),
        cmocka_unit_test(maestros_time_is_added_up_and_has_no_short_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
