/* SPDX-License-Identifier: MIT */
/* One source, many forms: the plants of the examples as FMI 1, 2 and 3, by
 * co-simulation and by model exchange, each alone, against closed forms. The
 * bouncing ball has its own tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

/* An affine unit is x' = A x + e: a matrix with e in its last column, which
 * belongs to a state that is 1. */
struct form {
    const char *example, *unit, *set; /* NULL: nothing is set */
    const char *port[3];              /* states, NULL behind the last */
    size_t state[3];                  /* of the equations */
    struct matrix a;
    double x0[MATRIX_MAX];
    double step, end;
};

/* J = I + m l^2 and p of the inverted pendulum's README. */
#define JP (0.006 + 0.2 * 0.09)
#define PP (0.006 * 0.7 + 0.5 * 0.2 * 0.09)
#define ML (0.2 * 0.3)

static const struct form forms[] = {
    {"double-mass-spring-damper",
     "msd1",
     "F=2",
     {"x1", "v1"},
     {0, 1},
     {3, {{0, 1, 0}, {-5, -1, 2}}},
     {1, 0, 1},
     0.2,
     4},
    {"double-mass-spring-damper",
     "msd2",
     "x1=1",
     {"x2", "v2"},
     {0, 1},
     {3, {{0, 1, 0}, {-1.1, -1, 1}}},
     {0, 0, 1},
     0.2,
     4},
    {"pendulum",
     "mass",
     "F=3",
     {"x", "v"},
     {0, 1},
     {3, {{0, 1, 0}, {0, 0, 3}}},
     {0, 0, 1},
     0.1,
     2},
    {"cruise-control",
     "car",
     "F=1000",
     {"v"},
     {0},
     {2, {{-0.5 / 1576, 1000. / 1576}}},
     {0, 1},
     1,
     40},
    {"water-tank",
     "watertank",
     "valve=true",
     {"level", "volumeIn", "volumeOut"},
     {0, 1, 2},
     {4, {{-0.25, 0, 0, 0.45}, {0, 0, 0, 0.45}, {0.25}}},
     {1, 0, 0, 1},
     0.5,
     20},
    {"thermostat",
     "room",
     "on=true",
     {"T"},
     {0},
     {2, {{-0.001, 0.03}}},
     {15, 1},
     10,
     1000},
    {"inverted-pendulum",
     "pendulum",
     "u=0.5",
     {"x", "phi", "omega"},
     {0, 2, 3},
     {5,
      {{0, 1},
       {0, -JP * 0.1 / PP, ML *ML * 9.8 / PP, 0, JP * 0.5 / PP},
       {0, 0, 0, 1},
       {0, -ML * 0.1 / PP, ML * 9.8 * 0.7 / PP, 0, ML * 0.5 / PP}}},
     {0, 0, 0.1, 0, 1},
     0.05,
     0.6},
    {"circuit",
     "supply",
     NULL,
     {"i"},
     {0},
     {2, {{-10, 100}}},
     {0, 1},
     0.01,
     0.5},
    {"power-window",
     "power",
     "up=true",
     {"displacement", "speed", "armatureCurrent"},
     {0, 1, 2},
     {4,
      {{0, 1},
       {0, -5 / 0.085, 7.45 / 0.085},
       {0, -7.45 / 0.036, -0.15 / 0.036, 12 / 0.036}}},
     {0, 0, 0, 1},
     0.01,
     0.5},
    {"nested-water-tank",
     "basin",
     "valve=true",
     {"level", "volumeOut"},
     {0, 1},
     {2, {{-0.25}, {0.25}}},
     {1, 0},
     0.5,
     20},
    {"scheduled-controller",
     "motor",
     "u=3",
     {"w", "phi"},
     {0, 1},
     {3, {{-10, 0, 60}, {1}}},
     {0, 0, 1},
     0.02,
     1},
    {"crashing-unit",
     "heater",
     "P=5",
     {"T"},
     {0},
     {2, {{-0.5, 1.25}}},
     {0, 1},
     0.2,
     8},
    {"operating-point",
     "battery",
     "current=2",
     {"used"},
     {0},
     {2, {{0, 2}}},
     {0, 1},
     1,
     20},
    {"traffic-light",
     "road",
     "go=true",
     {"n"},
     {0},
     {2, {{0, 0.25 - 0.625}}},
     {0, 1},
     1,
     20},
    {"look-ahead",
     "valve",
     "command=1",
     {"opening"},
     {0},
     {2, {{-1 / 3.0, 1 / 3.0}}},
     {0, 1},
     0.5,
     20},
    {"look-ahead",
     "tub",
     "inflow=0.02",
     {"level"},
     {0},
     {2, {{0, 0.04}}},
     {0, 1},
     0.5,
     20},
};

static void check(const struct form *f, int version, const char *interface)
{
    const char *ending = version == 2 ? "" : version == 3 ? "-fmi3" : "-fmi1";
    char path[256], name[128];
    tt_table *t;

    (void)snprintf(path, sizeof(path), "%s/%s%s.fmu", f->example, f->unit,
                   ending);
    t = play(
        &(struct play){.scenario = path,
                       .step = f->step,
                       .end = f->end,
                       .options = {"--interface", interface, "--tolerance",
                                   "1e-10", f->set ? "--set" : NULL, f->set}});
    assert_true(tt_table_rows(t) > 10);
    for (size_t k = 0; k < 3 && f->port[k]; k++) {
        const double *is;

        (void)snprintf(name, sizeof(name), "{%s%s}.%s%s.%s", f->unit, ending,
                       f->unit, ending, f->port[k]);
        is = column(t, name);
        for (size_t r = 0; r < tt_table_rows(t); r++) {
            struct matrix phi = exponential(&f->a, tt_table_time(t)[r]);
            double x[MATRIX_MAX];

            for (size_t i = 0; i < MATRIX_MAX; i++)
                x[i] = f->x0[i];
            apply(&phi, x);
            assert_near(is[r], x[f->state[k]],
                        1e-8 * fmax(1, fabs(x[f->state[k]])));
        }
    }
    tt_table_free(t);
}

static void all_forms_of_a_plant_are_the_same_physics(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        for (int version = 1; version <= 3; version++) {
            check(&forms[i], version, "cs");
            check(&forms[i], version, "me");
        }
}

/* Both wheels get the same speed: the robot goes straight ahead, where its
 * motors bring it. By co-simulation it makes 10 steps of RK4 in each. */
static void the_robot_drives_straight_in_all_forms(void **state)
{
    static const char *const name[] = {"robotbody-fmi1", "robotbody",
                                       "robotbody-fmi3"};
    static const double w = 0.3, tau = 0.1;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        const char *unit = name[i / 2];
        char path[256], x[64], y[64];
        tt_table *t;

        (void)snprintf(path, sizeof(path), "line-follower/%s.fmu", unit);
        (void)snprintf(x, sizeof(x), "{%s}.%s.x", unit, unit);
        (void)snprintf(y, sizeof(y), "{%s}.%s.y", unit, unit);
        t = play(&(struct play){.scenario = path,
                                .end = 2,
                                .options = {"--interface", i % 2 ? "me" : "cs",
                                            "--tolerance", "1e-10", "--set",
                                            "leftWheel=0.3", "--set",
                                            "rightWheel=0.3"}});
        for (size_t r = 0; r < tt_table_rows(t); r++) {
            double at = tt_table_time(t)[r];
            double way = w * (at + tau * expm1(-at / tau));

            assert_near(column(t, x)[r], way * cos(0.2), 1e-8);
            assert_near(column(t, y)[r], -0.125 + way * sin(0.2), 1e-8);
        }
        tt_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_of_a_plant_are_the_same_physics),
        cmocka_unit_test(the_robot_drives_straight_in_all_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
