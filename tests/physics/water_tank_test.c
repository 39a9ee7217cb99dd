/* SPDX-License-Identifier: MIT */
/*
 * The water tank: what flows in minus what flows out is what is there, and the
 * level moves between its limits as the mass balance says.
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

#define SCENARIO "water-tank/scenario.json"
#define FMI3     "water-tank/scenario-fmi3.json"

static const double area = 1, inflow = 0.45, conductance = 0.25;
static const double start = 1, low = 2, high = 8, step = 0.1;

static void volume_is_conserved(void **state)
{
    const char *const scenario[] = {SCENARIO, FMI3};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        tt_table *t = play(&(struct play){.scenario = scenario[k]});
        const double *level = column(t, "{x2}.tank.level");
        const double *in = column(t, "{x2}.tank.volumeIn");
        const double *out = column(t, "{x2}.tank.volumeOut");

        assert_int_equal(tt_table_rows(t), 1001);
        for (size_t i = 0; i < tt_table_rows(t); i++) {
            /* Each step rounds a few times, at most by half a unit in the
             * last place of what has flowed so far. */
            double rounding = 4 * 0x1p-53 * (double)(i + 1) *
                              (area * level[i] + in[i] + out[i]);

            assert_near(area * (level[i] - start), in[i] - out[i], rounding);
            assert_near(in[i], inflow * tt_table_time(t)[i], rounding);
        }
        tt_table_free(t);
    }
}

/* The valve switches at the communication point after the level crossed its
 * limit, so the level passes it by no more than it moves in a step. */
static void the_level_keeps_between_its_limits(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *level = column(t, "{x2}.tank.level");
    const double *valve = column(t, "{x1}.controller.valve");
    double above = inflow / area * step;
    double below = (conductance * low - inflow) / area * step;

    (void)state;
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        assert_true(level[i] <= high + above);
        assert_true(level[i] >= (i ? fmin(low - below, level[i - 1]) : start));
        assert_true(valve[i] == 0 || level[i] > low);
        assert_true(valve[i] == 1 || level[i] < high);
    }
    tt_table_free(t);
}

/* With the valve closed the level is a straight line, with the valve open it
 * tends to inflow/conductance with the time constant area/conductance. */
static void the_level_moves_as_the_balance_predicts(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *level = column(t, "{x2}.tank.level");
    const double *valve = column(t, "{x1}.controller.valve");
    double rest = inflow / conductance, decay = exp(-conductance / area * step);
    unsigned switches = 0;

    (void)state;
    for (size_t i = 1; i < tt_table_rows(t); i++) {
        double before = level[i - 1];
        double after = valve[i - 1] != 0 ? rest + (before - rest) * decay
                                         : before + inflow / area * step;

        assert_near(level[i], after, 1e-14);
        switches += valve[i] != valve[i - 1];
    }
    assert_int_equal(switches, 7);
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_is_conserved),
        cmocka_unit_test(the_level_keeps_between_its_limits),
        cmocka_unit_test(the_level_moves_as_the_balance_predicts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
