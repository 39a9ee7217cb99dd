/* SPDX-License-Identifier: MIT */
#include "approx/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define H 0.1

/* Feeds n instants from t on; the worst miss after the first `settle`. */
static double follow(struct tt_model *m, double (*f)(double), double t, int n,
                     int settle)
{
    double worst = 0;

    for (int i = 0; i < n; i++, t += H) {
        if (i > settle)
            worst = fmax(worst, fabs(tt_model_at(m, t) - f(t)));
        tt_model_add(m, t, f(t));
    }
    return worst;
}

static double rings(double t)
{
    return 3 + exp(-0.3 * t) * cos(4 * t);
}

static double fades(double t)
{
    return 5 - 2 * exp(-t);
}

static double rises(double t)
{
    return 1 + 2 * t;
}

static double stays(double t)
{
    (void)t;
    return 7;
}

/* What a linear system of second order does is predicted to rounding errors,
 * where a line through two values misses by (4 H)^2. */
static void what_a_linear_system_does_is_predicted(void **state)
{
    struct tt_model m = {.n = 0}, e = {.n = 0};

    (void)state;
    assert_true(follow(&m, rings, 0, 100, 7) < 1e-11);
    assert_true(m.led[TT_MODEL_FITTED] > 90);
    assert_true(follow(&e, fades, 0, 100, 7) < 1e-11);
}

static void lines_and_constants_are_exact(void **state)
{
    struct tt_model m = {.n = 0}, c = {.n = 0};

    (void)state;
    assert_true(follow(&m, rises, 0, 50, 1) < 1e-12);
    assert_true(follow(&c, stays, 0, 50, 0) == 0);
}

/* From ringing to a line: another way leads, and the account has both. */
static void the_context_changes_who_leads(void **state)
{
    struct tt_model m = {.n = 0};

    (void)state;
    (void)follow(&m, rings, 0, 50, 50);
    tt_model_begin(&m, 5, rises(5));
    assert_true(follow(&m, rises, 5 + H, 20, 0) < 1e-12);
    assert_true(m.led[TT_MODEL_LINE] > 0);
    assert_true(m.led[TT_MODEL_FITTED] > 30);
}

/* A leap that is not announced is missed once, by its height. */
static void a_leap_is_missed_once(void **state)
{
    struct tt_model m = {.n = 0};

    (void)state;
    (void)follow(&m, stays, 0, 20, 20);
    tt_model_add(&m, 2, 9);
    assert_true(m.worst == 2 && m.worst_t == 2);
    tt_model_forget(&m);
    assert_true(tt_model_at(&m, 2 + H) == 9);
}

/* Steps of any length: curves lead, and those are exact for parabolas. */
static void uneven_steps_are_no_obstacle(void **state)
{
    static const double h[] = {0.1, 0.05, 0.2, 0.13, 0.07, 0.1, 0.3};
    struct tt_model m = {.n = 0};
    double t = 0;

    (void)state;
    for (int i = 0; i < 7; i++) {
        tt_model_add(&m, t, 1 - t + t * t);
        t += h[i];
    }
    assert_true(fabs(tt_model_at(&m, t) - (1 - t + t * t)) < 1e-13);
    assert_true(m.led[TT_MODEL_FITTED] == 0);
}

/* A lower order goes through both ends of the step. */
static void a_line_ends_where_the_model_leads(void **state)
{
    struct tt_model m = {.n = 0};
    struct tt_poly p, line;

    (void)state;
    (void)follow(&m, rings, 0, 50, 50);
    p = tt_model_course(&m, 5, 3);
    line = tt_model_course(&m, 5, 1);
    assert_int_equal(line.order, 1);
    assert_true(fabs(tt_poly_at(&line, 5) - tt_poly_at(&p, 5)) < 1e-13);
    assert_true(fabs(tt_poly_at(&line, 5 - H) - rings(5 - H)) < 1e-12);
    /* within the step: fourth order, (4 H)^4 / 24 * 9 / 16 */
    assert_true(fabs(tt_poly_at(&p, 5 - H / 2) - rings(5 - H / 2)) < 6e-4);
}

static void without_a_past_it_is_zero(void **state)
{
    struct tt_model m = {.n = 0};

    (void)state;
    assert_true(tt_model_at(&m, 3) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_linear_system_does_is_predicted),
        cmocka_unit_test(lines_and_constants_are_exact),
        cmocka_unit_test(the_context_changes_who_leads),
        cmocka_unit_test(a_leap_is_missed_once),
        cmocka_unit_test(uneven_steps_are_no_obstacle),
        cmocka_unit_test(a_line_ends_where_the_model_leads),
        cmocka_unit_test(without_a_past_it_is_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
