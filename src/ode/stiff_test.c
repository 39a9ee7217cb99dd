/* SPDX-License-Identifier: MIT */
/* Stiff problems against published solutions, the Jacobian, and the choice of
 * the method. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ode/ode_impl.h"

struct problem {
    int (*rhs)(void *, double, const double *, double *);
    int (*jvp)(void *, const double *, double *);
    const uint8_t *pattern;
    double x[3], end, reference[3];
    double atol[3];
    uint32_t n;
};

/* Where the FMU, here the problem, stands: as jvp has it. */
static double at[3];

static int robertson(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[2] = 3e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    for (int i = 0; i < 3; i++)
        at[i] = x[i];
    return 0;
}

static int robertson_jvp(void *ctx, const double *s, double *out)
{
    (void)ctx;
    out[0] = -0.04 * s[0] + 1e4 * (at[2] * s[1] + at[1] * s[2]);
    out[2] = 6e7 * at[1] * s[1];
    out[1] = -out[0] - out[2];
    return 0;
}

static int van_der_pol(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return 0;
}

static const uint8_t pol_pattern[4] = {0, 1, 1, 1};

/* Computed apart from this code, with numbers of 113 bits: Robertson by Radau
 * IIA of order 5 in 4000, 8000 and 16000 steps that grow with the time, van der
 * Pol by Taylor series of order 30; the last two computations agree to 21
 * digits. The Test Set for IVP Solvers (Mazzia, Magherini), rober.f and vdpol.f
 * in other units of time, has the same to 12 digits. */
static const struct problem robertson_problem = {
    .rhs = robertson,
    .jvp = robertson_jvp,
    .x = {1, 0, 0},
    .end = 1e11,
    .reference = {0.20833401497012942e-07, 0.83333607703347834e-13,
                  0.99999997916651517},
    .atol = {1e-16, 1e-20, 1e-14},
    .n = 3};
static const struct problem pol_problem = {
    .rhs = van_der_pol,
    .pattern = pol_pattern,
    .x = {2, 0},
    .end = 2000,
    .reference = {1.7061677321704650, -0.89280970102481655e-3},
    .atol = {1e-12, 1e-12},
    .n = 2};

static double solve(const struct problem *q, enum tt_ode_method m, double rtol,
                    int exact, struct tt_ode_counts *n)
{
    const struct tt_ode_problem p = {.n = q->n,
                                     .rhs = q->rhs,
                                     .jvp = exact ? q->jvp : NULL,
                                     .pattern = q->pattern};
    const struct tt_ode_config c = {.method = m, .rtol = rtol, .atol = q->atol};
    tt_ode *o = tt_ode_new(&p, &c);
    double worst = 0;
    enum tt_ode_did did;

    tt_ode_reset(o, 0, q->x);
    do
        did = tt_ode_advance(o, q->end);
    while (did == TT_ODE_STEPPED);
    assert_int_equal(did, TT_ODE_REACHED);
    assert_int_equal(tt_ode_using(o), TT_ODE_STIFF);
    for (uint32_t i = 0; i < q->n; i++)
        worst = fmax(worst, fabs(tt_ode_states(o)[i] - q->reference[i]) /
                                fabs(q->reference[i]));
    *n = tt_ode_counts(o);
    tt_ode_free(o);
    return worst;
}

static void robertson_is_solved_to_the_tolerance(void **state)
{
    struct tt_ode_counts n, m;

    (void)state;
    assert_true(solve(&robertson_problem, TT_ODE_STIFF, 1e-6, 1, &n) < 1e-4);
    assert_true(n.step < 600);
    assert_true(solve(&robertson_problem, TT_ODE_STIFF, 1e-10, 1, &m) < 1e-8);
    assert_true(m.step > n.step);
    /* and with differences in place of its derivatives */
    assert_true(solve(&robertson_problem, TT_ODE_STIFF, 1e-10, 0, &m) < 1e-8);
}

static void van_der_pol_is_solved_to_the_tolerance(void **state)
{
    struct tt_ode_counts n;

    (void)state;
    assert_true(solve(&pol_problem, TT_ODE_STIFF, 1e-6, 0, &n) < 1e-4);
    assert_true(solve(&pol_problem, TT_ODE_STIFF, 1e-10, 0, &n) < 1e-8);
}

static void stiffness_is_noticed_and_the_method_changed(void **state)
{
    struct tt_ode_counts n;

    (void)state;
    assert_true(solve(&pol_problem, TT_ODE_AUTO, 1e-8, 0, &n) < 1e-6);
    assert_true(n.step < 10000); /* explicit ones were 2 million */
    assert_true(n.jacobian > 0);
}

/* One long step on x' = -1e9 (x - 1): L-stable methods forget the start. */
static int fast(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = -1e9 * (x[0] - 1);
    return 0;
}

static void a_fast_mode_is_forgotten_in_one_step(void **state)
{
    const double loose = 1e9, x0 = 5;
    const struct tt_ode_problem p = {.n = 1, .rhs = fast};
    const struct tt_ode_config c = {
        .method = TT_ODE_STIFF, .rtol = 1, .atol = &loose};
    tt_ode *o = tt_ode_new(&p, &c);

    (void)state;
    tt_ode_reset(o, 0, &x0);
    o->kept.h = 10;
    assert_int_equal(tt_ode_advance(o, 1), TT_ODE_REACHED);
    assert_true(fabs(tt_ode_states(o)[0] - 1) < 1e-6);
    tt_ode_free(o);
}

/* Columns of a chain of 9 states, of which each has itself and its neighbours,
 * are found three at a time. */
static int chain(void *ctx, double t, const double *x, double *dx)
{
    (void)t;
    ++*(int *)ctx;
    for (int i = 0; i < 9; i++)
        dx[i] = -(i + 1) * x[i] + (i ? x[i - 1] * x[i - 1] : 0) +
                (i < 8 ? 3 * x[i + 1] : 0);
    return 0;
}

static void columns_without_a_common_row_are_found_together(void **state)
{
    uint8_t pattern[81];
    double x[9], atol[9];
    int calls = 0;
    struct tt_ode_problem p = {
        .ctx = &calls, .n = 9, .rhs = chain, .pattern = pattern};
    const struct tt_ode_config c = {
        .method = TT_ODE_STIFF, .rtol = 1e-6, .atol = atol};
    tt_ode *o;

    (void)state;
    for (int i = 0; i < 81; i++)
        pattern[i] = abs(i / 9 - i % 9) <= 1;
    for (int i = 0; i < 9; i++) {
        x[i] = i + 1;
        atol[i] = 1e-8;
    }
    o = tt_ode_new(&p, &c);
    tt_ode_reset(o, 0, x);
    (void)p.rhs(&calls, 0, x, o->f0);
    calls = 0;
    assert_int_equal(tt_ode_jacobian(o, 0.1), 0);
    assert_int_equal(calls, 1 + 3); /* the time, three colours */
    for (int i = 0; i < 81; i++) {
        int row = i / 9, column = i % 9;
        double is = row == column       ? -(row + 1)
                    : column == row - 1 ? 2 * x[column]
                    : column == row + 1 ? 3
                                        : 0;

        assert_true(fabs(o->jac[i] - is) < 1e-5);
    }
    tt_ode_free(o);
}

/* One that all others are coupled with: eliminated first, all would know each
 * other; eliminated last, no zero is filled. */
enum { HUB = 40 };

static int hub(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = -1e3 * x[0];
    for (int i = 1; i < HUB; i++) {
        dx[i] = 1e5 * (i * x[0] - x[i]);
        dx[0] += x[i] / i - x[0];
    }
    return 0;
}

static void zeros_of_the_jacobian_are_not_filled(void **state)
{
    uint8_t pattern[HUB * HUB] = {0};
    double x[HUB], atol[HUB];
    const struct tt_ode_problem p = {.n = HUB, .rhs = hub, .pattern = pattern};
    const struct tt_ode_config c = {
        .method = TT_ODE_STIFF, .rtol = 1e-8, .atol = atol};
    int filled = 0;
    tt_ode *o;

    (void)state;
    for (int i = 0; i < HUB; i++) {
        pattern[i] = pattern[i * HUB] = pattern[i * HUB + i] = 1;
        x[i] = i ? i : 1; /* stays in these proportions */
        atol[i] = 1e-12;
    }
    o = tt_ode_new(&p, &c);
    tt_ode_reset(o, 0, x);
    while (tt_ode_advance(o, 1e-3) == TT_ODE_STEPPED)
        ;
    for (int i = 0; i < HUB * HUB; i++)
        filled += o->lu[i] != 0;
    assert_int_equal(filled, 3 * HUB - 2);
    /* x[i] is i x[0] but for what 1e5 against 1e3 leaves of the lag:
     * x[i] / (i x[0]) = 1 + 1e-2, to the second order in that */
    for (int i = 1; i < HUB; i++)
        assert_true(fabs(tt_ode_states(o)[i] / (i * tt_ode_states(o)[0]) -
                         1.01) < 1e-3);
    tt_ode_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robertson_is_solved_to_the_tolerance),
        cmocka_unit_test(van_der_pol_is_solved_to_the_tolerance),
        cmocka_unit_test(stiffness_is_noticed_and_the_method_changed),
        cmocka_unit_test(a_fast_mode_is_forgotten_in_one_step),
        cmocka_unit_test(zeros_of_the_jacobian_are_not_filled),
        cmocka_unit_test(columns_without_a_common_row_are_found_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
