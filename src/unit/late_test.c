/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/contract.h"
#include "unit/elements.h"
#include "unit/late.h"
#include "unit/test_unit.h"

/* --- a unit that is late on cue ------------------------------------------- */

#define STEPS 32

/* How often step k (from 1 on) is looked for in vain. */
static int unanswered[STEPS];

static int is_ready(tt_unit *u, uint64_t ns)
{
    uint64_t k = u->inner->n_step + 1;

    (void)ns;
    return k >= STEPS || unanswered[k]-- <= 0;
}

static void begin(tt_unit *u, const struct tt_step *s)
{
    (void)u;
    (void)s;
}

static const struct tt_unit_ops slow_ops = {
    TT_FWD_BUT_STEP, .step = tt_fwd_step, .ahead = begin, .ready = is_ready};

static tt_unit *slow(tt_unit *inner, const char *name)
{
    const struct tt_make m = {.name = name};
    tt_unit *u;

    assert_non_null(TT_NEW(u));
    ok(tt_unit_init(u, &slow_ops, inner->desc, &m, &err));
    tt_unit_wrap(u, inner, "slow");
    return u;
}

/* --- what it does ----------------------------------------------------------
 */

/* y = c0 + c1 t + c2 t^2, integral of u, steps made. */
enum { Y, U, X, N, Z };
static const struct tt_mock_port ports[] = {
    {"y", .causality = TT_CAUS_OUTPUT, .deps = ""},
    {"u", .causality = TT_CAUS_INPUT},
    {"x", .causality = TT_CAUS_OUTPUT, .deps = ""},
    {"n", TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
    {"z", .causality = TT_CAUS_OUTPUT, .n = 2, .deps = ""},
};
static double c[3];

static void derivative(const struct tt_mock_view *v, double *dx)
{
    dx[0] = *tt_mock_f64(v, U);
}

static void outputs(const struct tt_mock_view *v)
{
    double t = v->t;

    *tt_mock_f64(v, Y) = c[0] + t * (c[1] + t * c[2]);
    *tt_mock_f64(v, X) = v->x[0];
    tt_mock_f64(v, Z)[0] = 3 * t;
    tt_mock_f64(v, Z)[1] = -5 * t;
}

static void count(const struct tt_mock_view *v, double h)
{
    (void)h;
    ++*(int32_t *)v->value[N];
}

static const struct tt_mock_spec spec = {
    .model = "course",
    .port = ports,
    .n_port = 5,
    .caps = {.variable_step = 1, .save = 1, .serialise = 1},
    .behaviour = {.n_x = 1,
                  .derivative = derivative,
                  .outputs = outputs,
                  .update = count}};

static uint64_t never(void *ctx, double t)
{
    (void)ctx;
    (void)t;
    return UINT64_MAX;
}

static struct tt_late_how how = {
    .after = 0.2, .most = 2, .end = 9, .left_cb = never};

/* What the unit is given, whose end need not be how.end. */
static struct tt_experiment experiment = {.start = 1, .end = 9};

static tt_unit *wrap(const struct tt_mock_spec *s)
{
    tt_unit *u = NULL;

    ok(tt_late_new(&u, slow(make(s, "a"), "a"), &how,
                   &(struct tt_make){.name = "a"}, &err));
    ok(tt_unit_configure(u, &err));
    ok(tt_unit_enter_init(u, &experiment, &err));
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 0, &err));
    return u;
}

static struct {
    double y, x, z[2];
    int32_t n;
} row;
static double u_in;
static struct tt_call get[4], set, go;
static struct tt_now now;

static void bind(tt_unit *u, enum tt_verb verb, uint32_t port, void *v,
                 struct tt_call *call)
{
    static const uint32_t all[] = {Y, U, X, N, Z};

    ok(tt_unit_bind(u, verb, &(struct tt_span){&all[port], 1, v}, call, &err));
}

static void look(void)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(tt_call_make(&get[i], &now), TT_CALL_OK);
}

/* From 1 to 9, in steps of 0.5, where it is looked at as a run does. */
static tt_unit *begun(const struct tt_mock_spec *s, double c0, double c1,
                      double c2)
{
    tt_unit *u;

    memset(unanswered, 0, sizeof(unanswered));
    memcpy(c, (double[]){c0, c1, c2}, sizeof(c));
    u_in = 0;
    u = wrap(s);
    bind(u, TT_VERB_GET, Y, &row.y, &get[0]);
    bind(u, TT_VERB_GET, X, &row.x, &get[1]);
    bind(u, TT_VERB_GET, N, &row.n, &get[2]);
    bind(u, TT_VERB_GET, Z, row.z, &get[3]);
    bind(u, TT_VERB_SET, U, &u_in, &set);
    ok(tt_unit_bind(u, TT_VERB_STEP, NULL, &go, &err));
    go.from = TT_T0;
    go.to = TT_T1;
    now.t[TT_T1] = 1;
    look();
    return u;
}

/* The next step, read, and what is set for the one behind it. */
static enum tt_call_result next(double u)
{
    enum tt_call_result r;

    now.t[TT_T0] = now.t[TT_T1];
    now.t[TT_T1] += 0.5;
    now.h[TT_T1] = 0.5;
    r = tt_call_make(&go, &now);
    look();
    u_in = u;
    assert_int_equal(tt_call_make(&set, &now), TT_CALL_OK);
    return r;
}

static void steps(int n)
{
    while (n-- > 0)
        assert_int_equal(next(u_in), TT_CALL_OK);
}

static double t_now(void)
{
    return now.t[TT_T1];
}

/* --- what is predicted ------------------------------------------------------
 */

static void what_comes_in_time_is_what_it_is(void **state)
{
    tt_unit *u = begun(&spec, 1, 2, 3);
    const struct tt_late_stats *s = tt_late_stats(u);

    (void)state;
    for (int i = 1; i <= 16; i++) {
        steps(1);
        assert_true(row.y == 1 + t_now() * (2 + t_now() * 3));
        assert_int_equal(row.n, i);
    }
    assert_int_equal(s->steps, 16);
    assert_int_equal(s->predicted, 0);
    assert_int_equal(s->most, 0);
    assert_true(s->error < 0);
    tt_unit_free(u);
}

static void a_line_is_predicted_without_an_error(void **state)
{
    tt_unit *u = begun(&spec, 4, -2, 0);
    const struct tt_late_stats *s = tt_late_stats(u);

    (void)state;
    unanswered[3] = 1;
    steps(2);
    assert_int_equal(u->inner->n_step, 2);
    steps(1); /* not there */
    assert_int_equal(u->inner->n_step, 2);
    assert_true(row.y == 4 - 2 * t_now());
    assert_true(row.z[0] == 3 * t_now());
    assert_true(row.z[1] == -5 * t_now());
    assert_int_equal(row.n, 2); /* held */
    assert_true(u->now == 2.5);
    steps(1); /* both */
    assert_int_equal(u->inner->n_step, 4);
    assert_int_equal(row.n, 4);
    assert_true(row.y == 4 - 2 * t_now());
    assert_int_equal(s->predicted, 1);
    assert_int_equal(s->held, 1);
    assert_int_equal(s->most, 1);
    assert_int_equal(s->waits, 0);
    assert_true(s->error == 0);
    tt_unit_free(u);
}

/* z[2] is a port of a wrapper around it, which takes it from z; y is read in
 * the same call. */
static void single_elements_are_predicted(void **state)
{
    static const struct tt_element second = {Z, 1};
    static const uint32_t both[] = {Y, Z + 1};
    const struct tt_make m = {.name = "a"};
    tt_unit *u = NULL, *inner = NULL;
    double v[2];

    (void)state;
    memset(unanswered, 0, sizeof(unanswered));
    memcpy(c, (double[]){4, -2, 0}, sizeof(c));
    ok(tt_late_new(&inner, slow(make(&spec, "a"), "a"), &how, &m, &err));
    ok(tt_elements_new(&u, inner, &second, 1, &m, &err));
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 0, &err));
    ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){both, 2, v}, &get[0],
                    &err));
    unanswered[3] = 1000;
    for (int i = 0; i <= 3; i++) {
        if (i)
            ok(step(u, 1 + i * 0.5));
        assert_int_equal(tt_call_make(&get[0], &now), TT_CALL_OK);
        assert_true(v[0] == 4 - 2 * u->now);
        assert_true(v[1] == -5 * u->now);
    }
    assert_int_equal(tt_late_stats(u)->predicted, 1);
    assert_int_equal(inner->inner->n_step, 2); /* nor was it waited for */
    tt_unit_free(u);
}

/* Through two values it is a line, and the error is the second difference:
 * 2 c2 h^2. A longer past shows the curve. */
static void the_error_of_a_parabola_is_its_second_difference(void **state)
{
    tt_unit *u = begun(&spec, 0, 0, 3);
    const struct tt_late_stats *s = tt_late_stats(u);

    (void)state;
    unanswered[2] = 1;
    steps(3);
    assert_int_equal(s->predicted, 1);
    assert_true(s->error == 2 * 3 * 0.25);
    assert_true(s->t == 2);
    assert_int_equal(s->port, Y);
    assert_int_equal(s->element, 0);
    unanswered[9] = 1;
    steps(8);
    assert_int_equal(s->predicted, 2);
    assert_true(s->error == 1.5); /* the second one is not larger */
    tt_unit_free(u);
    u = begun(&spec, 0, 0, 3);
    s = tt_late_stats(u);
    unanswered[9] = 1;
    steps(10);
    assert_int_equal(s->predicted, 1);
    assert_true(s->error < 1e-12);
    tt_unit_free(u);
}

/* The second one is predicted farther ahead: a line from 1 and 4 at t = 1 and
 * 2 (c2 = 1, h = 1, here in halves) misses by 2 c2 h^2 and then by 6 c2 h^2. */
static void twice_in_a_row(void **state)
{
    tt_unit *u = begun(&spec, 0, 0, 4);
    const struct tt_late_stats *s = tt_late_stats(u);

    (void)state;
    unanswered[2] = 2;
    steps(1);
    steps(1);
    assert_true(row.y == 9 + 5); /* 16 */
    steps(1);
    assert_true(row.y == 9 + 5 + 5); /* 25 */
    assert_int_equal(u->inner->n_step, 1);
    steps(1);
    assert_true(row.y == 36);
    assert_int_equal(s->predicted, 2);
    assert_int_equal(s->most, 2);
    assert_true(s->error == 6);
    assert_true(s->t == 2.5);
    tt_unit_free(u);
}

/* FMI 3 allows negative nominal values: the larger error is the larger one. */
static void a_negative_nominal_is_as_good_as_a_positive_one(void **state)
{
    struct tt_mock_port with[sizeof(ports) / sizeof(*ports)];
    struct tt_mock_spec s = spec;
    tt_unit *u;

    (void)state;
    memcpy(with, ports, sizeof(ports));
    with[Y].nominal = -100;
    s.port = with;
    u = begun(&s, 0, 0, 4);
    unanswered[2] = 2;
    steps(4);
    assert_true(tt_late_stats(u)->error == 6);
    assert_true(tt_late_stats(u)->t == 2.5);
    assert_true(tt_late_stats(u)->nominal == 100);
    tt_unit_free(u);
}

/* x is bound to be read and never is: what was predicted of it was not used. */
static void what_was_never_read_is_not_compared(void **state)
{
    tt_unit *u;

    (void)state;
    memset(unanswered, 0, sizeof(unanswered));
    memcpy(c, (double[]){4, -2, 0}, sizeof(c));
    u = wrap(&spec);
    bind(u, TT_VERB_GET, Y, &row.y, &get[0]);
    bind(u, TT_VERB_GET, X, &row.x, &get[1]);
    u_in = 1;
    ok(tt_unit_set(u, &(struct tt_span){(uint32_t[]){U}, 1, &u_in}, &err));
    unanswered[3] = 2;
    for (int i = 0; i <= 5; i++) {
        if (i)
            ok(step(u, 1 + i * 0.5));
        assert_int_equal(tt_call_make(&get[0], &now), TT_CALL_OK);
    }
    assert_int_equal(tt_late_stats(u)->predicted, 2);
    assert_true(tt_late_stats(u)->error == 0);
    assert_int_equal(tt_late_stats(u)->held, 0);
    tt_unit_free(u);
}

/* --- owed steps --------------------------------------------------------------
 */

/* Each with the inputs that were set for it: x is the integral all the same. */
static void owed_steps_are_made_with_their_own_inputs(void **state)
{
    tt_unit *u = begun(&spec, 0, 0, 0);
    double x = 0;

    (void)state;
    unanswered[2] = 2;
    unanswered[6] = 1;
    for (int i = 1; i <= 10; i++) {
        x += 0.5 * u_in;
        assert_int_equal(next(i * i), TT_CALL_OK);
        if (u->inner->n_step == (uint64_t)i)
            assert_true(row.x == x);
        else
            assert_true(i == 2 || i == 3 || i == 6);
    }
    assert_int_equal(u->inner->n_step, 10);
    tt_unit_free(u);
}

/* y = k u, read with the u of its instant, which is the time: a line, also
 * where the inputs are those of an owed step. */
static void what_feeds_through_is_what_others_see(void **state)
{
    static const uint32_t u_port = TT_MOCK_GAIN_U, y_port = TT_MOCK_GAIN_Y;
    tt_unit *u;
    const struct tt_late_stats *s;

    (void)state;
    memset(unanswered, 0, sizeof(unanswered));
    unanswered[4] = 2;
    how.consistent = 1;
    u = wrap(&tt_mock_gain);
    s = tt_late_stats(u);
    ok(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){&y_port, 1, &row.y},
                    &get[0], &err));
    for (int i = 0; i < 10; i++) {
        double t = 1 + 0.5 * i;

        if (i)
            ok(step(u, t));
        ok(tt_unit_set(u, &(struct tt_span){&u_port, 1, &t}, &err));
        assert_int_equal(tt_call_make(&get[0], &now), TT_CALL_OK);
        assert_true(fabs(row.y - t) < 1e-12);
    }
    assert_int_equal(s->predicted, 2);
    assert_true(s->error >= 0 && s->error < 1e-12);
    how.consistent = 0;
    tt_unit_free(u);
}

/* An answer that came while others stepped is taken before the next step. */
static void what_has_come_is_taken_at_once(void **state)
{
    tt_unit *u = begun(&spec, 0, 1, 0);

    (void)state;
    unanswered[2] = 1;
    steps(2);
    assert_int_equal(u->inner->n_step, 1);
    now.t[TT_T0] = 2;
    now.t[TT_T1] = 2.5;
    now.h[TT_T1] = 0.5;
    tt_unit_ahead(u, &go, &now);
    assert_int_equal(u->inner->n_step, 2);
    assert_int_equal(tt_call_make(&go, &now), TT_CALL_OK);
    assert_int_equal(u->inner->n_step, 3);
    assert_int_equal(tt_late_stats(u)->predicted, 1);
    tt_unit_free(u);
}

static void no_more_are_owed_than_may_be(void **state)
{
    tt_unit *u = begun(&spec, 0, 1, 0);
    const struct tt_late_stats *s = tt_late_stats(u);

    (void)state;
    for (int k = 2; k < STEPS; k++)
        unanswered[k] = 1000;
    for (int i = 2; i <= 10; i++) {
        steps(1);
        if (i > 3)
            assert_int_equal(u->inner->n_step, (uint64_t)i - 3);
    }
    assert_int_equal(s->most, 2);
    assert_int_equal(s->predicted, 8);
    assert_int_equal(s->waits, 6);
    tt_unit_free(u);
}

/* The last step waits, wherever the experiment ends. */
static void at_the_end_nothing_is_owed(void **state)
{
    tt_unit *u = begun(&spec, 0, 0, 1);

    (void)state;
    for (int k = 15; k < STEPS; k++)
        unanswered[k] = 1000;
    steps(15);
    assert_int_equal(u->inner->n_step, 14);
    steps(1);
    assert_true(t_now() == 9);
    assert_int_equal(u->inner->n_step, 16);
    assert_true(row.y == 81);
    assert_int_equal(tt_late_stats(u)->waits, 0);
    tt_unit_free(u);
}

/* Some units are given none. */
static void the_end_is_that_of_the_run(void **state)
{
    experiment.end = (double)INFINITY;
    at_the_end_nothing_is_owed(state);
    experiment.end = 9;
}

static void before_its_end_all_steps_are_made(void **state)
{
    tt_unit *u = begun(&spec, 0, 0, 1);

    (void)state;
    unanswered[2] = unanswered[3] = 1000;
    steps(3);
    ok(tt_unit_end(u, &err));
    assert_int_equal(u->inner->n_step, 3);
    assert_int_equal(tt_late_stats(u)->predicted, 2);
    assert_true(tt_late_stats(u)->error == 1.5);
    tt_unit_free(u);
}

/* What was not bound is not predicted. */
static void what_was_not_read_before_is_waited_for(void **state)
{
    static const uint32_t both[] = {Y, X};
    tt_unit *u = begun(&spec, 0, 0, 1);
    double v[2];

    (void)state;
    unanswered[2] = unanswered[3] = 1000;
    steps(3);
    assert_int_equal(u->inner->n_step, 1);
    ok(tt_unit_get(u, &(struct tt_span){both, 2, v}, &err));
    assert_int_equal(u->inner->n_step, 3);
    assert_true(v[0] == 2.5 * 2.5);
    tt_unit_free(u);
}

/* The instants at which a paced run is due count, too. */
static double due;
static uint64_t until_due(void *ctx, double t)
{
    (void)ctx;
    due = t;
    return 0;
}

static void what_is_due_is_not_waited_for(void **state)
{
    tt_unit *u;

    (void)state;
    how.left_cb = until_due;
    how.after = (double)INFINITY;
    u = begun(&spec, 0, 1, 0);
    unanswered[2] = 1;
    steps(2);
    assert_true(due == 2);
    assert_true(row.y == 2);
    assert_int_equal(u->inner->n_step, 1);
    tt_unit_free(u);
    how.left_cb = never;
    how.after = 0.2;
}

/* --- what else may happen ----------------------------------------------------
 */

static tt_unit *misbehaving(enum tt_mock_act act, double value)
{
    static struct tt_mock_cue cue;
    static struct tt_mock_spec s;
    tt_unit *u;

    cue = (struct tt_mock_cue){TT_MOCK_STEP, .nth = 3, .act = act,
                               .value = value, .text = "no"};
    s = cued(&spec, &cue);
    u = begun(&s, 0, 1, 0);
    unanswered[3] = 1;
    steps(3);
    return u;
}

static void step_badly(tt_unit *u, const char *words)
{
    struct tt_stepped r;

    refused(tt_unit_step(u, &(struct tt_step){.to = 3}, &r, &err), TT_EUNIT,
            words);
    tt_unit_free(u);
}

static void a_failure_states_of_when(void **state)
{
    (void)state;
    step_badly(misbehaving(TT_MOCK_ERROR, 0),
               "instance 'a' (late values): step at t=2.5: "
               "instance 'a' (slow): step at t=2: "
               "instance 'a' (mock): step at t=2: no");
    step_badly(misbehaving(TT_MOCK_REJECT, 2),
               "instance 'a' (late values): step at t=2.5: it rejected the "
               "step to t=2.5, whose values were predicted");
}

/* In time, what a step comes to is passed on. */
static void outcomes_in_time_are_passed_on(void **state)
{
    static const struct tt_mock_cue cue = {TT_MOCK_STEP, .nth = 2,
                                           .act = TT_MOCK_REJECT, .value = 1.5};
    struct tt_mock_spec s = cued(&spec, &cue);
    tt_unit *u = begun(&s, 0, 1, 0);
    struct tt_stepped r;

    (void)state;
    steps(1);
    ok(tt_unit_step(u, &(struct tt_step){.to = 2}, &r, &err));
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_UNCHANGED);
    assert_true(u->now == 1.5);
    ok(tt_unit_step(u, &(struct tt_step){.to = 2}, &r, &err));
    assert_int_equal(r.flags, 0);
    assert_true(u->now == 2);
    tt_unit_free(u);
}

static void what_returns_early_goes_on(void **state)
{
    tt_unit *u = misbehaving(TT_MOCK_EARLY, 2.25);

    (void)state;
    steps(1);
    assert_int_equal(u->inner->n_step, 5); /* one more */
    assert_true(row.y == 3);
    assert_true(tt_late_stats(u)->error == 0);
    tt_unit_free(u);
}

/* The third step ends the simulation at `reached`, and is owed. */
static void end_at(double reached, double error)
{
    const struct tt_mock_cue cue[] = {
        {TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_TERMINATE},
        {TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_REACHED, .value = reached}};
    struct tt_mock_spec s = spec;
    struct tt_stepped r;
    tt_unit *u;

    s.cue = cue;
    s.n_cue = 2;
    u = begun(&s, 0, 1, 0);
    unanswered[3] = 1;
    steps(3);
    ok(tt_unit_step(u, &(struct tt_step){.to = 3}, &r, &err));
    assert_int_equal(r.flags, TT_STEP_TERMINATE);
    assert_true(r.reached == 3);
    assert_int_equal(u->inner->n_step, 3);
    assert_true(tt_late_stats(u)->error == error);
    tt_unit_free(u);
}

static void the_end_of_the_simulation_ends_it_later(void **state)
{
    (void)state;
    end_at(2.5, 0);
}

/* What was predicted was of another instant. FMI 2 need not state how far it
 * came, which is then nowhere. */
static void the_end_may_come_on_the_way(void **state)
{
    (void)state;
    end_at(2.25, -1);
    end_at(2, -1);
}

/* An answer may be waited for longer than a call may take: while it is, the
 * parent process sees that something goes on, whatever is around the unit. */
static void what_is_waited_for_is_seen(void **state)
{
    static const struct tt_element second = {Z, 1};
    struct tt_activity activity = {.playing = 0};
    const struct tt_make m = {.name = "a", .activity = &activity};
    tt_unit *u = NULL;

    (void)state;
    memset(unanswered, 0, sizeof(unanswered));
    how.after = 3600;
    ok(tt_late_new(&u, slow(make(&spec, "a"), "a"), &how, &m, &err));
    ok(tt_elements_new(&u, u, &second, 1, &m, &err));
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 0, &err));
    ok(step(u, 1.5));
    assert_int_equal(activity.signs.moved, 1);
    unanswered[2] = 5;
    ok(step(u, 2));
    assert_int_equal(activity.signs.moved, 1 + 6);
    how.after = 0.2;
    tt_unit_free(u);
}

/* --- contract ----------------------------------------------------------------
 */

static enum tt_code make_wrapped(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *e)
{
    tt_unit *inner = NULL;
    enum tt_code rc = tt_mock_make(&inner, ctx, name, e);

    return rc == TT_OK ? tt_late_new(out, slow(inner, name), &how,
                                     &(struct tt_make){.name = name}, e)
                       : rc;
}

static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *e)
{
    static const struct tt_mock_cue cue = {TT_MOCK_STEP, .nth = 2,
                                           .act = TT_MOCK_ERROR, .text = "no"};
    static struct tt_mock_spec s;

    s = cued(ctx, &cue);
    return make_wrapped(&s, name, out, e);
}

static void contract(const struct tt_mock_spec *s)
{
    const struct tt_contract_subject subject = {
        .make = make_wrapped, .make_failing = make_failing, .ctx = s};

    memset(unanswered, 0, sizeof(unanswered));
    assert_int_equal(tt_unit_contract_run(&subject), 0);
}

static void it_keeps_the_contract(void **state)
{
    (void)state;
    contract(&spec);
    contract(&tt_mock_integrator);
    contract(&tt_mock_gain);
    contract(&tt_mock_counter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_in_time_is_what_it_is),
        cmocka_unit_test(a_line_is_predicted_without_an_error),
        cmocka_unit_test(single_elements_are_predicted),
        cmocka_unit_test(the_error_of_a_parabola_is_its_second_difference),
        cmocka_unit_test(twice_in_a_row),
        cmocka_unit_test(a_negative_nominal_is_as_good_as_a_positive_one),
        cmocka_unit_test(what_was_never_read_is_not_compared),
        cmocka_unit_test(owed_steps_are_made_with_their_own_inputs),
        cmocka_unit_test(what_feeds_through_is_what_others_see),
        cmocka_unit_test(what_has_come_is_taken_at_once),
        cmocka_unit_test(no_more_are_owed_than_may_be),
        cmocka_unit_test(at_the_end_nothing_is_owed),
        cmocka_unit_test(the_end_is_that_of_the_run),
        cmocka_unit_test(before_its_end_all_steps_are_made),
        cmocka_unit_test(what_was_not_read_before_is_waited_for),
        cmocka_unit_test(what_is_due_is_not_waited_for),
        cmocka_unit_test(a_failure_states_of_when),
        cmocka_unit_test(outcomes_in_time_are_passed_on),
        cmocka_unit_test(what_returns_early_goes_on),
        cmocka_unit_test(the_end_of_the_simulation_ends_it_later),
        cmocka_unit_test(the_end_may_come_on_the_way),
        cmocka_unit_test(what_is_waited_for_is_seen),
        cmocka_unit_test(it_keeps_the_contract),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
