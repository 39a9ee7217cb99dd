/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/proc.h"
#include "unit/mock.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

static tt_err err;

static void ok(enum tt_code rc)
{
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
}

static void make_ready(tt_unit *u, uint32_t n_state)
{
    ok(tt_unit_configure(u, &err));
    ok(tt_unit_enter_init(u, &(struct tt_experiment){.end = 10}, &err));
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, n_state, &err));
}

static tt_unit *ready(const struct tt_mock_spec *spec, const char *name)
{
    tt_unit *u = NULL;

    ok(tt_mock_make(&u, spec, name, &err));
    make_ready(u, spec->caps.save ? 2 : 0);
    return u;
}

static void set(tt_unit *u, uint32_t port, double v)
{
    ok(tt_unit_set(u, &(struct tt_span){&port, 1, &v}, &err));
}

static double get(tt_unit *u, uint32_t port)
{
    double v = -1;

    ok(tt_unit_get(u, &(struct tt_span){&port, 1, &v}, &err));
    return v;
}

static struct tt_stepped step(tt_unit *u, double to)
{
    struct tt_stepped r;

    ok(tt_unit_step(u, &(struct tt_step){.to = to}, &r, &err));
    return r;
}

static struct tt_mock_spec with_cues(struct tt_mock_spec spec,
                                     const struct tt_mock_cue *cue, uint32_t n)
{
    spec.cue = cue;
    spec.n_cue = n;
    return spec;
}

/* --- behaviour --------------------------------------------------------- */

static void an_integrator_starts_at_y0_and_holds_its_input(void **state)
{
    tt_unit *u = NULL;
    uint32_t y0 = TT_MOCK_INTEGRATOR_Y0;

    (void)state;
    ok(tt_mock_make(&u, &tt_mock_integrator, "a", &err));
    ok(tt_unit_configure(u, &err));
    ok(tt_unit_enter_init(u, &(struct tt_experiment){.end = 1}, &err));
    ok(tt_unit_set(u, &(struct tt_span){&y0, 1, &(double){3}}, &err));
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 3);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 0, &err));
    set(u, TT_MOCK_INTEGRATOR_U, 2);
    step(u, 0.5);
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 4);
    tt_unit_free(u);
}

static void a_cubic_course_is_integrated_exactly(void **state)
{
    /* u = 1 + 2 s - 3 s^2 + 4 s^3 with s = t - t0, so that
     * y = s + s^2 - s^3 + s^4. The numbers are exact in binary. */
    struct tt_poly p = {.t0 = 0, .c = {1, 2, -3, 4}, .order = 3};
    tt_unit *u = ready(&tt_mock_integrator, "a");
    uint32_t port = TT_MOCK_INTEGRATOR_U;
    double s = 0.5;

    (void)state;
    ok(tt_unit_course(u, &(struct tt_span){&port, 1, NULL}, &p, &err));
    step(u, s);
    assert_true(fabs(get(u, TT_MOCK_INTEGRATOR_Y) -
                     (s + s * s - s * s * s + s * s * s * s)) < 1e-15);
    assert_true(get(u, port) == 1 + 2 * s - 3 * s * s + 4 * s * s * s);
    /* The course is spent: its end value is held. */
    step(u, 1);
    assert_true(fabs(get(u, TT_MOCK_INTEGRATOR_Y) - (0.6875 + 0.5 * 1.75)) <
                1e-15);
    tt_unit_free(u);
}

static void
rates_of_an_integrator_are_its_input_and_its_derivatives(void **state)
{
    struct tt_poly p = {.t0 = 0, .c = {1, 2, -3}, .order = 2};
    tt_unit *u = ready(&tt_mock_integrator, "a");
    uint32_t in = TT_MOCK_INTEGRATOR_U, out = TT_MOCK_INTEGRATOR_Y;
    double v = -1;
    struct tt_span s = {&out, 1, &v};

    (void)state;
    ok(tt_unit_course(u, &(struct tt_span){&in, 1, NULL}, &p, &err));
    step(u, 0.5);
    ok(tt_unit_rates(u, &s, 1, &err));
    assert_true(v == 1 + 2 * 0.5 - 3 * 0.25);
    ok(tt_unit_rates(u, &s, 2, &err));
    assert_true(v == 2 - 6 * 0.5);
    ok(tt_unit_rates(u, &s, 3, &err));
    assert_true(v == -6);
    tt_unit_free(u);
}

static void a_gain_feeds_through_and_has_its_derivative(void **state)
{
    tt_unit *u = ready(&tt_mock_gain, "a");
    uint32_t in = TT_MOCK_GAIN_U, out = TT_MOCK_GAIN_Y;
    double seed = 2, got = -1;
    struct tt_jvp j = {.unknown = &out,
                       .known = &in,
                       .n_unknown = 1,
                       .n_known = 1,
                       .dv_known = &seed,
                       .dv_unknown = &got};

    (void)state;
    set(u, TT_MOCK_GAIN_K, 3);
    set(u, in, 5);
    assert_true(get(u, out) == 15);
    ok(tt_unit_jvp(u, &j, &err));
    assert_true(got == 6);
    assert_true(get(u, out) == 15 && get(u, in) == 5);
    tt_unit_free(u);
}

static void
a_unit_that_does_not_evaluate_shows_outputs_of_its_last_step(void **state)
{
    struct tt_mock_spec spec = tt_mock_gain;
    tt_unit *u;

    (void)state;
    spec.caps.evaluates = TT_EVAL_NEVER;
    u = ready(&spec, "a");
    set(u, TT_MOCK_GAIN_U, 5);
    assert_true(get(u, TT_MOCK_GAIN_Y) == 0);
    step(u, 1);
    assert_true(get(u, TT_MOCK_GAIN_Y) == 5);
    set(u, TT_MOCK_GAIN_U, 7);
    assert_true(get(u, TT_MOCK_GAIN_Y) == 5);
    tt_unit_free(u);
}

static void feed_through_is_described_port_by_port(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "u1", .causality = TT_CAUS_INPUT},
        {.name = "u2",
         .causality = TT_CAUS_INPUT,
         .reactivity = TT_REACT_DELAYED},
        {.name = "y1", .causality = TT_CAUS_OUTPUT, .deps = "u2"},
        {.name = "y2", .causality = TT_CAUS_OUTPUT, .deps = ""},
        {.name = "y3", .causality = TT_CAUS_OUTPUT, .init_deps = "u1,u2"},
    };
    struct tt_mock_spec spec = {.model = "m", .port = port, .n_port = 5};
    tt_unit_type *t = NULL;

    (void)state;
    ok(tt_mock_type_new(&t, &spec, &err));
    assert_true(t->desc.run[2].known && t->desc.run[2].n == 1);
    assert_int_equal(t->desc.run[2].port[0], 1);
    assert_true(t->desc.run[3].known && t->desc.run[3].n == 0);
    assert_true(!t->desc.run[4].known && t->desc.run[4].n == 0);
    assert_true(t->desc.init[4].known && t->desc.init[4].n == 2);
    assert_true(t->desc.init[2].known && t->desc.init[2].n == 1);
    assert_int_equal(t->desc.port[1].reactivity, TT_REACT_DELAYED);
    t->kind->close(t);
}

static void a_dependency_on_no_port_is_refused_by_name(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = "y,w"}};
    struct tt_mock_spec spec = {.model = "m", .port = port, .n_port = 1};
    tt_unit_type *t = NULL;

    (void)state;
    assert_int_equal(tt_mock_type_new(&t, &spec, &err), TT_EINPUT);
    assert_string_equal(err.msg, "mock 'm' has no port 'w'");
    assert_null(t);
}

/* --- tape -------------------------------------------------------------- */

static void the_tape_shows_what_was_asked_in_order(void **state)
{
    struct tt_mock_spec spec = tt_mock_integrator;
    struct tt_buf tape;
    tt_unit *a, *b;

    (void)state;
    tt_buf_init(&tape, 4096);
    spec.tape = &tape;
    a = ready(&spec, "a");
    b = ready(&spec, "b");
    set(a, TT_MOCK_INTEGRATOR_U, 1);
    step(b, 0.2);
    ok(tt_unit_save(a, 1, &err));
    (void)get(a, TT_MOCK_INTEGRATOR_Y);
    ok(tt_unit_restore(a, 1, &err));
    assert_string_equal(tape.data,
                        "a.set u; b.step 0.2; a.save 1; a.get y; a.restore 1");
    tt_unit_free(a);
    tt_unit_free(b);
    tt_buf_fini(&tape);
}

static void the_tape_can_show_values_and_the_whole_life(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "v", .causality = TT_CAUS_INPUT, .n = 2},
        {.name = "on", .type = TT_BOOL, .causality = TT_CAUS_INPUT, .start = 1},
        {.name = "s",
         .type = TT_TEXT,
         .causality = TT_CAUS_PARAMETER,
         .start_text = "hi"},
    };
    struct tt_mock_spec spec = {.model = "m", .port = port, .n_port = 3};
    struct tt_buf tape;
    struct tt_text text;
    unsigned char on = 0;
    uint32_t p = 0;
    tt_unit *u;

    (void)state;
    tt_buf_init(&tape, 4096);
    spec.tape = &tape;
    spec.tape_values = 1;
    spec.tape_verbs = TT_MOCK_TAPE_ALL;
    u = ready(&spec, "a");
    ok(tt_unit_set(u, &(struct tt_span){&p, 1, (double[]){1, 0.5}}, &err));
    p = 1;
    ok(tt_unit_get(u, &(struct tt_span){&p, 1, &on}, &err));
    p = 2;
    ok(tt_unit_get(u, &(struct tt_span){&p, 1, &text}, &err));
    ok(tt_unit_end(u, &err));
    tt_unit_free(u);
    assert_string_equal(tape.data,
                        "a.make; a.configure; a.enter_init 0; a.exit_init; "
                        "a.prepare 0; a.set v=1|0.5; a.get on=true; "
                        "a.get s=hi; a.end; a.free");
    tt_buf_fini(&tape);
}

static void a_recorder_reports_what_it_saw(void **state)
{
    struct tt_mock_spec spec = tt_mock_recorder;
    struct tt_buf tape;
    tt_unit *u;

    (void)state;
    tt_buf_init(&tape, 4096);
    spec.tape = &tape;
    u = ready(&spec, "r");
    set(u, 0, 2.5);
    step(u, 0.25);
    assert_string_equal(tape.data, "r.set u; r.step 0.25; r.saw u=2.5@0.25");
    tt_unit_free(u);
    tt_buf_fini(&tape);
}

/* --- cues -------------------------------------------------------------- */

static void
a_cue_by_number_fires_once_and_one_by_time_from_then_on(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT},
        {.at = TT_MOCK_STEP,
         .time = 0.75,
         .every = 1,
         .act = TT_MOCK_LAG,
         .value = -0.01},
    };
    struct tt_mock_spec spec = with_cues(tt_mock_counter, cue, COUNT(cue));
    tt_unit *u;
    unsigned flags[4];

    (void)state;
    spec.caps.event_mode = 1;
    u = ready(&spec, "a");
    for (int i = 0; i < 4; i++)
        flags[i] = step(u, 0.25 * (i + 1)).flags;
    assert_int_equal(flags[0], 0);
    assert_int_equal(flags[1], TT_STEP_EVENT);
    assert_int_equal(flags[2], TT_STEP_LAG);
    assert_int_equal(flags[3], TT_STEP_LAG);
    assert_true(u->max_lag == 0.04);
    tt_unit_free(u);
}

static void a_cue_by_time_fires_once_even_after_a_restore(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .time = 0.5, .act = TT_MOCK_TERMINATE}};
    struct tt_mock_spec spec = with_cues(tt_mock_counter, cue, 1);
    tt_unit *u = ready(&spec, "a");

    (void)state;
    ok(tt_unit_save(u, 0, &err));
    assert_int_equal(step(u, 1).flags, TT_STEP_TERMINATE);
    ok(tt_unit_restore(u, 0, &err));
    assert_int_equal(step(u, 1).flags, 0);
    tt_unit_free(u);
}

static void an_early_return_is_where_the_cue_puts_it(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .time = 0.3, .act = TT_MOCK_EARLY, .value = 0.3}};
    struct tt_mock_spec spec = with_cues(tt_mock_integrator, cue, 1);
    tt_unit *u = ready(&spec, "a");
    struct tt_stepped r;

    (void)state;
    set(u, TT_MOCK_INTEGRATOR_U, 1);
    r = step(u, 0.25);
    assert_int_equal(r.flags, 0);
    r = step(u, 0.5);
    assert_int_equal(r.flags, TT_STEP_EARLY);
    assert_true(r.reached == 0.3 && u->now == 0.3);
    assert_true(fabs(get(u, TT_MOCK_INTEGRATOR_Y) - 0.3) < 1e-15);
    tt_unit_free(u);
}

static void a_plain_rejection_leaves_the_unit_as_it_was(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_REJECT, .value = 0.125}};
    struct tt_mock_spec spec = with_cues(tt_mock_integrator, cue, 1);
    tt_unit *u = ready(&spec, "a");
    struct tt_stepped r;

    (void)state;
    set(u, TT_MOCK_INTEGRATOR_U, 1);
    r = step(u, 0.25);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_UNCHANGED);
    assert_true(r.reached == 0.125 && u->now == 0);
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 0);
    r = step(u, 0.125);
    assert_int_equal(r.flags, 0);
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 0.125);
    tt_unit_free(u);
}

static void a_rejection_that_needs_a_restore_leaves_a_mess(void **state)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_STEP,
                                              .nth = 1,
                                              .act = TT_MOCK_REJECT_RESTORE,
                                              .value = 0.125}};
    struct tt_mock_spec spec = with_cues(tt_mock_integrator, cue, 1);
    tt_unit *u = ready(&spec, "a");

    (void)state;
    set(u, TT_MOCK_INTEGRATOR_U, 1);
    ok(tt_unit_save(u, 0, &err));
    assert_int_equal(step(u, 0.25).after, TT_AFTER_NEEDS_RESTORE);
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 0.125);
    ok(tt_unit_restore(u, 0, &err));
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 0);
    step(u, 0.25);
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 0.25);
    tt_unit_free(u);
}

static void a_step_longer_than_the_largest_is_rejected(void **state)
{
    struct tt_mock_spec spec = tt_mock_counter;
    struct tt_stepped r;
    double h = 0;
    tt_unit *u;

    (void)state;
    spec.caps.max_step = 1;
    spec.max_step = 0.5;
    u = ready(&spec, "a");
    ok(tt_unit_max_step(u, &h, &err));
    assert_true(h == 0.5);
    r = step(u, 0.75);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_true(r.reached == 0.5);
    assert_int_equal(step(u, 0.5).flags, 0);
    tt_unit_free(u);
}

static void nan_on_cue_poisons_outputs_or_one_port(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_GET, .nth = 1, .act = TT_MOCK_NAN},
        {.at = TT_MOCK_GET, .nth = 3, .act = TT_MOCK_NAN, .port = "u"},
    };
    struct tt_mock_spec spec = with_cues(tt_mock_integrator, cue, COUNT(cue));
    tt_unit *u = ready(&spec, "a");

    (void)state;
    assert_true(isnan(get(u, TT_MOCK_INTEGRATOR_Y)));
    assert_true(get(u, TT_MOCK_INTEGRATOR_Y) == 0);
    assert_true(isnan(get(u, TT_MOCK_INTEGRATOR_U)));
    tt_unit_free(u);
}

static void an_error_that_stays_ends_with_reset_or_restore(void **state)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_STEP,
                                              .nth = 1,
                                              .act = TT_MOCK_ERROR,
                                              .text = "pump stuck",
                                              .stays = 1}};
    struct tt_mock_spec spec = with_cues(tt_mock_counter, cue, 1);
    tt_unit *u = ready(&spec, "a");
    struct tt_stepped r;

    (void)state;
    assert_int_equal(tt_unit_step(u, &(struct tt_step){.to = 1}, &r, &err),
                     TT_EUNIT);
    assert_string_equal(err.msg,
                        "instance 'a' (mock): step at t=0: pump stuck");
    ok(tt_unit_reset(u, &err));
    make_ready(u, 0);
    step(u, 1);
    tt_unit_free(u);
}

static void an_error_at_make_leaves_nothing_behind(void **state)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_MAKE,
                                              .nth = 1,
                                              .act = TT_MOCK_ERROR,
                                              .text = "no licence"}};
    struct tt_mock_spec spec = with_cues(tt_mock_counter, cue, 1);
    tt_unit *u = NULL;

    (void)state;
    assert_int_equal(tt_mock_make(&u, &spec, "a", &err), TT_EUNIT);
    assert_string_equal(err.msg, "instance 'a' (mock): no licence");
    assert_null(u);
}

static void a_sleeping_step_takes_as_long_as_asked(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_SLEEP, .value = 20}};
    struct tt_mock_spec spec = with_cues(tt_mock_counter, cue, 1);
    tt_unit *u = ready(&spec, "a");
    uint64_t t = tt_clock_ns();

    (void)state;
    step(u, 1);
    assert_true(tt_clock_ns() - t >= UINT64_C(20000000));
    tt_unit_free(u);
}

/* --- death ------------------------------------------------------------- */

static int die(void *ctx)
{
    struct tt_mock_cue cue = {.at = TT_MOCK_STEP, .nth = 2};
    struct tt_mock_spec spec = with_cues(tt_mock_counter, &cue, 1);
    tt_unit *u;

    /* Under a sanitizer the signal must reach us, not its handler. */
    (void)signal(SIGSEGV, SIG_DFL);
    (void)signal(SIGABRT, SIG_DFL);
    cue.act = *(enum tt_mock_act *)ctx;
    u = ready(&spec, "a");
    step(u, 1);
    step(u, 2);
    tt_unit_free(u);
    return 7;
}

static struct tt_proc_result death(enum tt_mock_act act, volatile int *done)
{
    struct tt_proc_result r;

    *done = 0;
    ok(tt_proc_run(die, &act, done, &r, &err));
    return r;
}

static void it_dies_as_asked(void **state)
{
    volatile int *done = tt_shared_alloc(sizeof(*done));
    struct tt_proc_result r;

    (void)state;
    assert_non_null((void *)(uintptr_t)done);
    r = death(TT_MOCK_SEGV, done);
    assert_true(r.how == TT_PROC_KILLED && r.value == SIGSEGV);
    r = death(TT_MOCK_ABORT, done);
    assert_true(r.how == TT_PROC_KILLED && r.value == SIGABRT);
    r = death(TT_MOCK_EXIT, done);
    assert_true(r.how == TT_PROC_EXITED && r.value == 0 && !*done);
    r = death(TT_MOCK_NOTHING, done);
    assert_true(r.how == TT_PROC_EXITED && r.value == 7 && *done);
    tt_shared_free((void *)(uintptr_t)done, sizeof(*done));
}

/* --- log --------------------------------------------------------------- */

struct logged {
    int n;
    size_t longest;
    char last[64];
    int null_category;
};

static void take_record(void *ctx, const struct tt_log_record *r)
{
    struct logged *h = ctx;
    size_t n = r->text ? strlen(r->text) : 0;

    assert_string_equal(r->unit, "a");
    h->n++;
    h->null_category += r->category == NULL;
    if (n > h->longest)
        h->longest = n;
    if (n < sizeof(h->last))
        memcpy(h->last, r->text ? r->text : "", n + 1);
}

static void it_logs_garbage_from_anywhere(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_MAKE, .nth = 1, .act = TT_MOCK_LOG, .text = "early"},
        {.at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_LOG_NULL},
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_LOG_STRAY},
        {.at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_LOG_LONG},
        {.at = TT_MOCK_STEP, .nth = 4, .act = TT_MOCK_LOG_BYTES},
        {.at = TT_MOCK_STEP,
         .nth = 5,
         .act = TT_MOCK_LOG_THREAD,
         .text = "from my thread"},
    };
    struct tt_mock_spec spec = with_cues(tt_mock_counter, cue, COUNT(cue));
    struct logged logged = {.n = 0};
    struct tt_log log = {.sink_cb = take_record, .ctx = &logged};
    tt_unit_type *type = NULL;
    tt_unit *u = NULL;

    (void)state;
    ok(tt_mock_type_new(&type, &spec, &err));
    ok(type->kind->make(&u, type, &(struct tt_make){.name = "a", .log = &log},
                        &err));
    assert_string_equal(logged.last, "early");
    make_ready(u, 0);
    for (int i = 1; i <= 5; i++)
        step(u, i);
    assert_int_equal(logged.n, 6);
    assert_int_equal(logged.null_category, 1);
    assert_int_equal(logged.longest, 100000);
    assert_string_equal(logged.last, "from my thread");
    tt_unit_free(u);
    type->kind->close(type);
}

/* --- kind -------------------------------------------------------------- */

static void the_kind_opens_what_was_registered(void **state)
{
    struct tt_source s = {.path = "/some/where/tank.mock"};
    tt_unit_type *t = NULL;
    tt_unit *a = NULL, *b = NULL;

    (void)state;
    assert_false(tt_mock_kind.accepts(&s));
    assert_int_equal(tt_mock_kind.open(&t, &s, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "no mock '/some/where/tank.mock' is registered");
    tt_mock_register("tank.mock", &tt_mock_counter);
    assert_true(tt_mock_kind.accepts(&s));
    ok(tt_mock_kind.open(&t, &s, &err));
    assert_string_equal(t->desc.model, "counter");
    ok(tt_mock_kind.make(&a, t, &(struct tt_make){.name = "{t}.a"}, &err));
    ok(tt_mock_kind.make(&b, t, &(struct tt_make){.name = "{t}.b"}, &err));
    assert_string_equal(b->name, "{t}.b");
    tt_unit_free(a);
    tt_unit_free(b);
    tt_mock_kind.close(t);
    tt_mock_register(NULL, NULL);
    assert_false(tt_mock_kind.accepts(&s));
}

static void running_out_of_memory_anywhere_loses_nothing(void **state)
{
    tt_unit *u = NULL;
    enum tt_code rc = TT_ENOMEM;

    (void)state;
    for (uint64_t n = 1; rc != TT_OK; n++) {
        tt_mem_fail_after(n);
        rc = tt_mock_make(&u, &tt_mock_integrator, "a", &err);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        assert_true(n < 100);
    }
    tt_unit_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integrator_starts_at_y0_and_holds_its_input),
        cmocka_unit_test(a_cubic_course_is_integrated_exactly),
        cmocka_unit_test(
            rates_of_an_integrator_are_its_input_and_its_derivatives),
        cmocka_unit_test(a_gain_feeds_through_and_has_its_derivative),
        cmocka_unit_test(
            a_unit_that_does_not_evaluate_shows_outputs_of_its_last_step),
        cmocka_unit_test(feed_through_is_described_port_by_port),
        cmocka_unit_test(a_dependency_on_no_port_is_refused_by_name),
        cmocka_unit_test(the_tape_shows_what_was_asked_in_order),
        cmocka_unit_test(the_tape_can_show_values_and_the_whole_life),
        cmocka_unit_test(a_recorder_reports_what_it_saw),
        cmocka_unit_test(
            a_cue_by_number_fires_once_and_one_by_time_from_then_on),
        cmocka_unit_test(a_cue_by_time_fires_once_even_after_a_restore),
        cmocka_unit_test(an_early_return_is_where_the_cue_puts_it),
        cmocka_unit_test(a_plain_rejection_leaves_the_unit_as_it_was),
        cmocka_unit_test(a_rejection_that_needs_a_restore_leaves_a_mess),
        cmocka_unit_test(a_step_longer_than_the_largest_is_rejected),
        cmocka_unit_test(nan_on_cue_poisons_outputs_or_one_port),
        cmocka_unit_test(an_error_that_stays_ends_with_reset_or_restore),
        cmocka_unit_test(an_error_at_make_leaves_nothing_behind),
        cmocka_unit_test(a_sleeping_step_takes_as_long_as_asked),
        cmocka_unit_test(it_dies_as_asked),
        cmocka_unit_test(it_logs_garbage_from_anywhere),
        cmocka_unit_test(the_kind_opens_what_was_registered),
        cmocka_unit_test(running_out_of_memory_anywhere_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
