/* SPDX-License-Identifier: MIT */
/*
 * The thermostat's period. Switched without delay, the room cools from 21 to 19
 * (towards 0) and warms from 19 to 21 (towards 30) in
 *     P = ln(21/19)/alpha + ln(11/9)/alpha.
 * With communication step H each switch is late by less than H. While late, the
 * temperature goes on past its limit, by at most alpha 9 H above 21 and alpha
 * 19 H below 19, and must come back: (9/21) H and (19/11) H at most. So
 *     P <= period < P + (1 + 9/21 + 1 + 19/11) H = P + 320/77 H.
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

#define SCENARIO "thermostat/scenario.json"
#define LOCATED  "thermostat/scenario-located.json"
#define FMI3     "thermostat/scenario-fmi3.json"

static const double alpha = 0.001, end = 6400;

static double ideal_period(void)
{
    return (log(21.0 / 19) + log(11.0 / 9)) / alpha;
}

/* Times at which the radiator goes off; returns their number. */
static size_t switch_times(const tt_table *t, double *time, size_t max)
{
    const double *on = column(t, "{thermostat}.thermostat.on");
    size_t n = 0;

    for (size_t i = 1; i < tt_table_rows(t); i++) {
        if (on[i - 1] == 0 || on[i] != 0)
            continue;
        assert_true(n < max);
        time[n++] = tt_table_time(t)[i];
    }
    return n;
}

/* Checks every period of a run and returns how much the mean exceeds the ideal
 * one. */
static double check_periods(const char *scenario, double step)
{
    tt_table *t =
        play(&(struct play){.scenario = scenario, .step = step, .end = end});
    double time[64];
    size_t n = switch_times(t, time, 64);

    assert_true(n > 10);
    for (size_t i = 1; i < n; i++) {
        double excess = time[i] - time[i - 1] - ideal_period();

        assert_true(excess >= -1e-9);
        assert_true(excess < 320.0 / 77 * step);
    }
    tt_table_free(t);
    return (time[n - 1] - time[0]) / (double)(n - 1) - ideal_period();
}

static void the_period_keeps_its_bound_and_converges(void **state)
{
    static const double step[] = {16, 8, 4, 2, 1, 0.5, 0.25};
    double excess[sizeof(step) / sizeof(step[0])];
    size_t n = sizeof(step) / sizeof(step[0]);

    (void)state;
    for (size_t i = 0; i < n; i++)
        excess[i] = check_periods(SCENARIO, step[i]);
    assert_near(fitted_order(step, excess, n), 1, 0.1);
}

static void fmi_3_keeps_the_bound_too(void **state)
{
    (void)state;
    assert_near(check_periods(FMI3, 1), check_periods(SCENARIO, 1), 0);
}

static void the_room_stays_comfortable(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *temperature = column(t, "{room}.room.T");
    double hottest = 30 - 9 * exp(-alpha), coldest = 19 * exp(-alpha);
    size_t warm = 0;

    (void)state;
    while (temperature[warm] < 19)
        warm++;
    for (size_t i = warm; i < tt_table_rows(t); i++) {
        assert_true(temperature[i] < hottest);
        assert_true(temperature[i] > coldest);
    }
    tt_table_free(t);
}

/* The radiator switches where it would without delay, whatever the step. */
static void located_switches_are_exact(void **state)
{
    static const double step[] = {50, 7, 300};

    (void)state;
    for (size_t k = 0; k < sizeof(step) / sizeof(step[0]); k++) {
        tt_table *t = play(
            &(struct play){.scenario = LOCATED, .step = step[k], .end = end});
        const double *on = column(t, "{thermostat}.thermostat.on");
        double exact = log(15.0 / 9) / alpha;
        size_t n = 0;

        for (size_t i = 1; i < tt_table_rows(t); i++) {
            if (on[i] == on[i - 1])
                continue;
            assert_near(tt_table_time(t)[i], exact, 1e-9 * exact);
            exact += log(n++ % 2 ? 11.0 / 9 : 21.0 / 19) / alpha;
        }
        assert_int_equal(n, 40);
        tt_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_period_keeps_its_bound_and_converges),
        cmocka_unit_test(fmi_3_keeps_the_bound_too),
        cmocka_unit_test(the_room_stays_comfortable),
        cmocka_unit_test(located_switches_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
