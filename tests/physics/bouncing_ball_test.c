/* SPDX-License-Identifier: MIT */
/*
 * The bouncing ball against its closed form. With T = sqrt(2 h0/g), bounce n is
 * at t(n) = T (1 + 2 (e + ... + e^(n-1))); between t(n) and t(n+1) the ball
 * flies a parabola that begins with the speed e^n g T. All bounces are over at
 * T (1 + e)/(1 - e).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"
#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "bouncing-ball/scenario.json"
#define FMI1     "bouncing-ball/scenario-fmi1.json"
#define FMI3     "bouncing-ball/scenario-fmi3.json"
#define ZENO     "bouncing-ball/scenario-zeno.json"
#define FMU      "bouncing-ball/bouncing_ball.fmu"

static const double g = 9.81, e = 0.7, h0 = 1;

static double bounce_time(double n)
{
    return sqrt(2 * h0 / g) * (1 + 2 * e * (1 - pow(e, n - 1)) / (1 - e));
}

static double end_of_bouncing(void)
{
    return sqrt(2 * h0 / g) * (1 + e) / (1 - e);
}

/* Number of bounces before t. */
static int bounces_before(double t)
{
    int n = 0;

    while (bounce_time(n + 1) < t)
        n++;
    return n;
}

static double height(double t)
{
    int n = t < end_of_bouncing() ? bounces_before(t) : -1;
    double dt = n > 0 ? t - bounce_time(n) : t;

    if (n < 0)
        return 0;
    if (n == 0)
        return h0 - g / 2 * dt * dt;
    return pow(e, n) * sqrt(2 * g * h0) * dt - g / 2 * dt * dt;
}

static double speed(double t)
{
    int n = t < end_of_bouncing() ? bounces_before(t) : -1;

    if (n < 0)
        return 0;
    return n == 0 ? -g * t
                  : pow(e, n) * sqrt(2 * g * h0) - g * (t - bounce_time(n));
}

/* Close to the end a flight is as short as rounding; counts there mean
 * nothing. */
static int is_settled(double t)
{
    return fabs(t - end_of_bouncing()) > 1e-9;
}

static void check(const tt_table *t, const char *const name[])
{
    const double *h = column(t, name[0]), *v = column(t, name[1]);
    const double *bounces = column(t, name[2]), *last = column(t, name[3]);

    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double time = tt_table_time(t)[i];

        assert_true(is_settled(time));
        assert_near(h[i], height(time), 1e-13);
        assert_near(v[i], speed(time), 1e-12);
        if (time < end_of_bouncing())
            assert_int_equal((int)bounces[i], bounces_before(time));
        if (bounces[i] > 0)
            assert_near(last[i], bounce_time(bounces[i]), 1e-13);
    }
}

static const char *const in_scenario[] = {"{ball}.ball.h", "{ball}.ball.v",
                                          "{ball}.ball.bounces",
                                          "{ball}.ball.tBounce"};

static void the_ball_flies_as_the_closed_form(void **state)
{
    const char *const scenario[] = {SCENARIO, FMI1, FMI3};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});

        assert_int_equal(tt_table_rows(t), 301);
        check(t, in_scenario);
        tt_table_free(t);
    }
}

static void long_steps_miss_no_bounce(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .step = 0.8});

    (void)state;
    assert_int_equal(tt_table_rows(t), 5); /* the last step is shorter */
    check(t, in_scenario);
    tt_table_free(t);
}

static void the_ball_comes_to_rest(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *resting = column(t, "{ball}.ball.resting");
    const double *last = column(t, "{ball}.ball.tBounce");

    (void)state;
    for (size_t i = 0; i < tt_table_rows(t); i++)
        assert_true(resting[i] == (tt_table_time(t)[i] > end_of_bouncing()));
    assert_near(last[tt_table_rows(t) - 1], end_of_bouncing(), 1e-13);
    tt_table_free(t);
}

static void a_single_fmu_runs_without_a_scenario(void **state)
{
    const char *const name[] = {"{bouncing_ball}.bouncing_ball.h",
                                "{bouncing_ball}.bouncing_ball.v",
                                "{bouncing_ball}.bouncing_ball.bounces",
                                "{bouncing_ball}.bouncing_ball.tBounce"};
    tt_table *t = play(&(struct play){.scenario = FMU});

    (void)state;
    assert_int_equal(tt_table_rows(t), 301); /* its default experiment */
    check(t, name);
    tt_table_free(t);
}

/* The floor is found from outside, and the ball flies on from its state. */
static void check_located(const char *interface)
{
    tt_table *t = play(&(struct play){
        .scenario = ZENO,
        .options = {"--interface", interface, "--tolerance", "1e-10"}});
    const double *bounces = column(t, "{flight}.ball.bounces");
    const double *h = column(t, "{flight}.ball.h");
    double n = 0;

    for (size_t i = 1; i < tt_table_rows(t) && n < 20; i++) {
        assert_near(h[i], height(tt_table_time(t)[i]), 1e-10);
        if (bounces[i] == n)
            continue;
        n++;
        assert_near(tt_table_time(t)[i], bounce_time(n), 1e-10);
    }
    assert_true(n == 20);
    tt_table_free(t);
}

static void located_bounces_are_those_of_the_closed_form(void **state)
{
    (void)state;
    check_located("cs");
    check_located("me");
}

static double number_behind(const struct tt_buf *text, const char *words)
{
    const char *at = strstr(text->data, words);
    double x = (double)NAN;

    assert_non_null(at);
    at += strlen(words);
    assert_int_equal(tt_num_parse_n(at, strspn(at, "0123456789."), &x), 0);
    return x;
}

static void the_end_of_bouncing_is_foretold_after_ten(void **state)
{
    const char *const argv[] = {"run", TT_BUILD_DIR "/examples/" ZENO, "-o",
                                "/dev/null", NULL};
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 1 << 16);
    assert_int_equal(run_tutti(argv, NULL, &err), 0);
    tt_buf_char(&err, '\0');
    assert_non_null(strstr(err.data, "after 10 of them"));
    assert_near(number_behind(&err, "'{floor}.locate' accumulate at t="),
                end_of_bouncing(), 1e-6);
    tt_buf_fini(&err);
}

static void it_rests_where_bounces_accumulate(void **state)
{
    tt_table *t = play(&(struct play){.scenario = ZENO});
    const double *resting = column(t, "{flight}.ball.resting");
    const double *h = column(t, "{flight}.ball.h");
    size_t i = 0;

    (void)state;
    while (resting[i] == 0)
        i++;
    assert_near(tt_table_time(t)[i], end_of_bouncing(), 1e-5);
    for (; i < tt_table_rows(t); i++)
        assert_true(h[i] == 0 && resting[i] != 0);
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ball_flies_as_the_closed_form),
        cmocka_unit_test(long_steps_miss_no_bounce),
        cmocka_unit_test(the_ball_comes_to_rest),
        cmocka_unit_test(a_single_fmu_runs_without_a_scenario),
        cmocka_unit_test(located_bounces_are_those_of_the_closed_form),
        cmocka_unit_test(the_end_of_bouncing_is_foretold_after_ten),
        cmocka_unit_test(it_rests_where_bounces_accumulate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
