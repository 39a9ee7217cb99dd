/* SPDX-License-Identifier: MIT */
/* Bounds of how products grow: against sets of which it is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/algebra.h"
#include "analysis/bounds.h"
#include "unit/test_ok.h"

/* Two masses of 1 kg between walls, a spring of 1 N/m to each neighbour: each
 * by Euler's or the midpoint rule, in one step of 0.1 s or ten. The first one's
 * has a damper of 0.1, and so has the coupling: 5.2.2 of C. Gomes, Property
 * Preservation in Co-simulation, 2019. */
static void step_of(int which, int midpoint, int n, double *out)
{
    /* by columns: x, v and the force; x, v, and of the other one x, v */
    static const double force[9] = {0, -1, 0, 1, -0.1, 0, 0, 1, 0};
    static const double place[16] = {0, -2, 0, 0, 1, -0.1, 0, 0,
                                     0, 1,  0, 0, 0, 0.1,  0, 0};
    const double *m = which ? place : force;
    double h = 0.1 / n, square[16], one[16], next[16];
    uint32_t k = which ? 4 : 3;

    tt_multiply(k, k, k, m, m, square);
    for (uint32_t i = 0; i < k * k; i++) {
        out[i] = i % (k + 1) == 0;
        one[i] = out[i] + h * m[i] + (midpoint ? 0.5 * h * h * square[i] : 0);
    }
    while (n--) {
        tt_multiply(k, k, k, one, out, next);
        memcpy(out, next, (size_t)k * k * sizeof(*out));
    }
}

/* x1, v1, x2, v2 a step later: the force is that of both now. */
static void couple(const double *first, const double *second, double *out)
{
    static const double force[4] = {-1, -0.1, 1, 0.1};

    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t r = 0; r < 2; r++) {
            out[r + 4 * c] =
                (c < 2 ? first[r + 3 * c] : 0) + first[r + 6] * force[c];
            out[r + 2 + 4 * c] =
                c < 2 ? second[r + 4 * (c + 2)] : second[r + 4 * (c - 2)];
        }
}

static void masses(double *all)
{
    static const int way[4][2] = {{0, 1}, {0, 10}, {1, 1}, {1, 10}};
    double first[9], second[16];

    for (uint32_t i = 0; i < 16; i++) {
        step_of(0, way[i / 4][0], way[i / 4][1], first);
        step_of(1, way[i % 4][0], way[i % 4][1], second);
        couple(first, second, all + (size_t)16 * i);
    }
}

/* All of them, and those that are stable alone. */
static uint32_t choose(const double *all, double *stable)
{
    uint32_t n = 0;

    for (size_t i = 0; i < 16; i++)
        if (tt_spectral_radius(4, all + 16 * i) < 1)
            memcpy(stable + (size_t)16 * n++, all + 16 * i, 16 * sizeof(*all));
    return n;
}

static void bound(struct tt_bounds *b, const struct tt_matrices *m)
{
    tt_automaton a;

    assert_ok(tt_automaton_free_lift(&a, m->m, 0, err));
    assert_ok(tt_bounds_find(b, &a, m, err));
    tt_automaton_fini(&a);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.15g, not %.15g", a, b);
}

/* One unstable policy is enough; without the four that are, the most slowly
 * shrinking of all decides: 0.992905 was printed for what is left. */
static void two_masses(void **state)
{
    double all[256], stable[256];
    struct tt_matrices sixteen = {4, 16, all}, twelve = {4, 0, stable};
    struct tt_bounds b;

    (void)state;
    masses(all);
    near(tt_spectral_radius(4, all), 1.002506218539, 1e-12);
    near(tt_spectral_radius(4, all + 80), 0.996880317721, 1e-12);
    bound(&b, &sixteen);
    assert_true(b.lower >= 1.002506218539 && b.n_word >= 1);
    near(tt_word_rate(&sixteen, b.word, b.n_word), b.lower, 1e-15);
    tt_bounds_fini(&b);
    twelve.m = choose(all, stable);
    assert_int_equal(twelve.m, 12);
    bound(&b, &twelve);
    near(b.lower, 0.999118974633, 1e-12);
    assert_true(b.upper < 1 && b.upper >= b.lower);
    assert_true(b.upper - b.lower < 1e-6);
    tt_bounds_fini(&b);
}

/* Of two shears the golden ratio, by turns. */
static void shears(void **state)
{
    const double m[] = {1, 0, 1, 1, 1, 1, 0, 1};
    const struct tt_matrices all = {2, 2, m};
    struct tt_bounds b;

    (void)state;
    bound(&b, &all);
    near(b.lower, 0.5 * (1 + sqrt(5)), 1e-12);
    assert_int_equal(b.n_word, 2);
    assert_true(b.word[0] != b.word[1]);
    assert_true(b.upper >= b.lower && b.upper - b.lower < 1e-6);
    tt_bounds_fini(&b);
}

/* Of these 1, where no quadratic form proves less than the root of 2 (P.
 * Parrilo, A. Jadbabaie, 2008). */
static void quartic(void **state)
{
    const double m[] = {1, 1, 0, 0, 0, 0, 1, -1};
    const struct tt_matrices all = {2, 2, m};
    struct tt_bounds b;

    (void)state;
    bound(&b, &all);
    near(b.lower, 1, 1e-12);
    assert_true(b.upper >= 1 && b.upper < 1 + 2e-4);
    assert_int_equal(b.degree, 4);
    tt_bounds_fini(&b);
}

/* What an automaton forbids does not count: 2 and 1/2 by turns only. */
static void by_turns(void **state)
{
    static const struct tt_edge e[] = {{0, 1, 0, 0}, {1, 0, 1, 0}};
    const double m[] = {2, 0.5}, none[] = {0};
    const struct tt_matrices all = {1, 2, m}, zero = {1, 1, none};
    struct tt_bounds b;
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_make(&a, 2, 2, e, 2, err));
    assert_ok(tt_bounds_find(&b, &a, &all, err));
    near(b.lower, 1, 1e-12);
    near(b.upper, 1, 1e-6);
    tt_bounds_fini(&b);
    tt_automaton_fini(&a);
    bound(&b, &zero);
    assert_true(b.lower == 0 && b.upper == 0);
    tt_bounds_fini(&b);
}

static void refused(void **state)
{
    const struct tt_matrices large = {17, 1, NULL};
    struct tt_bounds b;
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_free_lift(&a, 1, 0, err));
    assert_fails(TT_EUNSUPPORTED, tt_bounds_find(&b, &a, &large, err),
                 "bounds are found for matrices of order 16 at most, not 17");
    tt_automaton_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses), cmocka_unit_test(shears),
        cmocka_unit_test(quartic),    cmocka_unit_test(by_turns),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
