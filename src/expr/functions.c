/* SPDX-License-Identifier: MIT */
/* Functions of numbers: libm's, with their first and second derivatives. */
#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"

/* --- of one number -------------------------------------------------------- */

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

#define SLOPES(name, d1, d2)                                                   \
    static void slopes_##name(double x, double y, double *first,               \
                              double *second)                                  \
    {                                                                          \
        (void)x;                                                               \
        (void)y;                                                               \
        *first = (d1);                                                         \
        *second = (d2);                                                        \
    }

SLOPES(step, 0, 0)
SLOPES(abs, sign(x), 0)
SLOPES(acos, -1 / sqrt(1 - x * x), x / ((x * x - 1) * sqrt(1 - x * x)))
SLOPES(acosh, 1 / sqrt(x * x - 1), -x / ((x * x - 1) * sqrt(x * x - 1)))
SLOPES(asin, 1 / sqrt(1 - x * x), x / ((1 - x * x) * sqrt(1 - x * x)))
SLOPES(asinh, 1 / sqrt(x * x + 1), -x / ((x * x + 1) * sqrt(x * x + 1)))
SLOPES(atan, 1 / (1 + x * x), -2 * x / ((1 + x * x) * (1 + x * x)))
SLOPES(atanh, 1 / (1 - x * x), 2 * x / ((1 - x * x) * (1 - x * x)))
SLOPES(cbrt, 1 / (3 * y * y), -2 / (9 * y * y * x))
SLOPES(cos, -sin(x), -y)
SLOPES(cosh, sinh(x), y)
SLOPES(exp, y, y)
SLOPES(log, 1 / x, -1 / (x * x))
SLOPES(log10, 1 / (x * log(10)), -1 / (x * x * log(10)))
SLOPES(sin, cos(x), -y)
SLOPES(sinh, cosh(x), y)
SLOPES(sqrt, 1 / (2 * y), -1 / (4 * x * y))
SLOPES(tan, 1 + y * y, 2 * y * (1 + y * y))
SLOPES(tanh, 1 - y * y, -2 * y * (1 - y * y))

/* --- of two --------------------------------------------------------------- */

#define JET struct tt_expr_jet

/* What does not change follows no slope, be it without end. */
static double times(double slope, double d)
{
    return d == 0 ? 0 : slope * d;
}

JET tt_expr_jet_of(JET x, double v, double first, double second)
{
    return (JET){v, times(first, x.a), times(first, x.b),
                 times(second, x.a * x.b) + times(first, x.ab)};
}

/* An exponent that does not change allows any base: what changes not at all
 * must not meet the logarithm of a negative number. */
static JET jet_pow(JET x, JET y, double v)
{
    JET log_x, e;
    double n = y.v;

    if (y.a == 0 && y.b == 0 && y.ab == 0)
        return tt_expr_jet_of(x, v, n == 0 ? 0 : n * pow(x.v, n - 1),
                              n == 0 || n == 1 ? 0
                                               : n * (n - 1) * pow(x.v, n - 2));
    log_x = tt_expr_jet_of(x, log(x.v), 1 / x.v, -1 / (x.v * x.v));
    e = tt_expr_jet_mul(y, log_x);
    return tt_expr_jet_of(e, v, v, v);
}

/* angle' |r|^2 = x y' - y x', and that differentiated once more. */
static JET jet_atan2(JET y, JET x, double v)
{
    double n = x.v * x.v + y.v * y.v;
    JET out = {.v = v};

    out.a = (x.v * y.a - y.v * x.a) / n;
    out.b = (x.v * y.b - y.v * x.b) / n;
    out.ab = (x.b * y.a + x.v * y.ab - y.b * x.a - y.v * x.ab -
              out.a * 2 * (x.v * x.b + y.v * y.b)) /
             n;
    return out;
}

/* r r' = x x' + y y', and that differentiated once more. */
static JET jet_hypot(JET x, JET y, double r)
{
    JET out = {.v = r};

    if (r == 0) /* a kink, as that of abs() */
        return out;
    out.a = (x.v * x.a + y.v * y.a) / r;
    out.b = (x.v * x.b + y.v * y.b) / r;
    out.ab =
        (x.b * x.a + x.v * x.ab + y.b * y.a + y.v * y.ab - out.b * out.a) / r;
    return out;
}

static JET jet_choose(JET x, JET y, double v)
{
    return x.v == v || isnan(y.v) ? x : y;
}

/* x - k y, with a whole k that stays. */
static JET whole_off(JET x, JET y, double k, double v)
{
    return (JET){v, x.a - k * y.a, x.b - k * y.b, x.ab - k * y.ab};
}

static double mod(double x, double y)
{
    return x - floor(x / y) * y;
}

static JET jet_mod(JET x, JET y, double v)
{
    return whole_off(x, y, floor(x.v / y.v), v);
}

static JET jet_rem(JET x, JET y, double v)
{
    return whole_off(x, y, trunc(x.v / y.v), v);
}

/* --- the list ------------------------------------------------------------- */

#define ONE(id, fn, how, of)                                                   \
    {                                                                          \
        .name = (id), .least = 1, .most = 1, .measure = (how), .f = (fn),      \
        .slopes = slopes_##of                                                  \
    }
#define TWO(id, fn, how, upto, of)                                             \
    {                                                                          \
        .name = (id), .least = 2, .most = (upto), .measure = (how),            \
        .f2 = (fn), .jet = jet_##of                                            \
    }

const struct tt_expr_function tt_expr_functions[] = {
    [TT_EXPR_POWER] = TWO("pow", pow, MEASURE_POWER, 2, pow),
    ONE("abs", fabs, MEASURE_SAME, abs),
    ONE("acos", acos, MEASURE_PLAIN, acos),
    ONE("acosh", acosh, MEASURE_PLAIN, acosh),
    ONE("asin", asin, MEASURE_PLAIN, asin),
    ONE("asinh", asinh, MEASURE_PLAIN, asinh),
    ONE("atan", atan, MEASURE_PLAIN, atan),
    TWO("atan2", atan2, MEASURE_RATIO, 2, atan2),
    ONE("atanh", atanh, MEASURE_PLAIN, atanh),
    ONE("cbrt", cbrt, MEASURE_PLAIN, cbrt),
    ONE("ceil", ceil, MEASURE_SAME, step),
    ONE("cos", cos, MEASURE_PLAIN, cos),
    ONE("cosh", cosh, MEASURE_PLAIN, cosh),
    ONE("exp", exp, MEASURE_PLAIN, exp),
    ONE("floor", floor, MEASURE_SAME, step),
    TWO("hypot", hypot, MEASURE_SAME, 2, hypot),
    ONE("log", log, MEASURE_PLAIN, log),
    ONE("log10", log10, MEASURE_PLAIN, log10),
    TWO("max", fmax, MEASURE_SAME, UINT8_MAX, choose),
    TWO("min", fmin, MEASURE_SAME, UINT8_MAX, choose),
    TWO("mod", mod, MEASURE_SAME, 2, mod),
    TWO("rem", fmod, MEASURE_SAME, 2, rem),
    ONE("round", round, MEASURE_SAME, step),
    ONE("sign", sign, MEASURE_SIGN, step),
    ONE("sin", sin, MEASURE_PLAIN, sin),
    ONE("sinh", sinh, MEASURE_PLAIN, sinh),
    ONE("sqrt", sqrt, MEASURE_ROOT, sqrt),
    ONE("tan", tan, MEASURE_PLAIN, tan),
    ONE("tanh", tanh, MEASURE_PLAIN, tanh),
    ONE("trunc", trunc, MEASURE_SAME, step),
};
#define N_FUNCTIONS (sizeof(tt_expr_functions) / sizeof(*tt_expr_functions))

uint32_t tt_expr_find_function(const char *name)
{
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        if (!strcmp(name, tt_expr_functions[i].name))
            return i;
    return TT_NONE;
}

/* The forms of variables look like functions. */
static const char *const forms[] = {"der", "pre", "present"};

static const char *callable(const void *ctx, size_t i)
{
    (void)ctx;
    return i < N_FUNCTIONS ? tt_expr_functions[i].name : forms[i - N_FUNCTIONS];
}

const char *tt_expr_callable(size_t i)
{
    return i < N_FUNCTIONS + 3 ? callable(NULL, i) : NULL;
}

const char *tt_expr_nearest_function(const char *wrong)
{
    return tt_names_nearest(wrong, N_FUNCTIONS + 3, callable, NULL);
}
