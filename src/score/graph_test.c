/* SPDX-License-Identifier: MIT */
/* Components against brute force: what reaches what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/names.h"
#include "score/graph.h"

#define MOST 9

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

/* Warshall's closure; every node reaches itself. */
static void close_over(uint8_t r[MOST][MOST], uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        r[v][v] = 1;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                r[i][j] |= r[i][k] & r[k][j];
}

static void check_one(uint32_t n, uint32_t n_edge)
{
    uint8_t edge[MOST][MOST] = {0}, reach[MOST][MOST];
    uint32_t component[MOST], n_component, most = 0;
    struct tt_graph g;

    tt_graph_init(&g, n);
    for (uint32_t e = 0; e < n_edge; e++) {
        uint32_t from = below(n), to = below(n); /* loops, doubles: welcome */

        edge[from][to] = 1;
        tt_graph_add(&g, from, to);
    }
    assert_int_equal(tt_graph_seal(&g, NULL), TT_OK);
    n_component = tt_graph_components(&g, component);
    memcpy(reach, edge, sizeof(reach));
    close_over(reach, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(component[i] < n_component);
        most = component[i] > most ? component[i] : most;
        for (uint32_t j = 0; j < n; j++) {
            assert_int_equal(component[i] == component[j],
                             reach[i][j] && reach[j][i]);
            if (edge[i][j]) /* never from a higher to a lower number */
                assert_true(component[i] <= component[j]);
        }
    }
    assert_int_equal(most + 1, n_component);
    tt_graph_fini(&g);
}

static void components_are_those_of_brute_force(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint32_t n = 1 + below(MOST);

        check_one(n, below(2 * n + 1));
    }
}

static void adjacency_keeps_the_order_of_adding(void **state)
{
    struct tt_graph g;

    (void)state;
    tt_graph_init(&g, 3);
    tt_graph_add(&g, 1, 2);
    tt_graph_add(&g, 0, 2);
    tt_graph_add(&g, 1, 0);
    assert_int_equal(tt_graph_seal(&g, NULL), TT_OK);
    assert_int_equal(g.first[1] - g.first[0], 1);
    assert_int_equal(g.first[2] - g.first[1], 2);
    assert_int_equal(g.first[3] - g.first[2], 0);
    assert_int_equal(g.next[g.first[1]], 2);
    assert_int_equal(g.next[g.first[1] + 1], 0);
    tt_graph_fini(&g);
}

static void unrelated_nodes_stay_in_their_order(void **state)
{
    uint32_t component[5];
    struct tt_graph g;

    (void)state;
    tt_graph_init(&g, 5);
    assert_int_equal(tt_graph_seal(&g, NULL), TT_OK);
    assert_int_equal(tt_graph_components(&g, component), 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(component[i], i);
    tt_graph_fini(&g);
}

static void a_graph_of_nothing_has_no_components(void **state)
{
    struct tt_graph g;
    uint32_t none;

    (void)state;
    tt_graph_init(&g, 0);
    assert_int_equal(tt_graph_seal(&g, NULL), TT_OK);
    assert_int_equal(tt_graph_components(&g, &none), 0);
    tt_graph_fini(&g);
}

/* Recursion would need a stack of many megabytes. */
static void a_long_chain_needs_no_stack(void **state)
{
    const uint32_t n = 200000;
    uint32_t *component = tt_zalloc(n, sizeof(*component));
    struct tt_graph g;

    (void)state;
    assert_non_null(component);
    tt_graph_init(&g, n);
    for (uint32_t v = 0; v + 1 < n; v++)
        tt_graph_add(&g, n - 1 - v, n - 2 - v); /* against the numbering */
    assert_int_equal(tt_graph_seal(&g, NULL), TT_OK);
    assert_int_equal(tt_graph_components(&g, component), n);
    for (uint32_t v = 0; v < n; v++)
        assert_int_equal(component[v], n - 1 - v);
    tt_graph_fini(&g);

    tt_graph_init(&g, n); /* closed to a ring it is one component */
    for (uint32_t v = 0; v < n; v++)
        tt_graph_add(&g, v, (v + 1) % n);
    assert_int_equal(tt_graph_seal(&g, NULL), TT_OK);
    assert_int_equal(tt_graph_components(&g, component), 1);
    tt_graph_fini(&g);
    tt_free(component);
}

static void failing_allocations_are_reported(void **state)
{
    uint64_t n = 0;
    enum tt_code rc;

    (void)state;
    do {
        uint32_t component[2];
        struct tt_graph g;
        tt_err err;

        tt_mem_fail_after(++n);
        tt_graph_init(&g, 2);
        tt_graph_add(&g, 0, 1);
        rc = tt_graph_seal(&g, &err);
        if (rc == TT_OK && tt_graph_components(&g, component) == 0)
            rc = TT_ENOMEM;
        else if (rc != TT_OK)
            assert_string_equal(err.msg, "ordering: out of memory");
        tt_mem_fail_after(0);
        tt_graph_fini(&g);
    } while (rc == TT_ENOMEM);
    assert_true(n > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_those_of_brute_force),
        cmocka_unit_test(adjacency_keeps_the_order_of_adding),
        cmocka_unit_test(unrelated_nodes_stay_in_their_order),
        cmocka_unit_test(a_graph_of_nothing_has_no_components),
        cmocka_unit_test(a_long_chain_needs_no_stack),
        cmocka_unit_test(failing_allocations_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
