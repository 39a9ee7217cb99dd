/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/contract.h"
#include "unit/linear.h"
#include "unit/test_unit.h"

/* x' = v,  v' = -4 x - v / 2 + 3 u + 1,  y = 2 x - u + 7 */
enum { X, V, DX, DV, U, Y, N_PORT };

static void swing(const struct tt_mock_view *m)
{
    double x = *tt_mock_f64(m, X), v = *tt_mock_f64(m, V);
    double u = *tt_mock_f64(m, U);

    *tt_mock_f64(m, DX) = v;
    *tt_mock_f64(m, DV) = -4 * x - 0.5 * v + 3 * u + 1;
    *tt_mock_f64(m, Y) = 2 * x - u + 7;
}

/* By Euler's rule, which nothing that is solved exactly agrees with. */
static void euler(const struct tt_mock_view *m, double h)
{
    swing(m);
    *tt_mock_f64(m, X) += h * *tt_mock_f64(m, DX);
    *tt_mock_f64(m, V) += h * *tt_mock_f64(m, DV);
}

static const struct tt_mock_port swing_port[N_PORT] = {
    [X] = {.name = "x", .causality = TT_CAUS_LOCAL, .start = 0.5},
    [V] = {.name = "v", .causality = TT_CAUS_LOCAL, .start = -1},
    [DX] = {.name = "dx", .causality = TT_CAUS_LOCAL, .derivative_of = "x"},
    [DV] = {.name = "dv", .causality = TT_CAUS_LOCAL, .derivative_of = "v"},
    [U] = {.name = "u", .causality = TT_CAUS_INPUT, .start = 0.25},
    [Y] = {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = "u"},
};

static const struct tt_mock_spec swinging = {
    .model = "swing",
    .port = swing_port,
    .n_port = N_PORT,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .variable_step = 1,
             .course_order = 3,
             .directional = 1},
    .behaviour = {.outputs = swing, .update = euler},
};

/* x' = u - x^2. What the mock gives as a derivative is f(x + 1) - f(x), which
 * of this is -(2 x + 1). */
enum { S, DS, SU, N_SQUARE };

static void square(const struct tt_mock_view *m)
{
    double x = *tt_mock_f64(m, S);

    *tt_mock_f64(m, DS) = *tt_mock_f64(m, SU) - x * x;
}

static void walk(const struct tt_mock_view *m, double h)
{
    *tt_mock_f64(m, S) += h; /* by itself: 1 in a second */
}

static const struct tt_mock_port square_port[N_SQUARE] = {
    [S] = {.name = "s", .causality = TT_CAUS_LOCAL},
    [DS] = {.name = "ds", .causality = TT_CAUS_LOCAL, .derivative_of = "s"},
    [SU] = {.name = "u", .causality = TT_CAUS_INPUT, .start = 3},
};

static const struct tt_mock_spec curved = {
    .model = "square",
    .port = square_port,
    .n_port = N_SQUARE,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .variable_step = 1,
             .directional = 1},
    .behaviour = {.outputs = square, .update = walk},
};

/* --- helpers ---------------------------------------------------------------
 */

static tt_unit *wrap(const struct tt_mock_spec *spec, int late)
{
    tt_unit *u = NULL;

    ok(tt_linear_new(&u, make(spec, "a"), late, &(struct tt_make){.name = "a"},
                     &err));
    enter_init(u);
    return u;
}

static tt_unit *wrap_ready(const struct tt_mock_spec *spec, int late)
{
    tt_unit *u = wrap(spec, late);

    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, u->desc->caps.save ? 2 : 0, &err));
    return u;
}

static double get(tt_unit *u, uint32_t port)
{
    double v;

    ok(tt_unit_get(u, &(struct tt_span){&port, 1, &v}, &err));
    return v;
}

static void set(tt_unit *u, uint32_t port, double v)
{
    ok(tt_unit_set(u, &(struct tt_span){&port, 1, &v}, &err));
}

static void is(tt_unit *u, uint32_t port, double value)
{
    double got = get(u, port);

    if (!(fabs(got - value) <= 1e-13 * (1 + fabs(value))))
        fail_msg("port %u is %.17g, not %.17g", port, got, value);
}

/* The swing's x and v a time t after x0, v0 under u = u0 + s t: damped
 * oscillation around the line p + q t. */
static void solve(double t, double u0, double s, double *x, double *v)
{
    double omega = sqrt(4 - 0.0625), q = 3 * s / 4;
    double p = (3 * u0 + 1 - 0.5 * q) / 4;
    double a = *x - p, b = (*v - q + a / 4) / omega;
    double c = cos(omega * t), d = sin(omega * t), fades = exp(-t / 4);

    *x = p + q * t + fades * (a * c + b * d);
    *v = q + fades * ((b * omega - a / 4) * c - (a * omega + b / 4) * d);
}

/* --- what it can do ---------------------------------------------------------
 */

static int can(const struct tt_mock_spec *spec)
{
    tt_unit *u = make(spec, "a");
    int is_able = tt_linear_can(u->desc);

    tt_unit_free(u);
    return is_able;
}

static void single_states_and_directional_derivatives_are_needed(void **state)
{
    struct tt_mock_port port[N_PORT];
    struct tt_mock_spec spec = swinging;

    (void)state;
    assert_true(can(&swinging));
    spec.caps.directional = 0;
    assert_false(can(&spec));
    spec = swinging;
    spec.caps.clocks = 1;
    assert_false(can(&spec));
    spec = swinging;
    memcpy(port, swing_port, sizeof(port));
    port[X].n = port[DX].n = 2;
    spec.port = port;
    assert_false(can(&spec));
    assert_false(can(&tt_mock_gain)); /* no states */
}

/* --- steps -------------------------------------------------------------- */

static void held_inputs_are_solved_exactly(void **state)
{
    const double length[] = {0.1, 2, 0.001, 30};
    tt_unit *u = wrap_ready(&swinging, 0);
    double x = 0.5, v = -1, t = 1;

    (void)state;
    is(u, X, x);
    is(u, DV, -4 * x - 0.5 * v + 3 * 0.25 + 1);
    set(u, U, 2);
    is(u, Y, 2 * x - 2 + 7); /* at once */
    for (int i = 0; i < 4; i++) {
        t += length[i];
        solve(length[i], 2, 0, &x, &v);
        ok(step(u, t));
        is(u, X, x);
        is(u, V, v);
        is(u, DX, v);
        is(u, DV, -4 * x - 0.5 * v + 3 * 2 + 1);
        is(u, Y, 2 * x - 2 + 7);
    }
    tt_unit_free(u);
}

static void courses_are_solved_exactly_and_end_with_the_step(void **state)
{
    const uint32_t in = U;
    const struct tt_poly line = {.t0 = 0, .c = {-1, 0.5}, .order = 1};
    tt_unit *u = wrap_ready(&swinging, 0);
    double x = 0.5, v = -1;

    (void)state;
    ok(tt_unit_course(u, &(struct tt_span){&in, 1, NULL}, &line, &err));
    ok(step(u, 3)); /* from 1: u goes from -0.5 to 0.5 */
    solve(2, -0.5, 0.5, &x, &v);
    is(u, X, x);
    is(u, V, v);
    is(u, U, 0.5);
    is(u, Y, 2 * x - 0.5 + 7);
    ok(step(u, 4)); /* held where it ended */
    solve(1, 0.5, 0, &x, &v);
    is(u, X, x);
    is(u, V, v);
    tt_unit_free(u);
}

/* A cubic input to x' = u - x, as which it is linearised where it starts, from
 * x(1) = 2: compared with the series of the solution there. */
static void curved_courses_are_solved_exactly(void **state)
{
    const uint32_t in = SU;
    const struct tt_poly cubic = {.t0 = 1, .c = {3, -2, 4, 7}, .order = 3};
    struct tt_mock_spec spec = curved;
    tt_unit *u;
    double x = 2, d[5], sum = 0, power = 1;

    (void)state;
    spec.caps.course_order = 3;
    u = wrap(&spec, 0);
    set(u, S, 2); /* it is calculated: moved from 0 by so much */
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 0, &err));
    ok(tt_unit_course(u, &(struct tt_span){&in, 1, NULL}, &cubic, &err));
    ok(step(u, 1.5));
    for (int k = 0; k < 4; k++)
        d[k] = tt_poly_rate(&cubic, 1, (uint32_t)k);
    d[0] = tt_poly_at(&cubic, 1);
    for (int k = 0; k < 40; k++) { /* x(k+1) = u(k) - x(k) */
        sum += x * power;
        x = (k < 4 ? d[k] : 0) - x;
        power *= 0.5 / (k + 1);
    }
    is(u, S, sum);
    tt_unit_free(u);
}

/* --- where it is linearised ---------------------------------------------- */

static void states_that_are_calculated_are_moved(void **state)
{
    tt_unit *u = wrap(&swinging, 0);

    (void)state;
    set(u, X, 0.75); /* 0.25 more than declared */
    ok(tt_unit_exit_init(u, &err));
    is(u, X, 0.75);
    is(u, DV, -4 * 0.75 + 0.5 + 3 * 0.25 + 1);
    tt_unit_free(u);
}

static void a_late_one_plays_itself_until_it_begins(void **state)
{
    tt_unit *u = wrap_ready(&curved, 1);
    double x = 2, fades = exp(-5 * 0.5);

    (void)state;
    tt_linear_move(u, S, 100); /* too early: nothing happens */
    ok(step(u, 3));
    is(u, S, 2);
    ok(tt_unit_save(u, 0, &err));
    ok(step(u, 4));
    is(u, S, 3);
    ok(tt_unit_restore(u, 0, &err));
    ok(tt_linear_begin(u, &err));
    ok(tt_linear_begin(u, &err)); /* once is enough */
    is(u, DS, 3 - 4);
    tt_linear_move(u, S, 0.1);
    tt_linear_move(u, SU, 0.1); /* no state */
    is(u, DS, -1 - 5 * 0.1);
    ok(step(u, 3.5)); /* x' = -1 - 5 (x - 2), to 2 - 1 / 5 */
    is(u, S, x - 0.2 + (0.1 + 0.2) * fades);
    tt_unit_free(u);
}

static void an_early_one_has_begun(void **state)
{
    tt_unit *u = wrap_ready(&swinging, 0);

    (void)state;
    ok(tt_linear_begin(u, &err));
    is(u, X, 0.5);
    tt_unit_free(u);
    u = make(&swinging, "a"); /* there is none */
    ok(tt_linear_begin(u, &err));
    tt_linear_move(u, X, 1);
    tt_unit_free(u);
}

/* --- going back --------------------------------------------------------- */

static void states_and_inputs_are_kept(void **state)
{
    struct tt_mock_spec spec = swinging;
    tt_unit *u;
    double x = 0.5, v = -1;

    (void)state;
    spec.caps.save = 0; /* of the unit itself: not needed */
    u = wrap_ready(&spec, 0);
    assert_true(u->desc->caps.save);
    assert_false(u->desc->caps.serialise);
    set(u, U, 1);
    ok(tt_unit_save(u, 1, &err));
    set(u, U, 5);
    ok(step(u, 2));
    ok(tt_unit_restore(u, 1, &err));
    is(u, U, 1);
    is(u, X, 0.5);
    ok(step(u, 2));
    solve(1, 1, 0, &x, &v);
    is(u, X, x);
    tt_unit_free(u);
    u = wrap_ready(&spec, 1); /* it plays itself, and cannot */
    assert_false(u->desc->caps.save);
    tt_unit_free(u);
}

/* --- what cannot be ------------------------------------------------------- */

static void derivatives_that_fail_are_an_error(void **state)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_JVP, .nth = 2, .act = TT_MOCK_ERROR, .text = "no"};
    struct tt_mock_spec spec = cued(&swinging, &cue);
    tt_unit *u = wrap(&spec, 0);

    (void)state;
    refused(tt_unit_exit_init(u, &err), TT_EUNIT,
            "instance 'a' (linearised): exit_init: instance 'a' (mock): jvp at "
            "t=1: no");
    tt_unit_free(u);
}

static enum tt_code make_wrapped(const void *ctx, const char *name,
                                 tt_unit **to, tt_err *e)
{
    tt_unit *inner;
    enum tt_code rc = tt_mock_make(&inner, ctx, name, e);

    return rc == TT_OK
               ? tt_linear_new(to, inner, 0, &(struct tt_make){.name = name}, e)
               : rc;
}

static void a_linearised_unit_keeps_the_contract(void **state)
{
    struct tt_contract_subject s = {
        .make = make_wrapped, .ctx = &swinging, .start = 0.5};

    (void)state;
    assert_int_equal(tt_unit_contract_run(&s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_states_and_directional_derivatives_are_needed),
        cmocka_unit_test(held_inputs_are_solved_exactly),
        cmocka_unit_test(courses_are_solved_exactly_and_end_with_the_step),
        cmocka_unit_test(curved_courses_are_solved_exactly),
        cmocka_unit_test(states_that_are_calculated_are_moved),
        cmocka_unit_test(a_late_one_plays_itself_until_it_begins),
        cmocka_unit_test(an_early_one_has_begun),
        cmocka_unit_test(states_and_inputs_are_kept),
        cmocka_unit_test(derivatives_that_fail_are_an_error),
        cmocka_unit_test(a_linearised_unit_keeps_the_contract),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
