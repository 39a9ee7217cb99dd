/* SPDX-License-Identifier: MIT */
/* Units in brackets, and types that follow from use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "expr/testing.h"

#define UNIT(...)                                                              \
    {                                                                          \
        .known = 1, .factor = 1, __VA_ARGS__                                   \
    }

static const double one = 1, two = 2, warm = 300;
static const bool yes = true;
static const struct test_variable list[] = {
    {"x", {TT_F64, UNIT(.exponent = {[1] = 1}, .name = "m")}, &one},
    {"far",
     {TT_F64, {.known = 1, .exponent = {[1] = 1}, .factor = 1e3, .name = "km"}},
     &two},
    {"T", {TT_F64, UNIT(.exponent = {[4] = 1}, .name = "K")}, &warm},
    {"n", {TT_F64, {0}}, &two},
    {"yes", {TT_BOOL, {0}}, &yes},
};
static const struct test_scope scope = {list, sizeof(list) / sizeof(*list),
                                        TT_EXPR_WITH_T};

static void a_unit_in_brackets_is_stated_or_converted_to(void **state)
{
    static const struct {
        const char *text;
        double value;
    } of[] = {
        {"x + 20[cm]", 1.2},
        {"20[cm] + x", 1.2},
        {"x - -20[cm]", 1.2},
        {"x + far[m]", 2001},
        {"(x + far[m])[km]", 2.001},
        {"far[m][cm]", 200000},
        {"T > 21[degC]", 1},
        {"T[degC]", 300 - 273.15},
        {"21[degC] < T", 1},
        {"t[min] * 60", 2}, /* t is 2 s */
        {"t < 1[min]", 1},
        {"min(x, 50[cm], 2)", 0.5},
        {"if yes then x else 50[cm]", 1},
        {"if t > 5 then x else 1[km]", 1000},
        {"n[kg] + 5[g]", 2.005},   /* n is stated to be in kg */
        {"36[km/h] / 1[m/s]", 36}, /* a product converts nothing */
        {"(36[km/h])[m/s]", 10},
        {"x^2 + 1[cm]^2 * 0", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        double v = test_value(&scope, of[i].text), d = v - of[i].value;

        if (d > 1e-12 || d < -1e-12)
            fail_msg("%s is %.17g and not %.17g", of[i].text, v, of[i].value);
    }
}

static void units_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } of[] = {
        {"x + t", "1:3: '+' takes values of one unit, not 'm' and 's'"},
        {"x + far", "1:3: '+' takes values of one unit, not 'm' and 'km'"},
        {"x < 2[s]", "1:3: '<' takes values of one unit, not 'm' and 's'"},
        {"x[s]", "1:2: a value in 'm' cannot be converted to 's'"},
        {"x[mete]", "1:2: there is no unit '[mete]'"},
        {"2[Degc]", "1:2: there is no unit '[Degc]'; did you mean '[degC]'?"},
        {"2[]", "1:2: there is no unit '[]'"},
        {"2[m", "1:2: a unit lacks its closing ']'"},
        {"yes[m]", "1:1: '[m]' takes numbers, and this is a Boolean"},
        {"2[m99.m]", "1:2: there is no unit '[m99.m]'"},
        {"2[m9999999]", "1:2: there is no unit '[m9999999]'"},
        {"[m]", "1:1: expected a value, found '[m]'"},
        {"x *\n sin(2[m])",
         "2:6: 'sin' takes a number or an angle in 'rad', not 'm'"},
        {"if yes then x else 2[s]",
         "1:20: a choice is between values of one unit, not 'm' and 's'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        test_refused(&scope, of[i].text, of[i].message);
}

/* --- types from use ------------------------------------------------------- */

static int any(void *ctx, const char *name, struct tt_expr_variable *v)
{
    (void)ctx;
    (void)name;
    (void)v;
    return 0;
}

static const struct tt_expr_scope untyped = {
    .offers = TT_EXPR_INFER | TT_EXPR_WITH_PRE | TT_EXPR_WITH_DER, .find = any};

static void a_type_follows_from_use(void **state)
{
    static const struct {
        const char *text;
        enum tt_type type; /* of the first variable */
    } of[] = {
        {"a > 1", TT_F64},
        {"a and b > 1", TT_BOOL},
        {"not a", TT_BOOL},
        {"a ? 1 : 2", TT_BOOL},
        {"if a then b else c", TT_BOOL},
        {"a == \"open\"", TT_TEXT},
        {"\"open\" != a", TT_TEXT},
        {"a == true", TT_BOOL},
        {"a == \"x\" or a == \"y\"", TT_TEXT},
        {"a != pre(a) and a", TT_BOOL},
        {"pre(a) == \"x\" and a != pre(a)", TT_TEXT},
        {"a == b", TT_F64},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        tt_arena *arena = tt_arena_new();
        tt_expr e;
        tt_err err;

        if (tt_expr_compile(&e, of[i].text, &untyped, arena, &err) != TT_OK)
            fail_msg("%s: %s", of[i].text, err.msg);
        if (e.ref[0].type != of[i].type)
            fail_msg("%s: %s", of[i].text, tt_type_name(e.ref[0].type));
        tt_arena_free(arena);
    }
}

static void a_variable_has_one_type(void **state)
{
    static const struct {
        const char *text, *message;
    } of[] = {
        {"a == \"x\" and a > 1", "1:16: '>' compares a String with a number"},
        {"a > 1 and a == \"x\"", "1:13: '==' compares a number with a String"},
        {"not a and a > 1", "1:13: '>' compares a Boolean with a number"},
        {"not der(a)", "1:5: 'not' takes Booleans, and this is a number"},
        {"not (a + 1)", "1:5: 'not' takes Booleans, and this is a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        tt_arena *arena = tt_arena_new();
        tt_expr e;
        tt_err err = {.code = TT_OK};

        if (tt_expr_compile(&e, of[i].text, &untyped, arena, &err) == TT_OK)
            fail_msg("'%s' was taken", of[i].text);
        assert_string_equal(err.msg, of[i].message);
        tt_arena_free(arena);
    }
}

static void variables_of_several_programs_are_listed_once(void **state)
{
    static const char *const text[] = {"b - pre(a) * der(b)", "a + b + c"};
    static const uint32_t of[] = {0, 1, 2, 1, 0, 3};
    tt_arena *arena = tt_arena_new();
    struct tt_expr_united u;
    tt_expr e[2];
    tt_err err;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(tt_expr_compile(&e[i], text[i], &untyped, arena, &err),
                         TT_OK);
    assert_int_equal(tt_expr_unite(&u, e, 2, arena, &err), TT_OK);
    assert_int_equal(u.n, 4);
    assert_memory_equal(u.of, of, sizeof(of));
    assert_string_equal(u.variable[2].name, "b");
    assert_int_equal(u.variable[2].form, TT_EXPR_DER);
    assert_int_equal(u.variable[1].form, TT_EXPR_VALUE);
    tt_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_in_brackets_is_stated_or_converted_to),
        cmocka_unit_test(units_that_do_not_fit_are_refused),
        cmocka_unit_test(a_type_follows_from_use),
        cmocka_unit_test(a_variable_has_one_type),
        cmocka_unit_test(variables_of_several_programs_are_listed_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
