/* SPDX-License-Identifier: MIT */
/* Solver, input courses and derivatives against closed forms. */
#include "kit_test_fmi2.h"

static void the_exact_solution_is_exact_for_courses_up_to_cubic(void **state)
{
    static const double course[][4] = {
        {1.5, 0, 0, 0}, {1.5, -2, 0, 0}, {1.5, -2, 3, 0}, {1.5, -2, 3, -7}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (int j = 0; j < 8; j++) {
            double h = 0.01 * pow(3, j); /* to 21.87, seven periods */
            struct unit u;

            open_unit(&u, "oscillator");
            set(&u, OSC_V, 0.25);
            start(&u);
            set_course(&u, OSC_U, course[i]);
            step(&u, 0, h);
            test_close(get(&u, OSC_X),
                       test_oscillation(2, course[i], 1, 0.25, h), 1e-12);
            close_unit(&u);
        }
    }
}

static void the_exact_solution_holds_for_stiff_and_forced_units(void **state)
{
    /* x'' + 1001 x' + 1000 x = 0 has the modes -1 and -1000. */
    struct unit u;

    (void)state;
    open_unit(&u, "oscillator");
    set(&u, OSC_C, 1000);
    set(&u, OSC_D, 1001);
    start(&u);
    for (int i = 0; i < 10; i++)
        step(&u, i * 0.3, 0.3);
    test_close(get(&u, OSC_X), (1000 * exp(-3.0) - exp(-3000.0)) / 999, 1e-12);
    close_unit(&u);

    /* A constant force g shifts the equilibrium to g/c. */
    open_unit(&u, "oscillator");
    set(&u, OSC_G, 8);
    start(&u);
    step(&u, 0, 1.25);
    test_close(get(&u, OSC_X), 2 - cos(2.5), 1e-13);
    set(&u, OSC_G, 0); /* tunable: a new linear form, from x = 2 - cos 2.5 */
    step(&u, 1.25, 1);
    test_close(get(&u, OSC_X), (2 - cos(2.5)) * cos(2) + sin(2.5) * sin(2),
               1e-13);
    close_unit(&u);
}

static void an_input_ends_at_its_course_and_then_holds(void **state)
{
    static const double course[4] = {1, 2, 0, 0};
    static const double held[4] = {2, 0, 0, 0};
    struct unit u;
    double x, v;

    (void)state;
    open_unit(&u, "oscillator");
    start(&u);
    set_course(&u, OSC_U, course);
    step(&u, 0, 0.5);
    assert_true(get(&u, OSC_U) == 2);
    x = get(&u, OSC_X);
    v = get(&u, OSC_V);
    assert_true(get(&u, OSC_Y) == 3 * x - 2 * 2.0);
    step(&u, 0.5, 0.5);
    test_close(get(&u, OSC_X), test_oscillation(2, held, x, v, 0.5), 1e-13);
    set_course(&u, OSC_U, course);
    set(&u, OSC_U, 2); /* a plain set ends the course */
    x = get(&u, OSC_X);
    v = get(&u, OSC_V);
    step(&u, 1, 0.5);
    test_close(get(&u, OSC_X), test_oscillation(2, held, x, v, 0.5), 1e-13);
    close_unit(&u);
}

static void derivatives_of_other_things_than_inputs_are_refused(void **state)
{
    struct unit u;
    fmi2ValueReference x = OSC_X, in = OSC_U;
    int order = 1, four = 4;
    double rate = 1;

    (void)state;
    open_unit(&u, "oscillator");
    start(&u);
    assert_int_equal(u.SetRealInputDerivatives(u.c, &x, 1, &order, &rate),
                     fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2SetRealInputDerivatives: 'x' is not a continuous real input");
    assert_int_equal(u.SetRealInputDerivatives(u.c, &in, 1, &four, &rate),
                     fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2SetRealInputDerivatives: order 4 is not between 1 and 3");
    close_unit(&u);
}

/* Error of x(1) with a method, n micro-steps and a cubic course. */
static double error_of(int method, int n)
{
    static const double course[4] = {1, 2, -3, 5};
    struct unit u;
    double error;

    open_unit(&u, "oscillator");
    set_int(&u, OSC_METHOD, method);
    set_int(&u, OSC_MICROSTEPS, n);
    start(&u);
    set_course(&u, OSC_U, course);
    step(&u, 0, 1);
    error = fabs(get(&u, OSC_X) - test_oscillation(2, course, 1, 0, 1));
    close_unit(&u);
    return error;
}

static void methods_converge_with_their_order(void **state)
{
    static const int order[] = {0, 1, 2, 4}; /* Euler, midpoint, RK4 */

    (void)state;
    for (int method = 1; method <= 3; method++) {
        double ratio = error_of(method, 80) / error_of(method, 160);

        test_close(log2(ratio), order[method], 0.05);
    }
}

static void euler_looks_at_inputs_at_the_begin_of_each_micro_step(void **state)
{
    static const double course[4] = {1, 10, 0, 0};
    struct unit u;
    double v = 0;

    (void)state;
    open_unit(&u, "oscillator");
    set(&u, OSC_C, 0);
    set_int(&u, OSC_MICROSTEPS, 4);
    start(&u);
    set_course(&u, OSC_U, course);
    step(&u, 0, 1);
    for (int i = 0; i < 4; i++)
        v += 0.25 * (1 + 10 * (i * 0.25));
    assert_true(get(&u, OSC_V) == v);
    close_unit(&u);
}

static void a_bad_choice_of_solver_is_an_error(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "oscillator");
    set_int(&u, OSC_MICROSTEPS, -1);
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2OK);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2Error);
    assert_string_equal(logged.message, "number of micro-steps -1 is negative");
    assert_int_equal(u.Reset(u.c), fmi2OK);
    set_int(&u, OSC_METHOD, 9);
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2OK);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2Error);
    assert_string_equal(logged.message, "no solver method has the number 9");
    close_unit(&u);
}

static void a_nonlinear_unit_reaches_its_closed_form(void **state)
{
    /* Torricelli: sqrt(level) falls linearly, by hole sqrt(g/2) t / area. */
    struct unit u;
    double root;

    (void)state;
    open_unit(&u, "tank");
    start(&u);
    for (int i = 0; i < 50; i++)
        step(&u, i, 1);
    root = 1 - 0.01 * sqrt(9.81 / 2) * 50 / 2;
    test_close(get(&u, 2), root * root, 1e-9);
    test_close(get(&u, 3), 0.01 * sqrt(2 * 9.81) * root, 1e-9);
    close_unit(&u);
}

static void an_own_step_may_use_the_kits_solver_and_courses(void **state)
{
    static const double course[4] = {1, 2, 6, 12};
    struct unit u;

    (void)state;
    open_unit(&u, "ball");
    start(&u);
    set_course(&u, 1, course);
    step(&u, 0, 1.5); /* falls for 1 s, then rises from 0 with 1 m/s */
    test_close(get(&u, 3), 0.5 - 0.25, 1e-14);
    assert_int_equal(get_int(&u, 7), 1);
    test_close(get(&u, 2),
               1.5 + 1.5 * 1.5 + 1.5 * 1.5 * 1.5 + 1.5 * 1.5 * 1.5 * 1.5 / 2,
               1e-14);
    close_unit(&u);
}

static void directional_derivatives_of_a_linear_unit_are_exact(void **state)
{
    static const fmi2ValueReference unknown[] = {OSC_Y, OSC_DV, OSC_X, OSC_DX};
    static const fmi2ValueReference known[] = {OSC_U, OSC_X, OSC_V};
    static const double seed[] = {0.1, 1e-7, 1e5};
    struct unit u;
    double out[4];

    (void)state;
    open_unit(&u, "oscillator");
    set(&u, OSC_D, 0.3);
    set(&u, OSC_G, 123);
    start(&u);
    set(&u, OSC_U, 0.77);
    assert_int_equal(
        u.GetDirectionalDerivative(u.c, unknown, 4, known, 3, seed, out),
        fmi2OK);
    assert_true(out[0] == 3 * seed[1] - 2 * seed[0]);
    test_close(out[1], -4 * seed[1] - 0.3 * seed[2] + seed[0], 1e-15);
    assert_true(out[2] == seed[1]);
    assert_true(out[3] == seed[2]);
    assert_true(get(&u, OSC_U) == 0.77); /* nothing has moved */
    assert_true(get(&u, OSC_X) == 1);
    close_unit(&u);
}

static void other_directional_derivatives_are_good_to_ten_digits(void **state)
{
    static const fmi2ValueReference unknown[] = {OSC_POWER, OSC_DV};
    static const fmi2ValueReference known[] = {OSC_U, OSC_X, OSC_V, OSC_C};
    static const double seed[] = {1, 2, -3, 4};
    struct unit u;
    double out[2];

    (void)state;
    open_unit(&u, "nonlinear");
    set(&u, OSC_V, 0.5);
    start(&u);
    set(&u, OSC_U, 0.7);
    assert_int_equal(
        u.GetDirectionalDerivative(u.c, unknown, 2, known, 4, seed, out),
        fmi2OK);
    test_close(out[0], exp(0.7) + 2 * cos(1) * 0.25 - 3 * sin(1) * 2 * 0.5,
               1e-10);
    test_close(out[1], 1 - 4 * 2 - 4 * 1.0, 1e-10);
    close_unit(&u);
}

static void output_derivatives_follow_states_and_courses(void **state)
{
    static const double course[4] = {1, 2, 6, 0};
    static const fmi2ValueReference out[] = {OSC_X, OSC_Y, OSC_POWER};
    static const char *const models[] = {"oscillator", "nonlinear"};
    static const int order[] = {1, 1, 1}, second[] = {2, 1, 1};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct unit u;
        double rate[3], x, v, dv, du = 2 + 6 * 0.4, in;

        open_unit(&u, models[i]);
        start(&u);
        set_course(&u, OSC_U, course);
        step(&u, 0, 0.4);
        x = get(&u, OSC_X);
        v = get(&u, OSC_V);
        in = get(&u, OSC_U);
        dv = -4 * x + in;
        assert_int_equal(u.GetRealOutputDerivatives(u.c, out, 3, order, rate),
                         fmi2OK);
        test_close(rate[0], v, 1e-10);
        test_close(rate[1], 3 * v - 2 * du, 1e-10);
        test_close(rate[2],
                   i == 0 ? v + dv
                          : cos(x) * v * v * v + 2 * sin(x) * v * dv +
                                exp(in) * du,
                   1e-10);
        assert_int_equal(u.GetRealOutputDerivatives(u.c, out, 3, second, rate),
                         fmi2Error);
        close_unit(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_solution_is_exact_for_courses_up_to_cubic),
        cmocka_unit_test(the_exact_solution_holds_for_stiff_and_forced_units),
        cmocka_unit_test(an_input_ends_at_its_course_and_then_holds),
        cmocka_unit_test(derivatives_of_other_things_than_inputs_are_refused),
        cmocka_unit_test(methods_converge_with_their_order),
        cmocka_unit_test(euler_looks_at_inputs_at_the_begin_of_each_micro_step),
        cmocka_unit_test(a_bad_choice_of_solver_is_an_error),
        cmocka_unit_test(a_nonlinear_unit_reaches_its_closed_form),
        cmocka_unit_test(an_own_step_may_use_the_kits_solver_and_courses),
        cmocka_unit_test(directional_derivatives_of_a_linear_unit_are_exact),
        cmocka_unit_test(other_directional_derivatives_are_good_to_ten_digits),
        cmocka_unit_test(output_derivatives_follow_states_and_courses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
