/* SPDX-License-Identifier: MIT */
/* A circuit in three FMUs: integrated as one system it is the closed form, and
 * coupled it converges to that. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define COUPLED "circuit/scenario-cosimulation.json"

/* U = 10 V, R = 1 Ohm, L = 0.1 H, C = 1 mF. */
static double voltage(double t)
{
    double a = 5, w = sqrt(2 / (0.1 * 1e-3) - a * a);

    return 5 * (1 - exp(-a * t) * (cos(w * t) + a / w * sin(w * t)));
}

static double current_sum(double t)
{
    return 10 * (1 - exp(-10 * t));
}

/* C v' = iIn - iOut */
static double current_difference(double t)
{
    double a = 5, w = sqrt(2 / (0.1 * 1e-3) - a * a);

    return 1e-3 * 5 * exp(-a * t) * (a * a / w + w) * sin(w * t);
}

/* The largest error of the voltage; the currents are looked at as well. */
static double error_of(const tt_table *t, double allowed)
{
    const double *v = column(t, "{capacitor}.capacitor.v");
    const double *in = column(t, "{supply}.supply.i");
    const double *out = column(t, "{coil}.coil.i");
    double most = 0;

    for (size_t r = 0; r < tt_table_rows(t); r++) {
        double at = tt_table_time(t)[r];

        assert_near(in[r] + out[r], current_sum(at), allowed);
        assert_near(in[r] - out[r], current_difference(at), allowed);
        most = fmax(most, fabs(v[r] - voltage(at)));
    }
    return most;
}

static double play_error(const struct play *p, double allowed)
{
    tt_table *t = play(p);
    double e = error_of(t, allowed);

    tt_table_free(t);
    return e;
}

static void together_it_is_the_closed_form(void **state)
{
    static const char *const scenario[] = {"circuit/scenario.json",
                                           "circuit/scenario-fmi3.json"};
    static const char *const method[] = {"auto", "explicit", "stiff"};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        assert_near(play_error(&(struct play){.scenario = scenario[i % 2],
                                              .options = {"--integrator",
                                                          method[i / 2]}},
                               1e-7),
                    0, 1e-7);
}

static void the_error_follows_the_tolerance(void **state)
{
    static const char *const tolerance[] = {"1e-5", "1e-7", "1e-9", "1e-11"};
    double before = INFINITY;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double e =
            play_error(&(struct play){.scenario = "circuit/scenario.json",
                                      .step = 0.05,
                                      .options = {"--tolerance", tolerance[i]}},
                       1);

        assert_true(e < before / 10);
        before = e;
    }
    assert_true(before < 1e-8);
}

/* However seldom one looks. */
static void the_communication_step_does_not_count(void **state)
{
    (void)state;
    assert_near(play_error(&(struct play){.scenario = "circuit/scenario.json",
                                          .step = 0.1},
                           1e-7),
                0, 1e-7);
}

static void coupled_it_converges_to_it(void **state)
{
    static const struct {
        const char *way;
        double order, width;
    } of[] = {{"hold", 1, 0.2}, {"linear", 2, 0.2}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double coarse = play_error(
            &(struct play){.scenario = COUPLED,
                           .step = 5e-5,
                           .end = 0.1,
                           .options = {"--approximation", of[i].way}},
            1);
        double fine = play_error(
            &(struct play){.scenario = COUPLED,
                           .step = 2.5e-5,
                           .end = 0.1,
                           .options = {"--approximation", of[i].way}},
            1);

        assert_near(observed_order(coarse, fine), of[i].order, of[i].width);
    }
}

/* Each alone, integrated as exactly, it is coupled all the same. */
static void without_together_it_is_coupled(void **state)
{
    double e = play_error(&(struct play){.scenario = "circuit/scenario.json",
                                         .step = 1e-4,
                                         .end = 0.1,
                                         .options = {"--no-together"}},
                          1);

    (void)state;
    assert_true(e > 1e-3 && e < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_it_is_the_closed_form),
        cmocka_unit_test(the_error_follows_the_tolerance),
        cmocka_unit_test(the_communication_step_does_not_count),
        cmocka_unit_test(coupled_it_converges_to_it),
        cmocka_unit_test(without_together_it_is_coupled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
