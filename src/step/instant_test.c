/* SPDX-License-Identifier: MIT */
/* Instants: sampling, grids, lists, events, the end. */
#include "step/policy_impl.h"
#include "step/test_rig.h"

static void round14_rounds_half_up_to_14_decimals(void **state)
{
    (void)state;
    near(tt_policy_round14(0.30000000000000004), 0.3, 0);
    near(tt_policy_round14(0.009999999999999998), 0.01, 0);
    near(tt_policy_round14(1.00000000000002), 1.00000000000002, 0);
    near(tt_policy_round14(12345.678901234567), 12345.678901234567, 0);
}

/* Each sample is the double nearest to k * rate * 10^base, also far out where
 * rounding to 14 decimals does nothing any more. */
static void a_million_samples_are_hit_exactly(void **state)
{
    static const struct {
        int base;
        int64_t rate;
        double power;
    } row[] = {{-3, 5, 1e3}, {-1, 1, 10}, {-6, 333, 1e6}};

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct tt_policy_opts o = {
            .kind = TT_POLICY_SAMPLING,
            .sampling = {.base = row[i].base, .rate = row[i].rate}};
        struct tt_policy_limits lim = {.min = 1e-6, .max = 1};
        struct tt_policy_ask ask = {.end = 1e9};
        struct rig r = {0};

        rig_init(&r, &lim, &o, 1);
        for (int64_t k = 1; k <= 1000000; k++) {
            struct tt_policy_step s = tt_policy_propose(r.p, &ask);

            if (s.t1 != (double)(k * row[i].rate) / row[i].power)
                fail_msg("sample %ld at %.17g", (long)k, s.t1);
            assert_int_equal(s.by, 0);
            ask.t = s.t1;
        }
        rig_fini(&r);
    }
}

/* The same from times that were accumulated, as Maestro has them. */
static void samples_are_found_from_rounded_times(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_SAMPLING,
                               .sampling = {.base = -3, .rate = 5, .first = 2}};
    struct tt_policy_limits lim = {.min = 1e-6, .max = 1};
    struct tt_policy_ask ask = {.end = 1e9};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, &o, 1);
    near(tt_policy_propose(r.p, &ask).t1, 0.002, 0); /* not before first */
    for (int64_t k = 0; k < 1000; k++) {
        ask.t = (double)(2 + 5 * k) / 1e3;
        ask.t = nextafter(ask.t, k % 2 ? 0 : 1);
        near(tt_policy_propose(r.p, &ask).t1, (double)(7 + 5 * k) / 1e3, 0);
    }
    ask.t = 0.0031; /* between two */
    near(tt_policy_propose(r.p, &ask).t1, 0.007, 0);
    rig_fini(&r);
}

static void sampling_may_ask_for_less_than_the_smallest_step(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_SAMPLING,
                               .sampling = {.base = -3, .rate = 5}};
    struct tt_policy_limits lim = {.min = 1e-3, .max = 4e-3};
    struct tt_policy_ask ask = {.end = 1};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, &o, 1);
    near(tt_policy_propose(r.p, &ask).h, 4e-3, 0); /* max */
    ask.t = 4.5e-3;
    near(tt_policy_propose(r.p, &ask).h, 5e-4, 1e-18);
    rig_fini(&r);
}

static void a_fixed_grid_is_computed_not_accumulated(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_FIXED, .step = 0.1};
    struct tt_policy_limits lim = {.start = 1};
    struct tt_policy_ask ask = {.t = 1, .end = 4.05};
    struct rig r = {0};
    struct tt_policy_step s;

    (void)state;
    rig_init(&r, &lim, &o, 1);
    for (int n = 1; n <= 30; n++) {
        s = tt_policy_propose(r.p, &ask);
        near(s.t1, 1 + n * 0.1, 0);
        near(s.h, 0.1, 0); /* H itself */
        ask.t = s.t1;
    }
    s = tt_policy_propose(r.p, &ask); /* the last is shorter */
    near(s.t1, 4.05, 0);
    assert_int_equal(s.by, tt_policy_members(r.p) + TT_POLICY_OWN_END);
    ask.t = s.t1;
    near(tt_policy_propose(r.p, &ask).h, 0, 0);
    rig_fini(&r);
}

static void a_grid_that_meets_the_end_ends_there(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_FIXED, .step = 0.1};
    struct tt_policy_limits lim = {0};
    struct tt_policy_ask ask = {.end = 0.3}; /* 3 * 0.1 is a little more */
    struct rig r = {0};
    int n = 0;

    (void)state;
    rig_init(&r, &lim, &o, 1);
    for (struct tt_policy_step s; (s = tt_policy_propose(r.p, &ask)).h > 0; n++)
        ask.t = s.t1;
    near(ask.t, 0.3, 0);
    assert_int_equal(n, 3);
    rig_fini(&r);
}

static void listed_instants_and_events_are_not_overshot(void **state)
{
    static const double list[] = {0.7, 0.25, 0.25 + 1e-13};
    struct tt_policy_opts o = {.kind = TT_POLICY_INSTANTS,
                               .name = "plan",
                               .instants = list,
                               .n_instants = 3};
    struct tt_policy_limits lim = {.min = 1e-3, .max = 0.2, .init = 0.2};
    struct tt_policy_ask ask = {.end = 1};
    static const double expect[] = {0.2, 0.25 + 1e-13, 0.45, 0.6, 0.7, 0.9, 1};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, &o, 1);
    for (size_t i = 0; i < 7; i++) {
        struct tt_policy_step s;

        ask.next_event = ask.t < 0.6 ? 0.6 : 0; /* a unit's */
        s = tt_policy_propose(r.p, &ask);
        near(s.t1, expect[i], i == 1 ? 0 : 1e-12);
        if (i == 3)
            assert_string_equal(tt_policy_name(r.p, s.by), "event");
        if (i == 4)
            assert_string_equal(tt_policy_name(r.p, s.by), "plan");
        ask.t = s.t1;
    }
    near(tt_policy_propose(r.p, &ask).h, 0, 0);
    rig_fini(&r);
}

static void instants_closer_than_the_tolerance_are_one_the_later(void **state)
{
    static const double list[] = {0.5, 0.5 + 5e-13, 1 - 1e-13};
    struct tt_policy_opts o = {
        .kind = TT_POLICY_INSTANTS, .instants = list, .n_instants = 3};
    struct tt_policy_limits lim = {.min = 1e-3, .max = 10, .init = 10};
    struct tt_policy_ask ask = {.end = 1, .next_event = 0.5 + 5e-13};
    struct rig r = {0};

    (void)state;
    near(tt_policy_instant_tol(0, 1e-3), 1e-12, 1e-24);
    near(tt_policy_instant_tol(1, 0), 4 * 0x1p-52, 0);
    rig_init(&r, &lim, &o, 1);
    near(tt_policy_propose(r.p, &ask).t1, 0.5 + 5e-13, 0);
    ask.t = 0.5 + 5e-13;
    near(tt_policy_propose(r.p, &ask).t1, 1, 0); /* the end is the end */
    rig_fini(&r);
}

static void an_event_at_a_grid_point_leaves_it_where_it_is(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_FIXED, .step = 0.5};
    struct tt_policy_limits lim = {.min = 0.5, .max = 0.5, .init = 0.5};
    struct tt_policy_ask ask = {
        .t = 19.2, .end = 100, .next_event = 19.500000000000004};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, &o, 1);
    near(tt_policy_propose(r.p, &ask).t1, 19.5, 0);
    ask.next_event = 19.499999999999996;
    near(tt_policy_propose(r.p, &ask).t1, 19.5, 0);
    ask.next_event = 19.4;
    near(tt_policy_propose(r.p, &ask).t1, 19.4, 0);
    rig_fini(&r);
}

/* From rest r with proposals h and limits min, max. */
static void the_last_steps_leave_no_sliver(void **state)
{
    static const struct {
        double rest, h, expect;
    } row[] = {
        {1.0, 0.4, 0.4},    /* far away */
        {0.4, 0.4, 0.4},    /* just there */
        {0.3, 0.4, 0.3},    /* shortened */
        {0.42, 0.4, 0.42},  /* stretched by less than a tenth */
        {0.46, 0.4, 0.23},  /* halved */
        {0.15, 0.1, 0.15},  /* halves would be too short: stretched */
        {0.09, 0.1, 0.09},  /* less than min was left: what else */
        {1.05, 1.0, 0.525}, /* max is not exceeded */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct tt_policy_limits lim = {.min = 0.1, .max = 1, .init = row[i].h};
        struct tt_policy_ask ask = {.t = 0, .end = row[i].rest};
        struct rig r = {0};

        rig_init(&r, &lim, NULL, 0);
        near(tt_policy_propose(r.p, &ask).h, row[i].expect, 1e-15);
        rig_fini(&r);
    }
}

static void accumulated_rounding_does_not_add_a_step(void **state)
{
    struct tt_policy_limits lim = {.min = 1e-6, .max = 0.1};
    struct tt_policy_ask ask = {.end = 10};
    struct rig r = {0};
    int n = 0;

    (void)state;
    rig_init(&r, &lim, NULL, 0);
    for (struct tt_policy_step s; (s = tt_policy_propose(r.p, &ask)).h > 0; n++)
        ask.t = s.t1;
    assert_int_equal(n, 100);
    near(ask.t, 10, 0);
    rig_fini(&r);
}

static void far_out_a_step_is_still_a_step(void **state)
{
    struct tt_policy_limits lim = {.min = 1e-12, .max = 1, .init = 1e-12};
    struct tt_policy_ask ask = {.t = 1e9, .end = 2e9};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, NULL, 0);
    assert_true(tt_policy_propose(r.p, &ask).t1 > 1e9);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round14_rounds_half_up_to_14_decimals),
        cmocka_unit_test(a_million_samples_are_hit_exactly),
        cmocka_unit_test(samples_are_found_from_rounded_times),
        cmocka_unit_test(sampling_may_ask_for_less_than_the_smallest_step),
        cmocka_unit_test(a_fixed_grid_is_computed_not_accumulated),
        cmocka_unit_test(a_grid_that_meets_the_end_ends_there),
        cmocka_unit_test(listed_instants_and_events_are_not_overshot),
        cmocka_unit_test(instants_closer_than_the_tolerance_are_one_the_later),
        cmocka_unit_test(an_event_at_a_grid_point_leaves_it_where_it_is),
        cmocka_unit_test(the_last_steps_leave_no_sliver),
        cmocka_unit_test(accumulated_rounding_does_not_add_a_step),
        cmocka_unit_test(far_out_a_step_is_still_a_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
