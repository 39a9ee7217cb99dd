/* SPDX-License-Identifier: MIT */
/* Crossings are located where closed forms place them. */
#include "step/test_rig.h"

static const uint32_t port0[] = {0}, port1[] = {1};

struct course_of {
    double (*f)(double t);
    struct tt_policy *p;
    struct tt_policy_ask ask;
    struct tt_policy_hunt hunt[4];
    double v[2][2]; /* of f and, where it is watched, g */
    double (*g)(double t);
    int can_roll_back;
    uint32_t trials;
    double end;
};

static void sample(const struct course_of *c, double t, double *v)
{
    v[0] = c->f(t);
    v[1] = c->g ? c->g(t) : 1;
}

static void begin(struct course_of *c, const struct tt_policy_opts *o,
                  uint32_t n, double end)
{
    struct tt_policy_limits lim = {.n_watched = 2, .max = 1};
    tt_err err;

    assert_int_equal(tt_policy_check(&lim, o, n, &err), TT_OK);
    c->p = tt_policy_init(tt_alloc(tt_policy_size(&lim, o, n)), &lim, o, n);
    c->ask = (struct tt_policy_ask){.end = end};
    sample(c, 0, c->v[0]);
    tt_policy_start(c->p, 0, c->v[0]);
}

/* One step that stands, from ask.t. */
static void step(struct course_of *c)
{
    struct tt_policy_step s = tt_policy_propose(c->p, &c->ask);
    struct tt_policy_evidence ev = {.t0 = c->ask.t,
                                    .v0 = c->v[0],
                                    .v1 = c->v[1],
                                    .can_roll_back = c->can_roll_back,
                                    .hunt = c->hunt};
    struct tt_policy_ruling r;

    memset(c->hunt, 0, sizeof(c->hunt));
    for (c->trials = 0;; c->trials++) {
        assert_true(c->trials < 100);
        ev.t1 = s.t1;
        sample(c, ev.t1, c->v[1]);
        r = tt_policy_judge(c->p, &ev);
        if (r.verdict != TT_POLICY_RETRY)
            break;
        s = tt_policy_retry(c->p, &r, &c->ask);
    }
    assert_int_equal(r.verdict, TT_POLICY_ACCEPT);
    tt_policy_commit(c->p, &ev, &r);
    memcpy(c->v[0], c->v[1], sizeof(c->v[0]));
    c->ask.t = s.t1;
}

/* Step to the end: where member i fired, up to `most`. */
static uint32_t run(struct course_of *c, uint32_t i, double *at, uint32_t most)
{
    uint32_t n = 0;

    while (c->ask.t < c->ask.end) {
        step(c);
        if (tt_policy_crossed(c->p, i).fired) {
            assert_true(n < most);
            at[n++] = c->ask.t;
        }
    }
    return n;
}

static void end(struct course_of *c)
{
    tt_free(c->p);
}

static double falling(double t)
{
    return exp(-t) - 0.3;
}

static void a_smooth_crossing_takes_a_handful_of_attempts(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1}};
    struct course_of c = {.f = falling, .can_roll_back = 1};
    struct tt_policy_crossings is;

    (void)state;
    begin(&c, o, 2, 3);
    step(&c);
    step(&c);
    is = tt_policy_crossed(c.p, 1);
    assert_int_equal(is.fired, -1);
    near(c.ask.t, log(1 / 0.3), 1e-9);
    assert_true(c.ask.t >= log(1 / 0.3)); /* it has happened */
    assert_true(is.error > 0 && is.error <= 1e-9);
    assert_true(c.trials <= 10); /* bisection takes 30 */
    assert_int_equal(is.trials, c.trials);
    step(&c);
    near(c.ask.t, 1.25 * log(1 / 0.3), 1e-8); /* it might come back */
    step(&c);
    assert_true(c.ask.t == 2); /* the grid goes on */
    assert_int_equal(tt_policy_crossed(c.p, 1).fired, 0);
    assert_int_equal(tt_policy_crossed(c.p, 1).n, 1);
    assert_int_equal(tt_policy_crossed(c.p, 1).n_late, 0);
    end(&c);
}

static double leaping(double t)
{
    return t < 0.7 ? -1 : t < 2.5 ? 1 : -3;
}

static void a_leap_takes_an_attempt_more_than_bisection(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1}};
    struct course_of c = {.f = leaping, .can_roll_back = 1};
    double at[2];

    (void)state;
    begin(&c, o, 2, 4);
    step(&c);
    near(c.ask.t, 0.7, 1e-9);
    assert_true(c.trials <= 32); /* log2(1e9), n0, and back to its end */
    assert_int_equal(tt_policy_crossed(c.p, 1).fired, 1);
    assert_int_equal(run(&c, 1, at, 2), 1); /* and the way down */
    near(at[0], 2.5, 1e-9);
    end(&c);
}

/* A ball, from 1 m, that keeps half of its speed: bounces at 0.4515 (1 + 1,
 * 1/2, ...). Its steps are longer than most of its flights. */
static double ball_t, ball_v;
static double ball(double t)
{
    return ball_v * (t - ball_t) - 9.81 / 2 * (t - ball_t) * (t - ball_t) +
           (ball_t == 0);
}

static void short_flights_are_not_stepped_over(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 0.4},
        {.kind = TT_POLICY_LOCATE,
         .ports = port0,
         .n_ports = 1,
         .locate = {.down = 1, .tolerance = 1e-12}}};
    struct course_of c = {.f = ball, .can_roll_back = 1};
    double first = sqrt(2 / 9.81), speed = 9.81 * first, t = first;

    (void)state;
    ball_t = ball_v = 0;
    begin(&c, o, 2, 3);
    for (int bounce = 0; bounce < 20; bounce++) {
        do
            step(&c);
        while (!tt_policy_crossed(c.p, 1).fired);
        near(c.ask.t, t, 1e-10);
        speed /= 2;
        t += 2 * speed / 9.81;
        ball_t = c.ask.t;
        ball_v = speed;
    }
    end(&c);
}

static double wave(double t)
{
    return sin(t);
}

static void each_direction_counts_as_asked(void **state)
{
    static const double pi = 3.14159265358979323846;

    (void)state;
    for (int d = 0; d < 3; d++) {
        const struct tt_policy_opts o[] = {
            {.kind = TT_POLICY_FIXED, .step = 0.7},
            {.kind = TT_POLICY_LOCATE,
             .ports = port0,
             .n_ports = 1,
             .locate = {.up = d != 1, .down = d != 0, .tolerance = 1e-12}}};
        struct course_of c = {.f = wave, .can_roll_back = 1};
        double at[8];
        uint32_t n, first = d == 0 ? 2 : 1, by = d == 2 ? 1 : 2;

        begin(&c, o, 2, 13);
        n = run(&c, 1, at, 8);
        /* it is 0 at the start, which is no crossing of any step */
        assert_int_equal(n, d == 2 ? 4 : 2);
        for (uint32_t i = 0; i < n; i++)
            near(at[i], (first + by * i) * pi, 2e-12);
        end(&c);
    }
}

static double through_two(double t)
{
    return t - 2;
}

static void a_crossing_at_a_communication_point_counts_once(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1}};
    struct course_of c = {.f = through_two, .can_roll_back = 1};
    double at[2];

    (void)state;
    begin(&c, o, 2, 5);
    assert_int_equal(run(&c, 1, at, 2), 1);
    assert_true(at[0] == 2);
    assert_true(tt_policy_crossed(c.p, 1).error <= 1e-9);
    assert_int_equal(tt_policy_crossed(c.p, 1).n_late, 0);
    end(&c);
}

static double down_later(double t)
{
    return 0.7 - t;
}
static double up_sooner(double t)
{
    return t * t - 0.09;
}

static void the_first_of_two_crossings_in_a_step_comes_first(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port1, .n_ports = 1}};
    struct course_of c = {.f = down_later, .g = up_sooner, .can_roll_back = 1};

    (void)state;
    begin(&c, o, 3, 2);
    step(&c);
    near(c.ask.t, 0.3, 1e-9);
    assert_int_equal(tt_policy_crossed(c.p, 1).fired, 0);
    assert_int_equal(tt_policy_crossed(c.p, 2).fired, 1);
    step(&c);
    near(c.ask.t, 1.25 * 0.3, 1e-8);
    step(&c);
    near(c.ask.t, 0.7, 1e-9);
    assert_int_equal(tt_policy_crossed(c.p, 1).fired, -1);
    assert_int_equal(tt_policy_crossed(c.p, 2).fired, 0);
    end(&c);
}

static void two_at_one_instant_are_one_step(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1},
        {.kind = TT_POLICY_LOCATE, .ports = port1, .n_ports = 1}};
    struct course_of c = {.f = down_later, .g = down_later, .can_roll_back = 1};

    (void)state;
    begin(&c, o, 3, 2);
    step(&c);
    assert_int_equal(tt_policy_crossed(c.p, 1).fired, -1);
    assert_int_equal(tt_policy_crossed(c.p, 2).fired, -1);
    end(&c);
}

/* Goes up until it is stopped behind 0.5, and then down again. */
static double stopped_at = (double)INFINITY;
static double returning(double t)
{
    double top = fmin(t, stopped_at);

    return top * top * top - 0.125 - (t - top);
}

static void it_counts_again_only_when_it_has_left_the_band(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 0.4},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1}};
    struct course_of c = {.f = returning, .can_roll_back = 1};
    double at[4];

    (void)state;
    begin(&c, o, 2, 2);
    step(&c);
    step(&c);
    assert_int_equal(tt_policy_crossed(c.p, 1).fired, 1);
    stopped_at = c.ask.t;
    assert_true(stopped_at > 0.5); /* on the other side, by less than 1e-9 */
    assert_int_equal(run(&c, 1, at, 4), 0);
    stopped_at = (double)INFINITY;
    end(&c);
}

static void without_a_way_back_lateness_is_reported(void **state)
{
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 0.25},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1}};
    struct course_of c = {.f = down_later};
    struct tt_policy_crossings is;
    double at[2];

    (void)state;
    begin(&c, o, 2, 2);
    assert_int_equal(run(&c, 1, at, 2), 1);
    is = tt_policy_crossed(c.p, 1);
    assert_true(at[0] == 0.75);
    near(is.late, 0.05, 1e-15);
    near(is.late_most, 0.05, 1e-15);
    near(is.late_sum, 0.05, 1e-15);
    assert_int_equal(is.n_late, 1);
    end(&c);
}

/* Zeros of a sine lie anywhere in steps of 0.1, for pi is irrational: by
 * Koksma's inequality the mean of 318 of them is half a step but for a few
 * hundredths of it. */
static void lateness_is_half_a_step_on_average(void **state)
{
    static const double pi = 3.14159265358979323846;
    const struct tt_policy_opts o[] = {
        {.kind = TT_POLICY_FIXED, .step = 0.1},
        {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1}};
    struct course_of c = {.f = wave};
    static double at[400];
    double sum = 0;
    uint32_t n;

    (void)state;
    begin(&c, o, 2, 1000);
    n = run(&c, 1, at, 400);
    assert_int_equal(n, 318);
    for (uint32_t i = 0; i < n; i++)
        sum += at[i] - (i + 1) * pi;
    near(sum / n, 0.05, 0.05 * 0.05);
    near(tt_policy_crossed(c.p, 1).late_sum, sum, 1e-3 * sum);
    end(&c);
}

/* Steps of 0.25 alone would be late by 0.046. */
static void a_crossing_is_foretold_where_steps_may_vary(void **state)
{
    const struct tt_policy_opts o[] = {{.kind = TT_POLICY_FIXED, .step = 0.25},
                                       {.kind = TT_POLICY_LOCATE,
                                        .ports = port0,
                                        .n_ports = 1,
                                        .locate = {.predicts = 1}}};
    struct course_of c = {.f = falling};
    struct tt_policy_crossings is;
    double at[2], exact = log(1 / 0.3);

    (void)state;
    begin(&c, o, 2, 2);
    assert_int_equal(run(&c, 1, at, 2), 1);
    is = tt_policy_crossed(c.p, 1);
    assert_true(at[0] >= exact);
    near(is.late, at[0] - exact, 1e-9); /* what is reported is true */
    assert_true(is.late < 1e-6);
    end(&c);
}

/* Faster than any step is to be. */
static double trembling(double t)
{
    return cos(t * 1e7);
}

static void chattering_has_a_name(void **state)
{
    const struct tt_policy_opts o[] = {{.kind = TT_POLICY_FIXED, .step = 1},
                                       {.kind = TT_POLICY_LOCATE,
                                        .ports = port0,
                                        .n_ports = 1,
                                        .locate = {.tolerance = 1e-12}}};
    struct course_of c = {.f = trembling, .can_roll_back = 1};
    struct tt_policy_evidence ev = {
        .v0 = c.v[0], .v1 = c.v[1], .can_roll_back = 1, .hunt = c.hunt};
    struct tt_policy_ruling r = {0};

    (void)state;
    begin(&c, o, 2, 2);
    /* steps of a third of its period, each of which ends at a crossing */
    for (int i = 0; i < 400 && r.verdict != TT_POLICY_GIVE_UP; i++) {
        (void)tt_policy_propose(c.p, &c.ask);
        memset(c.hunt, 0, sizeof(c.hunt));
        ev.t0 = c.ask.t;
        ev.t1 = c.ask.t + 2e-7;
        sample(&c, ev.t1, c.v[1]);
        while ((r = tt_policy_judge(c.p, &ev)).verdict == TT_POLICY_RETRY) {
            ev.t1 = tt_policy_retry(c.p, &r, &c.ask).t1;
            sample(&c, ev.t1, c.v[1]);
        }
        tt_policy_commit(c.p, &ev, &r);
        memcpy(c.v[0], c.v[1], sizeof(c.v[0]));
        c.ask.t = ev.t1;
    }
    assert_int_equal(r.verdict, TT_POLICY_GIVE_UP);
    assert_int_equal(r.reason, TT_POLICY_ZENO);
    assert_int_equal(r.by, 1);
    end(&c);
}

static void a_crossing_is_explained(void **state)
{
    const struct tt_policy_opts o[] = {{.kind = TT_POLICY_FIXED, .step = 1},
                                       {.kind = TT_POLICY_LOCATE,
                                        .name = "empty",
                                        .ports = port0,
                                        .n_ports = 1}};
    struct course_of c = {.f = down_later, .can_roll_back = 1};
    double v1[] = {-0.3, 1};
    struct tt_policy_hunt hunt[2] = {{0}};
    struct tt_policy_evidence ev = {
        .t1 = 1, .v0 = c.v[0], .v1 = v1, .can_roll_back = 1, .hunt = hunt};
    struct tt_policy_ruling r;
    char words[256];

    (void)state;
    begin(&c, o, 2, 2);
    r = tt_policy_judge(c.p, &ev);
    (void)tt_policy_explain(c.p, &r, &ev, words, sizeof(words));
    assert_string_equal(words,
                        "crossing 'empty': step from 0 s to 1 s: zero is "
                        "crossed between 0 s and 1 s; retried with h = 0.69 s");
    end(&c);
}

static void wrong_options_are_refused(void **state)
{
    static const struct tt_policy_limits lim = {.n_watched = 1, .max = 1};
    struct tt_policy_opts o = {
        .kind = TT_POLICY_LOCATE, .name = "c", .ports = port1, .n_ports = 1};
    tt_err err;

    (void)state;
    assert_int_equal(tt_policy_check(&lim, &o, 1, &err), TT_EINPUT);
    assert_string_equal(err.msg, "crossing 'c': needs one watched port");
    o.ports = port0;
    o.locate.tolerance = -1;
    assert_int_equal(tt_policy_check(&lim, &o, 1, &err), TT_EINPUT);
    assert_string_equal(err.msg, "crossing 'c': tolerance must be positive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_crossing_takes_a_handful_of_attempts),
        cmocka_unit_test(a_leap_takes_an_attempt_more_than_bisection),
        cmocka_unit_test(short_flights_are_not_stepped_over),
        cmocka_unit_test(each_direction_counts_as_asked),
        cmocka_unit_test(a_crossing_at_a_communication_point_counts_once),
        cmocka_unit_test(the_first_of_two_crossings_in_a_step_comes_first),
        cmocka_unit_test(two_at_one_instant_are_one_step),
        cmocka_unit_test(it_counts_again_only_when_it_has_left_the_band),
        cmocka_unit_test(without_a_way_back_lateness_is_reported),
        cmocka_unit_test(lateness_is_half_a_step_on_average),
        cmocka_unit_test(a_crossing_is_foretold_where_steps_may_vary),
        cmocka_unit_test(chattering_has_a_name),
        cmocka_unit_test(a_crossing_is_explained),
        cmocka_unit_test(wrong_options_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
