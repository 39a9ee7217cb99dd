/* SPDX-License-Identifier: MIT */
/*
 * A controller that plays a model ahead. With a lag of tau behind a command
 * that is 1 for T, full T/area has come in the end, whatever tau is; and the
 * tub, which gets the flow at the begin of each inner step h, has
 *     level(n h) = full/area h sum of opening(k h), k < n
 * with opening(s) = 1 - exp(-s/tau) up to T, and fading with exp(-s/tau) then.
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

#define SCENARIO "look-ahead/scenario.json"
#define TAU      3.0
#define RATE     (0.02 / 0.5) /* full/area */
#define INNER    0.1
#define REST     30.0

/* After `open` seconds of an open command. */
static double opening(double t, double open)
{
    double s = fmin(t, open);

    return -expm1(-s / TAU) * exp(-(t - s) / TAU);
}

static double level_at(double t, double open)
{
    double sum = 0;

    for (long k = 0; k < lround(t / INNER); k++)
        sum += opening((double)k * INNER, open);
    return RATE * INNER * sum;
}

static const char level[] = "{filling}.filling.level",
                  command[] = "{controller}.controller.command",
                  expected[] = "{controller}.controller.expected",
                  runs[] = "{controller}.controller.runs";

/* In steps of H with a look every so many seconds, of which the n-th closes. */
static void check(const struct play *p, double H, double every, size_t n)
{
    tt_table *t = play(p);
    const double *x = column(t, level), *u = column(t, command);
    double open = (double)n * every;
    size_t rows = tt_table_rows(t);

    assert_int_equal(rows, lround(60 / H) + 1);
    for (size_t i = 0; i < rows; i++) {
        double at = (double)i * H, looks = floor(fmin(at, open) / every + 1e-9);
        /* of the last look that did not lead over the rim */
        double closed = (fmin(looks, (double)n - 1) + 1) * every;

        assert_near(x[i], level_at(at, open), 1e-12);
        assert_true(u[i] == (at < open - 1e-9));
        assert_true(column(t, runs)[i] == looks);
        assert_near(column(t, expected)[i],
                    looks > 0 ? level_at(closed + REST, closed) : 0, 1e-12);
    }
    assert_near(x[rows - 1], RATE * open,
                RATE * (TAU + INNER) * exp(-(60 - open) / TAU));
    tt_table_free(t);
}

static void the_valve_is_closed_just_in_time(void **state)
{
    (void)state;
    check(&(struct play){.scenario = SCENARIO}, 0.5, 1, 23);
    check(&(struct play){.scenario = SCENARIO, .step = 0.2}, 0.2, 1, 23);
    check(&(struct play){.scenario = SCENARIO,
                         .options = {"--set", "controller.rim=0.61"}},
          0.5, 1, 15);
    check(&(struct play){.scenario = SCENARIO,
                         .options = {"--set", "controller.every=0.5"}},
          0.5, 0.5, 47);
}

static void a_run_ahead_leaves_nothing_behind(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO,
                                      .options = {"--record", "*opening"}});
    const double *is = column(t, "{filling}.filling.{valve}.valve.opening");
    const double *model =
        column(t, "{controller}.controller.{valve}.valve.opening");

    (void)state;
    assert_memory_equal(is, model, tt_table_rows(t) * sizeof(*is));
    tt_table_free(t);
}

static void a_model_that_is_another_is_noticed(void **state)
{
    const char *const argv[] = {"run",       "-o",
                                "/dev/null", TT_BUILD_DIR "/examples/" SCENARIO,
                                "--set",     "{filling}.filling.full=0.021",
                                NULL};
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 1 << 16);
    assert_int_equal(run_tutti(argv, NULL, &err), 0);
    tt_buf_char(&err, '\0');
    assert_string_equal(
        err.data,
        "tutti: warning: instance '{controller}.controller': " TT_BUILD_DIR
        "/examples/look-ahead/look_ahead.sa:22:5: t=0.5: the level is not that "
        "of the model\n");
    tt_buf_fini(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_valve_is_closed_just_in_time),
        cmocka_unit_test(a_run_ahead_leaves_nothing_behind),
        cmocka_unit_test(a_model_that_is_another_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
