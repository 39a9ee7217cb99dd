/* SPDX-License-Identifier: MIT */
/*
 * The power window, against its own equations. Motor, glass and obstacle as one
 * system are piecewise linear: exact where a phase is known beforehand, else
 * integrated together with Runge-Kutta steps of 10 us, with a controller that
 * acts at once. The time of contact comes from the exact solution and knows
 * nothing of the controller.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "power-window/scenario.json"
#define FMI3     "power-window/scenario-fmi3.json"
#define VARIABLE "power-window/scenario-variable.json"

#define HEIGHT  "{window}.window.height"
#define SPEED   "{power}.power.speed"
#define CURRENT "{power}.power.armatureCurrent"
#define FORCE   "{obstacle}.obstacle.reactionForce"
#define TORQUE  "{window}.window.reactionTorque"
#define UP      "{controller}.controller.up"
#define DOWN    "{controller}.controller.down"

#define SET(what)   "--set", what
#define NO_OBSTACLE SET("obstacle.position=10")
#define HANDS_OFF   SET("environment.driverUpUntil=0")
#define HARD        SET("obstacle.stiffness=1e6")
#define ONCE        "--iterate", "1"
#define HOLD        "--approximation", "hold"

/* Motor: kg m2, N m s, N m/A, Ohm, H, V. */
static const double J = 0.085, b = 5, K = 7.45, R = 0.15, L = 0.036, V = 12;
/* Glass: m, N s/m, m. Obstacle: m, N/m. */
static const double r = 0.11, friction = 10, travel = 0.6;
static const double position = 0.45, stiffness = 1e5;
/* Controller: A, s. */
static const double threshold = 5, retreat = 1;
/* More than the rounding of times. */
static const double seen = 1e-9;

/* --- the whole system ------------------------------------------------------
 */

/* displacement, speed, current and a constant 1, at the voltage V. */
static struct matrix whole(double spring)
{
    return (struct matrix){4,
                           {{0, 1, 0, 0},
                            {-r * r * spring / J, -(b + r * r * friction) / J,
                             K / J, r * spring * position / J},
                            {0, -K / L, -R / L, V / L},
                            {0}}};
}

static double exact_height(const struct matrix *m, double start, double t)
{
    double x[] = {start / r, 0, 0, 1};
    struct matrix phi = exponential(m, t);

    apply(&phi, x);
    return r * x[0];
}

/* When the glass that starts at the bottom meets the obstacle. */
static double contact_time(void)
{
    struct matrix free = whole(0);
    double from = 0, to = 4;

    assert_true(exact_height(&free, 0, to) > position);
    while (to - from > 1e-12) {
        double middle = (from + to) / 2;

        if (exact_height(&free, 0, middle) < position)
            from = middle;
        else
            to = middle;
    }
    return to;
}

static void slope(const double *x, double voltage, double *dx)
{
    double force = stiffness * fmax(0, r * x[0] - position);
    double torque = r * (force + friction * r * x[1]);

    dx[0] = x[1];
    dx[1] = (K * x[2] - b * x[1] - torque) / J;
    dx[2] = (voltage - R * x[2] - K * x[1]) / L;
}

static void runge_kutta(double *x, double voltage, double h)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[3] = {0}, sum[3] = {0};

    for (int stage = 0; stage < 4; stage++) {
        double y[3];

        for (int i = 0; i < 3; i++)
            y[i] = x[i] + at[stage] * h * k[i];
        slope(y, voltage, k);
        for (int i = 0; i < 3; i++)
            sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < 3; i++)
        x[i] += h / 6 * sum[i];
}

/* The story of the scenario, told by one system. */
struct story {
    double height[6001]; /* m, every ms */
    double highest, fastest, detected;
};

static double voltage_at(double t, double detected)
{
    if (t < detected)
        return t < 4 ? V : 0;
    return t < detected + retreat || (t >= 4.5 && t < 5.5) ? -V : 0;
}

static void tell(struct story *s)
{
    static const int fine = 100; /* steps in a ms */
    double x[3] = {0};

    *s = (struct story){.detected = HUGE_VAL};
    for (int k = 0; k < 6000 * fine; k++) {
        double t = k / (1000.0 * fine);

        if (k % fine == 0)
            s->height[k / fine] = r * x[0];
        if (s->detected > t && x[2] > threshold)
            s->detected = t;
        runge_kutta(x, voltage_at(t, s->detected), 1 / (1000.0 * fine));
        s->highest = fmax(s->highest, r * x[0]);
        s->fastest = fmax(s->fastest, fabs(r * x[1]));
    }
    s->height[6000] = r * x[0];
}

/* --- runs ------------------------------------------------------------------
 */

static double highest(const tt_table *t)
{
    const double *height = column(t, HEIGHT);
    double most = -HUGE_VAL;

    for (size_t i = 0; i < tt_table_rows(t); i++) {
        assert_true(isfinite(height[i]));
        most = fmax(most, height[i] / 100);
    }
    return most;
}

/* Down against the obstacle, and down for good: a rebound does not count. */
static void check_reversal(const struct play *p)
{
    tt_table *t = play(p);
    const double *time = tt_table_time(t), *speed = column(t, SPEED);
    double contact = contact_time();
    size_t rows = 0;

    for (size_t i = 1; i < tt_table_rows(t); i++) {
        if (time[i] < contact)
            assert_true(speed[i] > 0);
        if (time[i] < contact + 0.1 || time[i] > contact + retreat)
            continue;
        assert_true(speed[i] < 0);
        rows++;
    }
    assert_true(rows > 10);
    assert_true(highest(t) > position);
    assert_true(highest(t) <= position + 0.01);
    tt_table_free(t);
}

static void the_window_reverses_within_a_tenth_of_a_second(void **state)
{
    (void)state;
    check_reversal(&(struct play){.scenario = SCENARIO});
    check_reversal(&(struct play){.scenario = SCENARIO, .step = 0.02});
    check_reversal(&(struct play){.scenario = SCENARIO, .step = 0.001});
    check_reversal(&(struct play){.scenario = FMI3});
    check_reversal(&(struct play){.scenario = VARIABLE});
    check_reversal(&(struct play){.scenario = SCENARIO, .options = {HARD}});
}

/* From the first row on in which it is true until it is not. */
struct span {
    double from, to;
};

static struct span span_of(const tt_table *t, const char *name)
{
    const double *on = column(t, name), *time = tt_table_time(t);
    size_t n = tt_table_rows(t), i = 0, k;

    while (i < n && on[i] == 0)
        i++;
    assert_true(i < n);
    for (k = i; k < n && on[k] != 0; k++)
        ;
    assert_true(k < n);
    return (struct span){time[i], time[k]};
}

static void
the_retreat_lasts_a_second_and_the_button_must_be_let_go(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    struct span up = span_of(t, UP), down = span_of(t, DOWN);
    const double *rises = column(t, UP), *time = tt_table_time(t);

    (void)state;
    assert_near(up.from, 0, 0);
    assert_near(up.to, down.from, 0);
    assert_near(down.to - down.from, retreat + 0.005, 0.005 + seen);
    for (size_t i = 0; i < tt_table_rows(t); i++)
        assert_true(time[i] < up.to || rises[i] == 0);
    tt_table_free(t);
}

/* Largest difference of the height to the story, in m, over all rows. */
static double deviation(const tt_table *t, const struct story *s)
{
    const double *height = column(t, HEIGHT);
    double most = 0;

    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double ms = 1000 * tt_table_time(t)[i];
        size_t k = ms < 6000 ? (size_t)ms : 5999;
        double part = ms - (double)k;
        double told = s->height[k] * (1 - part) + s->height[k + 1] * part;

        most = fmax(most, fabs(height[i] / 100 - told));
    }
    return most;
}

static void the_story_is_that_of_one_system(void **state)
{
    static const double step[] = {0.01, 0.005, 0.002, 0.001};
    static struct story s;

    (void)state;
    tell(&s);
    assert_true(s.detected > contact_time());
    for (size_t k = 0; k < sizeof(step) / sizeof(step[0]); k++) {
        tt_table *t =
            play(&(struct play){.scenario = SCENARIO, .step = step[k]});
        /* way made in a step: so much too late it turns, and stops */
        double late = s.fastest * step[k];

        assert_true(deviation(t, &s) < 2 * late);
        assert_near(highest(t), s.highest, late);
        tt_table_free(t);
    }
}

/* --- the people ------------------------------------------------------------
 */

static void without_an_obstacle_the_window_closes_and_stops(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = SCENARIO, .end = 4.4, .options = {NO_OBSTACLE}});
    size_t last = tt_table_rows(t) - 1;
    const double *height = column(t, HEIGHT);

    (void)state;
    assert_true(highest(t) >= travel);
    assert_true(highest(t) <= travel + 0.01);
    assert_true(height[last] / 100 >= travel - 1e-3);
    assert_near(column(t, SPEED)[last], 0, 1e-3);
    assert_near(column(t, UP)[last], 0, 0);
    assert_near(column(t, DOWN)[last], 0, 0);
    tt_table_free(t);
}

static void going_down_touches_nothing_and_stops_at_the_bottom(void **state)
{
    tt_table *t =
        play(&(struct play){.scenario = SCENARIO,
                            .options = {HANDS_OFF, SET("power.displacement=4"),
                                        SET("environment.driverDownFrom=0"),
                                        SET("environment.driverDownUntil=6")}});
    const double *height = column(t, HEIGHT), *force = column(t, FORCE);
    size_t n = tt_table_rows(t);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        assert_near(force[i], 0, 0);
        assert_true(height[i] <= 44 + seen);
        assert_true(height[i] >= -1);
    }
    assert_true(height[n - 1] < 0.1);
    assert_near(column(t, SPEED)[n - 1], 0, 1e-3);
    tt_table_free(t);
}

static void the_driver_comes_before_the_passenger(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = SCENARIO,
        .end = 3,
        .options = {HANDS_OFF, SET("environment.passengerUpUntil=2"),
                    SET("environment.driverDownFrom=0.995"),
                    SET("environment.driverDownUntil=1.495")}});
    const double *up = column(t, UP), *down = column(t, DOWN);
    const double *time = tt_table_time(t);

    (void)state;
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        int driver = time[i] > 0.995 && time[i] < 1.495;

        assert_near(down[i], driver, 0);
        assert_near(up[i], !driver && time[i] < 2 - seen, 0);
    }
    tt_table_free(t);
}

/* --- the loop --------------------------------------------------------------
 */

/* The motor pushes the glass into the obstacle from the first instant on, with
 * nobody to stop it: the circle of motor, glass and obstacle alone. Returns the
 * largest error of the height in m over half a second. */
static double pressing_error(struct play p)
{
    struct matrix pressed = whole(stiffness);
    double most = 0;
    tt_table *t;
    size_t k = 0;
    char start[64];

    while (p.options[k])
        k++;
    snprintf(start, sizeof(start), "power.displacement=%.17g", position / r);
    p.options[k++] = "--set";
    p.options[k++] = start;
    p.options[k++] = "--set";
    p.options[k++] = "controller.threshold=1e9";
    p.scenario = SCENARIO;
    p.end = 0.5;
    t = play(&p);
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double exact = exact_height(&pressed, position, tt_table_time(t)[i]);

        assert_true(exact >= position - 1e-12);
        most = fmax(most, fabs(column(t, HEIGHT)[i] / 100 - exact));
    }
    tt_table_free(t);
    return most;
}

static void iterating_keeps_long_steps_stable(void **state)
{
    double converged = pressing_error((struct play){.step = 0.02});

    (void)state;
    assert_true(converged < 0.5e-3);
    assert_true(pressing_error((struct play){
                    .step = 0.02, .options = {ONCE, HOLD}}) > 100 * converged);
    assert_true(pressing_error((struct play){.step = 0.02, .options = {ONCE}}) >
                100 * converged);
    converged = pressing_error((struct play){.step = 0.01});
    assert_true(converged < 0.1e-3);
    assert_true(pressing_error((struct play){
                    .step = 0.01, .options = {ONCE, HOLD}}) > 10 * converged);
    assert_true(pressing_error((struct play){.step = 0.01, .options = {ONCE}}) >
                100 * converged);
}

static void halving_the_step_shows_the_order(void **state)
{
    static const struct {
        struct play play;
        double order;
    } row[] = {
        {{.options = {ONCE, HOLD}}, 1},
        {{.options = {ONCE}}, 2},
        {{.options = {HOLD}}, 1},
        {{.options = {NULL}}, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct play coarse = row[i].play, fine = row[i].play;

        coarse.step = 0.00125;
        fine.step = 0.000625;
        assert_near(
            observed_order(pressing_error(coarse), pressing_error(fine)),
            row[i].order, 0.025);
    }
}

/* Substitution is what the circle would need shorter steps for. */
static void a_hard_obstacle_needs_acceleration(void **state)
{
    static const char *const works[] = {"aitken", "anderson", "newton"};
    double top[3];
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 65536);
    assert_int_equal(
        run_tutti(
            (const char *const[]){"run", TT_BUILD_DIR "/examples/" SCENARIO,
                                  "--output", TT_BUILD_DIR "/tests/hard.csv",
                                  HARD, "--acceleration", "none", NULL},
            NULL, &err),
        1);
    assert_non_null(strstr(err.data, "the loop of "));
    assert_non_null(strstr(err.data, "{power}.power.speed (off by "));
    assert_non_null(strstr(err.data, ") did not converge in 100 evaluations "
                                     "(none) at t=2.58; "));
    tt_buf_fini(&err);
    for (size_t i = 0; i < 3; i++) {
        tt_table *t =
            play(&(struct play){.scenario = SCENARIO,
                                .options = {HARD, "--acceleration", works[i]}});

        top[i] = highest(t);
        tt_table_free(t);
        assert_near(top[i], top[0], 1e-8);
    }
}

static void the_parts_of_the_circle_agree_at_every_row(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *height = column(t, HEIGHT), *speed = column(t, SPEED);
    const double *force = column(t, FORCE), *torque = column(t, TORQUE);

    (void)state;
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        assert_near(force[i], stiffness * fmax(0, height[i] / 100 - position),
                    1e-8);
        assert_near(torque[i], r * (force[i] + friction * r * speed[i]), 1e-10);
    }
    tt_table_free(t);
}

static void fmi_2_and_fmi_3_give_the_same(void **state)
{
    tt_table *two = play(&(struct play){.scenario = SCENARIO});
    tt_table *three = play(&(struct play){.scenario = FMI3});

    (void)state;
    assert_int_equal(tt_table_rows(two), tt_table_rows(three));
    for (size_t i = 0; i < tt_table_rows(two); i++) {
        assert_near(column(two, HEIGHT)[i], column(three, HEIGHT)[i], 1e-9);
        assert_near(column(two, CURRENT)[i], column(three, CURRENT)[i], 1e-9);
    }
    tt_table_free(two);
    tt_table_free(three);
}

/* --- variable steps --------------------------------------------------------
 */

/* Row before and row after an instant. */
static struct span rows_around(const tt_table *t, double instant)
{
    size_t i = 1;

    while (i + 1 < tt_table_rows(t) && tt_table_time(t)[i] < instant)
        i++;
    return (struct span){tt_table_time(t)[i - 1], tt_table_time(t)[i]};
}

static void variable_steps_locate_contact_and_overload(void **state)
{
    static struct story s;
    tt_table *t = play(&(struct play){.scenario = VARIABLE});
    tt_table *fixed = play(&(struct play){.scenario = SCENARIO, .step = 0.001});
    struct span contact = rows_around(t, contact_time());

    (void)state;
    tell(&s);
    assert_true(contact.from <= contact_time() && contact_time() <= contact.to);
    assert_true(contact.to - contact.from < 5e-4);
    assert_near(span_of(t, DOWN).from, s.detected, 2e-4);
    assert_true(20 * tt_table_rows(t) < tt_table_rows(fixed));
    assert_true(deviation(t, &s) < deviation(fixed, &s));
    tt_table_free(t);
    tt_table_free(fixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_reverses_within_a_tenth_of_a_second),
        cmocka_unit_test(
            the_retreat_lasts_a_second_and_the_button_must_be_let_go),
        cmocka_unit_test(the_story_is_that_of_one_system),
        cmocka_unit_test(without_an_obstacle_the_window_closes_and_stops),
        cmocka_unit_test(going_down_touches_nothing_and_stops_at_the_bottom),
        cmocka_unit_test(the_driver_comes_before_the_passenger),
        cmocka_unit_test(iterating_keeps_long_steps_stable),
        cmocka_unit_test(halving_the_step_shows_the_order),
        cmocka_unit_test(a_hard_obstacle_needs_acceleration),
        cmocka_unit_test(the_parts_of_the_circle_agree_at_every_row),
        cmocka_unit_test(fmi_2_and_fmi_3_give_the_same),
        cmocka_unit_test(variable_steps_locate_contact_and_overload),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
