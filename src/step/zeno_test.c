/* SPDX-License-Identifier: MIT */
/* Accumulation of events, against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "step/zeno.h"

#define G 9.81
#define E 0.7 /* of its speed is kept */

/* The k-th bounce of a ball from 1 m, from 1, and where they accumulate:
 * sqrt(2/g) (1 + 2 (e + e^2 + ...)) = sqrt(2/g) (1 + e)/(1 - e). */
static double bounce(int k)
{
    double t = sqrt(2 / G), flight = 2 * t;

    for (; k > 1; k--)
        t += flight *= E;
    return t;
}
#define ACCUMULATE (sqrt(2 / G) * (1 + E) / (1 - E))

static void ten_bounces_foretell_where_they_end(void **state)
{
    struct tt_zeno z = {0};

    (void)state;
    for (int k = 1; k < 10; k++) {
        tt_zeno_note(&z, bounce(k));
        assert_false(tt_zeno_judge(&z).found);
    }
    /* located to 1e-9 only */
    tt_zeno_note(&z, bounce(10) + 1e-9);
    assert_true(tt_zeno_judge(&z).found);
    assert_false(tt_zeno_judge(&z).rests);
    assert_true(fabs(tt_zeno_judge(&z).end - ACCUMULATE) < 1e-6);
    assert_true(fabs(tt_zeno_judge(&z).ratio - E) < 1e-6);
}

static void it_rests_when_intervals_are_a_millionth(void **state)
{
    struct tt_zeno z = {0};
    int k = 0;

    (void)state;
    while (!tt_zeno_judge(&z).rests)
        tt_zeno_note(&z, bounce(++k));
    /* the smallest n with 2 t1 0.7^n < 1e-6 of what follows the first */
    assert_true(bounce(k) - bounce(k - 1) < 1e-6 * (bounce(k) - bounce(1)));
    assert_true(bounce(k - 1) - bounce(k - 2) >=
                1e-6 * (bounce(k - 1) - bounce(1)));
}

static void what_does_not_shrink_does_not_accumulate(void **state)
{
    struct tt_zeno even = {0}, slow = {0}, harmonic = {0}, once = {0};
    double t = 0;

    (void)state;
    for (int k = 1; k < 1000; k++) {
        tt_zeno_note(&even, 0.1 * k);
        tt_zeno_note(&slow, -pow(0.995, k));
        assert_false(tt_zeno_judge(&even).found);
        assert_false(tt_zeno_judge(&slow).found);
    }
    /* the sum of 1/k has no end, and its ratios tend to 1 */
    for (int k = 1; k < 1000; k++)
        tt_zeno_note(&harmonic, t += 1.0 / k);
    assert_false(tt_zeno_judge(&harmonic).found);
    /* one longer interval begins anew */
    for (int k = 1; k <= 10; k++)
        tt_zeno_note(&once, bounce(k));
    assert_true(tt_zeno_judge(&once).found);
    tt_zeno_note(&once, bounce(10) + 1);
    assert_false(tt_zeno_judge(&once).found);
}

static void several_at_one_time_are_one(void **state)
{
    struct tt_zeno z = {0};

    (void)state;
    for (int k = 1; k <= 10; k++)
        for (int again = 0; again < 3; again++)
            tt_zeno_note(&z, bounce(k));
    assert_true(z.n == 10);
    assert_true(fabs(tt_zeno_judge(&z).end - ACCUMULATE) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_bounces_foretell_where_they_end),
        cmocka_unit_test(it_rests_when_intervals_are_a_millionth),
        cmocka_unit_test(what_does_not_shrink_does_not_accumulate),
        cmocka_unit_test(several_at_one_time_are_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
