/* SPDX-License-Identifier: MIT */
/*
 * Error control on the double mass-spring-damper to T = 100: a transient and a
 * long tail, and once more with a force that steps in at t = 30. The largest
 * error of x1, v1, x2, v2 against the exact solution must follow the tolerance,
 * and a fixed step that costs twice as many unit steps must be worse.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"
#include "numerics.h"
#include "support/run_tutti.h"

#define FREE   TT_BUILD_DIR "/examples/double-mass-spring-damper/scenario.json"
#define PUSHED TT_BUILD_DIR "/tests/physics/pushed.json"
#define BONDS  TT_SOURCE_DIR "/tests/physics/bonds.json"
#define REPAID TT_SOURCE_DIR "/tests/physics/bonds-corrected.json"
#define ENERGY TT_SOURCE_DIR "/tests/physics/bonds-no-power.json"
#define CSV    TT_BUILD_DIR "/tests/error-control.csv"

static const double end = 100, leap = 30;

/* x1, v1, x2, v2, and the force from outside, which is constant but for the
 * leap. */
static const struct matrix coupled = {5,
                                      {{0, 1, 0, 0, 0},
                                       {-6, -2, 1, 1, 1},
                                       {0, 0, 0, 1, 0},
                                       {1, 1, -1.1, -1, 0},
                                       {0, 0, 0, 0, 0}}};

struct outcome {
    double error;
    double unit_steps; /* rejected and doubled ones too */
    double rejected, doubled;
    double net, gross; /* J, of the bond if there is one */
};

static double output(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* Of all units. */
static double count_unit_steps(const char *json)
{
    const char *at = strstr(json, "\"units\": ");
    double sum = 0;

    assert_non_null(at);
    while ((at = strstr(at, "\"steps\": "))) {
        sum += output(at, "\"steps\": ");
        at++;
    }
    return sum;
}

/* Advance the exact solution, over the leap if it lies between. */
static void advance(double *x, double from, double to, int pushed)
{
    struct matrix phi;

    if (pushed && from < leap && to > leap) {
        advance(x, from, leap, pushed);
        from = leap;
    }
    x[4] = pushed && from >= leap;
    phi = exponential(&coupled, to - from);
    apply(&phi, x);
}

static double largest_error(const tt_table *t, int pushed)
{
    static const char *const name[] = {"{msd1}.msd1.x1", "{msd1}.msd1.v1",
                                       "{msd2}.msd2.x2", "{msd2}.msd2.v2"};
    const double *time = tt_table_time(t), *is[4];
    double x[] = {1, 0, 0, 0, 0}, most = 0;

    for (int k = 0; k < 4; k++)
        is[k] = column(t, name[k]);
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        if (i)
            advance(x, time[i - 1], time[i], pushed);
        for (int k = 0; k < 4; k++) {
            assert_true(isfinite(is[k][i]));
            most = fmax(most, fabs(is[k][i] - x[k]));
        }
    }
    return most;
}

struct how {
    const char *scenario, *more; /* a file over it, or NULL */
    const char *approximation;
    const char *option, *value; /* --step H or --error-control METHOD */
    double tolerance;           /* 0: none */
    const char *master;         /* NULL: jacobi */
};

static struct outcome run(const struct how *h)
{
    const char *argv[20] = {
        "run",      h->scenario, "--json",          "--until",        "100",
        "--output", CSV,         "--approximation", h->approximation, h->option,
        h->value};
    char tolerance[TT_NUM_MAX];
    struct outcome o = {0};
    struct tt_buf json;
    tt_table *t = NULL;
    tt_err e = {0};
    size_t n = 11;

    tt_num_print_short(tolerance, h->tolerance);
    if (h->tolerance > 0) {
        argv[n++] = "--step-tolerance";
        argv[n++] = tolerance;
    }
    if (h->more)
        argv[n++] = h->more;
    if (h->master) {
        argv[n++] = "--master";
        argv[n++] = h->master;
    }
    tt_buf_init(&json, 1 << 20);
    assert_int_equal(run_tutti(argv, &json, NULL), 0);
    assert_int_equal(tt_table_load(&t, CSV, &e), TT_OK);
    o.error = largest_error(t, strcmp(h->scenario, PUSHED) == 0);
    o.unit_steps = count_unit_steps(json.data);
    o.rejected = output(json.data, "\"rejected\": ");
    o.doubled = output(json.data, "\"doubled\": ");
    if (h->more) {
        o.net = output(json.data, "residual ");
        o.gross = output(json.data, " J, ");
    }
    tt_table_free(t);
    tt_buf_fini(&json);
    return o;
}

/* The error of a fixed step that takes `times` as many unit steps; it divides
 * 10, so that the leap is on its grid. */
static double fixed_error(const struct how *h, double unit_steps, double times)
{
    double units = strcmp(h->scenario, PUSHED) == 0 ? 3 : 2;
    double n = ceil(times * unit_steps / units / 10);
    struct how fixed = *h;
    char step[TT_NUM_MAX];

    tt_num_print_short(step, end / (10 * n));
    fixed.option = "--step";
    fixed.value = step;
    fixed.tolerance = 0;
    return run(&fixed).error;
}

/* Tolerance asked against error reached, and the work it took. */
static void check_sweep(struct how h, double first, int n)
{
    double tolerance[8], error[8];

    h.option = "--error-control";
    for (int i = 0; i < n; i++) {
        struct outcome o;

        tolerance[i] = h.tolerance = first * pow(10, -i);
        o = run(&h);
        error[i] = o.error;
        assert_true(o.error < 10 * h.tolerance && o.error > h.tolerance / 10);
        assert_true(fixed_error(&h, o.unit_steps, 2) > o.error);
        assert_true((o.doubled > 0) == (strcmp(h.value, "richardson") == 0 ||
                                        strcmp(h.value, "embedded") == 0));
    }
    assert_near(fitted_order(tolerance, error, (size_t)n), 1, 0.2);
}

static void richardsons_error_follows_the_tolerance(void **state)
{
    (void)state;
    check_sweep((struct how){FREE, NULL, "hold", .value = "richardson"}, 1e-2,
                2);
    check_sweep((struct how){FREE, NULL, "linear", .value = "richardson"}, 1e-2,
                5);
    check_sweep((struct how){FREE, NULL, "quadratic", .value = "richardson"},
                1e-2, 5);
    check_sweep((struct how){FREE, NULL, "linear", .value = "richardson",
                             .master = "gauss-seidel"},
                1e-2, 4);
}

static void milnes_error_follows_the_tolerance(void **state)
{
    (void)state;
    check_sweep((struct how){FREE, NULL, "hold", .value = "milne"}, 1e-2, 2);
    check_sweep((struct how){FREE, NULL, "linear", .value = "milne"}, 1e-2, 5);
    check_sweep((struct how){FREE, NULL, "quadratic", .value = "milne"}, 1e-2,
                5);
}

static void the_error_of_two_orders_follows_the_tolerance(void **state)
{
    (void)state;
    check_sweep((struct how){FREE, NULL, "linear", .value = "orders"}, 1e-2, 5);
    check_sweep((struct how){FREE, NULL, "quadratic", .value = "orders"}, 1e-2,
                5);
}

static void the_error_of_an_embedded_pair_follows_the_tolerance(void **state)
{
    (void)state;
    check_sweep((struct how){FREE, NULL, "hold", .value = "embedded"}, 1e-2, 2);
    check_sweep((struct how){FREE, NULL, "linear", .value = "embedded"}, 1e-2,
                5);
    check_sweep((struct how){FREE, NULL, "quadratic", .value = "embedded"},
                1e-2, 5);
}

static void a_step_input_is_followed_too(void **state)
{
    static const char *const method[] = {"richardson", "milne", "orders",
                                         "embedded"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        check_sweep((struct how){PUSHED, NULL, "linear", .value = method[i]},
                    1e-2, 4);
        check_sweep((struct how){PUSHED, NULL, "quadratic", .value = method[i]},
                    1e-2, 4);
    }
}

/* ECCO: the sum of residual energies is proportional to the tolerance. */
static void the_energy_residual_follows_the_tolerance(void **state)
{
    double tolerance[3], gross[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        tolerance[i] = pow(10, -2 - i);
        gross[i] = run(&(struct how){FREE, BONDS, "hold", "--error-control",
                                     "energy", tolerance[i], NULL})
                       .gross;
    }
    assert_near(fitted_order(tolerance, gross, 3), 1, 0.25);
}

/* With a fixed step the residual is of order H; repaid, of order H^2. */
static void repaying_what_was_missed_preserves_energy(void **state)
{
    static const char *const step[] = {"0.1", "0.05", "0.025"};
    double h[] = {0.1, 0.05, 0.025}, plain[3], repaid[3];
    struct outcome a, b;

    (void)state;
    for (int i = 0; i < 3; i++) {
        a = run(&(struct how){FREE, BONDS, "hold", "--step", step[i], 0, NULL});
        b = run(
            &(struct how){FREE, REPAID, "hold", "--step", step[i], 0, NULL});
        plain[i] = a.gross;
        repaid[i] = b.gross;
        assert_true(b.error < a.error);
    }
    assert_near(fitted_order(h, plain, 3), 1, 0.1);
    assert_near(fitted_order(h, repaid, 3), 2, 0.1);
    assert_true(plain[2] / repaid[2] > 7);
    assert_true(fabs(a.net / b.net) > 500);
    a = run(&(struct how){FREE, BONDS, "hold", "--error-control", "energy",
                          1e-3, NULL});
    b = run(&(struct how){FREE, REPAID, "hold", "--error-control", "energy",
                          1e-3, NULL});
    assert_true(a.gross / b.gross > 10);
    assert_true(b.unit_steps < 1.05 * a.unit_steps);
}

static void a_bond_must_carry_a_power(void **state)
{
    const char *const argv[] = {"run", FREE, ENERGY, "--output", CSV, NULL};
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 65536);
    assert_int_equal(run_tutti(argv, NULL, &err), 2);
    assert_non_null(strstr(err.data,
                           "bonds-no-power.json:4:22: power bond 'link': "
                           "'{msd1}.msd1.F' [N] times 'x1' [m] is not a "
                           "power\n"));
    tt_buf_fini(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(richardsons_error_follows_the_tolerance),
        cmocka_unit_test(milnes_error_follows_the_tolerance),
        cmocka_unit_test(the_error_of_two_orders_follows_the_tolerance),
        cmocka_unit_test(the_error_of_an_embedded_pair_follows_the_tolerance),
        cmocka_unit_test(a_step_input_is_followed_too),
        cmocka_unit_test(the_energy_residual_follows_the_tolerance),
        cmocka_unit_test(repaying_what_was_missed_preserves_energy),
        cmocka_unit_test(a_bond_must_carry_a_power),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
