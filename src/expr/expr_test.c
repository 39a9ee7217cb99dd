/* SPDX-License-Identifier: MIT */
/* What is an expression and what is not: precedence, types, physical units,
 * limits, and every message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "expr/testing.h"

static double numbers[] = {3, 5, 7, 2};
static float small = 0.5F;
static int8_t minus = -8;
static uint64_t large = 40;
static int32_t flag32 = 1, colour = 4;
static bool yes = true, no = false, tick = true;
static struct tt_text word = {3, "abc"}, other = {3, "abd"}, bin = {2, "\0x"};

#define UNIT(...)                                                              \
    {                                                                          \
        .known = 1, .factor = 1, __VA_ARGS__                                   \
    }
#define METRE UNIT(.exponent = {[1] = 1}, .name = "m")

static const struct test_variable list[] = {
    {"a", {TT_F64, {0}}, &numbers[0]},
    {"b", {TT_F64, {0}}, &numbers[1]},
    {"c", {TT_F64, {0}}, &numbers[2]},
    {"x", {TT_F64, METRE}, &numbers[0]},
    {"y", {TT_F64, METRE}, &numbers[1]},
    {"far",
     {TT_F64, {.known = 1, .exponent = {[1] = 1}, .factor = 1e3, .name = "km"}},
     &numbers[2]},
    {"phi", {TT_F64, UNIT(.exponent = {[7] = 1}, .name = "rad")}, &numbers[3]},
    {"deg",
     {TT_F64,
      {.known = 1, .exponent = {[7] = 1}, .factor = 0.0174, .name = "deg"}},
     &numbers[3]},
    {"T",
     {TT_F64,
      {.known = 1,
       .exponent = {[4] = 1},
       .factor = 1,
       .offset = 273.15,
       .name = "degC"}},
     &numbers[3]},
    {"small", {TT_F32, {0}}, &small},
    {"minus", {TT_I8, {0}}, &minus},
    {"large", {TT_U64, {0}}, &large},
    {"colour", {TT_ENUM32, {0}}, &colour},
    {"yes", {TT_BOOL, {0}}, &yes},
    {"no", {TT_BOOL, {0}}, &no},
    {"flag", {TT_BOOL32, {0}}, &flag32},
    {"tick", {TT_CLOCK, {0}}, &tick},
    {"word", {TT_TEXT, {0}}, &word},
    {"other", {TT_TEXT, {0}}, &other},
    {"bin", {TT_BYTES, {0}}, &bin},
    {"h", {TT_F64, {0}}, &numbers[3]},
    {"{tank}.t.level", {TT_F64, {0}}, &numbers[1]},
    {"{a b}.t.{c}.x[2,3]", {TT_F64, {0}}, &numbers[2]},
    {"der(v)", {TT_F64, {0}}, &numbers[3]},
    {"größe", {TT_F64, {0}}, &numbers[0]},
};
static const struct test_scope all = {list, sizeof(list) / sizeof(*list),
                                      TT_EXPR_WITH_DER | TT_EXPR_WITH_PRE |
                                          TT_EXPR_WITH_PRESENT |
                                          TT_EXPR_WITH_T | TT_EXPR_WITH_H};
static const struct test_scope few = {list, sizeof(list) / sizeof(*list), 0};
static const struct test_scope equation = {list, sizeof(list) / sizeof(*list),
                                           TT_EXPR_EQUATION};

static void operators_bind_as_documented(void **state)
{
    static const struct {
        const char *text;
        double value;
    } of[] = {
        {"a - b - c", 3 - 5 - 7},
        {"a - (b - c)", 3 - (5 - 7)},
        {"a + b * c", 3 + 5 * 7},
        {"(a + b) * c", (3 + 5) * 7},
        {"100 / b / a", 100.0 / 5 / 3},
        {"2 ^ 3 ^ 2", 512},
        {"(2 ^ 3) ^ 2", 64},
        {"-2 ^ 2", -4},
        {"(-2) ^ 2", 4},
        {"2 ^ -1", 0.5},
        {"a * -b", -15},
        {"a - -b", 8},
        {"- - a", 3},
        {"+a", 3},
        {"-a * b ^ 2", -75},
        {"a + b < c + 2", 1},
        {"a < b and b < c", 1},
        {"a < b && c < b || yes", 1},
        {"yes or no and no", 1},
        {"(yes or no) and no", 0},
        {"not a > b", 1},
        {"not no and no", 0},
        {"!no == yes", 1},
        {"not not yes", 1},
        {"a != b", 1},
        {"a == b", 0},
        {"a >= 3", 1},
        {"a <= 2", 0},
        {"yes == (a < b)", 1},
        {"yes ? 1 : no ? 2 : 3", 1},
        {"no ? 1 : no ? 2 : 3", 3},
        {"no ? 1 : yes ? 2 : 3", 2},
        {"yes ? no ? 1 : 2 : 3", 2},
        {"a < b ? a : b", 3},
        {"if a > b then a else b", 5},
        {"1 + (if yes then 2 else 3) * 2", 5},
        {"if no then 1 else if no then 2 else 3 + 1", 4},
        {"min(a, b, c, 2) + max(1, a, b)", 7},
        {"mod(-7, 3)", 2},
        {"rem(-7, 3)", -1},
        {"1.5e2 + .25 + 2E-1", 150.45},
        {"pi", 3.14159265358979323846},
        {"true", 1},
        {"false or true", 1},
        {"a\n+\tb", 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        double v = test_value(&all, of[i].text);

        if (v != of[i].value)
            fail_msg("%s", of[i].text);
    }
}

static void every_type_of_a_slot_can_be_read(void **state)
{
    static const struct {
        const char *text;
        enum tt_expr_kind kind;
        double value;
    } of[] = {
        {"small * 4", TT_EXPR_NUMBER, 2},
        {"abs(minus) + large", TT_EXPR_NUMBER, 48},
        {"colour == 4", TT_EXPR_BOOL, 1},
        {"flag and tick", TT_EXPR_BOOL, 1},
        {"word == \"abc\"", TT_EXPR_BOOL, 1},
        {"word != other", TT_EXPR_BOOL, 1},
        {"word == \"ab\"", TT_EXPR_BOOL, 0},
        {"\"q\\\"\\\\\" == \"q\\\"\\\\\"", TT_EXPR_BOOL, 1},
        {"bin == bin", TT_EXPR_BOOL, 1},
        {"(yes ? word : other) == \"abc\"", TT_EXPR_BOOL, 1},
        {"'h'", TT_EXPR_NUMBER, 2},
        {"{tank}.t.level + 1", TT_EXPR_NUMBER, 6},
        {"{a b}.t.{c}.x[2,3]", TT_EXPR_NUMBER, 7},
        {"'der(v)'", TT_EXPR_NUMBER, 2},
        {"größe", TT_EXPR_NUMBER, 3},
        {"der(a) + pre(a) + 0.1*t + 0.01*h", TT_EXPR_NUMBER, 36.25},
        {"present(a) and not present(b)", TT_EXPR_BOOL, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        struct test_compiled c = test_compile(&all, of[i].text);

        if (c.e.kind != of[i].kind ||
            fabs(tt_expr_value(&c.e, &c.at) - of[i].value) > 1e-13)
            fail_msg("%s", of[i].text);
        test_drop(&c);
    }
}

static void a_text_can_be_the_result(void **state)
{
    struct test_compiled c = test_compile(&all, "a > b ? word : \"none\"");
    const struct tt_text *t = tt_expr_text(&c.e, &c.at);

    (void)state;
    assert_int_equal(c.e.kind, TT_EXPR_TEXT);
    assert_int_equal(t->n, 4);
    assert_memory_equal(t->s, "none", 4);
    test_drop(&c);
}

/* Here it is "dark red", 4. */
static void items_have_names(void **state)
{
    static const struct {
        const char *text;
        double is;
    } of[] = {
        {"colour == \"dark red\"", 1}, {"colour == \"red\"", 0},
        {"\"dark red\" != colour", 0}, {"\"blue\" != (colour)", 1},
        {"pre(colour) == \"red\"", 0}, {"word == \"red\" or colour == 4", 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        if (test_value(&all, of[i].text) != of[i].is)
            fail_msg("%s", of[i].text);
}

static void what_is_read_is_listed_once(void **state)
{
    struct test_compiled c =
        test_compile(&all, "a + b*a + der(a) - pre(b) + 'a' + t");

    (void)state;
    assert_int_equal(c.e.n_ref, 4);
    assert_string_equal(c.e.ref[0].name, "a");
    assert_string_equal(c.e.ref[1].name, "b");
    assert_int_equal(c.e.ref[2].form, TT_EXPR_DER);
    assert_int_equal(c.e.ref[2].type, TT_F64);
    assert_int_equal(c.e.ref[3].form, TT_EXPR_PRE);
    assert_true(c.e.uses_t && !c.e.uses_h);
    test_drop(&c);
}

static void an_equation_is_a_difference(void **state)
{
    (void)state;
    assert_true(test_value(&equation, "a + b = c") == 1);
    assert_true(test_value(&equation, "a - b") == -2);
}

/* --- physical units ------------------------------------------------------- */

static void units_follow_what_is_computed(void **state)
{
    static const struct {
        const char *text;
        int known;
        int8_t m, s;
    } of[] = {
        {"x + y", 1, 1, 0},        {"x + 2", 1, 1, 0},
        {"2 - x", 1, 1, 0},        {"x * y", 1, 2, 0},
        {"x / t", 1, 1, -1},       {"der(x)", 1, 1, -1},
        {"x^2", 1, 2, 0},          {"x^-1", 1, -1, 0},
        {"x^0", 1, 0, 0},          {"x^0.5", 0, 0, 0},
        {"sqrt(x*y)", 1, 1, 0},    {"sqrt(x)", 0, 0, 0},
        {"9.81*x", 0, 0, 0},       {"x * a", 0, 0, 0},
        {"hypot(x, y)", 1, 1, 0},  {"abs(-x)", 1, 1, 0},
        {"min(x, 2, y)", 1, 1, 0}, {"atan2(x, y)", 0, 0, 0},
        {"yes ? 2 : x", 1, 1, 0},  {"sin(phi)", 0, 0, 0},
        {"sign(x)", 0, 0, 0},      {"T - 21", 1, 0, 0},
        {"T * x", 0, 0, 0},        {"x / y", 1, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        struct test_compiled c = test_compile(&all, of[i].text);
        const struct tt_expr_unit *u = &c.e.unit;

        if (u->known != of[i].known ||
            (u->known &&
             (u->exponent[1] != of[i].m || u->exponent[2] != of[i].s)))
            fail_msg("%s", of[i].text);
        test_drop(&c);
    }
}

/* --- messages ------------------------------------------------------------- */

static void mistakes_are_reported_with_their_place(void **state)
{
    static const struct {
        const struct test_scope *in;
        const char *text, *message;
    } of[] = {
        {&all, "", "1:1: expected a value, found the end"},
        {&all, "a +", "1:4: expected a value, found the end"},
        {&all, "a + * b", "1:5: expected a value, found '*'"},
        {&all, "a\n + )", "2:4: expected a value, found ')'"},
        {&all, "größe + )", "1:9: expected a value, found ')'"},
        {&all, "(a + b", "1:7: expected ')' for the '(' at 1:1, found the end"},
        {&all, "sin(a + b c)",
         "1:11: expected ')' for the '(' at 1:4, found 'c'"},
        {&all, "a b", "1:3: expected an operator or the end, found 'b'"},
        {&all, "2a", "1:2: expected an operator or the end, found 'a'"},
        {&all, "a ? b : c",
         "1:1: a choice takes a Boolean first, and this is a "
         "number"},
        {&all, "yes ? b",
         "1:8: expected ':' for the '?' at 1:5, found the end"},
        {&all, "if yes 1 else 2",
         "1:8: expected 'then' for the 'if' at 1:1, found '1'"},
        {&all, "if yes then 1",
         "1:14: expected 'else' for the 'if' at 1:1, found the end"},
        {&all, "yes ? 1 : no",
         "1:11: a choice is between values of one type, not a number and a "
         "Boolean"},
        {&all, "yes ? x : phi",
         "1:11: a choice is between values of one unit, not 'm' and 'rad'"},
        {&all, "a = b", "1:3: '=' compares nothing here: write '=='"},
        {&equation, "a = b = c", "1:7: an equation has one '='"},
        {&all, "a < b < c",
         "1:7: comparisons cannot be chained: write 'a < b and b < c'"},
        {&all, "{tank}.t.levl",
         "1:1: there is no variable '{tank}.t.levl'; did you mean "
         "'{tank}.t.level'?"},
        {&all, "qqqqq", "1:1: there is no variable 'qqqqq'"},
        {&all, "a + colou",
         "1:5: there is no variable 'colou'; did you mean "
         "'colour'?"},
        {&all, "sine(a)",
         "1:1: there is no function 'sine'; did you mean 'sin'?"},
        {&all, "presnt(a)",
         "1:1: there is no function 'presnt'; did you mean 'present'?"},
        {&all, "qqqqq(a)", "1:1: there is no function 'qqqqq'"},
        {&all, "atan2(a)", "1:1: 'atan2' takes 2 arguments, not 1"},
        {&all, "sin(a, b, c)", "1:1: 'sin' takes 1 argument, not 3"},
        {&all, "min(a)", "1:1: 'min' takes 2 arguments or more, not 1"},
        {&all, "sin()", "1:5: expected a value, found ')'"},
        {&all, "1 + yes", "1:5: '+' takes numbers, and this is a Boolean"},
        {&all, "sin(word)", "1:5: 'sin' takes numbers, and this is a String"},
        {&all, "-bin", "1:2: '-' takes numbers, and this is a Binary"},
        {&all, "a and yes", "1:1: 'and' takes Booleans, and this is a number"},
        {&all, "yes || (a)", "1:8: '||' takes Booleans, and this is a number"},
        {&all, "not a", "1:5: 'not' takes Booleans, and this is a number"},
        {&all, "a == yes", "1:3: '==' compares a number with a Boolean"},
        {&all, "word == bin", "1:6: '==' compares a String with a Binary"},
        {&all, "word < other", "1:1: '<' takes numbers, and this is a String"},
        {&all, "yes and colour == \"reed\"",
         "1:19: 'reed' is none of the items: 'red', 'dark red', 'blue'"},
        {&all, "colour < \"red\"", "1:8: '<' compares a number with a String"},
        {&all, "-colour == \"red\"",
         "1:9: '==' compares a number with a String"},
        {&all, "x + t", "1:3: '+' takes values of one unit, not 'm' and 's'"},
        {&all, "x + far",
         "1:3: '+' takes values of one unit, not 'm' and "
         "'km'"},
        {&all, "x > y*y",
         "1:3: '>' takes values of one unit, not 'm' and "
         "'m2'"},
        {&all, "far*far/t + x",
         "1:11: '+' takes values of one unit, not '1000000.m2.s-1' and 'm'"},
        {&all, "max(x, phi)",
         "1:1: 'max' takes values of one unit, not 'm' and 'rad'"},
        {&all, "x/y + x", "1:5: '+' takes values of one unit, not '1' and 'm'"},
        {&all, "sin(x)",
         "1:5: 'sin' takes a number or an angle in 'rad', not 'm'"},
        {&all, "sin(deg)",
         "1:5: 'sin' takes a number or an angle in 'rad', not 'deg'"},
        {&all, "2^x", "1:3: '^' takes a number or an angle in 'rad', not 'm'"},
        {&all, "der(a + b)", "1:7: expected ')' for the '(' at 1:4, found '+'"},
        {&all, "der(3)", "1:5: 'der' takes the name of a variable, not '3'"},
        {&all, "der(yes)",
         "1:5: 'yes' is a Boolean: only a float has a derivative"},
        {&few, "der(a)", "1:1: 'der' cannot be used here"},
        {&few, "a + pre(a)", "1:5: 'pre' cannot be used here"},
        {&few, "present(a)", "1:1: 'present' cannot be used here"},
        {&few, "2*t",
         "1:3: 't' stands for the time, which has no value here; "
         "a variable of that name is 't' in quotes"},
        {&few, "h",
         "1:1: 'h' stands for the step, which has no value here; a "
         "variable of that name is 'h' in quotes"},
        {&all, "a $ b", "1:3: '$' has no meaning here"},
        {&all, "a.", "1:2: '.' has no meaning here"},
        {&all, "a + \x01", "1:5: a control character"},
        {&all, "\"abc", "1:1: a text lacks its closing '\"'"},
        {&all, "'abc + 1", "1:1: a name lacks its closing '''"},
        {&all, "1 + {tank.level", "1:5: a name lacks its closing '}'"},
        {&all, "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee",
         "1:1: there is no variable "
         "'aaaaaaaaaabbbbbbbbbbccccccccccdd...'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        test_refused(of[i].in, of[i].text, of[i].message);
}

/* --- limits ----------------------------------------------------------------
 */

/* The text `n` times, then another, then a third as often. */
static const char *repeated(const char *before, int n, const char *middle,
                            const char *after)
{
    static char text[200000];
    size_t at = 0;

    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", before);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", middle);
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", after);
    return text;
}

static void depth_and_size_are_bounded(void **state)
{
    char message[100];

    (void)state;
    assert_true(test_value(&all, repeated("(", 99, "a", ")")) == 3);
    test_refused(&all, repeated("(", 100, "a", ")"),
                 "1:101: nested too deeply: at most 100 levels");
    test_refused(&all, repeated("- ", 100, "a", ""),
                 "1:201: nested too deeply: at most 100 levels");
    test_refused(&all, repeated("not ", 100, "yes", ""),
                 "1:401: nested too deeply: at most 100 levels");
    test_refused(&all, repeated("1^", 100, "1", ""),
                 "1:201: nested too deeply: at most 100 levels");
    test_refused(&all, repeated("sin(", 1000, "a", ")"),
                 "1:401: nested too deeply: at most 100 levels");
    test_refused(&all, repeated("no ? 1 : ", 100, "a", ""),
                 "1:897: nested too deeply: at most 100 levels");
    test_refused(&all, repeated("min(1,1+1*", 99, "a", ")"),
                 "1:858: too much is left open: at most 256 results");
    assert_true(test_value(&all, repeated("1 + ", 10000, "1", "")) == 10001);
    test_refused(&all, repeated("1 + ", 16384, "1", ""),
                 "1:1: the expression is too long: at most 65536 bytes");
    (void)snprintf(message, sizeof(message),
                   "1:1: a text is too long: at most %d bytes",
                   TT_TEXT_MAX - 1);
    test_refused(&all, repeated("", 2000, "\"", "x"), message);
}

static void many_arguments_are_no_problem(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 65536);
    tt_buf_str(&b, "max(0");
    for (int i = 0; i < 1000; i++)
        tt_buf_fmt(&b, ", %d", i % 777);
    tt_buf_str(&b, ")");
    assert_true(test_value(&all, b.data) == 776);
    tt_buf_fini(&b);
}

/* Every allocation of a compilation fails once, and nothing is lost. */
static void no_memory_is_reported(void **state)
{
    uint64_t n = 1;
    tt_err err;
    enum tt_code rc;

    (void)state;
    do {
        tt_arena *arena = tt_arena_new();
        struct tt_expr_scope scope = test_scope_of(&all);
        tt_expr e;

        tt_mem_fail_after(n++);
        rc = tt_expr_compile(&e, "word == \"x\" ? {tank}.t.level : der(a)",
                             &scope, arena, &err);
        tt_mem_fail_after(0);
        if (rc != TT_OK)
            assert_string_equal(err.msg, "an expression: out of memory");
        tt_arena_free(arena);
    } while (rc != TT_OK);
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_documented),
        cmocka_unit_test(every_type_of_a_slot_can_be_read),
        cmocka_unit_test(a_text_can_be_the_result),
        cmocka_unit_test(items_have_names),
        cmocka_unit_test(what_is_read_is_listed_once),
        cmocka_unit_test(an_equation_is_a_difference),
        cmocka_unit_test(units_follow_what_is_computed),
        cmocka_unit_test(mistakes_are_reported_with_their_place),
        cmocka_unit_test(depth_and_size_are_bounded),
        cmocka_unit_test(many_arguments_are_no_problem),
        cmocka_unit_test(no_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
