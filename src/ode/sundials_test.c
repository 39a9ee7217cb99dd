/* SPDX-License-Identifier: MIT */
/* CVODE and ARKODE, where they were built in. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ode/ode_impl.h"

static const enum tt_ode_method methods[] = {TT_ODE_CVODE, TT_ODE_ARKODE};
static const double atol[2] = {1e-12, 1e-15};

static int there(void)
{
    if (tt_ode_method_there(TT_ODE_CVODE))
        return 1;
    print_message("skipped: SUNDIALS was not there at build time\n");
    return 0;
}

/* x'' = mu (1 - x^2) x' - x, mu = 1000 */
static int pol(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return 0;
}

/* A ball that falls; ctx: it is no number below this height. */
static int fall(void *ctx, double t, const double *x, double *dx)
{
    const double *floor = ctx;

    (void)t;
    dx[0] = x[1];
    dx[1] = floor && x[0] < *floor ? (double)NAN : -9.81;
    return 0;
}

static int height(void *ctx, double t, const double *x, double *z)
{
    (void)ctx;
    (void)t;
    z[0] = x[0];
    return 0;
}

static tt_ode *make(const struct tt_ode_problem *p, enum tt_ode_method method,
                    const double *x)
{
    const struct tt_ode_config c = {
        .method = method, .rtol = 1e-10, .atol = atol};
    tt_ode *o = tt_ode_new(p, &c);

    assert_non_null(o);
    tt_ode_reset(o, 0, x);
    return o;
}

static enum tt_ode_did go_on(tt_ode *o, double to)
{
    enum tt_ode_did did = TT_ODE_STEPPED;

    while (did == TT_ODE_STEPPED)
        did = tt_ode_advance(o, to);
    return did;
}

static enum tt_ode_did go(tt_ode *o, double to)
{
    tt_ode_begin(o);
    return go_on(o, to);
}

static void near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("%.17g is not %.17g", is, want);
}

/* The reference is that of stiff_test.c. */
static void a_stiff_oscillator_is_solved(void **state)
{
    const struct tt_ode_problem p = {.n = 2, .rhs = pol};

    (void)state;
    for (size_t i = 0; i < 2 && there(); i++) {
        tt_ode *o = make(&p, methods[i], (const double[]){2, 0});

        for (int k = 1; k <= 100; k++) {
            assert_int_equal(go(o, 20 * k), TT_ODE_REACHED);
            near(tt_ode_time(o), 20 * k, 0);
        }
        near(tt_ode_states(o)[0], 1.7061677321704650, 1e-6);
        near(tt_ode_states(o)[1], -0.89280970102481655e-3, 1e-9);
        assert_true(tt_ode_counts(o).jacobian > 0);
        tt_ode_free(o);
    }
}

static void a_root_is_located(void **state)
{
    const struct tt_ode_problem p = {
        .n = 2, .n_root = 1, .rhs = fall, .roots = height};

    (void)state;
    for (size_t i = 0; i < 2 && there(); i++) {
        tt_ode *o = make(&p, methods[i], (const double[]){1, 0});

        assert_int_equal(go(o, 1), TT_ODE_ROOT);
        near(tt_ode_time(o), sqrt(2 / 9.81), 1e-9);
        assert_true(tt_ode_crossed(o, 0));
        assert_true(tt_ode_states(o)[0] <= 0);
        /* z = 0 is below, and rising from there is a root again */
        tt_ode_reset(o, tt_ode_time(o), (const double[]){0, 3});
        assert_int_equal(go(o, 1), TT_ODE_ROOT);
        near(tt_ode_time(o), sqrt(2 / 9.81), 1e-9);
        tt_ode_free(o);
    }
}

/* Bounces of a ball dropped from 1 m that keeps 0.7 of its speed, until the
 * forties, of flights far lower than the tolerance. It starts again at `floor`,
 * which is 0, so that rising is a root, too, or a little more. */
static void check_bounces(enum tt_ode_method m, double floor)
{
    const double loose[] = {1e-8, 1e-8}, fall_time = sqrt(2 / 9.81);
    const struct tt_ode_problem p = {
        .n = 2, .n_root = 1, .rhs = fall, .roots = height};
    const struct tt_ode_config c = {
        .method = m, .rtol = 1e-6, .atol = loose, .step = 1e-3};
    tt_ode *o = tt_ode_new(&p, &c);
    int n = 0;

    assert_non_null(o);
    tt_ode_reset(o, 0, (const double[]){1, 0});
    while (n < 45) {
        enum tt_ode_did did = tt_ode_advance(o, 3);
        double x[] = {tt_ode_states(o)[0], tt_ode_states(o)[1]};

        assert_true(did == TT_ODE_STEPPED || did == TT_ODE_ROOT);
        assert_true(tt_ode_time(o) < fall_time * 1.7 / 0.3 + 1e-6);
        assert_true(x[0] >= -loose[0]);
        if (did != TT_ODE_ROOT || x[0] > 0 || x[1] >= 0)
            continue;
        if (++n <= 10)
            near(tt_ode_time(o),
                 fall_time * (1 + 1.4 * (1 - pow(0.7, n - 1)) / 0.3), 1e-5);
        x[0] = floor;
        x[1] *= -0.7;
        tt_ode_reset(o, tt_ode_time(o), x);
    }
    tt_ode_free(o);
}

static void a_ball_that_hardly_bounces_does_not_sink(void **state)
{
    (void)state;
    for (enum tt_ode_method m = TT_ODE_AUTO; m < TT_ODE_METHOD_N; m++) {
        if (m == TT_ODE_EULER || !tt_ode_method_there(m))
            continue; /* Euler's flights are others */
        check_bounces(m, DBL_MIN);
        check_bounces(m, 0);
    }
}

static void what_is_no_number_is_reported(void **state)
{
    double floor = 0.5;
    const struct tt_ode_problem p = {.n = 2, .rhs = fall, .ctx = &floor};

    (void)state;
    for (size_t i = 0; i < 2 && there(); i++) {
        tt_ode *o = make(&p, methods[i], (const double[]){1, 0});

        assert_true(go(o, 1) > TT_ODE_FAILED);
        assert_true(tt_ode_time(o) < sqrt(1 / 9.81) + 1e-6);
        tt_ode_free(o);
    }
}

/* ARKODE starts every leg alike; CVODE starts anew and comes near. */
static void what_was_packed_goes_on(void **state)
{
    const struct tt_ode_problem p = {.n = 2, .rhs = pol};

    (void)state;
    for (size_t i = 0; i < 2 && there(); i++) {
        const double x0[] = {2, 0};
        tt_ode *a = make(&p, methods[i], x0), *b = make(&p, methods[i], x0);
        char bytes[512];

        assert_true(tt_ode_size(a) <= sizeof(bytes));
        for (int k = 1; k <= 50; k++) {
            (void)go_on(a, 20 * k);
            tt_ode_pack(b, bytes);
            (void)go_on(b, 20 * k + 7);
            tt_ode_unpack(b, bytes);
            (void)go_on(b, 20 * k);
            near(tt_ode_states(b)[0], tt_ode_states(a)[0],
                 methods[i] == TT_ODE_ARKODE ? 0 : 1e-5);
        }
        tt_ode_free(a);
        tt_ode_free(b);
    }
}

/* x'' = -x beside a component that forgets within 1e-6 s: x3 = x1 nearly. */
static int beside_stiff(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    dx[2] = x[1] - 1e6 * (x[2] - x[0]);
    return 0;
}

/* The largest error within steps of this length, and *at: at their ends. */
static double error_within(double h, double *at)
{
    static const double loose[] = {1, 1, 1};
    const struct tt_ode_problem p = {.n = 3, .rhs = beside_stiff};
    const struct tt_ode_config c = {.method = TT_ODE_ARKODE,
                                    .rtol = 1,
                                    .atol = loose,
                                    .step = h,
                                    .max_step = h};
    tt_ode *o = tt_ode_new(&p, &c);
    enum tt_ode_did did = TT_ODE_STEPPED;
    double worst = 0, x[3];

    assert_non_null(o);
    tt_ode_reset(o, 0, (const double[]){0, 1, 0});
    o->kept.h = h;
    *at = 0;
    while (did == TT_ODE_STEPPED) {
        double from = tt_ode_time(o), to;

        did = tt_ode_advance(o, 4);
        to = tt_ode_time(o);
        *at = fmax(*at, fabs(tt_ode_states(o)[0] - sin(to)));
        for (int i = 1; i < 16; i++) {
            double t = from + (to - from) * i / 16;

            assert_int_equal(tt_ode_dense(o, t, x), 0);
            worst = fmax(worst, fmax(fabs(x[0] - sin(t)), fabs(x[2] - sin(t))));
            worst = fmax(worst, fabs(x[1] - cos(t)));
        }
    }
    tt_ode_free(o);
    return worst;
}

/* Also what is stiff, which f at the ends would be wrong for by a million. */
static void arkode_is_as_exact_within_its_steps(void **state)
{
    double at[3], within[3];

    (void)state;
    if (!there())
        return;
    for (int i = 0; i < 3; i++) {
        within[i] = error_within(0.5 / (1 << i), &at[i]);
        print_message("h=%g: %g within, %g at ends\n", 0.5 / (1 << i),
                      within[i], at[i]);
    }
    for (int i = 1; i < 3; i++)
        assert_true(log2(within[i - 1] / within[i]) > 4.5);
}

static void absence_is_known(void **state)
{
    const struct tt_ode_problem p = {.n = 2, .rhs = pol};
    const struct tt_ode_config c = {
        .method = TT_ODE_CVODE, .rtol = 1e-10, .atol = atol};

    (void)state;
    assert_true(tt_ode_method_there(TT_ODE_STIFF));
    if (!tt_ode_method_there(TT_ODE_CVODE))
        assert_null(tt_ode_new(&p, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_oscillator_is_solved),
        cmocka_unit_test(a_root_is_located),
        cmocka_unit_test(a_ball_that_hardly_bounces_does_not_sink),
        cmocka_unit_test(what_is_no_number_is_reported),
        cmocka_unit_test(what_was_packed_goes_on),
        cmocka_unit_test(arkode_is_as_exact_within_its_steps),
        cmocka_unit_test(absence_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
