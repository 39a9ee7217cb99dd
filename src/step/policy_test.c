/* SPDX-License-Identifier: MIT */
/* The set as a whole: combination, outcomes, degenerate cases, memory. */
#include "step/test_rig.h"

static const uint32_t port0[] = {0};

static double wave(double t)
{
    return sin(3 * t + 0.5);
}

/* Zero crossing, bounded difference and sampling together. */
static const struct tt_policy_opts three[] = {
    {.kind = TT_POLICY_ZERO, .name = "zc", .ports = port0, .n_ports = 1},
    {.kind = TT_POLICY_BOUNDED,
     .name = "bd",
     .ports = port0,
     .n_ports = 1,
     .bounded = {.abstol = 0.2, .reltol = 10}},
    {.kind = TT_POLICY_SAMPLING,
     .name = "adc",
     .sampling = {.base = -2, .rate = 37}},
};
static const struct tt_policy_limits limits = {
    .min = 1e-5, .max = 0.5, .init = 0.01, .n_watched = 1};

static void the_smallest_proposal_wins_and_is_counted(void **state)
{
    struct rig r = {.signal = wave, .can_roll_back = 1};
    uint64_t limited = 0, rejected = 0;
    uint32_t samples = 0;

    (void)state;
    rig_init(&r, &limits, three, 3);
    rig_start(&r, 0, 20);
    while (rig_step(&r))
        samples += r.ask.t == (samples + 1) * 37 / 1e2;
    near(r.ask.t, 20, 0);
    assert_int_equal(samples, 54); /* 20/0.37 */
    for (uint32_t i = 0; i < 3 + TT_POLICY_OWN_COUNT; i++) {
        limited += tt_policy_counts(r.p, i).limited;
        rejected += tt_policy_counts(r.p, i).rejected;
    }
    assert_int_equal(limited, r.steps);
    assert_int_equal(rejected, r.rejections);
    assert_true(tt_policy_counts(r.p, 0).limited > 0);
    assert_true(tt_policy_counts(r.p, 1).limited > 0);
    assert_true(tt_policy_counts(r.p, 2).limited > 0);
    assert_int_equal(
        tt_policy_counts(r.p, tt_policy_members(r.p) + TT_POLICY_OWN_INIT)
            .limited,
        1);
    rig_fini(&r);
}

/* A run whose block is saved before each attempt and restored at each
 * rejection takes the same steps as one that only retries. */
static void a_restored_block_continues_identically(void **state)
{
    struct rig plain = {.signal = wave, .can_roll_back = 1};
    double v0, v1;
    struct tt_policy_evidence ev = {.v0 = &v0, .v1 = &v1, .can_roll_back = 1};
    struct tt_policy_ask ask = {.end = 20};
    uint32_t rejections = 0;
    struct tt_policy *p;
    void *saved, *before;

    (void)state;
    rig_init(&plain, &limits, three, 3);
    saved = tt_alloc(plain.size);
    before = tt_alloc(plain.size);
    p = tt_alloc(plain.size);
    rig_start(&plain, 0, 20);
    memcpy(p, plain.p, plain.size); /* a copy elsewhere is as good */
    while (rig_step(&plain)) {
        struct tt_policy_step s = tt_policy_propose(p, &ask);
        struct tt_policy_ruling ruling;

        memcpy(saved, p, plain.size);
        for (;;) {
            ev.t0 = ask.t;
            ev.t1 = s.t1;
            v0 = wave(ev.t0);
            v1 = wave(ev.t1);
            memcpy(before, p, plain.size);
            ruling = tt_policy_judge(p, &ev);
            assert_memory_equal(before, p, plain.size); /* judging is pure */
            if (ruling.verdict != TT_POLICY_RETRY)
                break;
            memcpy(p, saved, plain.size);
            s = tt_policy_retry(p, &ruling, &ask);
            rejections++;
        }
        tt_policy_commit(p, &ev, &ruling);
        ask.t = s.t1;
        near(s.t1, plain.ask.t, 0);
    }
    assert_true(rejections > 0);
    assert_int_equal(rejections, plain.rejections);
    tt_free(saved);
    tt_free(before);
    tt_free(p);
    rig_fini(&plain);
}

static void deciding_allocates_nothing(void **state)
{
    struct rig r = {.signal = wave, .can_roll_back = 1};
    uint64_t before;

    (void)state;
    rig_init(&r, &limits, three, 3);
    rig_start(&r, 0, 20);
    before = tt_mem_count();
    while (rig_step(&r))
        ;
    assert_int_equal(tt_mem_count(), before);
    rig_fini(&r);
}

/* --- outcomes and degenerate evidence ---------------------------------- */

struct stage {
    struct rig r;
    double v0, v1;
    struct tt_policy_evidence ev;
};

static void stage_init(struct stage *g, double h)
{
    *g = (struct stage){.v0 = 1, .v1 = 0.9};
    rig_init(&g->r, &limits, three, 2);
    g->r.ask.end = 10;
    tt_policy_start(g->r.p, 0, &g->v0);
    tt_policy_propose(g->r.p, &g->r.ask);
    g->ev = (struct tt_policy_evidence){
        .t1 = h, .v0 = &g->v0, .v1 = &g->v1, .can_roll_back = 1};
}

static void expect_text(const struct stage *g, const struct tt_policy_ruling *r,
                        const char *text)
{
    char got[512];

    tt_policy_explain(g->r.p, r, &g->ev, got, sizeof(got));
    assert_string_equal(got, text);
}

static void values_that_are_no_numbers_are_never_accepted(void **state)
{
    static const double bad[] = {(double)NAN, (double)INFINITY};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tt_policy_ruling r;
        struct stage g;

        stage_init(&g, 0.1);
        g.v1 = bad[i];
        r = tt_policy_judge(g.r.p, &g.ev);
        assert_int_equal(r.verdict, TT_POLICY_RETRY);
        assert_int_equal(r.reason, TT_POLICY_NAN);
        near(r.h, 0.025, 1e-15);
        g.ev.can_roll_back = 0;
        r = tt_policy_judge(g.r.p, &g.ev);
        assert_int_equal(r.verdict, TT_POLICY_GIVE_UP);
        g.ev.can_roll_back = 1;
        g.ev.t1 = 1e-5;
        r = tt_policy_judge(g.r.p, &g.ev);
        assert_int_equal(r.verdict, TT_POLICY_GIVE_UP);
        expect_text(&g, &r,
                    i ? "zero crossing 'zc': step from 0 s to 1e-5 s: a value "
                        "is inf; giving up at the smallest step"
                      : "zero crossing 'zc': step from 0 s to 1e-5 s: a value "
                        "is nan; giving up at the smallest step");
        rig_fini(&g.r);
    }
}

static void an_error_that_is_no_number_is_rejected(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_ERROR};
    struct tt_policy_limits lim = {.min = 1e-5, .max = 1};
    struct tt_policy_estimate e = {(double)NAN, 2};
    struct tt_policy_evidence ev = {
        .t1 = 0.1, .estimates = &e, .n_estimates = 1, .can_roll_back = 1};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, &o, 1);
    assert_int_equal(tt_policy_judge(r.p, &ev).reason, TT_POLICY_NAN);
    assert_int_equal(tt_policy_judge(r.p, &ev).verdict, TT_POLICY_RETRY);
    rig_fini(&r);
}

static void a_step_without_length_is_given_up(void **state)
{
    struct tt_policy_ruling r;
    struct stage g;

    (void)state;
    stage_init(&g, 0);
    r = tt_policy_judge(g.r.p, &g.ev);
    assert_int_equal(r.verdict, TT_POLICY_GIVE_UP);
    assert_int_equal(r.reason, TT_POLICY_ZERO_LENGTH);
    rig_fini(&g.r);
}

static void a_refused_step_is_retried_to_where_the_unit_can_go(void **state)
{
    struct tt_policy_ruling r;
    struct stage g;

    (void)state;
    stage_init(&g, 0.1);
    g.ev.outcome = TT_POLICY_REFUSED;
    g.ev.reached = 0.07;
    g.v1 = (double)NAN; /* of no account, the step was not made */
    r = tt_policy_judge(g.r.p, &g.ev);
    assert_int_equal(r.verdict, TT_POLICY_RETRY);
    expect_text(&g, &r,
                "step from 0 s to 0.1 s: an instance rejected "
                "the step "
                "and could reach 0.07 s; retried with h = 0.07 s");
    near(tt_policy_retry(g.r.p, &r, &g.r.ask).t1, 0.07, 0);
    g.ev.reached = 0; /* it does not state */
    r = tt_policy_judge(g.r.p, &g.ev);
    near(r.h, 0.025, 1e-15);
    g.ev.t1 = 1e-5;
    r = tt_policy_judge(g.r.p, &g.ev);
    assert_int_equal(r.verdict, TT_POLICY_GIVE_UP);
    g.ev.reached = 4e-6; /* less than min, but a fact */
    r = tt_policy_judge(g.r.p, &g.ev);
    near(tt_policy_retry(g.r.p, &r, &g.r.ask).t1, 4e-6, 0);
    rig_fini(&g.r);
}

static void an_early_return_without_rollback_is_kept_and_reported(void **state)
{
    struct tt_policy_ruling r;
    struct stage g;

    (void)state;
    stage_init(&g, 0.1);
    g.ev.outcome = TT_POLICY_EARLY;
    g.ev.reached = 0.07;
    g.ev.can_roll_back = 0;
    r = tt_policy_judge(g.r.p, &g.ev);
    assert_int_equal(r.verdict, TT_POLICY_ACCEPT_WARN);
    expect_text(&g, &r,
                "step from 0 s to 0.1 s: an instance returned "
                "early at "
                "0.07 s; kept, for not all instances can roll back");
    g.ev.reached = 0.1 - 1e-16; /* as good as there */
    assert_int_equal(tt_policy_judge(g.r.p, &g.ev).verdict, TT_POLICY_ACCEPT);
    rig_fini(&g.r);
}

static void without_rollback_a_bad_step_is_kept_with_a_warning(void **state)
{
    struct tt_policy_ruling r;
    struct stage g;

    (void)state;
    stage_init(&g, 0.1);
    g.v1 = -1;
    g.ev.can_roll_back = 0;
    r = tt_policy_judge(g.r.p, &g.ev);
    assert_int_equal(r.verdict, TT_POLICY_ACCEPT_WARN);
    assert_false(r.at_min);
    rig_fini(&g.r);
}

/* Near the end the rest may be too short to halve, or a tenth longer than the
 * smallest step: a retry is not stretched back to the end that was rejected. */
static void a_retry_near_the_end_is_shorter(void **state)
{
    static const double rest[] = {0.15, 0.105};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tt_policy_limits lim = {
            .min = 0.1, .max = 1, .init = 1, .n_watched = 1};
        struct tt_policy_ask ask = {.end = rest[i]};
        double v0 = 1, v1 = -1;
        struct tt_policy_evidence ev = {
            .t1 = rest[i], .v0 = &v0, .v1 = &v1, .can_roll_back = 1};
        struct tt_policy_ruling r;
        struct rig rig = {0};

        rig_init(&rig, &lim, three, 1);
        tt_policy_start(rig.p, 0, &v0);
        near(tt_policy_propose(rig.p, &ask).t1, rest[i], 0);
        r = tt_policy_judge(rig.p, &ev);
        assert_int_equal(r.verdict, TT_POLICY_RETRY);
        ev.t1 = tt_policy_retry(rig.p, &r, &ask).t1;
        near(ev.t1, rest[i] / 2, 1e-15);
        r = tt_policy_judge(rig.p, &ev);
        assert_int_equal(r.verdict, TT_POLICY_ACCEPT_WARN);
        rig_fini(&rig);
    }
}

/* --- Zeno -------------------------------------------------------------- */

/* Crosses zero ever faster towards t = 1, without getting smaller. */
static double zeno(double t)
{
    double left = 1 - t;

    return left > 0 ? (fmod(floor(-20 * log2(left)), 2) != 0 ? -1 : 1) : 1;
}

static void chattering_gives_up_and_reports_it(void **state)
{
    struct tt_policy_opts o = {
        .kind = TT_POLICY_ZERO, .name = "edge", .ports = port0, .n_ports = 1};
    struct tt_policy_limits lim = {.min = 1e-3,
                                   .max = 0.1,
                                   .init = 1e-3,
                                   .n_watched = 1,
                                   .zeno_steps = 20,
                                   .zeno_window = 0.3};
    struct rig r = {.signal = zeno, .can_roll_back = 1};
    struct tt_policy_evidence ev = {0};
    char text[256];

    (void)state;
    rig_init(&r, &lim, &o, 1);
    rig_start(&r, 0, 2);
    while (rig_step(&r))
        ;
    assert_int_equal(r.last.verdict, TT_POLICY_GIVE_UP);
    assert_int_equal(r.last.reason, TT_POLICY_ZENO);
    assert_true(r.ask.t > 0.5 && r.ask.t < 1);
    tt_policy_explain(r.p, &r.last, &ev, text, sizeof(text));
    assert_non_null(
        strstr(text, "chattering: 21 smallest steps within 0.3 s; giving up"));
    rig_fini(&r);
}

static double square(double t)
{
    return fmod(floor(2 * t), 2) != 0 ? -1 : 1;
}

/* Each edge ends at the smallest step, but they are far apart. */
static void edges_far_apart_are_no_chattering(void **state)
{
    struct tt_policy_opts o = {
        .kind = TT_POLICY_ZERO, .ports = port0, .n_ports = 1};
    struct tt_policy_limits lim = {
        .min = 1e-4, .max = 0.1, .init = 1e-3, .n_watched = 1};
    struct rig r = {.signal = square, .can_roll_back = 1};

    (void)state;
    rig_init(&r, &lim, &o, 1);
    rig_start(&r, 0, 200);
    while (rig_step(&r))
        ;
    near(r.ask.t, 200, 0);
    assert_true(r.warnings >= 399);
    rig_fini(&r);
}

/* A unit that returns early after next to nothing, again and again. */
static void a_unit_that_creeps_is_given_up(void **state)
{
    struct stage g;
    int n = 0;

    (void)state;
    stage_init(&g, 0.1);
    for (; n < 10000; n++) {
        struct tt_policy_step s = tt_policy_propose(g.r.p, &g.r.ask);
        struct tt_policy_ruling r;

        g.ev.t0 = g.r.ask.t;
        g.ev.t1 = s.t1;
        g.ev.outcome = TT_POLICY_EARLY;
        g.ev.reached = g.ev.t0 + 1e-6;
        r = tt_policy_judge(g.r.p, &g.ev);
        assert_int_equal(r.verdict, TT_POLICY_RETRY);
        g.ev.t1 = tt_policy_retry(g.r.p, &r, &g.r.ask).t1;
        g.ev.outcome = TT_POLICY_REACHED;
        r = tt_policy_judge(g.r.p, &g.ev);
        if (r.verdict == TT_POLICY_GIVE_UP)
            break;
        tt_policy_commit(g.r.p, &g.ev, &r);
        g.r.ask.t = g.ev.t1;
    }
    assert_int_equal(n, 100);
    rig_fini(&g.r);
}

/* --- starting anew, options -------------------------------------------- */

static void history_does_not_cross_an_event(void **state)
{
    double a = 1, b = 0.9, c = 50;
    struct tt_policy_ask ask = {.t = 0.1, .end = 100};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &limits, three, 2);
    tt_policy_start(r.p, 0, &a);
    force(r.p, 0, 0.1, &a, &b);
    tt_policy_start(r.p, 0.1, &c);                    /* a leap of 49.1 */
    near(tt_policy_propose(r.p, &ask).h, 0.1, 1e-15); /* held */
    rig_fini(&r);
}

static void reversed_limits_are_swapped_and_init_is_clipped(void **state)
{
    struct tt_policy_limits lim = {.min = 0.5, .max = 0.1, .init = 3};
    struct tt_policy_ask ask = {.end = 100};
    struct rig r = {0};

    (void)state;
    rig_init(&r, &lim, NULL, 0);
    near(tt_policy_propose(r.p, &ask).h, 0.5, 0);
    rig_fini(&r);
}

static void expect_bad(const struct tt_policy_opts *o, const char *text)
{
    tt_err err;

    assert_int_equal(tt_policy_check(&limits, o, 1, &err), TT_EINPUT);
    assert_string_equal(err.msg, text);
}

static void wrong_options_are_named(void **state)
{
    const uint32_t far[] = {0, 7, 0};
    struct tt_policy_opts o = {
        .kind = TT_POLICY_ZERO, .name = "zc", .ports = far};

    (void)state;
    expect_bad(&o, "zero crossing 'zc': no ports");
    o.n_ports = 3;
    expect_bad(&o, "zero crossing 'zc': 3 ports, at most 2");
    o.n_ports = 2;
    expect_bad(&o, "zero crossing 'zc': port 7 of 1 watched");
    o.n_ports = 1;
    o.zero.order = 3;
    expect_bad(&o, "zero crossing 'zc': order 3, must be 1 or 2");
    o.kind = TT_POLICY_BOUNDED;
    o.bounded.safety = -0.4;
    expect_bad(&o, "bounded difference 'zc': safety must be above -0.4");
    o.kind = TT_POLICY_SAMPLING;
    expect_bad(&o, "sampling rate 'zc': rate must be positive");
    o.kind = TT_POLICY_FIXED;
    o.step = (double)NAN;
    expect_bad(&o, "fixed step 'zc': step must be positive");
    o.kind = TT_POLICY_ERROR;
    o.control.grow = 0.5;
    expect_bad(&o, "error control 'zc': grow must be at least 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_proposal_wins_and_is_counted),
        cmocka_unit_test(a_restored_block_continues_identically),
        cmocka_unit_test(deciding_allocates_nothing),
        cmocka_unit_test(values_that_are_no_numbers_are_never_accepted),
        cmocka_unit_test(an_error_that_is_no_number_is_rejected),
        cmocka_unit_test(a_step_without_length_is_given_up),
        cmocka_unit_test(a_refused_step_is_retried_to_where_the_unit_can_go),
        cmocka_unit_test(an_early_return_without_rollback_is_kept_and_reported),
        cmocka_unit_test(without_rollback_a_bad_step_is_kept_with_a_warning),
        cmocka_unit_test(a_retry_near_the_end_is_shorter),
        cmocka_unit_test(chattering_gives_up_and_reports_it),
        cmocka_unit_test(edges_far_apart_are_no_chattering),
        cmocka_unit_test(a_unit_that_creeps_is_given_up),
        cmocka_unit_test(history_does_not_cross_an_event),
        cmocka_unit_test(reversed_limits_are_swapped_and_init_is_clipped),
        cmocka_unit_test(wrong_options_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
