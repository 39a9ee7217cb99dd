/* SPDX-License-Identifier: MIT */
#include "base/test_locale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/num.h"

static void check_reads(const char *text, double want)
{
    double v = -1;

    if (tt_num_parse(text, &v) != 0)
        fail_msg("'%s' was refused", text);
    if (v != want || signbit(v) != signbit(want))
        fail_msg("'%.60s' read as %a, wanted %a", text, v, want);
}

static void decimal_texts_read_in_every_usual_form(void **state)
{
    (void)state;
    check_reads("0", 0.0);
    check_reads("-0", -0.0);
    check_reads("1", 1.0);
    check_reads("+1", 1.0);
    check_reads("-1.5", -1.5);
    check_reads(".5", 0.5);
    check_reads("5.", 5.0);
    check_reads("1e3", 1000.0);
    check_reads("1E+3", 1000.0);
    check_reads("1.0E-4", 1e-4);
    check_reads(" \t2.5\r\n", 2.5);
    check_reads("000000000000000000000000001", 1.0);
    check_reads("0.000000000000000000000000001", 1e-27);
    check_reads("1e0000000000000000000000001", 10.0);
    check_reads("0e999999999999999999999", 0.0);
}

static void infinities_and_nan_read_in_any_case(void **state)
{
    double v = 0;

    (void)state;
    check_reads("inf", (double)INFINITY);
    check_reads("-Infinity", -(double)INFINITY);
    check_reads("+INFINITY", (double)INFINITY);
    assert_int_equal(tt_num_parse("NaN", &v), 0);
    assert_true(isnan(v));
    assert_int_equal(tt_num_parse("nan", &v), 0);
    assert_true(isnan(v));
}

static void what_is_not_one_number_is_refused(void **state)
{
    static const char *const text[] = {
        "",     " ",   "+",    "-",   ".",     "e5",    "1e",   "1e+",
        "1,5",  "1 2", "1.2.", "--1", "0x10",  "nan()", "infi", "1f",
        "1e5x", "- 1", "1e 5", "in",  "1_000", "true",  "+-1",  "1d5",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        double v = 42;

        if (tt_num_parse(text[i], &v) == 0)
            fail_msg("'%s' was read as %a", text[i], v);
        assert_true(v == 42);
    }
}

static void only_the_given_bytes_are_read(void **state)
{
    static const char bytes[] = {'1', '.', '5', '9', '9'};
    double v = 0;

    (void)state;
    assert_int_equal(tt_num_parse_n(bytes, 3, &v), 0);
    assert_true(v == 1.5);
    assert_int_equal(tt_num_parse_n(bytes, sizeof(bytes), &v), 0);
    assert_true(v == 1.599);
    assert_int_equal(tt_num_parse_n(bytes, 0, &v), -1);
    assert_int_equal(tt_num_parse_n("1\0002", 3, &v), -1);
}

static void halfway_cases_round_to_even(void **state)
{
    (void)state;
    check_reads("9007199254740993", 9007199254740992.0);
    check_reads("9007199254740993.0000000000000000000000001",
                9007199254740994.0);
    check_reads("9007199254740995", 9007199254740996.0);
    check_reads("1e23", 0x1.52d02c7e14af6p76);
    check_reads("2.2250738585072011e-308", 0x0.fffffffffffffp-1022);
    check_reads("2.2250738585072012e-308", 0x1p-1022);
    check_reads("4.9e-324", 0x1p-1074);
    check_reads("1.7976931348623157e308", 0x1.fffffffffffffp1023);
    check_reads("1.00000000000000011102230246251565404236316680908203125", 1.0);
    check_reads("1.00000000000000011102230246251565404236316680908203126",
                0x1.0000000000001p0);
    check_reads("1.00000000000000033306690738754696212708950042724609375",
                0x1.0000000000002p0);
}

static void numbers_beyond_the_range_are_infinite_or_zero(void **state)
{
    (void)state;
    check_reads("1e309", (double)INFINITY);
    check_reads("-1e999999999999999999999", -(double)INFINITY);
    check_reads("1e-400", 0.0);
    check_reads("-1e-999999999999999999999", -0.0);
    check_reads("2.4703282292062327e-324", 0.0); /* below half the least */
    check_reads("2.4703282292062328e-324", 0x1p-1074);
}

/* Half of the least double exactly, which is 751 digits, then a digit far
 * behind what is kept. */
static void no_digit_is_too_far_out_to_count(void **state)
{
    static char text[5000];
    int n;

    (void)state;
    /* 2^-1075 in full: the locale's point is ours to replace. */
    n = snprintf(text, 2000, "%.1075f", ldexp(1.0, -1074));
    assert_int_equal(n, 1077);
    text[1] = '.';
    check_reads(text, 0x1p-1074);
    /* 2^53 + 1 is halfway; a 1 after 4000 zeros decides. */
    n = snprintf(text, sizeof(text), "9007199254740993.");
    memset(text + n, '0', 4000);
    text[n + 4000] = '\0';
    check_reads(text, 9007199254740992.0);
    text[n + 4000] = '1';
    text[n + 4001] = '\0';
    check_reads(text, 9007199254740994.0);
    /* Many leading zeros made up for by the exponent, and the reverse. */
    memset(text, '0', 3000);
    text[1] = '.';
    snprintf(text + 3000, 100, "125e3000");
    check_reads(text, 12.5);
    text[0] = '1';
    memset(text + 1, '0', 3000);
    snprintf(text + 3001, 100, "e-3000");
    check_reads(text, 1.0);
}

static void reading_agrees_with_libc(void **state)
{
    uint64_t x = 1;
    char text[64], *point;
    double v = 0;

    (void)state;
    for (int i = 0; i < 300000; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        snprintf(text, sizeof(text), "%u%s%08u%sE%d", (unsigned)(x >> 44),
                 localeconv()->decimal_point, (unsigned)(x >> 40) % 100000000u,
                 i % 3 ? "" : "1234567", (int)(x >> 33) % 40 - 20);
        double want = strtod(text, NULL);

        point = strstr(text, localeconv()->decimal_point);
        *point = '.';
        if (tt_num_parse(text, &v) != 0 || v != want)
            fail_msg("%s read as %a, libc gives %a", text, v, want);
    }
}

static void integers_read_over_their_whole_range(void **state)
{
    int64_t i = 0;
    uint64_t u = 0;

    (void)state;
    assert_int_equal(tt_num_parse_i64("-9223372036854775808", &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(tt_num_parse_i64(" +9223372036854775807 ", &i), 0);
    assert_true(i == INT64_MAX);
    assert_int_equal(tt_num_parse_i64("-0", &i), 0);
    assert_true(i == 0);
    assert_int_equal(tt_num_parse_u64("18446744073709551615", &u), 0);
    assert_true(u == UINT64_MAX);
}

static void integers_out_of_range_are_refused(void **state)
{
    static const char *const text[] = {"",
                                       "-",
                                       "1.0",
                                       "1e3",
                                       "0x10",
                                       "9223372036854775808",
                                       "-9223372036854775809",
                                       "99999999999999999999999",
                                       "1 2"};
    int64_t i = 42;
    uint64_t u = 42;

    (void)state;
    for (size_t k = 0; k < sizeof(text) / sizeof(text[0]); k++) {
        if (tt_num_parse_i64(text[k], &i) == 0)
            fail_msg("'%s' was read as an integer", text[k]);
    }
    assert_true(i == 42);
    assert_int_equal(tt_num_parse_u64("18446744073709551616", &u), -1);
    assert_int_equal(tt_num_parse_u64("-1", &u), -1);
    assert_true(u == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_texts_read_in_every_usual_form),
        cmocka_unit_test(infinities_and_nan_read_in_any_case),
        cmocka_unit_test(what_is_not_one_number_is_refused),
        cmocka_unit_test(only_the_given_bytes_are_read),
        cmocka_unit_test(halfway_cases_round_to_even),
        cmocka_unit_test(numbers_beyond_the_range_are_infinite_or_zero),
        cmocka_unit_test(no_digit_is_too_far_out_to_count),
        cmocka_unit_test(reading_agrees_with_libc),
        cmocka_unit_test(integers_read_over_their_whole_range),
        cmocka_unit_test(integers_out_of_range_are_refused),
    };
    int failed = cmocka_run_group_tests_name("C locale", tests, NULL, NULL);

    test_locale_need();
    failed += cmocka_run_group_tests_name("comma locale", tests, NULL, NULL);
    return failed;
}
