/* SPDX-License-Identifier: MIT */
#include "base/ratio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void is(double v, uint64_t num, uint64_t den)
{
    struct tt_ratio r = tt_ratio_of(v);

    assert_true(r.num == num && r.den == den);
    assert_true(tt_ratio_value(r) == v);
}

static void decimals_are_what_they_are_written_as(void **state)
{
    (void)state;
    is(0, 0, 1);
    is(0.1, 1, 10);
    is(0.3, 3, 10);
    is(0.25, 1, 4);
    is(1.5, 3, 2);
    is(2e-5, 1, 50000);
    is(3e6, 3000000, 1);
    is(1e18, 1000000000000000000u, 1);
    is(0.001001, 1001, 1000000);
}

/* More digits than fit: the double itself. */
static void long_decimals_are_the_double(void **state)
{
    struct tt_ratio r = tt_ratio_of(3.141592653589793e-5);

    (void)state;
    assert_true(fabs(tt_ratio_value(r) - 3.141592653589793e-5) <= 0x1p-62);
    is(0x1p-60, 1, UINT64_C(1) << 60);
    is(0x1p61, UINT64_C(1) << 61, 1);
    r = tt_ratio_of(1e-300);
    assert_true(r.num == 0 && r.den == 1);
}

static void what_is_no_time_is_none(void **state)
{
    (void)state;
    assert_false(tt_ratio_is(tt_ratio_of(-1)));
    assert_false(tt_ratio_is(tt_ratio_of((double)NAN)));
    assert_false(tt_ratio_is(tt_ratio_of((double)INFINITY)));
    assert_false(tt_ratio_is(tt_ratio_of(0x1p62)));
    assert_true(isnan(tt_ratio_value((struct tt_ratio){0, 0})));
}

static struct tt_ratio parse(const char *text)
{
    return tt_ratio_parse(text, strlen(text));
}

static void times_are_read_as_decimals_and_fractions(void **state)
{
    static const struct {
        const char *text;
        uint64_t num, den;
    } good[] = {{"0.1", 1, 10},
                {"2e-3", 1, 500},
                {"3", 3, 1},
                {"1/3", 1, 3},
                {"0/7", 0, 1},
                {"10/4", 5, 2},
                {"1/1000000007", 1, 1000000007}};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct tt_ratio r = parse(good[i].text);

        assert_true(r.num == good[i].num && r.den == good[i].den);
    }
}

static void what_states_no_time_is_none(void **state)
{
    static const char *const bad[] = {
        "",      "/",     "1/",   "/3",
        "1/0",   "-1",    "-1/3", "1.5/2",
        "1/2/3", "1 / 3", "0x10", "nan",
        "inf",   "a",     "1s",   "99999999999999999999/1"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (tt_ratio_is(parse(bad[i])))
            fail_msg("'%s' is read as a time", bad[i]);
}

static void ratios_are_reduced(void **state)
{
    struct tt_ratio r = tt_ratio_reduce((struct tt_ratio){500, 1000});

    (void)state;
    assert_true(r.num == 1 && r.den == 2);
    r = tt_ratio_reduce((struct tt_ratio){7, 0});
    assert_false(tt_ratio_is(r));
    r = tt_ratio_reduce((struct tt_ratio){UINT64_MAX - 2, UINT64_MAX});
    assert_true(r.den <= TT_RATIO_DEN_MAX);
    assert_true(fabs(tt_ratio_value(r) - 1) < 1e-15);
    assert_true(tt_gcd(0, 0) == 0 && tt_gcd(0, 4) == 4 && tt_gcd(12, 18) == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_what_they_are_written_as),
        cmocka_unit_test(long_decimals_are_the_double),
        cmocka_unit_test(what_is_no_time_is_none),
        cmocka_unit_test(times_are_read_as_decimals_and_fractions),
        cmocka_unit_test(what_states_no_time_is_none),
        cmocka_unit_test(ratios_are_reduced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
