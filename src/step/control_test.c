/* SPDX-License-Identifier: MIT */
/* Error control on y' = cos t - (y - sin t), y(0) = 1: y = sin t + e^-t. */
#include "step/estimate.h"
#include "step/test_rig.h"

static double slope(double t, double y)
{
    return cos(t) - (y - sin(t));
}

static double exact(double t)
{
    return sin(t) + exp(-t);
}

/* y1 by one step of a method, with an estimate of its local error. */
typedef double (*method_fn)(double t, double h, double y, double tol,
                            struct tt_policy_estimate *e);

/* Heun, with Euler inside: the estimate is Euler's error, ~ h^2. */
static double heun(double t, double h, double y, double tol,
                   struct tt_policy_estimate *e)
{
    double k = slope(t, y), euler = y + h * k;
    double y1 = y + h / 2 * (k + slope(t + h, euler));

    *e = (struct tt_policy_estimate){
        tt_estimate_norm(&euler, &y1, NULL, 1, tol, 0), 2};
    return y1;
}

/* Euler twice h/2, against once h: Richardson's estimate, ~ h^2. */
static double euler_doubled(double t, double h, double y, double tol,
                            struct tt_policy_estimate *e)
{
    double once = y + h * slope(t, y);
    double half = y + h / 2 * slope(t, y);
    double twice = half + h / 2 * slope(t + h / 2, half);

    *e = (struct tt_policy_estimate){
        tt_estimate_richardson(1) *
            tt_estimate_norm(&once, &twice, NULL, 1, tol, 0),
        2};
    return twice;
}

struct result {
    double worst;
    uint32_t steps, rejections;
};

static struct result integrate(method_fn method, double tol,
                               const struct tt_policy_control *c)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_ERROR, .control = *c};
    struct tt_policy_limits lim = {.min = 1e-9, .max = 1, .init = 1e-3};
    struct tt_policy_ask ask = {.end = 10};
    struct result res = {0};
    struct tt_policy_step s;
    struct rig r = {0};
    double y = 1;

    rig_init(&r, &lim, &o, 1);
    tt_policy_start(r.p, 0, NULL);
    while ((s = tt_policy_propose(r.p, &ask)).h > 0) {
        struct tt_policy_estimate e;
        struct tt_policy_evidence ev = {
            .t0 = ask.t, .estimates = &e, .n_estimates = 1, .can_roll_back = 1};
        struct tt_policy_ruling ruling;
        double y1;

        for (;;) {
            ev.t1 = s.t1;
            y1 = method(ask.t, s.h, y, tol, &e);
            ruling = tt_policy_judge(r.p, &ev);
            if (ruling.verdict != TT_POLICY_RETRY)
                break;
            res.rejections++;
            s = tt_policy_retry(r.p, &ruling, &ask);
        }
        assert_int_equal(ruling.verdict, TT_POLICY_ACCEPT);
        tt_policy_commit(r.p, &ev, &ruling);
        res.steps++;
        y = y1;
        ask.t = s.t1;
        res.worst = fmax(res.worst, fabs(y - exact(ask.t)));
    }
    near(ask.t, 10, 0);
    assert_int_equal(tt_policy_counts(r.p, 0).rejected, res.rejections);
    rig_fini(&r);
    return res;
}

/* Errors fall with the tolerance as they should: log-log slope near 1, within
 * a factor 10 of what was asked. Few rejections: the estimate of one scalar
 * passes zero every half period, which tempts the controller each time. */
static void check_proportional(method_fn method,
                               const struct tt_policy_control *c, int n)
{
    double first = 0, tol = 1e-2, last = 0;

    for (int i = 0; i < n; i++) {
        struct result res = integrate(method, tol, c);

        assert_true(res.worst < 10 * tol && res.worst > tol / 10);
        assert_true(res.rejections <= 25 + res.steps / 100);
        last = log10(res.worst);
        if (i == 0)
            first = last;
        tol /= 10;
    }
    near((first - last) / (n - 1), 1, 0.2);
}

static void heun_error_is_proportional_to_tolerance_under_pi(void **state)
{
    struct tt_policy_control c = {0};

    (void)state;
    check_proportional(heun, &c, 5);
}

static void the_elementary_controller_is_a_special_case(void **state)
{
    struct tt_policy_control c = {.ki = 1, .kp = 0};

    (void)state;
    check_proportional(heun, &c, 5);
}

static void per_unit_step_makes_euler_proportional_too(void **state)
{
    struct tt_policy_control c = {.unit_time = 1};

    (void)state;
    check_proportional(euler_doubled, &c, 4);
}

/* --- the formula, step by step ----------------------------------------- */

static struct tt_policy_ruling feed(struct rig *r, double t0, double h,
                                    double err)
{
    struct tt_policy_estimate e = {err, 2};
    struct tt_policy_evidence ev = {.t0 = t0,
                                    .t1 = t0 + h,
                                    .estimates = &e,
                                    .n_estimates = 1,
                                    .can_roll_back = 1};
    struct tt_policy_ruling ruling = tt_policy_judge(r->p, &ev);

    if (ruling.verdict != TT_POLICY_RETRY)
        tt_policy_commit(r->p, &ev, &ruling);
    return ruling;
}

static struct rig make(double min)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_ERROR};
    struct tt_policy_limits lim = {.min = min, .max = 100, .init = 1};
    struct rig r = {.ask = {.end = 1e6}};

    rig_init(&r, &lim, &o, 1);
    tt_policy_start(r.p, 0, NULL);
    tt_policy_propose(r.p, &r.ask);
    return r;
}

static double next(struct rig *r, double t)
{
    r->ask.t = t;
    return tt_policy_propose(r->p, &r->ask).h;
}

static void the_first_step_is_elementary_then_pi(void **state)
{
    struct rig r = make(1e-3);
    double h1, h2;

    (void)state;
    feed(&r, 0, 1, 0.25);
    h1 = next(&r, 1);
    near(h1, 0.9 * 2, 1e-12); /* 0.25^(-1/2) */
    feed(&r, 1, h1, 0.5);
    h2 = next(&r, 1 + h1);
    near(h2, h1 * pow(0.9 / sqrt(0.5), 0.3) * pow(0.5, 0.2), 1e-12);
    feed(&r, 1 + h1, h2, 1e-12); /* at most grow = 5 */
    near(next(&r, 1 + h1 + h2), 5 * h2, 1e-12);
    rig_fini(&r);
}

static void a_rejection_shrinks_and_the_step_after_does_not_grow(void **state)
{
    struct rig r = make(1e-3);
    struct tt_policy_ruling ruling = feed(&r, 0, 1, 4);
    double h;

    (void)state;
    assert_int_equal(ruling.reason, TT_POLICY_ERR);
    near(ruling.h, 0.45, 1e-12);
    h = tt_policy_retry(r.p, &ruling, &r.ask).h;
    feed(&r, 0, h, 0.01);
    near(next(&r, h), h, 1e-12);
    feed(&r, h, h, 0.01); /* now it may */
    assert_true(next(&r, 2 * h) > h);
    ruling = feed(&r, 2 * h, h, 1e9); /* at most shrink = 0.2 */
    near(ruling.h, 0.2 * h, 1e-12);
    ruling = feed(&r, 2 * h, h, (double)INFINITY);
    near(ruling.h, 0.2 * h, 1e-12);
    rig_fini(&r);
}

static void
at_the_smallest_step_errors_are_accepted_with_a_warning(void **state)
{
    struct rig r = make(0.5);
    struct tt_policy_ruling ruling;
    struct tt_policy_evidence ev = {.t0 = 0, .t1 = 0.5};
    char text[256];

    (void)state;
    ruling = feed(&r, 0, 0.5, 4);
    assert_int_equal(ruling.verdict, TT_POLICY_ACCEPT_WARN);
    tt_policy_explain(r.p, &ruling, &ev, text, sizeof(text));
    assert_string_equal(text,
                        "error control 'error control': step from 0 s to 0.5 "
                        "s: the error is 4 times what is tolerated; kept, for "
                        "it is the smallest step");
    assert_int_equal(tt_policy_counts(r.p, 0).warned, 1);
    rig_fini(&r);
}

/* A sampling instant cuts a step to a tenth; its tiny error means nothing, and
 * the own proposal before it is resumed. */
static void a_step_cut_short_does_not_disturb_the_controller(void **state)
{
    struct rig r = make(1e-3);
    double h;

    (void)state;
    feed(&r, 0, 1, 0.81); /* 0.9 * 0.81^-0.5 = 1 */
    h = next(&r, 1);
    near(h, 1, 1e-12);
    feed(&r, 1, 0.1, 0.0081);
    near(next(&r, 1.1), 1, 1e-12);
    feed(&r, 1.1, 0.1, 0.9); /* but bad news is news */
    near(next(&r, 1.2), 0.1 * 0.9 / sqrt(0.9), 1e-12);
    rig_fini(&r);
}

/* At t = 30 a step of 2e-7 s is rounded by more than a billionth of it. */
static void the_smallest_step_grows_again_far_from_zero(void **state)
{
    struct tt_policy_opts o = {.kind = TT_POLICY_ERROR};
    struct tt_policy_limits lim = {.min = 2e-7, .max = 1, .init = 2e-7};
    struct tt_policy_ask ask = {.t = 30.300000066, .end = 40};
    struct tt_policy_estimate e = {1e-3, 2};
    struct rig r = {0};
    int n = 0;

    (void)state;
    rig_init(&r, &lim, &o, 1);
    tt_policy_start(r.p, ask.t, NULL);
    for (; n < 100 && ask.t < 40; n++) {
        struct tt_policy_step s = tt_policy_propose(r.p, &ask);
        struct tt_policy_evidence ev = {.t0 = ask.t,
                                        .t1 = s.t1,
                                        .estimates = &e,
                                        .n_estimates = 1,
                                        .can_roll_back = 1};
        struct tt_policy_ruling ruling = tt_policy_judge(r.p, &ev);

        assert_int_equal(ruling.verdict, TT_POLICY_ACCEPT);
        tt_policy_commit(r.p, &ev, &ruling);
        ask.t = s.t1;
    }
    assert_true(n < 50);
    rig_fini(&r);
}

/* All but the last step, which the end cuts short, are of the grid. */
static void steps_are_of_a_grid_of_lengths(void **state)
{
    const struct tt_policy_control c = {.grid = 1};
    const struct tt_policy_control plain = {.grid = 0};
    struct tt_policy_opts o = {.kind = TT_POLICY_ERROR, .control = c};
    struct tt_policy_limits lim = {.min = 1e-9, .max = 1, .init = 1e-3};
    struct tt_policy_ask ask = {.end = 10};
    struct tt_policy_step s;
    struct rig r = {0};
    double y = 1;
    uint64_t off = 0;

    (void)state;
    rig_init(&r, &lim, &o, 1);
    tt_policy_start(r.p, 0, NULL);
    while ((s = tt_policy_propose(r.p, &ask)).h > 0) {
        struct tt_policy_estimate e;
        struct tt_policy_evidence ev = {
            .t0 = ask.t, .estimates = &e, .n_estimates = 1, .can_roll_back = 1};
        struct tt_policy_ruling ruling;
        double y1, k;

        for (;;) {
            ev.t1 = s.t1;
            y1 = heun(ask.t, s.h, y, 1e-4, &e);
            ruling = tt_policy_judge(r.p, &ev);
            if (ruling.verdict != TT_POLICY_RETRY)
                break;
            s = tt_policy_retry(r.p, &ruling, &ask);
        }
        tt_policy_commit(r.p, &ev, &ruling);
        y = y1;
        ask.t = s.t1;
        k = 4 * log2(s.h / 1e-3);
        off += fabs(k - nearbyint(k)) > 1e-6;
    }
    assert_true(off >= 1 && off <= 2);
    assert_int_equal(tt_policy_counts(r.p, 0).off_grid, off);
    assert_true(fabs(y - exact(10)) < 1e-3);
    rig_fini(&r);
    assert_true(integrate(heun, 1e-4, &c).steps <
                2 * integrate(heun, 1e-4, &plain).steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_of_a_grid_of_lengths),
        cmocka_unit_test(heun_error_is_proportional_to_tolerance_under_pi),
        cmocka_unit_test(the_elementary_controller_is_a_special_case),
        cmocka_unit_test(per_unit_step_makes_euler_proportional_too),
        cmocka_unit_test(the_first_step_is_elementary_then_pi),
        cmocka_unit_test(a_rejection_shrinks_and_the_step_after_does_not_grow),
        cmocka_unit_test(
            at_the_smallest_step_errors_are_accepted_with_a_warning),
        cmocka_unit_test(a_step_cut_short_does_not_disturb_the_controller),
        cmocka_unit_test(the_smallest_step_grows_again_far_from_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
