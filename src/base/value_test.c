/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "base/value.h"

static void every_type_has_name_and_size(void **state)
{
    (void)state;
    assert_string_equal(tt_type_name(TT_F64), "Float64");
    assert_string_equal(tt_type_name(TT_BOOL32), "Boolean");
    assert_string_equal(tt_type_name(TT_CLOCK), "Clock");
    assert_int_equal(tt_type_size(TT_F32), sizeof(float));
    assert_int_equal(tt_type_size(TT_BOOL32), sizeof(int));
    assert_int_equal(tt_type_size(TT_ENUM64), sizeof(int64_t));
    assert_int_equal(tt_type_size(TT_TEXT), sizeof(struct tt_text));
}

static void types_know_their_family(void **state)
{
    (void)state;
    for (int i = 0; i < TT_TYPE_N; i++) {
        enum tt_type t = (enum tt_type)i;
        int families = tt_type_is_number(t) + tt_type_is_bool(t) +
                       tt_type_is_enum(t) + (t == TT_TEXT) + (t == TT_BYTES) +
                       (t == TT_CLOCK);

        assert_int_equal(families, 1);
    }
    assert_true(tt_type_is_float(TT_F64) && tt_type_is_float(TT_F32));
    assert_false(tt_type_is_float(TT_I8));
    assert_true(tt_type_is_number(TT_U64) && tt_type_is_number(TT_F64));
}

struct limits {
    enum tt_type type;
    double lo, hi;
};

static void integers_hold_their_range_and_no_more(void **state)
{
    static const struct limits x[] = {
        {TT_I8, -128, 127},
        {TT_U8, 0, 255},
        {TT_I16, -32768, 32767},
        {TT_U16, 0, 65535},
        {TT_I32, -2147483648.0, 2147483647},
        {TT_ENUM32, -2147483648.0, 2147483647},
        {TT_U32, 0, 4294967295},
        {TT_I64, -0x1p63, 0x1.fffffffffffffp62},
        {TT_ENUM64, -0x1p63, 0x1.fffffffffffffp62},
        {TT_U64, 0, 0x1.fffffffffffffp63},
    };
    unsigned char v[9]; /* one byte off: elements may sit anywhere */

    (void)state;
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
        enum tt_type t = x[i].type;

        assert_int_equal(tt_value_from_double(t, v + 1, x[i].lo), 0);
        assert_true(tt_value_as_double(t, v + 1) == x[i].lo);
        assert_int_equal(tt_value_from_double(t, v + 1, x[i].hi), 0);
        assert_true(tt_value_as_double(t, v + 1) == x[i].hi);
        assert_int_equal(
            tt_value_from_double(t, v + 1,
                                 nextafter(x[i].lo - 1, -(double)INFINITY)),
            -1);
        assert_int_equal(
            tt_value_from_double(t, v + 1,
                                 nextafter(x[i].hi + 1, (double)INFINITY)),
            -1);
        assert_int_equal(tt_value_from_double(t, v + 1, 0.5), -1);
        assert_int_equal(tt_value_from_double(t, v + 1, (double)NAN), -1);
        assert_int_equal(tt_value_from_double(t, v + 1, (double)INFINITY), -1);
        assert_true(tt_value_as_double(t, v + 1) == x[i].hi);
    }
    assert_int_equal(tt_value_from_double(TT_U64, v, 0x1p64), -1);
    assert_int_equal(tt_value_from_double(TT_I64, v, 0x1p63), -1);
}

static void floats_hold_what_fits(void **state)
{
    float f = 0;
    double d = 0;

    (void)state;
    assert_int_equal(tt_value_from_double(TT_F32, &f, 0.5), 0);
    assert_true(tt_value_as_double(TT_F32, &f) == 0.5);
    assert_int_equal(tt_value_from_double(TT_F32, &f, 1e300), -1);
    assert_true((double)f == 0.5);
    assert_int_equal(tt_value_from_double(TT_F32, &f, (double)INFINITY), 0);
    assert_true(isinf(tt_value_as_double(TT_F32, &f)));
    assert_int_equal(tt_value_from_double(TT_F32, &f, (double)NAN), 0);
    assert_true(isnan(f));
    assert_int_equal(tt_value_from_double(TT_F64, &d, DBL_MAX), 0);
    assert_true(tt_value_as_double(TT_F64, &d) == DBL_MAX);
}

static void any_nonzero_number_is_true(void **state)
{
    static const enum tt_type type[] = {TT_BOOL, TT_BOOL32, TT_CLOCK};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        int v = 0;

        assert_int_equal(tt_value_from_double(type[i], &v, -0.5), 0);
        assert_int_equal(v, 1);
        assert_true(tt_value_as_double(type[i], &v) == 1.0);
        v = 0x04; /* some units' true */
        assert_true(tt_value_as_double(type[i], &v) == 1.0);
        assert_int_equal(tt_value_from_double(type[i], &v, 0.0), 0);
        assert_true(tt_value_as_double(type[i], &v) == 0.0);
        assert_int_equal(tt_value_from_double(type[i], &v, (double)NAN), -1);
    }
}

static void check_print(enum tt_type t, const void *v, const char *want)
{
    char out[TT_TEXT_MAX];

    assert_int_equal(tt_value_print(out, t, v), strlen(want));
    assert_string_equal(out, want);
}

static void values_print_as_results_show_them(void **state)
{
    struct tt_text text;

    (void)state;
    check_print(TT_F64, &(double){0.1}, "0.1");
    check_print(TT_F64, &(double){1}, "1.0");
    check_print(TT_F32, &(float){0.1f}, "0.10000000149011612");
    check_print(TT_I8, &(int8_t){-128}, "-128");
    check_print(TT_U8, &(uint8_t){200}, "200");
    check_print(TT_I16, &(int16_t){-3}, "-3");
    check_print(TT_U16, &(uint16_t){65535}, "65535");
    check_print(TT_I32, &(int32_t){INT32_MIN}, "-2147483648");
    check_print(TT_ENUM32, &(int32_t){2}, "2");
    check_print(TT_U32, &(uint32_t){UINT32_MAX}, "4294967295");
    check_print(TT_I64, &(int64_t){INT64_MIN}, "-9223372036854775808");
    check_print(TT_U64, &(uint64_t){UINT64_MAX}, "18446744073709551615");
    check_print(TT_BOOL, &(char){1}, "true");
    check_print(TT_BOOL32, &(int){0}, "false");
    check_print(TT_BOOL32, &(int){256}, "true");
    check_print(TT_CLOCK, &(char){1}, "true");
    assert_int_equal(tt_text_set(&text, "as it is, \"so\""), 0);
    check_print(TT_TEXT, &text, "as it is, \"so\"");
}

static void binaries_print_in_hexadecimal_and_state_when_cut(void **state)
{
    static struct tt_text t = {.n = 3, .s = "\x00\xff\x1a"};
    char out[TT_TEXT_MAX];

    (void)state;
    check_print(TT_BYTES, &t, "00ff1a");
    t.n = 509;
    assert_int_equal(tt_value_print(out, TT_BYTES, &t), 1018);
    assert_string_equal(out + 1014, "0000");
    t.n = TT_TEXT_MAX - 1;
    assert_int_equal(tt_value_print(out, TT_BYTES, &t), 1019);
    assert_string_equal(out + 1014, "00...");
}

/* FIPS 180-4: "abc". */
static void a_binary_too_long_for_a_slot_keeps_length_and_sum(void **state)
{
    static const char abc[] = "3:ba7816bf8f01cfea414140de5dae2223b00361a3"
                              "96177a9cb410ff61f20015ad";
    static char lengthy[5000];
    char out[TT_TEXT_MAX], sum[TT_BYTES_SUM_MAX];
    struct tt_text t;

    (void)state;
    tt_bytes_set(&t, "abc", 3);
    assert_false(tt_bytes_is_cut(&t));
    assert_int_equal(tt_bytes_sum_of(out, &t), strlen(abc));
    assert_string_equal(out, abc);
    tt_bytes_set(&t, lengthy, sizeof(lengthy));
    assert_true(tt_bytes_is_cut(&t));
    (void)tt_bytes_sum(sum, lengthy, sizeof(lengthy));
    assert_int_equal(strncmp(sum, "5000:", 5), 0);
    (void)tt_bytes_sum_of(out, &t);
    assert_string_equal(out, sum);
    check_print(TT_BYTES, &t, sum);
    check_print(TT_TEXT, &t, sum);
}

static void texts_are_compared_by_what_they_are(void **state)
{
    static char lengthy[5000];
    struct tt_text a, b;

    (void)state;
    memset(&a, 1, sizeof(a));
    memset(&b, 2, sizeof(b)); /* what is behind the end does not count */
    tt_bytes_set(&a, "abc", 3);
    tt_bytes_set(&b, "abc", 3);
    assert_true(tt_values_same(TT_BYTES, 1, &a, &b));
    tt_bytes_set(&b, "abd", 3);
    assert_false(tt_values_same(TT_TEXT, 1, &a, &b));
    tt_bytes_set(&a, lengthy, sizeof(lengthy));
    tt_bytes_set(&b, lengthy, sizeof(lengthy));
    assert_true(tt_text_same(&a, &b));
    lengthy[4999] = 1;
    tt_bytes_set(&b, lengthy, sizeof(lengthy));
    assert_false(tt_text_same(&a, &b));
    assert_true(tt_values_same(TT_I32, 2, (int[]){1, 2}, (int[]){1, 2}));
    assert_false(tt_values_same(TT_I32, 2, (int[]){1, 2}, (int[]){1, 3}));
}

static void check_parse(enum tt_type t, const char *text, const char *printed)
{
    static struct tt_text v;
    char out[TT_TEXT_MAX];

    if (tt_value_parse(t, &v, text) != 0)
        fail_msg("'%s' was refused as %s", text, tt_type_name(t));
    tt_value_print(out, t, &v);
    assert_string_equal(out, printed);
}

static void texts_read_as_values(void **state)
{
    (void)state;
    check_parse(TT_F64, "1e-3", "0.001");
    check_parse(TT_F32, "0.5", "0.5");
    check_parse(TT_I8, "-128", "-128");
    check_parse(TT_I32, "3.0", "3");
    check_parse(TT_I32, "1e3", "1000");
    check_parse(TT_U64, "18446744073709551615", "18446744073709551615");
    check_parse(TT_I64, "-9223372036854775808", "-9223372036854775808");
    check_parse(TT_I64, "9007199254740993", "9007199254740993");
    check_parse(TT_ENUM64, "7", "7");
    check_parse(TT_BOOL, "true", "true");
    check_parse(TT_BOOL, "0", "false");
    check_parse(TT_BOOL32, "1", "true");
    check_parse(TT_BOOL32, "false", "false");
    check_parse(TT_TEXT, " a b ", " a b ");
    check_parse(TT_TEXT, "", "");
    check_parse(TT_BYTES, "00fF1a", "00ff1a");
}

static void texts_that_do_not_fit_the_type_are_refused(void **state)
{
    static const struct {
        enum tt_type t;
        const char *text;
    } x[] = {
        {TT_F64, "x"},
        {TT_F64, ""},
        {TT_F32, "1e40"},
        {TT_I8, "128"},
        {TT_U8, "-1"},
        {TT_U8, "256"},
        {TT_I32, "1.5"},
        {TT_I32, "1e10"},
        {TT_U64, "-1"},
        {TT_I64, "1e300"},
        {TT_BOOL, "2"},
        {TT_BOOL, "yes"},
        {TT_BOOL32, ""},
        {TT_BYTES, "0"},
        {TT_BYTES, "0g"},
        {TT_I64, "nan"},
        {TT_ENUM32, "a"},
        {TT_U64, "18446744073709551616"},
        {TT_I64, "-9223372036854775809"},
        {TT_I64, "9223372036854775808"},
        {TT_I64, "9007199254740993.0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
        static struct tt_text v, zero;

        if (tt_value_parse(x[i].t, &v, x[i].text) == 0)
            fail_msg("'%s' was read as %s", x[i].text, tt_type_name(x[i].t));
        assert_memory_equal(&v, &zero, sizeof(v));
    }
}

static void texts_longer_than_a_slot_are_refused(void **state)
{
    static char longest[TT_TEXT_MAX + 1];
    static struct tt_text t;

    (void)state;
    memset(longest, 'a', TT_TEXT_MAX);
    assert_int_equal(tt_text_set(&t, "kept"), 0);
    assert_int_equal(tt_text_set(&t, longest), -1);
    assert_string_equal(t.s, "kept");
    longest[TT_TEXT_MAX - 1] = '\0';
    assert_int_equal(tt_text_set(&t, longest), 0);
    assert_int_equal(t.n, TT_TEXT_MAX - 1);
    assert_int_equal(tt_text_set(&t, NULL), 0);
    assert_int_equal(t.n, 0);
    assert_string_equal(t.s, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_name_and_size),
        cmocka_unit_test(types_know_their_family),
        cmocka_unit_test(integers_hold_their_range_and_no_more),
        cmocka_unit_test(floats_hold_what_fits),
        cmocka_unit_test(any_nonzero_number_is_true),
        cmocka_unit_test(values_print_as_results_show_them),
        cmocka_unit_test(binaries_print_in_hexadecimal_and_state_when_cut),
        cmocka_unit_test(a_binary_too_long_for_a_slot_keeps_length_and_sum),
        cmocka_unit_test(texts_are_compared_by_what_they_are),
        cmocka_unit_test(texts_read_as_values),
        cmocka_unit_test(texts_that_do_not_fit_the_type_are_refused),
        cmocka_unit_test(texts_longer_than_a_slot_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
