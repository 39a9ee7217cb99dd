/* SPDX-License-Identifier: MIT */
/* Automata, what grows in them, and proofs: against numbers that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/admissible.h"
#include "base/names.h"
#include "unit/test_ok.h"

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
    assert_true(tt_automaton_allows(&a, out, 2));
    assert_int_equal(tt_automaton_trim(&a), 1);
    assert_true(tt_automaton_allows(&a, loop, 3));
    assert_false(tt_automaton_allows(&a, out, 2));
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
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
