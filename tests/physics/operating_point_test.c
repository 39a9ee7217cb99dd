/* SPDX-License-Identifier: MIT */
/*
 * A battery and a device of constant power: every row solves
 * U^2 - full U + resistance power = 0, and no row comes where that has no
 * solution.
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

static const char *const scenario[] = {"operating-point/scenario.json",
                                       "operating-point/scenario-fmi3.json"};

static void starts_at(const char *set, double power, double tolerance)
{
    double voltage = (12 + sqrt(144 - 0.8 * power)) / 2;

    for (int i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){
            .scenario = scenario[i],
            .options = {"--set", set, "--set", "battery.capacity=1e12"},
            .end = 1});

        assert_near(column(t, "{battery}.battery.voltage")[0], voltage,
                    tolerance);
        assert_near(column(t, "{device}.device.current")[0], power / voltage,
                    10 * tolerance);
        tt_table_free(t);
    }
}

static void the_first_row_is_the_operating_point(void **state)
{
    (void)state;
    starts_at("device.power=100", 100, 1e-8);
    starts_at("device.power=20", 20, 1e-8);
}

/* Voltage and current of a row belong together, while the battery empties. */
static void every_row_is_an_operating_point(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});
        const double *u = column(t, "{battery}.battery.voltage");
        const double *current = column(t, "{device}.device.current");
        const double *used = column(t, "{battery}.battery.used");

        assert_int_equal(tt_table_rows(t), 61);
        for (size_t k = 0; k < 61; k++) {
            double full = 12 - used[k] / 500;

            assert_near(u[k], (full + sqrt(full * full - 80)) / 2, 1e-8);
            assert_near(current[k], 100 / u[k], 1e-7);
        }
        assert_true(used[60] > 600);
        tt_table_free(t);
    }
}

/* Hardly contracting: the solution is as uncertain as its slope is small. */
static void near_the_limit_newton_finds_it(void **state)
{
    (void)state;
    starts_at("device.power=179.9", 179.9, 1e-6);
}

static void beyond_the_limit_the_loop_is_named(void **state)
{
    const char *path = TT_BUILD_DIR "/examples/operating-point/scenario.json";
    const char *const argv[] = {
        "run", path, "-q", "-o", "-", "--set", "device.power=200", NULL};
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 4096);
    assert_int_equal(run_tutti(argv, NULL, &err), 1);
    assert_string_equal(err.data,
                        "tutti: initialisation: the loop of "
                        "{battery}.battery.voltage (off by 1.78) did not "
                        "converge in 108 evaluations (fixed point, then "
                        "newton) at t=0\n");
    tt_buf_fini(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_row_is_the_operating_point),
        cmocka_unit_test(every_row_is_an_operating_point),
        cmocka_unit_test(near_the_limit_newton_finds_it),
        cmocka_unit_test(beyond_the_limit_the_loop_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
