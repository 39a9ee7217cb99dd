/* SPDX-License-Identifier: MIT */
/*
 * Cruise control against two closed forms: that of the coupled equation
 *     m v' = k (vd - v) - cf v
 * and that of the car whose driving force is held over each step H,
 *     v(n H) = v* + (v0 - v*) r^n,  r = a - (1 - a) k/cf,  a = exp(-cf H/m),
 * which has the same final speed v* = k vd / (k + cf).
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

#define SCENARIO "cruise-control/scenario.json"
#define FMI3     "cruise-control/scenario-fmi3.json"

static const double m = 1576, cf = 0.5, k = 1000, vd = 40, v0 = 0;

static double coupled_speed(double t)
{
    double final = k * vd / (k + cf);

    return final + (v0 - final) * exp(-(k + cf) / m * t);
}

static double held_speed(double step, size_t n)
{
    double final = k * vd / (k + cf), a1 = expm1(-cf * step / m);

    return final + (v0 - final) * pow(1 + a1 + a1 * k / cf, (double)n);
}

static void the_speed_is_that_of_the_held_force(void **state)
{
    const char *const scenario[] = {SCENARIO, FMI3};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});
        const double *v = column(t, "{car}.car.v");
        const double *force = column(t, "{controller}.controller.F");

        assert_int_equal(tt_table_rows(t), 51);
        for (size_t n = 0; n < tt_table_rows(t); n++) {
            assert_near(v[n], held_speed(0.2, n), 1e-11);
            assert_near(force[n], k * (vd - v[n]), 1e-10);
        }
        tt_table_free(t);
    }
}

static double largest_error(double step)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .step = step});
    const double *v = column(t, "{car}.car.v");
    double most = 0;

    for (size_t n = 0; n < tt_table_rows(t); n++) {
        assert_true(isfinite(v[n]));
        most = fmax(most, fabs(v[n] - coupled_speed(tt_table_time(t)[n])));
    }
    tt_table_free(t);
    return most;
}

static void the_speed_tends_to_the_coupled_solution(void **state)
{
    double coarse = largest_error(0.02), fine = largest_error(0.01);

    (void)state;
    assert_true(fine < 0.05);
    assert_near(observed_order(coarse, fine), 1, 0.05);
}

static void the_final_speed_does_not_depend_on_the_step(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .end = 60});
    const double *v = column(t, "{car}.car.v");

    (void)state;
    assert_near(v[tt_table_rows(t) - 1], k * vd / (k + cf), 1e-11);
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_speed_is_that_of_the_held_force),
        cmocka_unit_test(the_speed_tends_to_the_coupled_solution),
        cmocka_unit_test(the_final_speed_does_not_depend_on_the_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
