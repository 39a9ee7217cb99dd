/* SPDX-License-Identifier: MIT */
/* Maestro's constraints: every bin and factor, by hand, then crossings located
 * and differences kept on closed-form signals. */
#include "step/test_rig.h"

static const uint32_t port01[] = {0, 1, 2};

/* Three values one second apart; the proposal after them, H = 1. */
static double after(const struct tt_policy_opts *o, uint32_t n_watched,
                    const double v[3][2])
{
    struct tt_policy_limits lim = {
        .min = 1e-3, .max = 100, .init = 1, .n_watched = n_watched};
    struct tt_policy_ask ask = {.t = 0, .end = 1e6};
    struct tt_policy_step s;
    struct rig r = {0};

    rig_init(&r, &lim, o, 1);
    tt_policy_start(r.p, 0, v[0]);
    for (int i = 0; i < 2; i++) {
        tt_policy_propose(r.p, &ask);
        force(r.p, i, 1, v[i], v[i + 1]);
        ask.t = i + 1;
    }
    s = tt_policy_propose(r.p, &ask);
    rig_fini(&r);
    return s.h;
}

static double zero_after(uint32_t order, double safety, double a, double b,
                         double c)
{
    struct tt_policy_opts o = {
        .kind = TT_POLICY_ZERO,
        .ports = port01,
        .n_ports = 1,
        .zero = {.order = order, .abstol = 1e-3, .safety = safety}};
    const double v[3][2] = {{a, 0}, {b, 0}, {c, 0}};

    return after(&o, 1, v);
}

/* f falls by 1 a step. The first step was foretold as constant, with the
 * relative error 1/(f+1), the second exactly: eps = 0.7/(f+1), nx = f. */
static void approaching_bins_are_maestros(void **state)
{
    static const struct {
        double f, h;
    } row[] = {
        {0.5, 0.5 / (1 + 0.7 / 1.5)}, /* n = 0.34: hit */
        {1.2, 1.2 / (1 + 0.7 / 2.2)}, /* n = 0.91: hit */
        {1.5, 0.5},                   /* n = 1.17 */
        {2, 0.5},                     /* n = 1.62 */
        {2.5, 1},                     /* n = 2.08 */
        {3, 1},                       /* n = 2.55 */
        {4, 1.2},                     /* n = 3.51 */
        {30, 1.2},                    /* n = 29.3 */
        {31, 3},                      /* n = 30.3 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        for (uint32_t order = 1; order <= 2; order++) {
            double f = row[i].f;

            near(zero_after(order, 0, f + 2, f + 1, f), row[i].h, 1e-12);
            near(zero_after(order, 0, -f - 2, -f - 1, -f), row[i].h, 1e-12);
        }
}

static void safety_shortens_the_way_to_a_crossing(void **state)
{
    (void)state;
    /* n = 4/(1 + 0.14 + 1) = 1.87 instead of 3.51: H, not 1.2 H */
    near(zero_after(1, 1, 6, 5, 4), 1, 1e-12);
}

static void approaching_within_tolerance_relaxes_or_holds(void **state)
{
    (void)state;
    near(zero_after(2, 0, 3, 2, 0.00049), 1.2, 1e-12);
    near(zero_after(2, 0, 3, 2, 0.0005), 1, 1e-12); /* strict */
    near(zero_after(2, 0, 3, 2, 0.00099), 1, 1e-12);
}

static void distancing_relaxes_strongly(void **state)
{
    (void)state;
    near(zero_after(2, 0, 1, 2, 3), 3, 1e-12);
    near(zero_after(1, 0, 1, -2, -2), 3, 1e-12); /* not nearer is distancing */
}

static void crossed_bins_are_maestros(void **state)
{
    (void)state;
    near(zero_after(2, 0, -2, -1, 0.0004), 1.2, 1e-12);
    near(zero_after(2, 0, -2, -1, 0.0006), 1, 1e-12);
    near(zero_after(2, 0, -2, -1, 0.01), 0.5, 1e-12);
    near(zero_after(2, 0, -2, -1, 0), 1.2, 1e-12);
}

static void growing_oscillation_tightens_further(void **state)
{
    (void)state;
    near(zero_after(2, 0, 0.0001, -0.0002, 0.0004), 1, 1e-12);
    near(zero_after(2, 0, 0.0001, -0.0002, 0.0006), 0.5, 1e-12);
    near(zero_after(2, 0, 0.001, -0.002, 0.01), 1e-3, 1e-12); /* min */
    near(zero_after(2, 0, 0.02, -0.015, 0.01), 0.5, 1e-12);   /* it shrinks */
}

static void second_order_follows_the_parabola(void **state)
{
    (void)state;
    /* f = 8 - t^2/2 at t = 2: f = 6, f' = -2, f'' = -1, root in 2 s. Foretold
     * as 7 from two points: eps = 1/6, n = 12/7 = 1.71 */
    near(zero_after(2, 0, 8, 7.5, 6), 0.5, 1e-12);
    /* first order: nx = 6/1.5 = 4, eps = 1/6, n = 3.43 */
    near(zero_after(1, 0, 8, 7.5, 6), 1.2, 1e-12);
    /* f = 1 + (t - 2)^2/2 never crosses */
    near(zero_after(2, 0, 3, 1.5, 1), 3, 1e-12);
}

static void two_ports_add_their_errors(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_ZERO,
                               .ports = port01,
                               .n_ports = 2,
                               .zero = {.order = 1}};
    const double v[3][2] = {{12, 2}, {11, 3}, {10, 4}};

    (void)state;
    /* eps = 0.7/11 + 0.7/3 = 0.297, n = 3/1.297 = 2.31: H. Subtracted it were
     * 3/0.83 = 3.6: 1.2 H */
    near(after(&o, 2, v), 1, 1e-12);
}

static double bounded_after(const struct tt_policy_bounded *b, double before,
                            double now)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_BOUNDED,
                               .ports = port01,
                               .n_ports = 1,
                               .bounded = *b};
    const double v[3][2] = {{before, 0}, {before, 0}, {now, 0}};

    return after(&o, 1, v);
}

static void bounded_difference_bins_are_maestros(void **state)
{
    static const struct {
        double d, h;
    } row[] = {{0, 3},    {0.19, 3},   {0.21, 1.2}, {0.39, 1.2}, {0.41, 1},
               {0.59, 1}, {0.61, 0.5}, {1, 0.5},    {1.01, 0.01}};
    struct tt_policy_bounded by_abs = {.abstol = 1, .reltol = 1e9};
    struct tt_policy_bounded by_rel = {.abstol = 1e9, .reltol = 1e-2};

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        near(bounded_after(&by_abs, 0, row[i].d), row[i].h, 1e-12);
        near(bounded_after(&by_abs, row[i].d, 0), row[i].h, 1e-12);
        if (row[i].d != 1) /* 0.01 of 100, up to rounding */
            near(bounded_after(&by_rel, 100, 100 - row[i].d), row[i].h, 1e-12);
    }
}

static void the_worse_of_two_tolerances_counts(void **state)
{
    struct tt_policy_bounded b = {.abstol = 1, .reltol = 0.1};

    (void)state;
    near(bounded_after(&b, 10, 10.5), 1, 1e-12);     /* 0.5 and 0.48 */
    near(bounded_after(&b, 1, 1.1), 0.5, 1e-12);     /* 0.1 and 0.91 */
    near(bounded_after(&b, 100, 100.7), 0.5, 1e-12); /* 0.7 and 0.07 */
}

static void safety_moves_all_bins_but_the_last(void **state)
{
    struct tt_policy_bounded b = {.abstol = 1, .reltol = 1e9, .safety = 1};

    (void)state;
    near(bounded_after(&b, 0, 0.11), 1.2, 1e-12);
    near(bounded_after(&b, 0, 0.21), 1, 1e-12);
    near(bounded_after(&b, 0, 0.31), 0.5, 1e-12);
    near(bounded_after(&b, 0, 0.99), 0.5, 1e-12);
    near(bounded_after(&b, 0, 1.01), 0.01, 1e-12);
}

static void several_ports_are_compared_with_each_other(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_BOUNDED,
                               .ports = port01,
                               .n_ports = 2,
                               .bounded = {.abstol = 1, .reltol = 1e9}};
    const double apart[3][2] = {{0, 0}, {0, 0}, {-3, -3.7}};
    const double leap[3][2] = {{0, 0}, {0, 0}, {50, 50.1}};

    (void)state;
    near(after(&o, 2, apart), 0.5, 1e-12);
    near(after(&o, 2, leap), 3, 1e-12);
}

/* Steps of 0.04 held by the difference; an instant cuts one to 0.02, whose
 * difference looks safe: 1.2 * 0.02. The decision before, hold, on 0.04 is
 * longer. */
static void a_step_cut_by_sampling_does_not_shrink_the_next(void **state)
{
    for (int keep = 0; keep < 2; keep++) {
        struct tt_policy_opts o[] = {
            {.kind = TT_POLICY_BOUNDED,
             .ports = port01,
             .n_ports = 1,
             .bounded = {.abstol = 0.08, .reltol = 1e9, .keep_discrete = keep}},
            {.kind = TT_POLICY_SAMPLING,
             .sampling = {.base = -2, .rate = 10, .first = 10}},
        };
        struct tt_policy_limits lim = {
            .min = 1e-3, .max = 1, .init = 0.04, .n_watched = 1};
        struct tt_policy_ask ask = {.end = 10};
        struct rig r = {0};
        double t = 0, h[4];

        (void)state;
        rig_init(&r, &lim, o, 2);
        tt_policy_start(r.p, 0, &t);
        for (int i = 0; i < 4; i++) { /* the value is the time */
            struct tt_policy_step s = tt_policy_propose(r.p, &ask);

            h[i] = s.h;
            force(r.p, ask.t, s.t1 - ask.t, &ask.t, &s.t1);
            ask.t = s.t1;
        }
        near(h[1], 0.04, 1e-12);
        near(h[2], 0.02, 1e-12); /* to 0.1 */
        near(h[3], keep ? 0.024 : 0.04, 1e-12);
        rig_fini(&r);
    }
}

static void an_invalid_step_is_retried_with_a_quarter(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_ZERO,
                               .name = "bounce",
                               .ports = port01,
                               .n_ports = 1};
    struct tt_policy_limits lim = {
        .min = 0.1, .max = 1, .init = 1, .n_watched = 1};
    double v0 = 1, v1 = -1;
    struct tt_policy_evidence ev = {
        .t0 = 0, .t1 = 1, .v0 = &v0, .v1 = &v1, .can_roll_back = 1};
    struct tt_policy_ask ask = {.end = 10};
    struct tt_policy_ruling r;
    struct rig rig = {0};
    char text[256];

    (void)state;
    rig_init(&rig, &lim, &o, 1);
    tt_policy_start(rig.p, 0, &v0);
    tt_policy_propose(rig.p, &ask);
    r = tt_policy_judge(rig.p, &ev);
    assert_int_equal(r.verdict, TT_POLICY_RETRY);
    tt_policy_explain(rig.p, &r, &ev, text, sizeof(text));
    assert_string_equal(text,
                        "zero crossing 'bounce': step from 0 s to 1 s: a "
                        "crossing, at least 1 from zero at both ends, exceeds "
                        "the tolerance 0.001; retried with h = 0.25 s");
    ev.t1 = tt_policy_retry(rig.p, &r, &ask).t1;
    near(ev.t1, 0.25, 0);
    r = tt_policy_judge(rig.p, &ev);
    ev.t1 = tt_policy_retry(rig.p, &r, &ask).t1;
    near(ev.t1, 0.1, 0); /* not below min */
    r = tt_policy_judge(rig.p, &ev);
    assert_int_equal(r.verdict, TT_POLICY_ACCEPT_WARN);
    assert_true(r.at_min);
    tt_policy_commit(rig.p, &ev, &r);
    assert_int_equal(tt_policy_counts(rig.p, 0).rejected, 2);
    assert_int_equal(tt_policy_counts(rig.p, 0).limited, 1);
    assert_int_equal(tt_policy_counts(rig.p, 0).warned, 1);
    v1 = -1e-3; /* at the tolerance is within */
    assert_int_equal(tt_policy_judge(rig.p, &ev).verdict, TT_POLICY_ACCEPT);
    rig_fini(&rig);
}

/* --- on signals -------------------------------------------------------- */

/* A ball dropped from 1 m, g = 9.81, restitution 0.7: height in closed form. */
static double ball(double t)
{
    double v = 9.81 * sqrt(2 / 9.81), fall = v / 9.81;

    if (t < fall)
        return 1 - 0.5 * 9.81 * t * t;
    t -= fall;
    for (;;) {
        double flight;

        v *= 0.7;
        flight = 2 * v / 9.81;
        if (t < flight || flight < 1e-9)
            return v * t - 0.5 * 9.81 * t * t;
        t -= flight;
    }
}

static double bounce_time(int n)
{
    double v = 9.81 * sqrt(2 / 9.81), t = v / 9.81;

    for (int i = 0; i < n; i++) {
        v *= 0.7;
        t += 2 * v / 9.81;
    }
    return t;
}

/* The ball never goes below 0, so f = height touches zero: there must be a
 * communication point with |f| small before each bounce. */
static void bounces_are_met_within_tolerance(void **state)
{
    for (int roll = 0; roll < 2; roll++) {
        struct tt_policy_opts o = {.kind = TT_POLICY_ZERO,
                                   .ports = port01,
                                   .n_ports = 1,
                                   .zero = {.abstol = 1e-4}};
        struct tt_policy_limits lim = {
            .min = 1e-6, .max = 0.1, .init = 1e-3, .n_watched = 1};
        struct rig r = {.signal = ball, .can_roll_back = roll};
        double nearest[4] = {9, 9, 9, 9};

        (void)state;
        rig_init(&r, &lim, &o, 1);
        rig_start(&r, 0, 1.9);
        while (rig_step(&r))
            for (int n = 0; n < 4; n++)
                if (fabs(r.ask.t - bounce_time(n)) < fabs(nearest[n]))
                    nearest[n] = r.ask.t - bounce_time(n);
        near(r.ask.t, 1.9, 0);
        for (int n = 0; n < 4; n++)
            assert_true(ball(bounce_time(n) + nearest[n]) <= 1e-4);
        assert_true(r.steps < 600);
        rig_fini(&r);
    }
}

static double wave(double t)
{
    return sin(3 * t + 0.5);
}

static double inside_t[200], inside_v[200];

/* The signal as a unit would note it within the step. */
static struct tt_policy_inside note(signal_fn f, double t0, double t1,
                                    uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        inside_t[i] = t0 + (t1 - t0) * (i + 1) / (n + 1);
        inside_v[i] = f(inside_t[i]);
    }
    return (struct tt_policy_inside){n, inside_t, inside_v};
}

static double cosine(double t)
{
    return cos(t);
}

/* cos t is positive at 0 and at 6, and negative in between. */
static void values_within_the_step_locate_a_crossing(void **state)
{
    struct tt_policy_limits lim = {.min = 1e-6, .max = 10, .n_watched = 1};
    uint32_t port = 0;
    struct tt_policy_opts o = {.kind = TT_POLICY_ZERO,
                               .ports = &port,
                               .n_ports = 1,
                               .zero = {.abstol = 1e-4}};
    double v0 = 1, v1 = cos(6);
    struct tt_policy_evidence ev = {
        .t0 = 0, .t1 = 6, .v0 = &v0, .v1 = &v1, .can_roll_back = 1};
    struct tt_policy_inside in;
    struct tt_policy_ask ask = {.end = 10};
    struct tt_policy_ruling r;
    struct rig rig = {0};

    (void)state;
    rig_init(&rig, &lim, &o, 1);
    tt_policy_start(rig.p, 0, &v0);
    tt_policy_propose(rig.p, &ask);
    assert_int_equal(tt_policy_judge(rig.p, &ev).verdict, TT_POLICY_ACCEPT);
    in = note(cosine, 0, 6, 99);
    ev.inside = &in;
    r = tt_policy_judge(rig.p, &ev);
    assert_int_equal(r.verdict, TT_POLICY_RETRY);
    assert_int_equal(r.reason, TT_POLICY_CROSSED);
    near(r.h, acos(0), 1e-4);   /* of a line between rows of 0.06 s */
    inside_v[25] = (double)NAN; /* around it nothing is known */
    inside_v[26] = (double)NAN;
    near(tt_policy_judge(rig.p, &ev).h, acos(0), 1e-3);
    ev.t1 = tt_policy_retry(rig.p, &r, &ask).t1;
    v1 = cos(ev.t1);
    in = note(cosine, 0, ev.t1, 99);
    assert_int_equal(tt_policy_judge(rig.p, &ev).verdict, TT_POLICY_ACCEPT);
    rig_fini(&rig);
}

/* At each crossing the better end of the step is within tolerance. Without
 * rollback that is the predictor's work alone, and a line from near the crest
 * overshoots: then order 1 only warns. */
static void crossings_of_a_sinusoid_are_located(void **state)
{
    for (uint32_t order = 1; order <= 2; order++)
        for (int roll = 0; roll < 2; roll++) {
            double tol = order == 2 || roll ? 1e-3 : 0.1;
            struct tt_policy_opts o = {
                .kind = TT_POLICY_ZERO,
                .ports = port01,
                .n_ports = 1,
                .zero = {.order = order, .abstol = 1e-3}};
            struct tt_policy_limits lim = {
                .min = 1e-5, .max = 0.2, .init = 1e-3, .n_watched = 1};
            struct rig r = {.signal = wave, .can_roll_back = roll};
            uint32_t crossings = 0;
            double t = 0;

            (void)state;
            rig_init(&r, &lim, &o, 1);
            rig_start(&r, 0, 20);
            for (; rig_step(&r); t = r.ask.t)
                if (wave(t) * wave(r.ask.t) < 0) {
                    crossings++;
                    assert_true(fmin(fabs(wave(t)), fabs(wave(r.ask.t))) <=
                                tol);
                }
            near(r.ask.t, 20, 0);
            assert_true(crossings >= 19);
            assert_true((r.warnings > 0) == (tol > 1e-3));
            assert_true(r.steps < 2000);
            rig_fini(&r);
        }
}

static double ramp_with_bend(double t)
{
    return t < 5 ? exp(t / 5) : exp(1) * exp(-2 * (t - 5));
}

static void bounded_difference_keeps_differences_within_tolerance(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_BOUNDED,
                               .ports = port01,
                               .n_ports = 1,
                               .bounded = {.abstol = 0.05, .reltol = 0.05}};
    struct tt_policy_limits lim = {
        .min = 1e-4, .max = 1, .init = 0.01, .n_watched = 1};
    struct rig r = {.signal = ramp_with_bend, .can_roll_back = 1};
    double t = 0;

    (void)state;
    rig_init(&r, &lim, &o, 1);
    rig_start(&r, 0, 8);
    for (; rig_step(&r); t = r.ask.t) {
        double a = ramp_with_bend(t), b = ramp_with_bend(r.ask.t),
               d = fabs(a - b);

        assert_true(d <= 0.05 && d <= 0.05 * fmax(a, b));
    }
    near(r.ask.t, 8, 0);
    assert_int_equal(r.warnings, 0);
    assert_true(r.rejections > 0 && r.rejections < 5); /* at the bend */
    assert_true(r.steps < 400);
    rig_fini(&r);
}

static void unit_maximum_counts_only_when_configured(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_UNIT_MAX};
    struct tt_policy_limits lim = {.min = 0.01, .max = 1, .init = 0.5};
    struct tt_policy_ask ask = {.end = 10, .unit_max = 0.2};
    struct rig with = {0}, without = {0};

    (void)state;
    rig_init(&with, &lim, &o, 1);
    rig_init(&without, &lim, &o, 0);
    near(tt_policy_propose(with.p, &ask).h, 0.2, 0);
    near(tt_policy_propose(without.p, &ask).h, 0.5, 0);
    ask.unit_max = 1e-3; /* below min is min */
    near(tt_policy_propose(with.p, &ask).h, 0.01, 0);
    ask.unit_max = 0; /* not given */
    near(tt_policy_propose(with.p, &ask).h, 0.5, 0);
    rig_fini(&with);
    rig_fini(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approaching_bins_are_maestros),
        cmocka_unit_test(safety_shortens_the_way_to_a_crossing),
        cmocka_unit_test(approaching_within_tolerance_relaxes_or_holds),
        cmocka_unit_test(distancing_relaxes_strongly),
        cmocka_unit_test(crossed_bins_are_maestros),
        cmocka_unit_test(growing_oscillation_tightens_further),
        cmocka_unit_test(second_order_follows_the_parabola),
        cmocka_unit_test(two_ports_add_their_errors),
        cmocka_unit_test(bounded_difference_bins_are_maestros),
        cmocka_unit_test(the_worse_of_two_tolerances_counts),
        cmocka_unit_test(safety_moves_all_bins_but_the_last),
        cmocka_unit_test(several_ports_are_compared_with_each_other),
        cmocka_unit_test(a_step_cut_by_sampling_does_not_shrink_the_next),
        cmocka_unit_test(an_invalid_step_is_retried_with_a_quarter),
        cmocka_unit_test(bounces_are_met_within_tolerance),
        cmocka_unit_test(values_within_the_step_locate_a_crossing),
        cmocka_unit_test(crossings_of_a_sinusoid_are_located),
        cmocka_unit_test(bounded_difference_keeps_differences_within_tolerance),
        cmocka_unit_test(unit_maximum_counts_only_when_configured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
