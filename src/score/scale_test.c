/* SPDX-License-Identifier: MIT */
/* Planning, writing and checking stay near-linear: ten times the units take
 * about ten times the time, in every shape that once was a trap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "plan/crowd.h"
#include "score/score.h"

/* Processor time: others may use the machine too. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* What feeds input 0, and input 1, of unit u of n. */
typedef uint32_t (*rewire_fn)(uint32_t u, uint32_t n, uint32_t input);

static uint32_t in_pairs(uint32_t u, uint32_t n, uint32_t input)
{
    (void)n;
    (void)input;
    return u ^ 1;
}

static uint32_t in_a_ring(uint32_t u, uint32_t n, uint32_t input)
{
    (void)input;
    return (u + 1) % n;
}

static uint32_t both_neighbours(uint32_t u, uint32_t n, uint32_t input)
{
    return (input ? u + n - 1 : u + 1) % n;
}

static void rewire(struct tt_crowd *c, rewire_fn source)
{
    static const char *const in[] = {"u0", "u1"}, *const out[] = {"y0", "y1"};
    tt_scenario *s = &c->scenario;
    uint32_t n_in = c->type[0].n_in, n = s->n_unit * n_in;
    struct tt_sc_connection *conn = tt_arena_alloc(c->arena, n, sizeof(*conn));

    assert_non_null(conn);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = i / n_in, k = i % n_in;

        conn[i].from =
            (struct tt_sc_ref){source(u, s->n_unit, k), out[k], {TT_NONE, 0}};
        conn[i].to = (struct tt_sc_ref){u, in[k], {TT_NONE, 0}};
    }
    s->connection = conn;
    s->n_connection = n;
}

static double plan_and_score(const struct tt_crowd_opts *o, rewire_fn source,
                             uint32_t *feeds)
{
    struct tt_crowd c;
    tt_plan *plan = NULL;
    tt_score *score = NULL;
    tt_err err;
    double before, took;

    tt_crowd_init(&c, o);
    if (source)
        rewire(&c, source);
    before = seconds();
    if (tt_plan_new(&plan, &c.scenario, c.desc, NULL, &err) != TT_OK ||
        tt_score_new(&score, plan, &err) != TT_OK)
        fail_msg("%s", err.msg);
    took = seconds() - before;
    *feeds = plan->n_feed;
    tt_score_free(score);
    tt_plan_free(plan);
    tt_crowd_fini(&c);
    return took;
}

/* A quadratic step shows as a factor of 100; constants and caches as less
 * than 40. A tenth of a second is too short to judge. */
static void expect_linear(const char *shape, struct tt_crowd_opts o,
                          rewire_fn source, uint32_t small, uint32_t large)
{
    uint32_t feeds;
    double a = 0, b = 0;

    /* what else the machine does slows the large one down, now and then */
    for (int i = 0; i < 4; i++) {
        o.n_unit = small;
        a = plan_and_score(&o, source, &feeds);
        o.n_unit = large;
        b = plan_and_score(&o, source, &feeds);
        print_message("%s: %u instances, %u connections: %.3f s (%u instances: "
                      "%.3f s)\n",
                      shape, large, feeds, b, small, a);
        if (b <= 0.1 || b <= 4.0 * large / small * a)
            return;
    }
    fail_msg("%s: %.3f s for %u instances, %.3f s for %u", shape, a, small, b,
             large);
}

static void ten_thousand_units_and_a_hundred_thousand_connections(void **state)
{
    struct tt_crowd_opts o = {.seed = 1,
                              .n_type = 40,
                              .n_in = 10,
                              .n_out = 10,
                              .full = 1,
                              .through = 30,
                              .acyclic = 1};

    (void)state;
    expect_linear("jacobi", o, NULL, 1000, 10000);
    o.gauss_seidel = 1;
    expect_linear("gauss-seidel", o, NULL, 1000, 10000);
    o.standard = 100;
    expect_linear("standard", o, NULL, 1000, 10000);
    o.standard = 30;
    o.unknown = 50;
    expect_linear("half unknown", o, NULL, 1000, 10000);
    o.unknown = 100;
    expect_linear("unknown", o, NULL, 1000, 10000);
}

/* Each of 5000 loops is swept and cut on its own. */
static void loops_of_unknown_dependencies(void **state)
{
    struct tt_crowd_opts o = {.seed = 2,
                              .n_type = 1,
                              .n_in = 1,
                              .n_out = 1,
                              .full = 1,
                              .unknown = 100};

    (void)state;
    expect_linear("pairs", o, in_pairs, 1000, 10000);
    expect_linear("ring", o, in_a_ring, 1000, 10000);
    o.gauss_seidel = 1;
    expect_linear("pairs, gauss-seidel", o, in_pairs, 1000, 10000);
    o.n_in = o.n_out = 2;
    expect_linear("neighbours", o, both_neighbours, 1000, 10000);
}

/* Two units with n inputs and n outputs, where all may depend on all: n edges
 * are enough, n * n would be too many. */
static void units_with_many_ports(void **state)
{
    struct tt_crowd_opts o = {
        .seed = 3, .n_type = 1, .n_unit = 2, .full = 1, .unknown = 100};
    uint32_t feeds;
    double a, b;

    (void)state;
    o.n_in = o.n_out = 200;
    a = plan_and_score(&o, NULL, &feeds);
    o.n_in = o.n_out = 2000;
    b = plan_and_score(&o, NULL, &feeds);
    print_message("wide: %u connections: %.3f s (200: %.3f s)\n", feeds, b, a);
    assert_true(b < 0.1 || b < 40 * a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_units_and_a_hundred_thousand_connections),
        cmocka_unit_test(loops_of_unknown_dependencies),
        cmocka_unit_test(units_with_many_ports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
