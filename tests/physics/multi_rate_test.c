/* SPDX-License-Identifier: MIT */
/*
 * Units with a rate of their own, on the double mass-spring-damper.
 *
 * - A unit that makes n steps of H/n on a held input, or on a course over the
 *   whole macro step, is where one step of H takes it when it is exact; with
 *   forward Euler it is where n micro-steps take it. So the published errors
 *   come out with the micro-steps made by the master.
 * - Two units of one rate exchange at every sub-step: n of them in a macro
 *   step n H long are n macro steps of H.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "numerics.h"
#include "support/run_tutti.h"
#include "sys/file.h"

#define SCENARIO "double-mass-spring-damper/scenario.json"
#define RATES    TT_BUILD_DIR "/tests/rates.json"
#define COARSE   2.0

static void put_rates(const char *text)
{
    tt_err err;

    assert_int_equal(tt_file_write(RATES, text, strlen(text), &err), TT_OK);
}

static double largest_difference(const tt_table *a, const tt_table *b,
                                 const char *name, size_t every)
{
    const double *x = column(a, name), *y = column(b, name);
    double most = 0;

    assert_int_equal((tt_table_rows(a) - 1) * every, tt_table_rows(b) - 1);
    for (size_t i = 0; i < tt_table_rows(a); i++)
        most = fmax(most, fabs(x[i] - y[i * every]));
    return most;
}

static const char *const master[][2] = {{"--master", "jacobi"},
                                        {"--master", "gauss-seidel"}};

/* In one way or another: once, linear, repeated until converged. */
static void sub_steps_of_an_exact_unit_change_nothing(void **state)
{
    static const char *const way[][4] = {
        {"--approximation", "hold", NULL},
        {"--approximation", "linear", NULL},
        {"--iterate", "converged", "--approximation", "linear"},
    };

    (void)state;
    put_rates("{\"rates\": {\"{msd1}.msd1\": 7}}");
    for (size_t i = 0; i < 6; i++) {
        const char *const *w = way[i / 2], *const *m = master[i % 2];
        tt_table *once = play(
            &(struct play){.scenario = SCENARIO,
                           .options = {m[0], m[1], w[0], w[1], w[2], w[3]}});
        tt_table *often = play(&(struct play){
            .scenario = SCENARIO,
            .options = {RATES, m[0], m[1], w[0], w[1], w[2], w[3]}});

        assert_true(largest_difference(once, often, "{msd1}.msd1.x1", 1) <
                    1e-9);
        assert_true(largest_difference(once, often, "{msd2}.msd2.x2", 1) <
                    1e-9);
        tt_table_free(once);
        tt_table_free(often);
    }
}

/* Micro-steps of forward Euler made by the master: the published error. */
static void sub_steps_are_micro_steps(void **state)
{
    tt_table *inside, *outside;

    (void)state;
    put_rates("{\"rates\": {\"{msd1}.msd1\": 10}}");
    inside = play(&(struct play){.scenario = SCENARIO,
                                 .options = {"--set", "msd1.microsteps=10",
                                             "--set", "msd2.microsteps=10"}});
    outside =
        play(&(struct play){.scenario = SCENARIO,
                            .options = {RATES, "--set", "msd1.microsteps=1",
                                        "--set", "msd2.microsteps=10"}});
    assert_true(largest_difference(inside, outside, "{msd1}.msd1.x1", 1) <
                1e-13);
    tt_table_free(inside);
    tt_table_free(outside);
}

static void a_group_exchanges_at_every_sub_step(void **state)
{
    (void)state;
    put_rates("{\"rates\": {\"{msd1}.msd1\": 10, \"{msd2}.msd2\": 10}}");
    for (size_t i = 0; i < 2; i++) {
        tt_table *fine =
            play(&(struct play){.scenario = SCENARIO,
                                .step = COARSE / 10,
                                .options = {master[i][0], master[i][1]}});
        tt_table *grouped = play(
            &(struct play){.scenario = SCENARIO,
                           .step = COARSE,
                           .options = {RATES, master[i][0], master[i][1]}});

        assert_true(largest_difference(grouped, fine, "{msd1}.msd1.x1", 10) <
                    1e-12);
        assert_true(largest_difference(grouped, fine, "{msd2}.msd2.v2", 10) <
                    1e-12);
        tt_table_free(fine);
        tt_table_free(grouped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sub_steps_of_an_exact_unit_change_nothing),
        cmocka_unit_test(sub_steps_are_micro_steps),
        cmocka_unit_test(a_group_exchanges_at_every_sub_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
