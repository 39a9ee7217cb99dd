/* SPDX-License-Identifier: MIT */
/*
 * The double mass-spring-damper against the exact solution of the coupled
 * system. The expected errors of the masters were computed independently, with
 * an exact solver for linear systems.
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

#define SCENARIO  "double-mass-spring-damper/scenario.json"
#define FMI1      "double-mass-spring-damper/scenario-fmi1.json"
#define FMI3      "double-mass-spring-damper/scenario-fmi3.json"
#define STANDARD  TT_SOURCE_DIR "/tests/physics/standard-exchange.json"
#define JACOBI    "--master", "jacobi"
#define FIRST_1   "--master", "gauss-seidel", "--order", "msd1,msd2"
#define FIRST_2   "--master", "gauss-seidel", "--order", "msd2,msd1"
#define LINEAR    "--approximation", "linear"
#define QUADRATIC "--approximation", "quadratic"
#define HERMITE   "--approximation", "hermite"
#define JOINED    "--approximation", "extrapolated-interpolation"
#define L_JOINED  "--approximation", "linear-extrapolated-interpolation"
#define SUBSTEPS  TT_SOURCE_DIR "/tests/physics/substeps.json"
#define NEWTON    "--iterate", "converged", "--acceleration", "newton"
#define EULER                                                                  \
    "--set", "{msd1}.msd1.microsteps=10", "--set", "{msd2}.msd2.microsteps=10"

struct errors {
    double max, rms;
};

/* States x1, v1, x2, v2; m1 = m2 = d1 = cc = dc = 1, c1 = 5, c2 = 0.1. */
static const struct matrix coupled = {
    4, {{0, 1, 0, 0}, {-6, -2, 1, 1}, {0, 0, 0, 1}, {1, 1, -1.1, -1}}};

/* Of x1, at every row. */
static struct errors errors_of(const tt_table *t)
{
    size_t n = tt_table_rows(t);
    const double *time = tt_table_time(t), *x1 = column(t, "{msd1}.msd1.x1");
    struct errors e = {0};

    for (size_t i = 0; i < n; i++) {
        double x[] = {1, 0, 0, 0}, error;
        struct matrix phi = exponential(&coupled, time[i]);

        apply(&phi, x);
        error = fabs(x1[i] - x[0]);
        assert_true(isfinite(error));
        e.max = fmax(e.max, error);
        e.rms += error * error;
    }
    e.rms = sqrt(e.rms / (double)n);
    return e;
}

static struct errors play_errors(const struct play *p)
{
    tt_table *t = play(p);
    struct errors e = errors_of(t);

    tt_table_free(t);
    return e;
}

static void the_reference_is_the_published_one(void **state)
{
    static const double at[][2] = {{1, -0.117240501142},
                                   {2, -0.242769681500},
                                   {5, 0.043071622117},
                                   {10, 0.001577000616}};

    (void)state;
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        double x[] = {1, 0, 0, 0};
        struct matrix phi = exponential(&coupled, at[i][0]);

        apply(&phi, x);
        assert_near(x[0], at[i][1], 6e-13);
    }
}

static void a_run_has_a_row_per_communication_point(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});

    (void)state;
    assert_int_equal(tt_table_rows(t), 51);
    for (size_t i = 0; i < 51; i++)
        assert_near(tt_table_time(t)[i], 0.2 * (double)i, 1e-15);
    tt_table_free(t);
}

static void the_force_is_that_of_its_instant(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *x1 = column(t, "{msd1}.msd1.x1");
    const double *v1 = column(t, "{msd1}.msd1.v1");
    const double *x2 = column(t, "{msd2}.msd2.x2");
    const double *v2 = column(t, "{msd2}.msd2.v2");
    const double *force = column(t, "{msd2}.msd2.F");

    (void)state;
    for (size_t i = 0; i < tt_table_rows(t); i++)
        assert_near(force[i], (x2[i] - x1[i]) + (v2[i] - v1[i]), 1e-15);
    tt_table_free(t);
}

static void masters_make_the_expected_error(void **state)
{
    static const struct {
        struct play play;
        struct errors expected;
    } row[] = {
        {{SCENARIO, .options = {JACOBI, EULER}},
         {5.2397077844e-02, 2.0200835360e-02}},
        {{SCENARIO, .options = {FIRST_1, EULER}},
         {9.1467050030e-02, 2.7594092440e-02}},
        {{SCENARIO, .options = {FIRST_2, EULER}},
         {5.3353841151e-02, 1.8632946431e-02}},
        {{SCENARIO, .options = {JACOBI}}, {6.2034073153e-02, 2.2491685700e-02}},
        {{SCENARIO, .options = {FIRST_1}},
         {6.9485730646e-02, 2.0968769976e-02}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct errors e = play_errors(&row[i].play);

        assert_near(e.max / row[i].expected.max, 1, 1e-8);
        assert_near(e.rms / row[i].expected.rms, 1, 1e-8);
    }
}

static void iterated_masters_agree_and_make_the_expected_error(void **state)
{
    static const char *const acceleration[] = {"none", "relax", "aitken",
                                               "anderson", "newton"};

    (void)state;
    for (size_t i = 0; i < 10; i++) {
        struct errors e = play_errors(&(struct play){
            .scenario = i % 2 ? SCENARIO : FMI3,
            .options = {"--iterate", "converged", "--acceleration",
                        acceleration[i / 2], "--master",
                        i % 2 ? "gauss-seidel" : "jacobi"}});

        assert_near(e.max / 5.4991804327e-02, 1, 1e-8);
        assert_near(e.rms / 2.2165395575e-02, 1, 1e-8);
    }
}

static void a_stiff_coupling_needs_acceleration(void **state)
{
    static const char *const fails[][2] = {{"jacobi", "none"}};
    static const char *const works[][2] = {{"jacobi", "anderson"},
                                           {"jacobi", "newton"},
                                           {"gauss-seidel", "none"},
                                           {"gauss-seidel", "aitken"},
                                           {"gauss-seidel", "newton"}};
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 65536);
    assert_int_equal(
        run_tutti(
            (const char *const[]){"run", TT_BUILD_DIR "/examples/" SCENARIO,
                                  "--output", TT_BUILD_DIR "/tests/stiff.csv",
                                  "--set", "{msd2}.msd2.dc=10", "--iterate",
                                  "converged", "--master", fails[0][0],
                                  "--acceleration", fails[0][1], NULL},
            NULL, &err),
        1);
    assert_non_null(strstr(err.data, "the loop of {msd2}.msd2.F (off by "));
    assert_non_null(strstr(err.data, ") did not converge in 100 evaluations "
                                     "(none) at t=0.2; "));
    tt_buf_fini(&err);
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        tt_table *t = play(&(struct play){
            .scenario = SCENARIO,
            .options = {"--set", "{msd2}.msd2.dc=10", "--iterate", "converged",
                        "--master", works[i][0], "--acceleration",
                        works[i][1]}});

        assert_near(column(t, "{msd1}.msd1.x1")[1], 0.92316816437, 1e-9);
        tt_table_free(t);
    }
}

static void linear_approximation_makes_the_expected_error(void **state)
{
    struct errors e = play_errors(
        &(struct play){.scenario = SCENARIO, .options = {JACOBI, LINEAR}});

    (void)state;
    assert_near(e.max / 1.9914355904e-02, 1, 1e-8);
}

static void other_approximations_make_the_expected_error(void **state)
{
    static const struct {
        struct play play;
        double max;
    } row[] = {
        {{SCENARIO, .options = {JACOBI, SUBSTEPS, LINEAR}}, 1.9882898650e-02},
        {{SCENARIO, .options = {JACOBI, JOINED}}, 1.3333368444e-01},
        {{SCENARIO, .options = {JACOBI, L_JOINED}}, 4.3751276855e-02},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_near(play_errors(&row[i].play).max / row[i].max, 1, 1e-8);
}

static void standard_exchange_makes_the_expected_error(void **state)
{
    struct errors exact = play_errors(
        &(struct play){.scenario = SCENARIO, .options = {STANDARD, JACOBI}});
    struct errors euler = play_errors(&(struct play){
        .scenario = SCENARIO, .options = {STANDARD, JACOBI, EULER}});

    (void)state;
    assert_near(exact.max, 1.410e-1, 5e-5);
    assert_near(euler.max, 1.590e-1, 5e-5);
}

static void halving_the_step_shows_the_order(void **state)
{
    static const struct {
        struct play play;
        double order;
    } row[] = {
        {{SCENARIO, .options = {JACOBI}}, 1},
        {{SCENARIO, .options = {FIRST_1}}, 1},
        {{SCENARIO, .options = {FIRST_2}}, 1},
        {{SCENARIO, .options = {JACOBI, LINEAR}}, 2},
        {{SCENARIO, .options = {FIRST_1, LINEAR}}, 2},
        {{SCENARIO, .options = {FIRST_2, LINEAR}}, 2},
        {{SCENARIO, .options = {QUADRATIC, NEWTON}}, 3},
        {{SCENARIO, .options = {JACOBI, SUBSTEPS, LINEAR}}, 2},
        {{SCENARIO, .options = {FIRST_2, SUBSTEPS, LINEAR}}, 2},
        {{SCENARIO, .options = {JACOBI, HERMITE}}, 2},
        {{SCENARIO, .options = {FIRST_2, JOINED}}, 1},
        {{SCENARIO, .options = {JACOBI, L_JOINED}}, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct play coarse = row[i].play, fine = row[i].play;
        double e[2];

        coarse.step = 0.05;
        fine.step = 0.025;
        e[0] = play_errors(&coarse).max;
        e[1] = play_errors(&fine).max;
        assert_near(observed_order(e[0], e[1]), row[i].order, 0.02);
    }
}

/* Checks every value of two runs: within tolerance, or the same bits if it
 * is 0. */
static void check_same(const tt_table *a, const tt_table *b, double tolerance)
{
    size_t n = tt_table_rows(a);

    assert_int_equal(n, tt_table_rows(b));
    assert_int_equal(tt_table_columns(a), tt_table_columns(b));
    for (uint32_t c = 0; c < tt_table_columns(a); c++) {
        const double *x = tt_table_values(a, c), *y = tt_table_values(b, c);

        assert_string_equal(tt_table_name(a, c), tt_table_name(b, c));
        for (size_t i = 0; i < n; i++)
            assert_near(x[i], y[i], tolerance);
        if (tolerance == 0)
            assert_memory_equal(x, y, n * sizeof(*x));
    }
}

static void check_fmi_versions(struct play p, double tolerance)
{
    tt_table *two = play(&p), *three;

    p.scenario = FMI3;
    three = play(&p);
    check_same(two, three, tolerance);
    tt_table_free(two);
    tt_table_free(three);
}

/* Also with courses, which both take as derivatives. */
static void fmi_1_and_fmi_2_give_the_same_bits(void **state)
{
    static const struct play all[] = {
        {SCENARIO, .options = {JACOBI}},
        {SCENARIO, .options = {FIRST_1}},
        {SCENARIO, .options = {FIRST_2, EULER}},
        {SCENARIO, .options = {JACOBI, QUADRATIC}},
        {SCENARIO, .options = {FIRST_1, LINEAR}},
        {SCENARIO, .options = {JACOBI, HERMITE}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct play p = all[i];
        tt_table *two = play(&p), *one;

        p.scenario = FMI1;
        one = play(&p);
        check_same(two, one, 0);
        tt_table_free(two);
        tt_table_free(one);
    }
}

static void fmi_2_and_fmi_3_give_the_same(void **state)
{
    static const struct play held[] = {
        {SCENARIO, .options = {JACOBI}},
        {SCENARIO, .options = {FIRST_1}},
        {SCENARIO, .options = {FIRST_2}},
        {SCENARIO, .options = {JACOBI, EULER}},
        {SCENARIO, .options = {FIRST_1, EULER}},
        {SCENARIO, .options = {JACOBI, SUBSTEPS, LINEAR}},
    };
    static const struct play sloped[] = {
        {SCENARIO, .options = {JACOBI, LINEAR}},
        {SCENARIO, .options = {FIRST_1, LINEAR}},
        {SCENARIO, .options = {JACOBI, LINEAR, EULER}},
        {SCENARIO, .options = {JACOBI, HERMITE}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
        check_fmi_versions(held[i], 0);
    for (size_t i = 0; i < sizeof(sloped) / sizeof(sloped[0]); i++)
        check_fmi_versions(sloped[i], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_the_published_one),
        cmocka_unit_test(a_run_has_a_row_per_communication_point),
        cmocka_unit_test(the_force_is_that_of_its_instant),
        cmocka_unit_test(masters_make_the_expected_error),
        cmocka_unit_test(iterated_masters_agree_and_make_the_expected_error),
        cmocka_unit_test(a_stiff_coupling_needs_acceleration),
        cmocka_unit_test(linear_approximation_makes_the_expected_error),
        cmocka_unit_test(other_approximations_make_the_expected_error),
        cmocka_unit_test(standard_exchange_makes_the_expected_error),
        cmocka_unit_test(halving_the_step_shows_the_order),
        cmocka_unit_test(fmi_1_and_fmi_2_give_the_same_bits),
        cmocka_unit_test(fmi_2_and_fmi_3_give_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
