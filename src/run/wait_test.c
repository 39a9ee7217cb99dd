/* SPDX-License-Identifier: MIT */
/* Paced runs on mocks, with a clock that only we turn: nothing sleeps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/testing.h"

#define S UINT64_C(1000000000)

#define PACED(real_time)                                                       \
    "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\"]}, "         \
    "\"connections\": {}, \"parameters\": {\"{i}.a.u\": 1}, "                  \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "                 \
    "\"endTime\": 5" real_time "}"

/* Each reading takes `work` off the present step; sleeping jumps. */
struct fake {
    uint64_t now;
    uint64_t work[8]; /* ns that step i takes */
    uint32_t n_step, n_event;
    uint64_t slept;   /* ns in all */
    uint64_t longest; /* single sleep */
    volatile int stop;
    uint64_t stop_at; /* from this reading on, a stop is wanted */
};

static uint64_t fake_now(void *ctx)
{
    const struct fake *f = ctx;

    return f->now;
}

static void fake_sleep(void *ctx, uint64_t until)
{
    struct fake *f = ctx;

    assert_true(until > f->now); /* it never sleeps for nothing */
    f->slept += until - f->now;
    if (until - f->now > f->longest)
        f->longest = until - f->now;
    f->now = until;
    if (f->now >= f->stop_at)
        f->stop = 1;
}

/* The unit's work: the step takes as long as it is asked to. */
static struct fake fake;

static void work(const struct tt_mock_view *v, double h)
{
    (void)v;
    (void)h;
    fake.now += fake.work[fake.n_step++];
}

static const struct tt_run_clock clock_of_ours = {
    .now_cb = fake_now, .sleep_cb = fake_sleep, .ctx = &fake};

static struct tt_mock_spec spec;

static struct stage *ready(void)
{
    struct stage *st = st_new();

    fake = (struct fake){.now = 100 * S, .stop_at = UINT64_MAX};
    spec = tt_mock_integrator;
    spec.behaviour.update = work;
    tt_mock_register("i", &spec);
    st->opts.clock = &clock_of_ours;
    st->opts.stop = &fake.stop;
    return st;
}

static void a_fast_run_takes_as_long_as_it_simulates(void **state)
{
    struct stage *st = ready();
    struct tt_buf b;

    (void)state;
    for (int i = 0; i < 5; i++)
        fake.work[i] = S / 10;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {}")), TT_OK);
    assert_true(fake.now == 105 * S); /* to the nanosecond */
    assert_true(fake.slept == 4 * S + S / 2);
    assert_int_equal(tt_run_pace(st->run).steps, 5);
    assert_int_equal(tt_run_pace(st->run).overruns, 0);
    assert_true(fabs(tt_run_pace(st->run).late + 0.9) < 1e-12);
    tt_buf_init(&b, 4096);
    assert_int_equal(tt_run_pace_text(st->run, &b), 1);
    assert_string_equal(b.data, "factor 1: no step was late");
    assert_null(strstr(st->logged.data ? st->logged.data : "", "real time"));
    tt_buf_fini(&b);
    st_free(st);
}

/* Three microsteps of 0.6 s at t = 2, and then two rows at once: only their sum
 * is late. */
static void busy_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    static const uint32_t microsteps = 3;

    (void)v;
    fake.now += 6 * S / 10;
    r->again = ++fake.n_event < microsteps;
}

static void all_microsteps_count_against_the_deadline(void **state)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT};
    struct stage *st = ready();

    (void)state;
    spec.caps.event_mode = 1;
    spec.behaviour.event = busy_event;
    spec.cue = &cue;
    spec.n_cue = 1;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {}")), TT_OK);
    assert_int_equal(fake.n_event, 3);
    assert_int_equal(tt_run_pace(st->run).steps, 5);
    assert_int_equal(tt_run_pace(st->run).overruns, 1);
    assert_true(tt_run_pace(st->run).worst_t == 2);
    assert_true(fabs(tt_run_pace(st->run).worst - 0.8) < 1e-9);
    assert_true(fake.now == 105 * S);
    st_free(st);
}

static void a_factor_shortens_the_wait(void **state)
{
    struct stage *st = ready();

    (void)state;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {\"factor\": 20}")),
                     TT_OK);
    assert_true(fake.now == 100 * S + S / 4);
    st_free(st);
}

static void maestros_flag_is_factor_one(void **state)
{
    struct stage *st = ready();

    (void)state;
    fake.work[2] = 9 * S; /* and it goes on when late */
    assert_int_equal(st_play(st, PACED(", \"simulationProgramDelay\": true")),
                     TT_OK);
    assert_true(fake.now == 111 * S); /* 2 s, then 9, then it caught up */
    assert_int_equal(tt_run_why(st->run), TT_RUN_COMPLETE);
    assert_int_equal(tt_run_pace(st->run).overruns, 3);
    st_free(st);
}

/* From t = 2 on twice as fast; one that is late then stays late. */
static void the_factor_may_change_between_steps(void **state)
{
    for (uint64_t late = 0; late < 2; late++) {
        struct stage *st = ready();

        (void)state;
        fake.work[1] = S + late * S;
        assert_int_equal(st_load(st, PACED(", \"realTime\": {}")), TT_OK);
        assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
            if (i == 1)
                assert_int_equal(tt_run_set_pace(st->run, 2, &st->err), TT_OK);
        }
        assert_true(fake.now == 103 * S + S / 2); /* 2 s, then 3 halves */
        assert_int_equal(tt_run_pace(st->run).overruns, late * 2);
        assert_true(tt_run_pace(st->run).factor == 2);
        st_free(st);
    }
}

static void only_a_paced_run_has_a_factor_to_change(void **state)
{
    struct stage *st = ready();

    (void)state;
    assert_int_equal(st_play(st, PACED("")), TT_OK);
    assert_int_equal(tt_run_set_pace(st->run, 2, &st->err), TT_ESTATE);
    assert_string_equal(st->err.msg,
                        "the run is not paced: it begins with --real-time");
    st_free(st);
}

/* Paused for 7 s after step 2: what follows is due 7 s later, and not late. */
static void a_pause_does_not_count(void **state)
{
    struct stage *st = ready();

    (void)state;
    assert_int_equal(st_load(st, PACED(", \"realTime\": {\"onOverrun\": "
                                       "\"stop\"}")),
                     TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
        if (i != 1)
            continue;
        assert_true(fake.now == 102 * S);
        tt_run_pause(st->run);
        fake.now += 7 * S;
        tt_run_resume(st->run);
    }
    assert_true(fake.now == 112 * S);
    assert_int_equal(tt_run_pace(st->run).overruns, 0);
    assert_int_equal(tt_run_end(st->run, &st->err), TT_OK);
    st_free(st);
}

static void without_pacing_no_clock_is_asked(void **state)
{
    struct stage *st = ready();
    struct tt_buf b;

    (void)state;
    fake.work[1] = 7;
    assert_int_equal(st_play(st, PACED(", \"simulationProgramDelay\": false")),
                     TT_OK);
    assert_true(fake.now == 100 * S + 7 && fake.slept == 0);
    tt_buf_init(&b, 4096);
    assert_int_equal(tt_run_pace_text(st->run, &b), 0);
    assert_int_equal(tt_run_pace(st->run).steps, 0);
    tt_buf_fini(&b);
    st_free(st);
}

/* Step 2 takes 2.5 s: 1.5 s late. Step 3 starts late and is 0.5 s late, step
 * 4 has caught up: deadlines are absolute. */
static void a_late_run_catches_up_and_is_warned_of(void **state)
{
    struct stage *st = ready();
    struct tt_pace_stats s;
    struct tt_buf b;

    (void)state;
    fake.work[1] = 2 * S + S / 2;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {}")), TT_OK);
    s = tt_run_pace(st->run);
    assert_true(fake.now == 105 * S);
    assert_int_equal(s.overruns, 2);
    assert_true(s.worst == 1.5 && s.worst_t == 2 && tt_pace_mean(&s) == 1);
    tt_buf_init(&b, 4096);
    tt_run_pace_text(st->run, &b);
    assert_string_equal(b.data,
                        "factor 1: 2 of 5 steps late, by 1 s on average and "
                        "1.5 s at worst, at t=2");
    assert_non_null(strstr(st->logged.data,
                           "warning: not in real time: 2 of 5 steps late, by 1 "
                           "s on average and 1.5 s at worst, at t=2\n"));
    tt_buf_fini(&b);
    st_free(st);
}

static void tolerated_lateness_is_no_overrun(void **state)
{
    struct stage *st = ready();

    (void)state;
    fake.work[1] = 2 * S + S / 2;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {\"tolerance\": 1.5, "
                                       "\"onOverrun\": \"stop\"}")),
                     TT_OK);
    assert_int_equal(tt_run_pace(st->run).overruns, 0);
    st_free(st);
}

static void an_overrun_stops_the_run_and_states_whose_it_was(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_SLEEP, .value = 50};
    struct stage *st = ready();

    (void)state;
    spec.cue = &cue;
    spec.n_cue = 1;
    fake.work[1] = 2 * S + S / 2;
    assert_int_equal(
        st_play(st, PACED(", \"realTime\": {\"onOverrun\": \"stop\"}")),
        TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "overrun: step 2, to t=2, was ready 1.5 s after it was "
                        "due (real time, factor 1); most of its time was spent "
                        "in instance '{i}.a'");
    assert_int_equal(tt_run_why(st->run), TT_RUN_FAILED);
    assert_int_equal(st->n_row, 3); /* the late step's row is there */
    assert_true(fake.slept == S);   /* before it; nothing after */
    assert_int_equal(tt_run_pace(st->run).overruns, 1);
    st_free(st);
}

/* Asked during a sleep of 1000 s: the run ends after a fraction of one, at
 * the step it has. */
static void a_stop_is_honoured_in_a_long_sleep(void **state)
{
    struct stage *st = ready();

    (void)state;
    fake.stop_at = 130 * S;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {\"factor\": 0.001}")),
                     TT_OK);
    assert_int_equal(tt_run_why(st->run), TT_RUN_STOPPED);
    assert_true(fake.now < 130 * S + S / 4);
    assert_true(fake.longest < S / 4);
    assert_int_equal(st->n_row, 2);
    st_free(st);
}

static void an_observer_that_stops_ends_the_wait(void **state)
{
    struct stage *st = ready();

    (void)state;
    st->stop_at = 2;
    assert_int_equal(st_play(st, PACED(", \"realTime\": {}")), TT_OK);
    assert_int_equal(tt_run_why(st->run), TT_RUN_STOPPED);
    assert_true(fake.now == 101 * S); /* not for the last row */
    st_free(st);
}

static void variable_steps_are_paced_too(void **state)
{
    struct stage *st = ready();

    (void)state;
    assert_int_equal(
        st_play(st, "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": "
                    "[\"a\"]}, \"connections\": {}, \"algorithm\": {\"type\": "
                    "\"var-step\", \"size\": [0.5, 2], \"initsize\": 1}, "
                    "\"endTime\": 7, \"realTime\": {\"factor\": 2}}"),
        TT_OK);
    assert_true(fake.now == 103 * S + S / 2);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_run_takes_as_long_as_it_simulates),
        cmocka_unit_test(all_microsteps_count_against_the_deadline),
        cmocka_unit_test(a_factor_shortens_the_wait),
        cmocka_unit_test(maestros_flag_is_factor_one),
        cmocka_unit_test(the_factor_may_change_between_steps),
        cmocka_unit_test(only_a_paced_run_has_a_factor_to_change),
        cmocka_unit_test(a_pause_does_not_count),
        cmocka_unit_test(without_pacing_no_clock_is_asked),
        cmocka_unit_test(a_late_run_catches_up_and_is_warned_of),
        cmocka_unit_test(tolerated_lateness_is_no_overrun),
        cmocka_unit_test(an_overrun_stops_the_run_and_states_whose_it_was),
        cmocka_unit_test(a_stop_is_honoured_in_a_long_sleep),
        cmocka_unit_test(an_observer_that_stops_ends_the_wait),
        cmocka_unit_test(variable_steps_are_paced_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
