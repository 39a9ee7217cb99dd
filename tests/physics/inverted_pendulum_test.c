/* SPDX-License-Identifier: MIT */
/*
 * The inverted pendulum with its regulator. Measured at every communication
 * point and held in between, the closed loop is x(n+1) = (Phi - Gamma K) x(n)
 * with Phi = exp(A H) and Gamma the integral of exp(A s) B over a step; its
 * eigenvalues mu tend to those of A - B K as log(mu)/H, with order 1.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "inverted-pendulum/scenario.json"
#define FMI3     "inverted-pendulum/scenario-fmi3.json"

static const double gain[4] = {-1, -1.6567100251570669, 18.685395901880127,
                               3.4594381758000088};

/* A and, as fifth column, B. */
static struct matrix open_loop(void)
{
    const double M = 0.5, m = 0.2, b = 0.1, l = 0.3, I0 = 0.006, g = 9.8;
    const double p = I0 * (M + m) + M * m * l * l, J = I0 + m * l * l;
    struct matrix a = {
        5,
        {{0, 1, 0, 0, 0},
         {0, -J * b / p, m * m * g * l * l / p, 0, J / p},
         {0, 0, 0, 1, 0},
         {0, -m * l * b / p, m * g * l * (M + m) / p, 0, m * l / p}}};

    return a;
}

/* From (A B) to A - B K, or from (Phi Gamma) to Phi - Gamma K. */
static struct matrix closed(const struct matrix *open)
{
    struct matrix c = {.n = 4};

    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            c.a[i][j] = open->a[i][j] - open->a[i][4] * gain[j];
    return c;
}

/* Solves (s I - A) z = B by elimination with pivoting. */
static void response(double complex s, double complex z[4])
{
    struct matrix a = open_loop();
    double complex m[4][5];

    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++)
            m[i][j] = j < 4 ? (i == j ? s : 0) - a.a[i][j] : a.a[i][4];
    for (size_t c = 0; c < 4; c++) {
        size_t pivot = c;

        for (size_t i = c; i < 4; i++)
            if (cabs(m[i][c]) > cabs(m[pivot][c]))
                pivot = i;
        for (size_t j = 0; j < 5; j++) {
            double complex swap = m[c][j];

            m[c][j] = m[pivot][j];
            m[pivot][j] = swap;
        }
        for (size_t i = 0; i < 4; i++) {
            double complex factor = i == c ? 0 : m[i][c] / m[c][c];

            for (size_t j = 0; j < 5; j++)
                m[i][j] -= factor * m[c][j];
        }
    }
    for (size_t i = 0; i < 4; i++)
        z[i] = m[i][4] / m[i][i];
}

/* Kalman's equality, which holds for the regulator of x^2 + phi^2 + u^2 and for
 * no other gains that stabilise: with z = (i w - A)^-1 B,
 *     |1 + K z|^2 = 1 + |z_x|^2 + |z_phi|^2  at every frequency w. */
static void the_gains_are_those_of_the_regulator(void **state)
{
    (void)state;
    for (double w = 0.01; w < 1000; w *= 1.5) {
        double complex z[4], loop = 1;
        double left, right;

        response(w * (double complex)I, z);
        for (size_t i = 0; i < 4; i++)
            loop += gain[i] * z[i];
        left = cabs(loop) * cabs(loop);
        right = 1 + cabs(z[0]) * cabs(z[0]) + cabs(z[2]) * cabs(z[2]);
        assert_near(left / right, 1, 1e-11);
    }
}

/* Every row of a run is the one before times `loop`. */
static void check_run(const struct play *p, const struct matrix *loop,
                      double tolerance)
{
    tt_table *t = play(p);
    const double *at[] = {column(t, "{pendulum}.pendulum.x"),
                          column(t, "{pendulum}.pendulum.v"),
                          column(t, "{pendulum}.pendulum.phi"),
                          column(t, "{pendulum}.pendulum.omega")};
    const double *force = column(t, "{lqr}.lqr.u");
    double x[] = {0, 0, 0.1, 0};

    for (size_t n = 0; n < tt_table_rows(t); n++) {
        double u = 0;

        for (size_t i = 0; i < 4; i++) {
            assert_near(at[i][n], x[i], tolerance);
            u -= gain[i] * x[i];
        }
        assert_near(force[n], u, 100 * tolerance);
        apply(loop, x);
    }
    tt_table_free(t);
}

static void the_run_is_sampled_control(void **state)
{
    static const struct play p[] = {{SCENARIO, .step = 0.1},
                                    {SCENARIO, .step = 0.05},
                                    {SCENARIO, .step = 0.01},
                                    {FMI3, .step = 0.05}};
    struct matrix open = open_loop();

    (void)state;
    for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
        struct matrix held = exponential(&open, p[i].step);
        struct matrix loop = closed(&held);

        check_run(&p[i], &loop, 1e-11);
    }
}

/* By model exchange the regulator, which has no states, is part of one system:
 * x' = (A - B K) x. */
static void together_it_is_continuous_control(void **state)
{
    static const char *const scenario[] = {SCENARIO, FMI3};
    struct matrix open = open_loop(), continuous = closed(&open);
    struct matrix loop = exponential(&continuous, 0.05);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct play p = {
            scenario[i], .step = 0.05,
            .options = {"--interface", "me", "--tolerance", "1e-11"}};

        check_run(&p, &loop, 1e-9);
    }
}

/* One step of forward Euler is I + A H, one of the midpoint rule has
 * (A H)^2 / 2 more. With H = 0.2 s the first stays up, the second falls. */
static void the_run_is_that_of_the_chosen_method(void **state)
{
    const struct play euler = {
        SCENARIO, 0.2, 2, {"--set", "{pendulum}.pendulum.microsteps=1"}};
    struct play midpoint = euler;
    struct matrix open = open_loop(), phi = {.n = 5}, square, loop;

    (void)state;
    midpoint.options[2] = "--set";
    midpoint.options[3] = "{pendulum}.pendulum.method=2";
    square = product(&open, &open);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            phi.a[i][j] = (i == j) + 0.2 * open.a[i][j];
    loop = closed(&phi);
    assert_true(cabs(eigenvalue(&loop, 0.83 + 0.17 * (double complex)I)) < 1);
    check_run(&euler, &loop, 1e-11);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            phi.a[i][j] += 0.02 * square.a[i][j];
    loop = closed(&phi);
    assert_near(cabs(eigenvalue(&loop, -1.1)), 1.1193748875, 1e-9);
    check_run(&midpoint, &loop, 1e-11);
}

/* The eigenvalue of the slow pair as it shows in the angle. Four samples
 * `period` apart, once the fast pair has died out, obey
 *     y(k+2) = c1 y(k+1) + c0 y(k). */
static double complex measured(double step)
{
    const double begin = 4, period = 0.5;
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .step = step});
    const double *phi = column(t, "{pendulum}.pendulum.phi");
    double y[4], det, c0, c1;
    double complex mu;

    for (size_t k = 0; k < 4; k++)
        y[k] = phi[lround((begin + period * (double)k) / step)];
    det = y[0] * y[2] - y[1] * y[1];
    c0 = (y[2] * y[2] - y[1] * y[3]) / det;
    c1 = (y[0] * y[3] - y[1] * y[2]) / det;
    mu = c1 / 2 + csqrt(c1 * c1 / 4 + c0);
    tt_table_free(t);
    return clog(mu) / period;
}

static void decay_and_frequency_tend_to_the_eigenvalue(void **state)
{
    struct matrix open = open_loop(), loop = closed(&open);
    double complex exact = eigenvalue(&loop, -0.85 + 0.83 * (double complex)I);
    double coarse = cabs(measured(0.01) - exact);
    double fine = cabs(measured(0.005) - exact);

    (void)state;
    assert_near(creal(exact), -0.84938514319, 1e-10);
    assert_near(cimag(exact), 0.83225574707, 1e-10);
    assert_true(fine < 0.005);
    assert_near(observed_order(coarse, fine), 1, 0.05);
}

/* Held for 0.2 s, the force comes too late: the pendulum falls, and grows by
 * the spectral radius of Phi - Gamma K with each step. */
static void sampling_too_slowly_lets_the_pendulum_fall(void **state)
{
    struct matrix open = open_loop(), held = exponential(&open, 0.2);
    struct matrix loop = closed(&held);
    double radius = cabs(eigenvalue(&loop, -1.6));
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .step = 0.2});
    const double *phi = column(t, "{pendulum}.pendulum.phi");
    size_t last = tt_table_rows(t) - 1;

    (void)state;
    assert_near(radius, 1.640165065685549, 1e-10);
    assert_near(phi[last] / phi[last - 1], -radius, 1e-6);
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gains_are_those_of_the_regulator),
        cmocka_unit_test(the_run_is_sampled_control),
        cmocka_unit_test(together_it_is_continuous_control),
        cmocka_unit_test(the_run_is_that_of_the_chosen_method),
        cmocka_unit_test(decay_and_frequency_tend_to_the_eigenvalue),
        cmocka_unit_test(sampling_too_slowly_lets_the_pendulum_fall),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
