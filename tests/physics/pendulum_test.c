/* SPDX-License-Identifier: MIT */
/*
 * A pendulum as two masses on a circle: a constraint that is not linear. From
 * rest at the angle a, sin(angle/2) = k sn(w t + K, k) with k = sin(a/2): the
 * reference is computed here from that, by the arithmetic-geometric mean.
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
#include "sys/file.h"

#define SCENARIO "pendulum/scenario.json"
#define EXAMPLES TT_BUILD_DIR "/examples/"
#define GRAVITY  9.81
#define MEANS    8 /* the mean has all digits long before */
#define PI       3.14159265358979323846

/* --- closed form ---------------------------------------------------------- */

/* Means of 1 and k', and half the differences (Abramowitz and Stegun 17.6). */
struct means {
    double a[MEANS + 1], c[MEANS + 1];
};

static struct means means_of(double k)
{
    struct means m = {.a = {1}, .c = {k}};
    double b = sqrt(1 - k * k);

    for (int i = 0; i < MEANS; i++) {
        m.a[i + 1] = (m.a[i] + b) / 2;
        m.c[i + 1] = (m.a[i] - b) / 2;
        b = sqrt(m.a[i] * b);
    }
    return m;
}

/* sn(u + K, k), by 16.4. */
static double sn_shifted(double u, double k)
{
    struct means m = means_of(k);
    double phi = ldexp(m.a[MEANS] * u + PI / 2, MEANS);

    for (int i = MEANS; i > 0; i--)
        phi = (phi + asin(m.c[i] / m.a[i] * sin(phi))) / 2;
    return sin(phi);
}

/* From rest at 90 degrees, length 1 m. */
static double angle_at(double t)
{
    double k = sin(PI / 4);

    return 2 * asin(k * sn_shifted(sqrt(GRAVITY) * t, k));
}

static double period(void)
{
    return 2 * PI / (sqrt(GRAVITY) * means_of(sin(PI / 4)).a[MEANS]);
}

static void the_closed_form_solves_the_equation(void **state)
{
    const double h = 1e-4;

    (void)state;
    assert_near(angle_at(0), PI / 2, 1e-14);
    assert_near(angle_at(period()), PI / 2, 1e-7);
    assert_near(angle_at(period() / 2), -PI / 2, 1e-7);
    for (double t = 0.05; t < 3; t += 0.1)
        assert_near((angle_at(t + h) - 2 * angle_at(t) + angle_at(t - h)) /
                        (h * h),
                    -GRAVITY * sin(angle_at(t)), 1e-5);
}

/* --- runs ----------------------------------------------------------------- */

/* How far off the mass is at most, and how much its energy changes. */
struct off {
    double place, energy;
};

static struct off off_of(const struct play *p, double h)
{
    struct play at = *p;
    struct off worst = {0, 0};
    tt_table *t;
    const double *x, *y, *vx, *vy;

    at.step = h;
    t = play(&at);
    x = column(t, "{mass}.x.x");
    y = column(t, "{mass}.y.x");
    vx = column(t, "{mass}.x.v");
    vy = column(t, "{mass}.y.v");
    assert_int_equal(tt_table_rows(t), (size_t)lround(10 / h) + 1);
    for (size_t k = 0; k < tt_table_rows(t); k++) {
        double angle = angle_at(h * (double)k);

        worst.place =
            fmax(worst.place, hypot(x[k] - sin(angle), y[k] + cos(angle)));
        worst.energy =
            fmax(worst.energy,
                 fabs((vx[k] * vx[k] + vy[k] * vy[k]) / 2 + GRAVITY * y[k]));
    }
    tt_table_free(t);
    return worst;
}

/* The direction of the force changes within the step, and both a line and what
 * is held follow it to second order. */
static void the_order_is_two(void **state)
{
    const struct play of[] = {
        {.scenario = SCENARIO},
        {.scenario = "pendulum/scenario-fmi3.json"},
        {.scenario = SCENARIO, .options = {"--set", "{rod}.rod.damping=5"}},
    };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct off coarse = off_of(&of[i], 0.025);
        struct off fine = off_of(&of[i], 0.0125);

        assert_near(observed_order(coarse.place, fine.place), 2, 0.05);
        assert_near(observed_order(coarse.energy, fine.energy), 2, 0.05);
        assert_true(fine.place < 0.016);
    }
}

/* The mass stays on the circle and its velocity along it, to the tolerance of
 * the iteration. */
static void the_mass_stays_on_the_circle(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *x = column(t, "{mass}.x.x");
    const double *y = column(t, "{mass}.y.x");
    const double *vx = column(t, "{mass}.x.v");
    const double *vy = column(t, "{mass}.y.v");

    (void)state;
    for (size_t k = 0; k < tt_table_rows(t); k++) {
        assert_near(x[k] * x[k] + y[k] * y[k], 1, 1e-10);
        assert_near(x[k] * vx[k] + y[k] * vy[k], 0, 1e-10);
        assert_near(column(t, "{rod}.rod.residual")[k],
                    x[k] * x[k] + y[k] * y[k] - 1, 1e-15);
    }
    tt_table_free(t);
}

/* What acts on x and y points along the rod: both are twice the coordinate
 * times the action. */
static void the_force_points_along_the_rod(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});

    (void)state;
    for (size_t k = 1; k < tt_table_rows(t); k++) {
        double action = column(t, "{rod}.rod.action")[k];

        assert_near(column(t, "{rod}.rod.action(x)")[k],
                    action * 2 * column(t, "{mass}.x.x")[k], 1e-9);
        assert_near(column(t, "{rod}.rod.action(y)")[k],
                    action * 2 * column(t, "{mass}.y.x")[k], 1e-9);
    }
    tt_table_free(t);
}

/* Between the first and the last passage from right to left; between two rows
 * the way is a line. */
static double period_of(double h)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .step = h});
    const double *x = column(t, "{mass}.x.x");
    double first = 0, last = 0;
    int n = 0;

    for (size_t k = 1; k < tt_table_rows(t); k++)
        if (x[k - 1] > 0 && x[k] <= 0) {
            last = h * ((double)k - 1 + x[k - 1] / (x[k - 1] - x[k]));
            if (!n++)
                first = last;
        }
    tt_table_free(t);
    assert_int_equal(n, 4);
    return (last - first) / (n - 1);
}

static void the_period_is_the_elliptic_integral(void **state)
{
    double coarse = period_of(0.02) - period();
    double fine = period_of(0.01) - period();

    (void)state;
    assert_near(period(), 2.3678, 1e-4);
    assert_near(fine, 0, 5e-4);
    assert_near(observed_order(fabs(coarse), fabs(fine)), 2, 0.2);
}

/* --- variants ------------------------------------------------------------- */

/* The scenario with a text in it replaced; not beside the examples. */
static const char *changed(const char *from, const char *to)
{
    static char path[] = TT_BUILD_DIR "/tests/pendulum.json";
    static const char fmu[] = "mass.fmu";
    struct tt_buf text, out;
    const char *at, *unit;
    tt_err err;

    tt_buf_init(&text, 1 << 16);
    tt_buf_init(&out, 1 << 16);
    assert_int_equal(tt_file_read(&text, EXAMPLES SCENARIO, &err), TT_OK);
    tt_buf_char(&text, '\0');
    unit = strstr(text.data, fmu);
    at = strstr(text.data, from);
    assert_true(at && unit && unit < at);
    tt_buf_add(&out, text.data, (size_t)(unit - text.data));
    tt_buf_str(&out, EXAMPLES "pendulum/mass.fmu");
    unit += strlen(fmu);
    tt_buf_add(&out, unit, (size_t)(at - unit));
    tt_buf_fmt(&out, "%s%s", to, at + strlen(from));
    assert_int_equal(tt_file_write(path, out.data, out.len, &err), TT_OK);
    tt_buf_fini(&text);
    tt_buf_fini(&out);
    return path;
}

/* The same circle, said otherwise. */
static void the_same_curve_is_the_same_pendulum(void **state)
{
    static const char *const output[] = {
        "sqrt(x^2 + y^2) = L", "hypot(x, y) - L",
        "if x*x + y*y > 0 then 2*x*x + 2*y*y - 2*L else -2*L"};
    struct off want = off_of(&(struct play){.scenario = SCENARIO}, 0.0125);

    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *path = changed("x^2 + y^2 = L^2", output[i]);
        struct off got =
            off_of(&(struct play){.scenario = path,
                                  .options = {"--set", "{mass}.x.m=1"}},
                   0.0125);

        assert_near(got.place, want.place, 1e-7);
    }
}

/* Run it and compare what is said. */
static void assert_printed(const char *path, int status, const char *want)
{
    const char *argv[] = {"run", "-o", "/dev/null", path, NULL};
    struct tt_buf err;
    const char *from;

    tt_buf_init(&err, 1 << 20);
    assert_int_equal(run_tutti(argv, NULL, &err), status);
    from = err.len ? strstr(err.data, "FMU '") : NULL;
    if (!from)
        from = err.len ? err.data : "";
    assert_string_equal(from, want);
    tt_buf_fini(&err);
}

static void a_start_is_made_consistent(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = changed("\"{mass}.x.x\": 1,\n    \"{mass}.y.g\": 9.81,\n"
                            "    \"{rod}.rod.L\": 1\n  },",
                            "\"{mass}.x.x\": 0.9, \"{mass}.x.v\": 0.1,"
                            "\"{mass}.y.x\": 0.5, \"{mass}.y.g\": 9.81,"
                            "\"{rod}.rod.L\": 1},"
                            "\"consistentStart\": [\"{mass}.x.x\","
                            "\"{mass}.y.v\"],")});

    (void)state;
    assert_near(column(t, "{mass}.x.x")[0], sqrt(0.75), 1e-11);
    assert_near(column(t, "{mass}.y.v")[0], -0.2 * sqrt(0.75), 1e-11);
    tt_table_free(t);
}

static void wrong_constraints_are_refused(void **state)
{
    static const struct {
        const char *constraint, *message;
    } of[] = {
        {"x^2 + sine(y) = L",
         "FMU '{rod}': constraint 'x^2 + sine(y) = L': 1:7: there is no "
         "function 'sine'; did you mean 'sin'?\n"},
        {"x^2 + y^2 > L",
         "FMU '{rod}': constraint 'x^2 + y^2 > L': a constraint is a number "
         "that is to be 0, or an equation, and this is a Boolean\n"},
        {"1 = 2", "FMU '{rod}': constraint '1 = 2': there is no variable in "
                  "it\n"},
        {"x + damping", "FMU '{rod}': constraint 'x + damping': 'damping' is a "
                        "port of every coupling: call the variable something "
                        "else\n"},
        {"x + h*y", "FMU '{rod}': constraint 'x + h*y': 1:5: 'h' stands for "
                    "the step, which has no value here; a variable of that "
                    "name is 'h' in quotes\n"},
        {"x + pre(y)", "FMU '{rod}': constraint 'x + pre(y)': 1:5: 'pre' "
                       "cannot be used here\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        assert_printed(changed("x^2 + y^2 = L^2", of[i].constraint), 2,
                       of[i].message);
}

/* Without the velocities the action is held, in the mean direction of the step.
 * On a circle, and wherever the constraint is quadratic, that does no work at
 * all. */
static void held_in_the_mean_direction_energy_stays(void **state)
{
    struct play of = {
        .scenario = changed("    \"{mass}.x.v\": [\"{rod}.rod.der(x)\"],\n"
                            "    \"{mass}.y.x\": [\"{rod}.rod.y\"],\n"
                            "    \"{mass}.y.v\": [\"{rod}.rod.der(y)\"],\n",
                            "    \"{mass}.y.x\": [\"{rod}.rod.y\"],\n")};
    struct off coarse, fine;

    (void)state;
    of.options[0] = "--record";
    of.options[1] = "*.v";
    coarse = off_of(&of, 0.025);
    fine = off_of(&of, 0.0125);
    assert_near(observed_order(coarse.place, fine.place), 2, 0.05);
    assert_true(coarse.energy < 1e-9);
    assert_true(fine.energy < 1e-9);
}

/* A constraint of rates: the velocity along the rod is none. */
static void a_constraint_may_be_one_of_rates(void **state)
{
    struct play of = {
        .scenario = changed("x^2 + y^2 = L^2", "x*der(x) = -y*der(y) + 0*L")};
    struct off coarse, fine;

    (void)state;
    coarse = off_of(&of, 0.025);
    fine = off_of(&of, 0.0125);
    assert_near(observed_order(coarse.place, fine.place), 2, 0.05);
}

/* Ten weights on one surface: any number of terms. */
static void a_constraint_has_any_number_of_terms(void **state)
{
    struct tt_buf sum, wires;
    struct tt_buf json;
    static char path[] = TT_BUILD_DIR "/tests/many.json";
    tt_table *t;
    tt_err err;

    (void)state;
    tt_buf_init(&sum, 1 << 16);
    tt_buf_init(&wires, 1 << 16);
    tt_buf_init(&json, 1 << 16);
    for (int i = 0; i < 10; i++) {
        tt_buf_fmt(&sum, "%sx%d^3", i ? " + " : "", i);
        tt_buf_fmt(&wires,
                   "%s\"{mass}.m%d.x\": [\"{all}.a.x%d\"],"
                   "\"{mass}.m%d.v\": [\"{all}.a.der(x%d)\"],"
                   "\"{all}.a.action(x%d)\": [\"{mass}.m%d.F\"]",
                   i ? "," : "", i, i, i, i, i, i);
    }
    tt_buf_fmt(&json,
               "{\"fmus\": {\"{mass}\": \"" EXAMPLES "pendulum/mass.fmu\","
               "\"{all}\": \"tutti:coupling: %s = c\"},"
               "\"connections\": {%s}, \"parameters\": {\"{all}.a.c\": 10",
               sum.data, wires.data);
    for (int i = 0; i < 10; i++)
        tt_buf_fmt(&json, ", \"{mass}.m%d.x\": 1, \"{mass}.m%d.g\": %d", i, i,
                   i - 5);
    tt_buf_str(&json, "}, \"iteration\": {\"absoluteTolerance\": 1e-11},"
                      "\"algorithm\": {\"type\": \"fixed-step\", "
                      "\"size\": 0.02}, \"startTime\": 0, \"endTime\": 0.4}");
    assert_int_equal(tt_file_write(path, json.data, json.len, &err), TT_OK);
    t = play(&(struct play){.scenario = path});
    assert_int_equal(tt_table_rows(t), 21);
    for (size_t k = 0; k < 21; k++) {
        double cubes = 0, rate = 0;

        for (int i = 0; i < 10; i++) {
            char x[32], v[32];

            (void)snprintf(x, sizeof(x), "{mass}.m%d.x", i);
            (void)snprintf(v, sizeof(v), "{mass}.m%d.v", i);
            cubes += pow(column(t, x)[k], 3);
            rate += 3 * pow(column(t, x)[k], 2) * column(t, v)[k];
        }
        assert_near(cubes, 10, 1e-9);
        assert_near(rate, 0, 1e-9);
    }
    assert_true(column(t, "{mass}.m0.x")[20] > 1.1);
    tt_table_free(t);
    tt_buf_fini(&sum);
    tt_buf_fini(&wires);
    tt_buf_fini(&json);
}

/* In a process of its own it is the same rod. */
static void a_rod_elsewhere_is_the_same_rod(void **state)
{
    tt_table *here = play(&(struct play){.scenario = SCENARIO});
    tt_table *there = play(&(struct play){
        .scenario = changed("\"startTime\"",
                            "\"isolate\": [\"{rod}.rod\"], \"startTime\"")});

    (void)state;
    for (size_t k = 0; k < tt_table_rows(here); k++)
        assert_true(column(here, "{mass}.x.x")[k] ==
                    column(there, "{mass}.x.x")[k]);
    tt_table_free(here);
    tt_table_free(there);
}

static void a_misspelt_variable_is_reported(void **state)
{
    assert_printed(
        changed("x^2 + y^2 = L^2", "x^2 + y^2 = L^2 + 0*yy"), 0,
        "tutti: warning: nothing is connected to '{rod}.rod.yy', which "
        "a coupling is to make right, and 'parameters' gives it no "
        "value: it is 0\n");
    (void)state;
}

/* A point that is led along a curve in time, by two forces: der() is not
 * needed, rates follow from the expression, that of the time among them. */
static void a_constraint_may_move(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = changed("x^2 + y^2 = L^2", "x + 0*y = L*cos(2*t)"),
        .options = {"--set", "{mass}.y.g=0"}});
    const double *x = column(t, "{mass}.x.x");
    const double *v = column(t, "{mass}.x.v");

    (void)state;
    for (size_t k = 0; k < tt_table_rows(t); k++) {
        double at = 0.05 * (double)k;

        assert_near(x[k], cos(2 * at), 1e-10);
        assert_near(v[k], -2 * sin(2 * at), 1e-10);
    }
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_solves_the_equation),
        cmocka_unit_test(the_order_is_two),
        cmocka_unit_test(the_mass_stays_on_the_circle),
        cmocka_unit_test(the_force_points_along_the_rod),
        cmocka_unit_test(the_period_is_the_elliptic_integral),
        cmocka_unit_test(the_same_curve_is_the_same_pendulum),
        cmocka_unit_test(a_start_is_made_consistent),
        cmocka_unit_test(wrong_constraints_are_refused),
        cmocka_unit_test(held_in_the_mean_direction_energy_stays),
        cmocka_unit_test(a_constraint_may_be_one_of_rates),
        cmocka_unit_test(a_constraint_has_any_number_of_terms),
        cmocka_unit_test(a_rod_elsewhere_is_the_same_rod),
        cmocka_unit_test(a_misspelt_variable_is_reported),
        cmocka_unit_test(a_constraint_may_move),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
