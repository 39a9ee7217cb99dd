/* SPDX-License-Identifier: MIT */
/* Automata, what grows in them, and proofs: against numbers that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/admissible.h"
#include "analysis/bounds.h"
#include "analysis/hitting.h"
#include "base/names.h"
#include "unit/test_ok.h"

/* Does a path from this node spell the word, and one from any? */
static int spells(const tt_automaton *a, uint32_t node, const uint32_t *word,
                  uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = a->first[node];

        while (e < a->first[node + 1] &&
               (a->edge[e].removed || a->edge[e].symbol != word[i]))
            e++;
        if (e == a->first[node + 1])
            return 0;
        node = a->edge[e].to;
    }
    return 1;
}

static int allows(const tt_automaton *a, const uint32_t *word, uint32_t n)
{
    for (uint32_t v = 0; v < a->n_node; v++)
        if (spells(a, v, word, n))
            return 1;
    return 0;
}

/* Words without k ones in a row: log2 of the k-bonacci constant. */
static void growth_of_words(void **state)
{
    static const double entropy[] = {0.6942419136, 0.8791464216, 0.9467772468,
                                     0.9752253361, 0.9881086522, 0.9941917168,
                                     0.9971342570};

    (void)state;
    for (uint32_t k = 2; k <= 8; k++) {
        struct tt_edge e[16];
        uint32_t n = 0;
        tt_automaton a;

        for (uint32_t v = 0; v < k; v++) { /* v ones were the last symbols */
            e[n++] = (struct tt_edge){.from = v, .to = 0, .symbol = 1};
            if (v + 1 < k)
                e[n++] = (struct tt_edge){.from = v, .to = v + 1, .symbol = 0};
        }
        assert_ok(tt_automaton_make(&a, k, 2, e, n, err));
        assert_true(fabs(log2(tt_automaton_growth(&a, TT_NONE)) -
                         entropy[k - 2]) < 1e-9);
        tt_automaton_fini(&a);
    }
}

/* Edges of examples 22 and 24: 2 with all, less without one. */
static void growth_without_edges(void **state)
{
    static const struct tt_edge e[] = {{0, 1, 1, 0}, {1, 1, 1, 0},
                                       {1, 0, 0, 0}, {1, 2, 2, 0},
                                       {2, 2, 2, 0}, {2, 0, 3, 0}};
    const double golden = 0.5 * (1 + sqrt(5));
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_make(&a, 3, 4, e, 6, err));
    assert_true(fabs(tt_automaton_growth(&a, TT_NONE) - 2) < 1e-12);
    assert_true(fabs(tt_automaton_growth(&a, 0) - 1) < 1e-6);
    for (uint32_t i = 0; i < a.n_edge; i++)
        if (a.edge[i].symbol == 3 || (a.edge[i].from == 1 && a.edge[i].to == 2))
            assert_true(fabs(tt_automaton_growth(&a, i) - golden) < 1e-9);
    tt_automaton_fini(&a);
}

static void trimming(void **state)
{
    /* 0 to 1 to 2, which leads nowhere, and a loop at 0 */
    static const struct tt_edge e[] = {
        {0, 0, 0, 0}, {0, 1, 1, 0}, {1, 2, 1, 0}};
    static const uint32_t loop[] = {0, 0, 0}, out[] = {0, 1};
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_make(&a, 3, 2, e, 3, err));
    assert_true(allows(&a, out, 2));
    assert_int_equal(tt_automaton_trim(&a), 1);
    assert_true(allows(&a, loop, 3));
    assert_false(allows(&a, out, 2));
    tt_automaton_fini(&a);
}

/* A rotation that shrinks and one that is skewed: a proof, which no longer
 * holds when it is changed, or claims too much. */
static void proofs(void **state)
{
    const double m[8] = {0.9 * cos(1), 0.9 * sin(1), -0.9 * sin(1),
                         0.9 * cos(1), 0.5,          0,
                         1.5,          0.5};
    const struct tt_matrices all = {2, 2, m};
    struct tt_certificate c;
    tt_automaton a;
    int found;

    (void)state;
    assert_ok(tt_automaton_free_lift(&a, 1, 0, err));
    assert_ok(tt_certificate_find(&c, &found, &a, &all, err));
    assert_true(found && c.rate >= 0.9 && c.rate < 0.91);
    assert_true(tt_certificate_holds(&c, &a, &all, c.rate));
    assert_false(tt_certificate_holds(&c, &a, &all, 0.8999));
    c.p[0] = -c.p[0];
    assert_false(tt_certificate_holds(&c, &a, &all, 1));
    tt_certificate_fini(&c);
    tt_automaton_fini(&a);
}

/* 2 and 1/2: the first alone is unstable, and is removed; 1 is not stable. */
static void admissible(void **state)
{
    const double m[] = {2, 0.5}, one[] = {1};
    const struct tt_matrices all = {1, 2, m}, edge = {1, 1, one};
    struct tt_admissible is;
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_free_lift(&a, 2, 0, err));
    assert_ok(tt_admissible_find(&is, &a, &all, err));
    assert_true(a.edge[0].removed && !a.edge[1].removed);
    assert_true(fabs(is.growth - 1) < 1e-12 && is.worst_rate == 2);
    assert_true(tt_certificate_holds(&is.certificate, &a, &all, 0.51));
    tt_certificate_fini(&is.certificate);
    tt_automaton_fini(&a);
    assert_ok(tt_automaton_free_lift(&a, 1, 0, err));
    assert_ok(tt_admissible_find(&is, &a, &edge, err));
    assert_true(is.growth == 0 && !is.certificate.p);
    tt_automaton_fini(&a);
}

/* 2 and 1/2 with the last symbol known: no 2 twice in a row is all that one
 * edge can do, and every other choice leaves less or grows; with the last two
 * known still more words are left. */
static void more_with_memory(void **state)
{
    const double m[] = {2, 0.49};
    const struct tt_matrices all = {1, 2, m};
    double last = 0;

    (void)state;
    for (uint32_t lift = 0; lift < 4; lift++) {
        static const uint32_t turns[] = {0, 1, 0, 1, 0, 1}, twice[] = {0, 0};
        struct tt_admissible is;
        tt_automaton a;

        assert_ok(tt_automaton_free_lift(&a, 2, lift, err));
        assert_ok(tt_admissible_find(&is, &a, &all, err));
        assert_true(is.optimal && is.growth >= last);
        assert_true(tt_certificate_holds(&is.certificate, &a, &all,
                                         is.certificate.rate));
        assert_int_equal(allows(&a, turns, 6), lift > 0);
        assert_int_equal(allows(&a, twice, 2), lift > 2);
        last = is.growth;
        tt_certificate_fini(&is.certificate);
        tt_automaton_fini(&a);
    }
    assert_true(last > 0.5 * (1 + sqrt(5)));
}

/* Example 23, with a product that shrinks: two policies that are unstable
 * alone. Without memory nothing is left, with it they take turns. */
static void unstable_alone(void **state)
{
    static const uint32_t turns[] = {0, 1, 0, 1}, twice[] = {1, 1};
    const double m[] = {1.5, 0, 0, 0.2, 0.2, 0, 0, 1.5};
    const struct tt_matrices all = {2, 2, m};
    struct tt_admissible is;
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_free_lift(&a, 2, 0, err));
    assert_ok(tt_admissible_find(&is, &a, &all, err));
    assert_true(is.growth == 0 && !is.certificate.p && is.optimal);
    tt_automaton_fini(&a);
    assert_ok(tt_automaton_free_lift(&a, 2, 1, err));
    assert_ok(tt_admissible_find(&is, &a, &all, err));
    assert_true(fabs(is.growth - 1) < 1e-12 && is.optimal);
    assert_true(allows(&a, turns, 4));
    assert_false(allows(&a, twice, 2));
    tt_certificate_fini(&is.certificate);
    tt_automaton_fini(&a);
}

/* Two cycles that share an edge: it alone is removed, unless another way leaves
 * more; and what is asked for may be more than there is. */
static void best_choice_of_edges(void **state)
{
    /* as in examples 22 and 24 */
    static const struct tt_edge e[] = {{0, 1, 1, 0}, {1, 1, 1, 0},
                                       {1, 0, 0, 0}, {1, 2, 2, 0},
                                       {2, 2, 2, 0}, {2, 0, 3, 0}};
    const double golden = 0.5 * (1 + sqrt(5));
    struct tt_cycle round = {.edge = {0, 3, 5}, .n = 3};
    tt_automaton a;

    (void)state;
    assert_ok(tt_automaton_make(&a, 3, 4, e, 6, err));
    for (uint32_t i = 0; i < a.n_edge; i++) { /* as they are kept */
        if (a.edge[i].to == 2 && a.edge[i].from == 1)
            round.edge[1] = i;
        if (a.edge[i].symbol == 3)
            round.edge[2] = i;
    }
    assert_int_equal(tt_hitting_find(&a, &round, 1, golden), TT_HITTING_NONE);
    assert_true(fabs(tt_automaton_growth(&a, TT_NONE) - 2) < 1e-12);
    assert_int_equal(tt_hitting_find(&a, &round, 1, 1), TT_HITTING_FOUND);
    assert_true(fabs(tt_automaton_growth(&a, TT_NONE) - golden) < 1e-9);
    assert_false(a.edge[round.edge[0]].removed);
    tt_automaton_fini(&a);
}

/* Steps of x' = z x, as matrices of order 2: Euler's, the midpoint rule, Runge
 * and Kutta's of order 4. */
static void step_of(double re, double im, int order, double *out)
{
    double power[2] = {1, 0}, sum[2] = {1, 0};

    for (int k = 1; k <= order; k++) {
        const double x = (power[0] * re - power[1] * im) / k;

        power[1] = (power[0] * im + power[1] * re) / k;
        power[0] = x;
        sum[0] += power[0];
        sum[1] += power[1];
    }
    out[0] = out[3] = sum[0];
    out[1] = sum[1];
    out[2] = -sum[1];
}

/* Example 19: where z is inside the region of two methods by turns and outside
 * that of one of them; borders on the real axis. */
static void methods_by_turns(void **state)
{
    static const uint32_t turns[] = {0, 1};
    static const struct {
        double re, im;
        int stable[3], by_turns; /* Euler, midpoint, order 4; the first two */
    } at[] = {{-1.999, 0, {1, 1, 1}, 1},  {-2.001, 0, {0, 0, 1}, 0},
              {-2.785, 0, {0, 0, 1}, 0},  {-2.786, 0, {0, 0, 0}, 0},
              {-0.5, 0.9, {0, 1, 1}, 1},  {0, 0.5, {0, 0, 1}, 0},
              {-0.02, 0.5, {0, 1, 1}, 0}, {-1, 0.9, {1, 1, 1}, 1},
              {-0.4, 1.6, {0, 0, 1}, 0}};
    static const int order[] = {1, 2, 4};

    (void)state;
    for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
        double m[12];
        const struct tt_matrices all = {2, 3, m};

        for (uint32_t k = 0; k < 3; k++) {
            step_of(at[i].re, at[i].im, order[k], m + (size_t)4 * k);
            assert_int_equal(tt_word_rate(&all, &k, 1) < 1, at[i].stable[k]);
        }
        assert_int_equal(tt_word_rate(&all, turns, 2) < 1, at[i].by_turns);
    }
}

static void refused(void **state)
{
    const struct tt_matrices large = {17, 1, NULL};
    struct tt_admissible is;
    tt_automaton a;

    (void)state;
    assert_fails(TT_EINPUT, tt_automaton_free_lift(&a, 8, 6, err),
                 "a lift of 6 over 8 policies has more than 65536 edges");
    assert_ok(tt_automaton_free_lift(&a, 1, 0, err));
    assert_fails(
        TT_EUNSUPPORTED, tt_admissible_find(&is, &a, &large, err),
        "matrices of order 17 are more than the 16 that are certified");
    tt_automaton_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_of_words),
        cmocka_unit_test(growth_without_edges),
        cmocka_unit_test(trimming),
        cmocka_unit_test(proofs),
        cmocka_unit_test(admissible),
        cmocka_unit_test(more_with_memory),
        cmocka_unit_test(unstable_alone),
        cmocka_unit_test(best_choice_of_edges),
        cmocka_unit_test(methods_by_turns),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
