/* SPDX-License-Identifier: MIT */
/* What expressions come to: libm's values bit for bit, derivatives against
 * differences and closed forms, random ones against a tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/testing.h"

static double x, y, z;
static const struct test_variable list[] = {
    {"x", {TT_F64, {0}}, &x},
    {"y", {TT_F64, {0}}, &y},
    {"z", {TT_F64, {0}}, &z},
};
static const struct test_scope all = {list, 3, TT_EXPR_WITH_T};

/* A small generator of our own: the same numbers everywhere. */
static uint64_t seed = 88172645463325252u;

static uint32_t dice(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) % n);
}

static double between(double a, double b)
{
    return a + (b - a) * dice(1u << 30) / (1u << 30);
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

/* --- functions ------------------------------------------------------------ */

static double sign(double v)
{
    return v > 0 ? 1 : v < 0 ? -1 : 0;
}

static double mod(double a, double b)
{
    return a - floor(a / b) * b;
}

static const struct one {
    const char *name;
    double (*f)(double);
    double from, to;
} ones[] = {
    {"abs", fabs, -3, 3},      {"acos", acos, -.9, .9},
    {"acosh", acosh, 1.1, 5},  {"asin", asin, -.9, .9},
    {"asinh", asinh, -3, 3},   {"atan", atan, -3, 3},
    {"atanh", atanh, -.9, .9}, {"cbrt", cbrt, .2, 4},
    {"ceil", ceil, -3, 3},     {"cos", cos, -9, 9},
    {"cosh", cosh, -3, 3},     {"exp", exp, -3, 3},
    {"floor", floor, -3, 3},   {"log", log, .1, 9},
    {"log10", log10, .1, 9},   {"round", round, -3, 3},
    {"sign", sign, -3, 3},     {"sin", sin, -9, 9},
    {"sinh", sinh, -3, 3},     {"sqrt", sqrt, .1, 9},
    {"tan", tan, -1.4, 1.4},   {"tanh", tanh, -2, 2},
    {"trunc", trunc, -3, 3},
};
#define N_ONES (sizeof(ones) / sizeof(*ones))

static const struct two {
    const char *name;
    double (*f)(double, double);
} twos[] = {{"pow", pow},  {"atan2", atan2}, {"hypot", hypot}, {"max", fmax},
            {"min", fmin}, {"mod", mod},     {"rem", fmod}};
#define N_TWOS (sizeof(twos) / sizeof(*twos))

static void functions_are_those_of_the_c_library(void **state)
{
    static const double odd[] = {0, -0.0, 1, -1, 1e300, -1e-300, 0.5, -7.25};
    char text[64];

    (void)state;
    for (size_t i = 0; i < N_ONES; i++) {
        struct test_compiled c;

        (void)snprintf(text, sizeof(text), "%s(x)", ones[i].name);
        c = test_compile(&all, text);
        for (int k = 0; k < 1000; k++) {
            x = k < 8 ? odd[k] : between(ones[i].from, ones[i].to);
            assert_true(same_bits(tt_expr_value(&c.e, &c.at), ones[i].f(x)));
        }
        test_drop(&c);
    }
    for (size_t i = 0; i < N_TWOS; i++) {
        struct test_compiled c;

        (void)snprintf(text, sizeof(text), "%s(x, y)", twos[i].name);
        c = test_compile(&all, text);
        for (int k = 0; k < 1000; k++) {
            x = k < 64 ? odd[k / 8] : between(-3, 3);
            y = k < 64 ? odd[k % 8] : between(-3, 3);
            assert_true(same_bits(tt_expr_value(&c.e, &c.at), twos[i].f(x, y)));
        }
        test_drop(&c);
    }
}

/* --- derivatives ---------------------------------------------------------- */

static double value_at(const struct test_compiled *c, double px, double py)
{
    x = px;
    y = py;
    return tt_expr_value(&c->e, &c->at);
}

static struct tt_expr_jet jet_at(const struct test_compiled *c, double px,
                                 double py, const double *a, const double *b)
{
    double da[2], db[2]; /* refs may come as y, x */

    for (uint32_t i = 0; i < c->e.n_ref; i++) {
        da[i] = a[c->e.ref[i].name[0] - 'x'];
        db[i] = b[c->e.ref[i].name[0] - 'x'];
    }
    x = px;
    y = py;
    return tt_expr_jet(&c->e, &c->at, &(struct tt_expr_way){.a = da, .b = db});
}

static void assert_close(double got, double want, double scale,
                         const char *text)
{
    if (!(fabs(got - want) <= scale))
        fail_msg("%s: %.17g instead of %.17g", text, got, want);
}

/* The first derivative against central differences of values, the second
 * against those of the first, in random directions. */
static void differentiate(const char *text, double px, double py)
{
    struct test_compiled c = test_compile(&all, text);
    const double a[] = {between(-1, 1), between(-1, 1)};
    const double b[] = {between(-1, 1), between(-1, 1)};
    const double h = 1e-5;
    struct tt_expr_jet j = jet_at(&c, px, py, a, b), before, after;
    double scale = 1 + fabs(j.v) + fabs(j.a) + fabs(j.ab);

    assert_true(same_bits(j.v, value_at(&c, px, py)));
    assert_close(j.a,
                 (value_at(&c, px + h * a[0], py + h * a[1]) -
                  value_at(&c, px - h * a[0], py - h * a[1])) /
                     (2 * h),
                 1e-7 * scale, text);
    after = jet_at(&c, px + h * b[0], py + h * b[1], a, b);
    before = jet_at(&c, px - h * b[0], py - h * b[1], a, b);
    assert_close(j.ab, (after.a - before.a) / (2 * h), 1e-6 * scale, text);
    assert_close(j.b, jet_at(&c, px, py, b, a).a, 0, text);
    test_drop(&c);
}

static void derivatives_are_those_of_differences(void **state)
{
    static const char *const of[] = {
        "x*y",
        "x/y",
        "x^3",
        "x^-2.5",
        "x^y",
        "2^x",
        "atan2(x, y)",
        "atan2(y, x)",
        "hypot(x, y)",
        "min(x, 3*y)",
        "max(x, 3*y)",
        "mod(7*x, y)",
        "rem(7*x, y)",
        "-x + y",
        "x > y ? x*x : y*x",
        "x - y*cos(x)*exp(-y)",
        "sqrt(x^2 + y^2) - 1",
        "(x*x*x - y)/(1 + x*y)",
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        for (int k = 0; k < 50; k++)
            differentiate(of[i], between(.5, 2), between(.6, 2.1));
    for (size_t i = 0; i < N_ONES; i++)
        for (int k = 0; k < 50; k++) {
            double at = between(ones[i].from, ones[i].to);

            if (fabs(at - round(2 * at) / 2) < 1e-3)
                at += 2e-3; /* not at a step or kink */
            (void)snprintf(text, sizeof(text), "%s(x)", ones[i].name);
            differentiate(text, at, 1);
        }
}

/* To the last digits, by a step into the complex plane. */
static void derivatives_are_exact(void **state)
{
    struct test_compiled c =
        test_compile(&all, "exp(x)*sin(x^2)/sqrt(1 + x*x) - atan(x)^3");
    const double one[] = {1, 0};

    (void)state;
    for (int k = 0; k < 100; k++) {
        double at = between(0.1, 2), e = 1e-40;
        double complex w = at + e * (double complex)I;
        double complex f =
            cexp(w) * csin(w * w) / csqrt(1 + w * w) - cpow(catan(w), 3);
        double want = cimag(f) / e;

        assert_close(jet_at(&c, at, 0, one, one).a, want,
                     20 * DBL_EPSILON * (1 + fabs(want)), "complex step");
    }
    test_drop(&c);
}

/* A second direction that itself changes: d/dt of d/dt, with t in it. */
static void time_is_a_direction(void **state)
{
    struct test_compiled c = test_compile(&all, "x^2*t + t^2");
    const double v[] = {3}, acceleration[] = {7};
    struct tt_expr_jet j;

    (void)state;
    x = 5;
    j = tt_expr_jet(&c.e, &c.at,
                    &(struct tt_expr_way){v, v, acceleration, 1, 1});
    assert_true(j.v == 50 + 4);
    assert_true(j.a == 2 * 5 * 3 * 2 + 25 + 4);
    /* 2 v^2 t + 2 x a t + 4 x v + 2 */
    assert_true(j.ab == 2 * 9 * 2 + 2 * 5 * 7 * 2 + 4 * 5 * 3 + 2);
    test_drop(&c);
}

/* Where a slope has no end, what does not move follows it not at all. */
static void kinks_and_poles_are_distinguished(void **state)
{
    struct test_compiled c = test_compile(&all, "sqrt(x)*y + hypot(x, x)");
    const double still[] = {0, 1}, moves[] = {1, 0};

    (void)state;
    assert_true(jet_at(&c, 0, 1, still, still).a == 0);
    assert_true(isinf(jet_at(&c, 0, 1, moves, moves).a));
    test_drop(&c);
    c = test_compile(&all, "abs(x)");
    assert_true(jet_at(&c, 0, 0, moves, moves).a == 0);
    test_drop(&c);
    c = test_compile(&all, "x^2");
    assert_true(jet_at(&c, -3, 0, moves, moves).a == -6);
    assert_true(jet_at(&c, 0, 0, moves, moves).ab == 2);
    test_drop(&c);
}

/* --- random expressions against a tree ------------------------------------ */

/* An expression as a tree: built at random, written with the parentheses that
 * the grammar needs and now and then more, and evaluated by walking it. */
enum shape { NUM, VAR, ONE, TWO, OPER, NEG, COND };
struct node {
    enum shape is;
    int which; /* variable, function, operator */
    double number;
    struct node *kid[4];
};

static struct node pool[4096];
static int n_pool;

static struct node *grow(int depth)
{
    struct node *n = &pool[n_pool++];
    int is = depth ? (int)dice(8) : (int)dice(2);

    *n = (struct node){.is = is > COND ? OPER : (enum shape)is};
    n->which = (int)dice(is == VAR    ? 3
                         : is == ONE  ? (uint32_t)N_ONES
                         : is == TWO  ? (uint32_t)N_TWOS
                         : is == COND ? 6
                                      : 5);
    n->number = (double)dice(1000) / 8;
    for (int i = 0; is > VAR && i < 4; i++)
        n->kid[i] = grow(depth - 1);
    return n;
}

static const char oper[] = "+-*/^";
static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};

/* What binds how tightly; a number and a call most. */
static int binding(const struct node *n)
{
    static const int of[] = {2, 2, 3, 3, 5};

    if (n->is == OPER)
        return of[n->which];
    return n->is == NEG ? 4 : n->is == COND ? 0 : 6;
}

static void write(const struct node *n, struct tt_buf *b);

static void write_in(const struct node *n, int least, struct tt_buf *b)
{
    int more = binding(n) < least || dice(8) == 0;

    tt_buf_str(b, more ? "(" : dice(2) ? " " : "");
    write(n, b);
    tt_buf_str(b, more ? ")" : "");
}

static void write_call(const char *name, const struct node *n, int args,
                       struct tt_buf *b)
{
    tt_buf_fmt(b, "%s(", name);
    for (int i = 0; i < args; i++) {
        tt_buf_str(b, i ? "," : "");
        write_in(n->kid[i], 0, b);
    }
    tt_buf_str(b, ")");
}

static void write_operator(const struct node *n, struct tt_buf *b)
{
    int own = binding(n), power = oper[n->which] == '^';

    write_in(n->kid[0], power ? 6 : own, b);
    tt_buf_char(b, oper[n->which]);
    write_in(n->kid[1], power ? 4 : own + 1, b);
}

static void write_choice(const struct node *n, struct tt_buf *b)
{
    int worded = (int)dice(2);

    tt_buf_str(b, worded ? "if " : "");
    write_in(n->kid[0], 1, b);
    tt_buf_str(b, compare[n->which]);
    write_in(n->kid[1], 1, b);
    tt_buf_str(b, worded ? " then " : "?");
    write_in(n->kid[2], 0, b);
    tt_buf_str(b, worded ? " else " : ":");
    write_in(n->kid[3], 0, b);
}

static void write(const struct node *n, struct tt_buf *b)
{
    switch (n->is) {
    case NUM:
        tt_buf_num(b, n->number);
        break;
    case VAR:
        tt_buf_str(b, list[n->which].name);
        break;
    case ONE:
        write_call(ones[n->which].name, n, 1, b);
        break;
    case TWO:
        write_call(twos[n->which].name, n, 2, b);
        break;
    case OPER:
        write_operator(n, b);
        break;
    case NEG:
        tt_buf_char(b, '-');
        write_in(n->kid[0], 4, b);
        break;
    case COND:
        write_choice(n, b);
        break;
    }
}

static double walk(const struct node *n)
{
    const struct node *const *k = (const struct node *const *)n->kid;

    switch (n->is) {
    case NUM:
        return n->number;
    case VAR:
        return *(const double *)list[n->which].value;
    case ONE:
        return ones[n->which].f(walk(k[0]));
    case TWO:
        return twos[n->which].f(walk(k[0]), walk(k[1]));
    case NEG:
        return -walk(k[0]);
    case COND: {
        double a = walk(k[0]), b = walk(k[1]);
        const int is[] = {a<b, a <= b, a> b, a >= b, a == b, a != b};

        return walk(k[is[n->which] ? 2 : 3]);
    }
    case OPER:
        break;
    }
    switch (oper[n->which]) {
    case '+':
        return walk(k[0]) + walk(k[1]);
    case '-':
        return walk(k[0]) - walk(k[1]);
    case '*':
        return walk(k[0]) * walk(k[1]);
    case '/':
        return walk(k[0]) / walk(k[1]);
    default:
        return pow(walk(k[0]), walk(k[1]));
    }
}

static void random_expressions_are_their_trees(void **state)
{
    struct tt_buf b;
    int finite = 0;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    for (int k = 0; k < 5000; k++) {
        struct node *n;
        struct test_compiled c;
        double got, want;

        n_pool = 0;
        n = grow((int)dice(5));
        tt_buf_clear(&b);
        write(n, &b);
        x = between(-5, 5);
        y = between(-5, 5);
        z = between(-5, 5);
        c = test_compile(&all, b.data);
        got = tt_expr_value(&c.e, &c.at);
        want = walk(n);
        if (!same_bits(got, want))
            fail_msg("%s: %.17g instead of %.17g", b.data, got, want);
        assert_true(same_bits(
            tt_expr_jet(&c.e, &c.at, &(struct tt_expr_way){0}).v, want));
        finite += isfinite(got) && c.e.n_code > 5;
        test_drop(&c);
    }
    assert_true(finite > 1000);
    tt_buf_fini(&b);
}

/* --- margins -------------------------------------------------------------- */

static double margin_at(const char *text, double px, double py)
{
    struct test_compiled c = test_compile(&all, text);
    double m;

    x = px;
    y = py;
    m = tt_expr_margin(&c.e, &c.at);
    test_drop(&c);
    return m;
}

static void a_margin_is_the_difference_that_decides(void **state)
{
    (void)state;
    assert_true(margin_at("x > 2", 5, 0) == 3);
    assert_true(margin_at("x > 2", -1, 0) == -3);
    assert_true(margin_at("2 <= x", 5, 0) == 3);
    assert_true(margin_at("not (x < y)", 5, 1) == 4);
    assert_true(margin_at("x > 1 and y > 1", 5, 3) == 2);
    assert_true(margin_at("x > 1 and y > 1", 5, -3) == -4);
    assert_true(margin_at("x > 1 or y > 1", -5, -3) == -4);
    assert_true(margin_at("x > 1 ? y > 1 : y > 7", 5, 3) == 2);
    /* what leaps limits nothing that does not */
    assert_true(margin_at("x == 5 and y > 1", 5, 3) == 2);
    assert_true(margin_at("x == 4 or y > 1", 5, 3) == 2);
    assert_true(margin_at("x != 5 and y > 1", 5, 3) == -1);
    assert_true(margin_at("true and y > 1", 0, 3) == 2);
    assert_true(margin_at("x == 5", 5, 0) == 1);
    assert_true(margin_at("x == 5", 4, 0) == -1);
}

static void a_margin_has_the_sign_of_the_truth(void **state)
{
    static const double at[] = {0,         -0.0,
                                1,         -1,
                                4e-324,    2.5,
                                NAN,       (double)INFINITY,
                                DBL_MAX,   -DBL_MAX,
                                3,         -(double)INFINITY,
                                1 + 1e-16, 1 - DBL_EPSILON};
    static const char *const text[] = {"x < y",
                                       "x <= y",
                                       "x > y",
                                       "x >= y",
                                       "x == y",
                                       "x != y",
                                       "not (x > y)",
                                       "x > y and y >= x",
                                       "x < 1 or y <= x",
                                       "x > y ? y > 1 : not (y < x)",
                                       "not (x >= 1 and (y != x or x < y))"};
    const size_t n = sizeof(at) / sizeof(*at);

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
        struct test_compiled c = test_compile(&all, text[i]);

        for (size_t k = 0; k < n * n; k++) {
            double m, holds;

            x = at[k / n];
            y = at[k % n];
            holds = tt_expr_value(&c.e, &c.at);
            m = tt_expr_margin(&c.e, &c.at);
            if (!(holds != 0 ? m > 0 : m < 0) || !isfinite(m))
                fail_msg("%s at %g, %g: %g", text[i], x, y, m);
        }
        test_drop(&c);
    }
}

/* Nothing is allocated where it is evaluated. */
static void evaluating_takes_no_memory(void **state)
{
    struct test_compiled c = test_compile(&all, "sin(x)*y > 2 ? x^2 : z/3");
    uint64_t before = tt_mem_count();

    (void)state;
    for (int i = 0; i < 100; i++) {
        (void)tt_expr_value(&c.e, &c.at);
        (void)tt_expr_jet(&c.e, &c.at, &(struct tt_expr_way){0});
    }
    assert_true(tt_mem_count() == before);
    test_drop(&c);
}

static void sums_are_what_the_program_adds(void **state)
{
    static const struct {
        const char *text;
        int is;
    } each[] = {{"3", 1},       {"-0.0", 1},  {"x", 1},        {"x + 1", 1},
                {"2.5 + y", 1}, {"x + y", 0}, {"x - 1", 0},    {"2 * x", 0},
                {"sin(x)", 0},  {"t", 0},     {"x + 1 + 2", 0}};
    static const double at[] = {0, -0.0, 1.0 / 3, -1e300, (double)INFINITY};

    (void)state;
    for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
        struct test_compiled c = test_compile(&all, each[i].text);
        uint32_t ref;
        double plus;
        int sums = tt_expr_is_sum(&c.e, &ref, &plus);

        if (sums != each[i].is)
            fail_msg("'%s': %d", each[i].text, sums);
        for (size_t k = 0; sums && k < sizeof(at) / sizeof(*at); k++) {
            x = y = at[k];
            assert_true(same_bits(
                tt_expr_value(&c.e, &c.at),
                ref == TT_NONE ? plus
                               : *(const double *)c.at.value[ref] + plus));
        }
        test_drop(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_those_of_the_c_library),
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(time_is_a_direction),
        cmocka_unit_test(kinks_and_poles_are_distinguished),
        cmocka_unit_test(random_expressions_are_their_trees),
        cmocka_unit_test(a_margin_is_the_difference_that_decides),
        cmocka_unit_test(a_margin_has_the_sign_of_the_truth),
        cmocka_unit_test(evaluating_takes_no_memory),
        cmocka_unit_test(sums_are_what_the_program_adds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
