/* SPDX-License-Identifier: MIT */
#include "base/test_locale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/num.h"

struct vector {
    double v;
    const char *text;
};

/* What a double must print as; also with a minus before both. */
static void check(size_t (*print)(char *, double), const struct vector *x,
                  size_t n)
{
    char out[TT_NUM_MAX], minus[TT_NUM_MAX];

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(print(out, x[i].v), strlen(x[i].text));
        assert_string_equal(out, x[i].text);
        assert_int_equal(print(out, -x[i].v), strlen(x[i].text) + 1);
        snprintf(minus, sizeof(minus), "-%s", x[i].text);
        assert_string_equal(out, minus);
    }
}

#define CHECK(print, x) check((print), (x), sizeof(x) / sizeof((x)[0]))

static void doubles_print_as_java_writes_them(void **state)
{
    static const struct vector x[] = {
        {0.0, "0.0"},
        {1.0, "1.0"},
        {10.0, "10.0"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.5, "1.5"},
        {100.25, "100.25"},
        {3.141592653589793, "3.141592653589793"},
        {1.0 / 3.0, "0.3333333333333333"},
        {2.0 / 3.0, "0.6666666666666666"},
        {0.001, "0.001"},
        {0.0012345678901234567, "0.0012345678901234567"},
        {0x1.0624dd2f1a9fbp-10, "9.999999999999998E-4"},
        {1e-4, "1.0E-4"},
        {1234567.0, "1234567.0"},
        {9999999.0, "9999999.0"},
        {9999999.999999998, "9999999.999999998"},
        {1e7, "1.0E7"},
        {12345678.0, "1.2345678E7"},
        {1.234e22, "1.234E22"},
        {123456789012.5, "1.234567890125E11"},
    };

    (void)state;
    CHECK(tt_num_print, x);
}

static void hard_doubles_print_shortest(void **state)
{
    static const struct vector x[] = {
        {0x1p-1074, "4.9E-324"}, /* Java writes two digits: the best two */
        {0x2p-1074, "9.9E-324"},
        {0x3p-1074, "1.5E-323"},
        {0x4p-1074, "2.0E-323"},
        {0x14p-1074, "9.9E-323"},
        {1.6e-322, "1.6E-322"},
        {6.3e-322, "6.3E-322"},
        {0x0.fffffffffffffp-1022, "2.225073858507201E-308"},
        {0x1p-1022, "2.2250738585072014E-308"},
        {0x1.fffffffffffffp1023, "1.7976931348623157E308"},
        {9007199254740991.0, "9.007199254740991E15"},
        {9007199254740992.0, "9.007199254740992E15"},
        {9007199254740993.0, "9.007199254740992E15"}, /* ties to even */
        {9007199254740994.0, "9.007199254740994E15"},
        {9223372036854775808.0, "9.223372036854776E18"},
        {1e21, "1.0E21"},
        {1e22, "1.0E22"},
        {1e23, "1.0E23"}, /* not a double; between two, one prints so */
        {0x1.52d02c7e14af6p76, "1.0E23"},
        {0x1.52d02c7e14af7p76, "1.0000000000000001E23"},
        {2e23, "2.0E23"},
        {8.41e21, "8.41E21"},
        {5e-320, "5.0E-320"},
        {2.82879384806159e17, "2.82879384806159E17"},
        {1.387364135037754e18, "1.387364135037754E18"},
        {1.9400994884341945e25, "1.9400994884341945E25"},
        {3.6131332396758635e25, "3.6131332396758635E25"},
        {2.5138990223946153e25, "2.5138990223946153E25"},
        {4.35, "4.35"},
        {4.185580496821357e298, "4.185580496821357E298"},
        {5.764607523034235e39, "5.764607523034235E39"},
        {1.152921504606847e40, "1.152921504606847E40"},
        {2.305843009213694e40, "2.305843009213694E40"},
        {0x1p-44, "5.684341886080802E-14"}, /* the lower gap is half */
        /* The two factors whose product is nearest to an integer without
         * being one (tools/gen_num_table.py): c = n / 4, q. */
        {0x1.3de005bd620dfp215, "6.538311315939327E64"},
        {0x1.f92bacb3cb40cp716, "6.802601037806062E215"},
    };

    (void)state;
    CHECK(tt_num_print, x);
}

static void people_get_short_forms(void **state)
{
    static const struct vector x[] = {
        {0.0, "0"},
        {1.0, "1"},
        {0.1, "0.1"},
        {1e-4, "0.0001"},
        {1.5e-4, "0.00015"},
        {1e-5, "1e-5"},
        {0.00012345678901234567, "0.00012345678901234567"},
        {9.999e-5, "9.999e-5"},
        {123456.75, "123456.75"},
        {1e14, "100000000000000"},
        {999999999999999.0, "999999999999999"},
        {999999999999999.9, "999999999999999.9"},
        {1e15, "1e15"},
        {1e22, "1e22"},
        {1.5e22, "1.5e22"},
        {1e100, "1e100"},
        {0x1p-1074, "5e-324"},
        {0x2p-1074, "1e-323"},
        {0x14p-1074, "1e-322"},
        {0x1.fffffffffffffp1023, "1.7976931348623157e308"},
    };

    (void)state;
    CHECK(tt_num_print_short, x);
}

static void what_is_not_a_number_has_a_name(void **state)
{
    char out[TT_NUM_MAX];

    (void)state;
    assert_int_equal(tt_num_print(out, (double)NAN), 3);
    assert_string_equal(out, "NaN");
    tt_num_print(out, -(double)NAN);
    assert_string_equal(out, "NaN");
    tt_num_print(out, (double)INFINITY);
    assert_string_equal(out, "Infinity");
    tt_num_print(out, -(double)INFINITY);
    assert_string_equal(out, "-Infinity");
    tt_num_print_short(out, (double)NAN);
    assert_string_equal(out, "nan");
    tt_num_print_short(out, (double)INFINITY);
    assert_string_equal(out, "inf");
    tt_num_print_short(out, -(double)INFINITY);
    assert_string_equal(out, "-inf");
}

static void integers_print_exactly(void **state)
{
    uint64_t p = 1;
    char out[TT_NUM_MAX], want[TT_NUM_MAX];

    (void)state;
    tt_num_print_i64(out, INT64_MIN);
    assert_string_equal(out, "-9223372036854775808");
    tt_num_print_i64(out, INT64_MAX);
    assert_string_equal(out, "9223372036854775807");
    tt_num_print_u64(out, UINT64_MAX);
    assert_string_equal(out, "18446744073709551615");
    for (int i = 0; i < 20; i++, p *= 10) {
        for (uint64_t v = p - 1; v != p + 2; v++) {
            snprintf(want, sizeof(want), "%llu", (unsigned long long)v);
            assert_int_equal(tt_num_print_u64(out, v), strlen(want));
            assert_string_equal(out, want);
            tt_num_print_i64(out, (int64_t)v);
            snprintf(want, sizeof(want), "%lld", (long long)v);
            assert_string_equal(out, want);
        }
    }
}

/* --- random doubles ---------------------------------------------------- */

/* splitmix64: the same numbers on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In full once; the locale can only change the form. */
static int rounds(int n)
{
    return test_locale_is_comma() ? n / 20 : n;
}

static double from_bits(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* libc reads a text back; its decimal point is the locale's. */
static double libc_read(const char *text)
{
    char copy[64], *point;

    snprintf(copy, sizeof(copy), "%s", text);
    point = strchr(copy, '.');
    if (point)
        *point = *localeconv()->decimal_point;
    return strtod(copy, NULL);
}

static void check_round_trip(double v)
{
    char java[TT_NUM_MAX], people[TT_NUM_MAX];
    double back = 0;

    assert_true(tt_num_print(java, v) < TT_NUM_MAX);
    assert_true(tt_num_print_short(people, v) < TT_NUM_MAX);
    if (libc_read(java) != v || tt_num_parse(people, &back) != 0 || back != v)
        fail_msg("%a printed as %s and %s", v, java, people);
}

static void any_bit_pattern_reads_back_as_itself(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < rounds(2000000); i++) {
        double v = from_bits(next_random(&seed));

        if (isfinite(v))
            check_round_trip(v);
    }
}

static void powers_of_two_and_their_neighbours_read_back(void **state)
{
    (void)state;
    for (int e = -1074; e < 1024; e++) {
        double v = ldexp(1.0, e);

        check_round_trip(v);
        check_round_trip(nextafter(v, 0.0));
        if (e < 1023)
            check_round_trip(nextafter(v, (double)INFINITY));
    }
}

/* The digits of a text without point, zeros at either end and exponent. */
static void digits_of(char *out, const char *text)
{
    size_t n = 0;

    for (; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text >= '0' && *text <= '9' && (n || *text != '0'))
            out[n++] = *text;
    }
    while (n && out[n - 1] == '0')
        n--;
    out[n] = '\0';
}

/* The fewest digits with which libc's correctly rounded output reads back. */
static void probe(char *out, double v)
{
    char text[64];

    for (int n = 0; n < 17; n++) {
        snprintf(text, sizeof(text), "%.*e", n, v);
        if (strtod(text, NULL) == v)
            break;
    }
    digits_of(out, text);
}

static void check_shortest(double v)
{
    char text[TT_NUM_MAX], ours[TT_NUM_MAX], want[64];
    int exponent;

    tt_num_print_short(text, v);
    digits_of(ours, text);
    probe(want, v);
    /* Below a power of two the gap is half as wide: the nearest decimal of so
     * many digits may lie beyond it when the next one does not, so that ours
     * can be shorter than what probing finds, or differ. */
    if (frexp(v, &exponent) == 0.5) {
        assert_true(strlen(ours) <= strlen(want));
    } else if (strcmp(ours, want) != 0) {
        fail_msg("%a printed as %s, wanted the digits %s", v, text, want);
    }
    if (strlen(want) < 2)
        return;
    tt_num_print(text, v);
    digits_of(want, text);
    assert_string_equal(ours, want);
}

static void printed_digits_are_the_fewest_and_the_nearest(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (int i = 0; i < rounds(20000); i++) {
        double v = fabs(from_bits(next_random(&seed)));

        if (isfinite(v))
            check_shortest(v);
    }
    for (int i = 0; i < rounds(20000); i++) /* subnormals */
        check_shortest(from_bits(1 + (next_random(&seed) >> (12 + i % 50))));
    for (int i = 0; i < rounds(20000); i++) /* the size of ordinary results */
        check_shortest(
            ldexp((double)(1 + (next_random(&seed) >> 11)), -i % 80));
    for (int e = -1074; e < 1024; e++)
        check_shortest(ldexp(1.0, e));
}

static void powers_of_ten_print_one_digit(void **state)
{
    char text[16], out[TT_NUM_MAX];

    (void)state;
    for (int e = -323; e <= 308; e++) {
        snprintf(text, sizeof(text), "1e%d", e);
        tt_num_print_short(out, strtod(text, NULL));
        if (e < -4 || e > 14)
            assert_string_equal(out, text);
        else
            assert_int_equal(out[e < 0 ? strlen(out) - 1 : 0], '1');
    }
}

static void short_decimals_print_as_they_were_written(void **state)
{
    uint64_t seed = 3;
    char text[64], out[TT_NUM_MAX];

    (void)state;
    for (int i = 0; i < rounds(200000); i++) {
        unsigned whole = (unsigned)(next_random(&seed) % 1000000);
        unsigned part = (unsigned)(next_random(&seed) % 1000000) * 10 + 7;

        snprintf(text, sizeof(text), "%u.%07u", whole + 1, part);
        tt_num_print(out, libc_read(text));
        assert_string_equal(out, text);
    }
}

static void digits_for_people_are_rounded(void **state)
{
    static const struct {
        double v;
        int digits;
        const char *text;
    } is[] = {
        {107 * 0.1, 12, "10.7"},     {1.0 / 3, 3, "0.333"},
        {83123.7, 3, "83100"},       {-2.5e-7, 1, "-3e-7"},
        {999.9, 3, "1000"},          {0, 3, "0"},
        {1.5e300, 2, "1.5e300"},     {5e-324, 3, "5e-324"},
        {1.594321e31, 3, "1.59e31"}, {9.1312345e46, 3, "9.13e46"},
    };
    char out[TT_NUM_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++) {
        tt_num_print_digits(out, is[i].v, is[i].digits);
        assert_string_equal(out, is[i].text);
    }
    tt_num_print_digits(out, (double)NAN, 3);
    assert_string_equal(out, "nan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_print_as_java_writes_them),
        cmocka_unit_test(hard_doubles_print_shortest),
        cmocka_unit_test(people_get_short_forms),
        cmocka_unit_test(what_is_not_a_number_has_a_name),
        cmocka_unit_test(integers_print_exactly),
        cmocka_unit_test(any_bit_pattern_reads_back_as_itself),
        cmocka_unit_test(powers_of_two_and_their_neighbours_read_back),
        cmocka_unit_test(printed_digits_are_the_fewest_and_the_nearest),
        cmocka_unit_test(powers_of_ten_print_one_digit),
        cmocka_unit_test(short_decimals_print_as_they_were_written),
        cmocka_unit_test(digits_for_people_are_rounded),
    };
    int failed = cmocka_run_group_tests_name("C locale", tests, NULL, NULL);

    test_locale_need();
    failed += cmocka_run_group_tests_name("comma locale", tests, NULL, NULL);
    return failed;
}
