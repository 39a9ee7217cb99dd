/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "solve/dense.h"
#include "solve/solve.h"

typedef void (*map_fn)(const double *z, double *g);

/* g = 0.23 z + 1: contracts */
static void scalar(const double *z, double *g)
{
    g[0] = 0.23 * z[0] + 1;
}

/* a rotation that stretches: plain substitution diverges with 2.41 */
static void spin(const double *z, double *g)
{
    g[0] = 1 + 2.41 * z[1];
    g[1] = 2 - 2.41 * z[2];
    g[2] = 3 + 2.41 * z[0];
}

static void cosine(const double *z, double *g)
{
    g[0] = cos(z[0]);
}

static void two_curved(const double *z, double *g)
{
    g[0] = 0.5 * z[1] * z[1] - 3 * z[0] + 1;
    g[1] = sin(z[0]) - 2 * z[1];
}

/* a spring that is met between z = 27 and z = 0 */
static void contact(const double *z, double *g)
{
    g[0] = fmax(0, 27 - 1.5 * z[0]);
}

static void to_nan(const double *z, double *g)
{
    g[0] = sqrt(-1 - z[0] * z[0]);
}

/* Solve to 1e-10; returns evaluations, 0 when not converged within 60. */
static uint32_t solve(enum tt_solve_method m, map_fn map, uint32_t n, double *z)
{
    struct tt_solve_opts o = {.method = m, .atol = 1e-10};
    void *block = tt_alloc(tt_solve_size(&o, n));
    struct tt_solve *s = tt_solve_init(block, &o, n);
    double g[8];
    uint32_t count = 0;

    for (int i = 0; i < 60; i++) {
        enum tt_solve_verdict verdict;

        map(z, g);
        verdict = tt_solve_next(s, z, g, NULL);
        if (verdict == TT_SOLVE_DONE)
            count = tt_solve_count(s);
        if (verdict != TT_SOLVE_AGAIN)
            break;
    }
    tt_free(block);
    return count;
}

static void every_method_finds_a_contracting_fixed_point(void **state)
{
    (void)state;
    for (int m = TT_SOLVE_NONE; m <= TT_SOLVE_NEWTON; m++) {
        double z = 0;

        assert_true(solve((enum tt_solve_method)m, scalar, 1, &z) > 0);
        assert_true(fabs(z - 1 / 0.77) < 1e-9);
    }
}

/* Substitution does it where it contracts, Newton where it does not. */
static void auto_substitutes_and_then_steps(void **state)
{
    double z = 0, w[3] = {0}, g[3], c = 0;

    (void)state;
    assert_int_equal(solve(TT_SOLVE_AUTO, scalar, 1, &z), 17);
    assert_true(fabs(z - 1 / 0.77) < 1e-9);
    /* 5 substituted, the best again, 3 probes, 2 steps: probes round */
    assert_int_equal(solve(TT_SOLVE_AUTO, spin, 3, w), 11);
    spin(w, g);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(w[i] - g[i]) < 1e-9);
    assert_true(solve(TT_SOLVE_AUTO, cosine, 1, &c) > 0);
    assert_true(fabs(c - 0.73908513321516064) < 1e-9);
}

/* A chain that only looks like a loop: done when the values came round. */
static void chain(const double *z, double *g)
{
    g[0] = 7;
    g[1] = z[0] * z[0];
    g[2] = sqrt(z[1] - 48); /* NaN until then */
}

static void auto_lets_values_come_round(void **state)
{
    double z[3] = {0};

    (void)state;
    assert_int_equal(solve(TT_SOLVE_AUTO, chain, 3, z), 4);
    assert_true(z[2] == 1);
}

static void auto_gives_up_on_nan(void **state)
{
    double z = 0;

    (void)state;
    assert_int_equal(solve(TT_SOLVE_AUTO, to_nan, 1, &z), 0);
}

static void aitken_solves_a_scalar_line_in_three_evaluations(void **state)
{
    double z = 0;

    (void)state;
    assert_int_equal(solve(TT_SOLVE_AITKEN, scalar, 1, &z), 3);
}

static void plain_substitution_contracts_by_its_factor(void **state)
{
    double z = 0;

    (void)state;
    /* residual 0.23^k <= 1e-10: k = 15.7, and one to notice */
    assert_int_equal(solve(TT_SOLVE_NONE, scalar, 1, &z), 17);
}

static void plain_substitution_fails_where_it_expands(void **state)
{
    double z[3] = {0};

    (void)state;
    assert_int_equal(solve(TT_SOLVE_NONE, spin, 3, z), 0);
}

static void anderson_solves_n_linear_equations_in_n_plus_two(void **state)
{
    double z[3] = {0}, g[3];

    (void)state;
    assert_int_equal(solve(TT_SOLVE_ANDERSON, spin, 3, z), 5);
    spin(z, g);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(z[i] - g[i]) < 1e-9);
}

static void newton_solves_linear_equations_in_one_step(void **state)
{
    double z[3] = {0};

    (void)state;
    /* one evaluation, three probes, and one that shows it is solved (two
     * when rounding in the differences asks for one more) */
    assert_in_range(solve(TT_SOLVE_NEWTON, spin, 3, z), 5, 6);
}

static void newton_keeps_its_jacobian_for_the_next_solve(void **state)
{
    struct tt_solve_opts o = {.method = TT_SOLVE_NEWTON, .atol = 1e-10};
    struct tt_solve *s = tt_solve_init(tt_alloc(tt_solve_size(&o, 3)), &o, 3);
    double z[3] = {0}, g[3];
    uint32_t count[2];

    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        tt_solve_begin(s);
        z[0] += 5; /* a new problem */
        do
            spin(z, g);
        while (tt_solve_next(s, z, g, NULL) == TT_SOLVE_AGAIN);
        count[turn] = tt_solve_count(s);
    }
    assert_true(count[0] >= 5);
    assert_true(count[1] <= 3);
    tt_free(s);
}

/* F = 2 - sqrt(z): there is nothing below 0. */
static void root_of_four(const double *z, double *g)
{
    *g = *z + 2 - sqrt(*z);
}

/* Evaluations from z on, where G' is declared to be `jacobian` (NaN: nothing is
 * stated) as long as that is believed. */
static uint32_t solve_given(void (*fn)(const double *, double *),
                            double jacobian, double *z, int *doubts)
{
    struct tt_solve_opts o = {
        .method = TT_SOLVE_NEWTON, .atol = 1e-10, .jacobian = 1, .doubt = 1};
    struct tt_solve *s = tt_solve_init(tt_alloc(tt_solve_size(&o, 1)), &o, 1);
    enum tt_solve_verdict verdict = TT_SOLVE_AGAIN;
    uint32_t n;
    double g;

    while (verdict != TT_SOLVE_DONE && tt_solve_count(s) < 50) {
        fn(z, &g);
        verdict = tt_solve_next(s, z, &g, NULL);
        assert_int_not_equal(verdict, TT_SOLVE_LOST);
        if (verdict == TT_SOLVE_JACOBIAN && isnan(jacobian))
            tt_solve_no_jacobian(s, z, NULL);
        else if (verdict == TT_SOLVE_JACOBIAN)
            tt_solve_jacobian(s, &jacobian, z);
    }
    n = tt_solve_count(s);
    *doubts = tt_solve_doubts(s);
    tt_free(s);
    return n;
}

static void newton_believes_a_jacobian_that_serves(void **state)
{
    double z = 0;
    int doubts;

    (void)state;
    assert_int_equal(solve_given(scalar, 0.23, &z, &doubts), 2);
    assert_false(doubts);
    assert_true(fabs(z - 1 / 0.77) < 1e-9);
}

/* Too slow, the wrong way, into nothing, singular, or not given at all. */
static void newton_probes_where_it_was_misled(void **state)
{
    static const double lie[] = {-5, 1.5, 100, 1, (double)NAN};

    (void)state;
    for (int i = 0; i < 5; i++) {
        double z = 1;
        int doubts;

        assert_in_range(solve_given(root_of_four, lie[i], &z, &doubts), 3, 20);
        assert_true(doubts);
        assert_true(fabs(z - 4) < 1e-7);
    }
}

static void newton_and_anderson_solve_curved_equations(void **state)
{
    double z = 1, zn[2] = {0}, g[2];

    (void)state;
    assert_true(solve(TT_SOLVE_NEWTON, cosine, 1, &z) > 0);
    assert_true(fabs(z - 0.7390851332151607) < 1e-9);
    z = 1;
    assert_true(solve(TT_SOLVE_ANDERSON, cosine, 1, &z) > 0);
    assert_true(fabs(z - 0.7390851332151607) < 1e-9);
    assert_true(solve(TT_SOLVE_NEWTON, two_curved, 2, zn) > 0);
    two_curved(zn, g);
    assert_true(fabs(g[0] - zn[0]) < 1e-9 && fabs(g[1] - zn[1]) < 1e-9);
}

static void newton_gets_past_a_kink(void **state)
{
    struct tt_solve_opts o = {
        .method = TT_SOLVE_NEWTON, .atol = 1e-10, .rtol = 1e-10};
    void *block = tt_alloc(tt_solve_size(&o, 1));
    struct tt_solve *s = tt_solve_init(block, &o, 1);
    double z = 27, g;
    enum tt_solve_verdict verdict = TT_SOLVE_AGAIN;

    (void)state;
    for (int i = 0; i < 8 && verdict == TT_SOLVE_AGAIN; i++) {
        contact(&z, &g);
        verdict = tt_solve_next(s, &z, &g, NULL);
    }
    assert_int_equal(verdict, TT_SOLVE_DONE);
    assert_true(fabs(z - 27 / 2.5) < 1e-7);
    tt_free(block);
}

static void not_a_number_gives_up_at_once(void **state)
{
    struct tt_solve_opts o = {.method = TT_SOLVE_ANDERSON, .atol = 1};
    struct tt_solve *s = tt_solve_init(tt_alloc(tt_solve_size(&o, 1)), &o, 1);
    double z = 0, g;

    (void)state;
    to_nan(&z, &g);
    assert_int_equal(tt_solve_next(s, &z, &g, NULL), TT_SOLVE_LOST);
    tt_free(s);
}

static void a_copy_of_the_block_goes_on_alike(void **state)
{
    struct tt_solve_opts o = {.method = TT_SOLVE_ANDERSON, .atol = 1e-12};
    size_t size = tt_solve_size(&o, 3);
    struct tt_solve *a = tt_solve_init(tt_alloc(size), &o, 3);
    struct tt_solve *b = tt_alloc(size);
    double za[3] = {0}, zb[3], g[3];

    (void)state;
    for (int i = 0; i < 2; i++) {
        spin(za, g);
        assert_int_equal(tt_solve_next(a, za, g, NULL), TT_SOLVE_AGAIN);
    }
    memcpy(b, a, size);
    memcpy(zb, za, sizeof(za));
    spin(za, g);
    (void)tt_solve_next(a, za, g, NULL);
    spin(zb, g);
    (void)tt_solve_next(b, zb, g, NULL);
    assert_memory_equal(za, zb, sizeof(za));
    tt_free(a);
    tt_free(b);
}

static void convergence_is_relative_and_uses_nominals(void **state)
{
    struct tt_solve_opts o = {.method = TT_SOLVE_NONE, .atol = 1e-3};
    struct tt_solve *s = tt_solve_init(tt_alloc(tt_solve_size(&o, 1)), &o, 1);
    double z = 1000, g = 1000.5, nominal = 1000;
    uint32_t i;

    (void)state;
    assert_int_equal(tt_solve_next(s, &z, &g, NULL), TT_SOLVE_AGAIN);
    assert_true(fabs(tt_solve_worst(s, &i) - 500) < 1e-6);
    z = 1000;
    assert_int_equal(tt_solve_next(s, &z, &g, &nominal), TT_SOLVE_DONE);
    tt_free(s);
}

static void lu_solves_what_needs_pivoting(void **state)
{
    double a[] = {0, 2, 1, 1, 0, 3, 4, 5, 6}, b[] = {7, 10, 32};
    uint32_t pivot[3];

    (void)state; /* x = (1, 2, 3) */
    assert_int_equal(tt_lu_factor(a, pivot, 3), 0);
    tt_lu_solve(a, pivot, 3, b);
    assert_true(fabs(b[0] - 1) < 1e-13 && fabs(b[1] - 2) < 1e-13 &&
                fabs(b[2] - 3) < 1e-13);
}

static void a_singular_matrix_is_noticed(void **state)
{
    double a[] = {1, 2, 2, 4};
    uint32_t pivot[2];

    (void)state;
    assert_int_equal(tt_lu_factor(a, pivot, 2), -1);
}

static void least_squares_fits_a_line_and_drops_dependent_columns(void **state)
{
    /* y = 1 + 2 t through (0,1) (1,3) (2,5); third column doubles the second */
    double a[] = {1, 1, 1, 0, 1, 2, 0, 2, 4}, b[] = {1, 3, 5}, r[9], x[3];

    (void)state;
    tt_least_squares(a, b, 3, 3, r, x, 1e-10);
    assert_true(fabs(x[0] - 1) < 1e-13);
    assert_true(fabs(x[1] - 2) < 1e-13);
    assert_true(x[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_a_contracting_fixed_point),
        cmocka_unit_test(auto_substitutes_and_then_steps),
        cmocka_unit_test(auto_lets_values_come_round),
        cmocka_unit_test(auto_gives_up_on_nan),
        cmocka_unit_test(aitken_solves_a_scalar_line_in_three_evaluations),
        cmocka_unit_test(plain_substitution_contracts_by_its_factor),
        cmocka_unit_test(plain_substitution_fails_where_it_expands),
        cmocka_unit_test(anderson_solves_n_linear_equations_in_n_plus_two),
        cmocka_unit_test(newton_solves_linear_equations_in_one_step),
        cmocka_unit_test(newton_keeps_its_jacobian_for_the_next_solve),
        cmocka_unit_test(newton_believes_a_jacobian_that_serves),
        cmocka_unit_test(newton_probes_where_it_was_misled),
        cmocka_unit_test(newton_and_anderson_solve_curved_equations),
        cmocka_unit_test(newton_gets_past_a_kink),
        cmocka_unit_test(not_a_number_gives_up_at_once),
        cmocka_unit_test(a_copy_of_the_block_goes_on_alike),
        cmocka_unit_test(convergence_is_relative_and_uses_nominals),
        cmocka_unit_test(lu_solves_what_needs_pivoting),
        cmocka_unit_test(a_singular_matrix_is_noticed),
        cmocka_unit_test(least_squares_fits_a_line_and_drops_dependent_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
