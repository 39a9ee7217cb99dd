/* SPDX-License-Identifier: MIT */
/*
 * Variable steps on the examples, against closed forms: the water tank switches
 * near its limits with far fewer steps than a grid needs, the ball's bounces
 * are enclosed to the smallest step, and steps that were taken back leave no
 * trace.
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

#define TANK "water-tank/scenario-variable.json"
#define BALL "bouncing-ball/scenario-variable.json"

/* A run and what its summary counts. */
struct account {
    tt_table *table; /* owned by the caller */
    double steps, rejected;
};

static struct account play_variable(const char *scenario)
{
    struct tally n;
    struct account a = {
        .table = play_tally(&(struct play){.scenario = scenario}, &n)};

    a.steps = (double)n.steps;
    a.rejected = (double)n.rejected;
    assert_int_equal(tt_table_rows(a.table), n.steps + 1);
    return a;
}

/* --- the water tank --------------------------------------------------------
 */

static const double low = 2, high = 8, inflow = 0.45, conductance = 0.25;
static const double tank_tolerance = 1e-3, tank_end = 100;

/* The level at t if the valve switches exactly at the limits; area = 1. */
static double ideal_level(double t)
{
    double rest = inflow / conductance, fill = (high - low) / inflow;
    double drain = log((high - rest) / (low - rest)) / conductance;

    t -= (low - 1) / inflow; /* it begins with a level of 1 */
    if (t > 0)
        t = fmod(t, fill + drain);
    if (t < fill)
        return low + inflow * t;
    return rest + (high - rest) * exp(-conductance * (t - fill));
}

static double deviation(const tt_table *t)
{
    const double *level = column(t, "{x2}.tank.level");
    double most = 0;

    for (size_t i = 0; i < tt_table_rows(t); i++)
        most = fmax(most, fabs(level[i] - ideal_level(tt_table_time(t)[i])));
    return most;
}

static void the_tank_needs_at_most_a_fifth_of_the_steps(void **state)
{
    struct account a = play_variable(TANK);
    double tries = a.steps + a.rejected;
    tt_table *fixed =
        play(&(struct play){.scenario = "water-tank/scenario.json",
                            .step = tank_end / (5 * tries)});

    (void)state;
    assert_true(tt_table_rows(fixed) > 5 * (size_t)tries);
    assert_true(deviation(a.table) <= deviation(fixed));
    assert_true(deviation(a.table) < 0.02);
    tt_table_free(a.table);
    tt_table_free(fixed);
}

static void the_valve_switches_within_the_tolerance(void **state)
{
    struct account a = play_variable(TANK);
    const double *level = column(a.table, "{x2}.tank.level");
    const double *valve = column(a.table, "{x1}.controller.valve");
    unsigned switches = 0;

    (void)state;
    assert_true(tt_table_time(a.table)[(size_t)a.steps] == tank_end);
    for (size_t i = 1; i < tt_table_rows(a.table); i++) {
        if (valve[i] == valve[i - 1])
            continue;
        assert_near(level[i], valve[i] != 0 ? high : low, tank_tolerance);
        switches++;
    }
    assert_int_equal(switches, 7);
    tt_table_free(a.table);
}

static void the_tank_keeps_its_volume(void **state)
{
    struct account a = play_variable(TANK);
    const double *level = column(a.table, "{x2}.tank.level");
    const double *in = column(a.table, "{x2}.tank.volumeIn");
    const double *out = column(a.table, "{x2}.tank.volumeOut");

    (void)state;
    for (size_t i = 0; i < tt_table_rows(a.table); i++) {
        assert_near(level[i] - 1, in[i] - out[i], 1e-11);
        assert_near(in[i], inflow * tt_table_time(a.table)[i], 1e-11);
    }
    tt_table_free(a.table);
}

/* --- the bouncing ball -----------------------------------------------------
 */

static const double g = 9.81, e = 0.7, h0 = 1;
static const double smallest = 1e-4, h_tolerance = 1e-3, v_tolerance = 0.05;

static double bounce_time(int n)
{
    return sqrt(2 * h0 / g) * (1 + 2 * e * (1 - pow(e, n - 1)) / (1 - e));
}

/* Slower bounces than the tolerance are not worth a short step. */
static int bounces_to_locate(void)
{
    int n = 0;

    while (pow(e, n + 1) * sqrt(2 * g * h0) > v_tolerance)
        n++;
    return n;
}

static size_t last_row_before(const tt_table *t, double time)
{
    size_t i = 0;

    while (i + 1 < tt_table_rows(t) && tt_table_time(t)[i + 1] <= time)
        i++;
    return i;
}

static void bounces_are_located_to_the_smallest_step(void **state)
{
    struct account a = play_variable(BALL);
    const double *t = tt_table_time(a.table);
    const double *h = column(a.table, "{ball}.ball.h");

    (void)state;
    assert_true(a.rejected > 0);
    assert_int_equal(bounces_to_locate(), 12);
    for (int n = 1; n <= bounces_to_locate(); n++) {
        size_t i = last_row_before(a.table, bounce_time(n));

        assert_true(i + 1 < tt_table_rows(a.table));
        assert_near(t[i + 1] - t[i], smallest, 1e-9);
        assert_true(h[i] <= h_tolerance && h[i + 1] <= h_tolerance);
    }
    tt_table_free(a.table);
}

/* A grid as fine would have 30000 steps. */
static void locating_them_is_cheap(void **state)
{
    struct account a = play_variable(BALL);

    (void)state;
    assert_true(a.steps + a.rejected < 3 / smallest / 50);
    tt_table_free(a.table);
}

static void steps_taken_back_leave_no_trace(void **state)
{
    struct account a = play_variable(BALL);
    const double *t = tt_table_time(a.table);
    const double *h = column(a.table, "{ball}.ball.h");
    const double *v = column(a.table, "{ball}.ball.v");
    const double *bounces = column(a.table, "{ball}.ball.bounces");
    double v0 = sqrt(2 * g * h0);

    (void)state;
    for (size_t i = 0; i < tt_table_rows(a.table); i++) {
        int n = (int)bounces[i];
        double dt = n ? t[i] - bounce_time(n) : t[i] + sqrt(2 * h0 / g);
        double up = pow(e, n) * v0;

        if (n > bounces_to_locate())
            break;
        assert_true(n == 0 || t[i] >= bounce_time(n) - 1e-12);
        assert_true(t[i] <= bounce_time(n + 1) + 1e-12);
        assert_near(h[i], up * dt - g / 2 * dt * dt, 1e-12);
        assert_near(v[i], up - g * dt, 1e-12);
    }
    tt_table_free(a.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tank_needs_at_most_a_fifth_of_the_steps),
        cmocka_unit_test(the_valve_switches_within_the_tolerance),
        cmocka_unit_test(the_tank_keeps_its_volume),
        cmocka_unit_test(bounces_are_located_to_the_smallest_step),
        cmocka_unit_test(locating_them_is_cheap),
        cmocka_unit_test(steps_taken_back_leave_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
