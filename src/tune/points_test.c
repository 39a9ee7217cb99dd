/* SPDX-License-Identifier: MIT */
#include "tune/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"
#include "unit/test_ok.h"

static tt_arena *arena;

static int open_arena(void **state)
{
    (void)state;
    return (arena = tt_arena_new()) ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    tt_arena_free(arena);
    return 0;
}

static enum tt_code make(struct tt_points *p, const char *from, uint32_t n,
                         const char *const *vary, tt_err *err)
{
    const struct tt_points_opts o = {
        .vary = vary, .n_vary = n, .from = from, .seed = 7};

    return tt_points_make(p, &o, arena, err);
}

static void assert_refused(const char *from, const char *vary,
                           const char *message)
{
    struct tt_points p;

    assert_fails(TT_EINPUT, make(&p, from, vary != NULL, &vary, err), message);
}

static void a_grid_has_every_pair_the_last_fastest(void **state)
{
    static const char *const vary[] = {"{a=b}.x.p=0:1:3", "q=1,on,[1,2]"};
    static const char *const value[] = {
        "0",  "1",   "0",     "on", "0", "[1,2]", "0.5", "1", "0.5",
        "on", "0.5", "[1,2]", "1",  "1", "1",     "on",  "1", "[1,2]"};
    struct tt_points p;

    (void)state;
    assert_ok(make(&p, NULL, 2, vary, err));
    assert_int_equal(p.n, 9);
    assert_string_equal(p.name[0], "{a=b}.x.p");
    assert_string_equal(p.name[1], "q");
    for (uint32_t i = 0; i < 18; i++)
        assert_string_equal(p.value[i], value[i]);
}

/* The k-th of p.n strata has one point, for each name. */
static void a_latin_hypercube_has_each_stratum_once(void **state)
{
    static const char *const vary[] = {"p=-1:1", "q=uniform:0:10"};
    struct tt_points p, again;
    int seen[2][50] = {{0}};

    (void)state;
    assert_ok(make(&p, "lhs:50", 2, vary, err));
    assert_ok(make(&again, "lhs:50", 2, vary, err));
    assert_int_equal(p.n, 50);
    for (uint32_t i = 0; i < 100; i++) {
        double v;

        assert_string_equal(p.value[i], again.value[i]);
        assert_int_equal(tt_num_parse(p.value[i], &v), 0);
        seen[i % 2][(int)(i % 2 ? v / 10 * 50 : (v + 1) / 2 * 50)]++;
    }
    for (int k = 0; k < 50; k++) {
        assert_int_equal(seen[0][k], 1);
        assert_int_equal(seen[1][k], 1);
    }
}

static void what_is_drawn_has_its_mean_and_deviation(void **state)
{
    static const char *const vary[] = {"p=normal:3:2"};
    struct tt_points p;
    double sum = 0, squares = 0;

    (void)state;
    assert_ok(make(&p, "lhs:1000", 1, vary, err));
    for (uint32_t i = 0; i < p.n; i++) {
        double v;

        assert_int_equal(tt_num_parse(p.value[i], &v), 0);
        sum += v;
        squares += v * v;
    }
    assert_true(fabs(sum / p.n - 3) < 0.01);
    assert_true(fabs(sqrt(squares / p.n - 9) - 2) < 0.05);
}

static void quantiles_of_the_normal_distribution(void **state)
{
    static const struct {
        double p, x;
    } known[] = {{0.5, 0},
                 {0.975, 1.9599639845400545},
                 {0.001, -3.090232306167813},
                 {0.84134474606854293, 1},
                 {1e-10, -6.361340902404056}};

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        assert_true(fabs(tt_normal_quantile(known[i].p) - known[i].x) < 1e-9);
}

static void differences_have_a_point_on_each_side(void **state)
{
    static const char *const vary[] = {"p=2", "q=0:0.5"};
    static const char *const value[] = {"2", "0", "2.002", "0", "1.998",
                                        "0", "2", "0.5",   "2", "-0.5"};
    const struct tt_points_opts o = {.vary = vary, .n_vary = 2};
    struct tt_points p;

    (void)state;
    assert_ok(tt_points_about(&p, &o, arena, err));
    assert_int_equal(p.n, 5);
    for (uint32_t i = 0; i < 10; i++)
        assert_string_equal(p.value[i], value[i]);
}

static void what_makes_no_points_is_refused(void **state)
{
    (void)state;
    assert_refused(NULL, "p", "--vary 'p': write NAME=a:b:n or NAME=1,2,5");
    assert_refused(NULL, "=1", "--vary '=1': write NAME=a:b:n or NAME=1,2,5");
    assert_refused(NULL, "p=0:1:0",
                   "--vary 'p=0:1:0': enter a:b:n, a list such as 1,2,5, or "
                   "for points that are drawn a:b, uniform:a:b or "
                   "normal:mean:deviation");
    assert_refused(NULL, "p=0:1",
                   "--vary 'p=0:1' is drawn: state how many points with "
                   "--points lhs:N or random:N");
    assert_refused("lhs:0", "p=0:1",
                   "--points 'lhs:0': the number of points is 1 to 10000000");
    assert_refused("lhs:9", "p=0:1:3",
                   "--vary 'p=0:1:3': points that are drawn take a range a:b, "
                   "without a number of values");
    assert_refused(NULL, NULL,
                   "nothing is varied: give --vary NAME=a:b:n, or --points "
                   "FILE.csv");
    assert_refused(NULL, "p=0:1:100000000",
                   "--vary 'p=0:1:100000000': enter a:b:n, a list such as "
                   "1,2,5, or for points that are drawn a:b, uniform:a:b or "
                   "normal:mean:deviation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_every_pair_the_last_fastest),
        cmocka_unit_test(a_latin_hypercube_has_each_stratum_once),
        cmocka_unit_test(what_is_drawn_has_its_mean_and_deviation),
        cmocka_unit_test(quantiles_of_the_normal_distribution),
        cmocka_unit_test(differences_have_a_point_on_each_side),
        cmocka_unit_test(what_makes_no_points_is_refused),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
