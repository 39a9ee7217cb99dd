/* SPDX-License-Identifier: MIT */
/* Macro steps that are nothing but their operations, and those in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "run/testing.h"

/* 603 steps: 603 * 0.1 is not 60.3. */
#define LONG                                                                   \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.a.y\": [\"{g}.b.u\"], \"{g}.b.y\": [\"{i}.a.u\"]}, "               \
    "\"parameters\": {\"{g}.b.k\": -1, \"{i}.a.y0\": 1}, \"endTime\": "        \
    "60.3, " ST_FIXED "}"
#define STEPS 603

static struct stage *start(int unseen)
{
    struct stage *st = st_new();

    st->unseen = unseen;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    return st;
}

static void load_long(struct stage *st)
{
    assert_int_equal(st_load(st, LONG), TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
}

static void step(struct stage *st)
{
    assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
}

static uint64_t measured(const struct stage *st)
{
    uint64_t total;

    (void)tt_part_time(tt_run_part(st->run), &total);
    return total;
}

static void every_instant_is_on_the_grid_and_the_last_at_the_end(void **state)
{
    (void)state;
    for (int unseen = 0; unseen < 2; unseen++) {
        struct stage *st = start(unseen);

        load_long(st);
        for (uint64_t n = 1; n < STEPS; n++) {
            step(st);
            assert_true(tt_run_time(st->run) == (double)n * 0.1);
            assert_int_equal(tt_run_steps(st->run), n);
            assert_false(tt_run_done(st->run));
        }
        step(st);
        assert_true(tt_run_time(st->run) == 60.3);
        assert_true(tt_run_done(st->run));
        assert_int_equal(tt_run_step(st->run, &st->err), TT_ESTATE);
        assert_string_equal(st->err.msg, "the run is at its end");
        assert_int_equal(st->n_row, unseen ? 0 : STEPS + 1);
        st_free(st);
    }
}

static void calls_are_timed_in_every_256th_step(void **state)
{
    struct stage *st = start(1);
    uint64_t before;

    (void)state;
    load_long(st);
    before = measured(st);
    for (uint64_t n = 1; n <= STEPS; n++) {
        step(st);
        assert_int_equal(measured(st) != before, n % 256 == 2);
        before = measured(st);
    }
    st_free(st);
}

struct progress {
    uint64_t n, last;
};

static void take_progress(void *ctx, double t, uint64_t steps)
{
    struct progress *h = ctx;

    assert_true(t == (double)steps * 0.1);
    assert_int_equal(steps, h->last + 64);
    h->last = steps;
    h->n++;
}

static void progress_is_reported_after_every_64th_step(void **state)
{
    (void)state;
    for (int unseen = 0; unseen < 2; unseen++) {
        struct stage *st = start(unseen);
        struct progress h = {0, 0};

        st->opts.progress_cb = take_progress;
        st->opts.progress_ctx = &h;
        load_long(st);
        for (uint64_t n = 1; n <= STEPS; n++)
            step(st);
        assert_int_equal(h.n, STEPS / 64);
        st_free(st);
    }
}

static void a_wish_to_stop_is_seen_in_any_step(void **state)
{
    const uint64_t when[] = {1, 2, 3, 100, 257, 258, 602};

    (void)state;
    for (size_t i = 0; i < sizeof(when) / sizeof(*when); i++) {
        struct stage *st = start(1);
        volatile int stop = 0;

        st->opts.stop = &stop;
        load_long(st);
        while (tt_run_steps(st->run) + 1 < when[i])
            step(st);
        assert_int_equal(tt_run_why(st->run), TT_RUN_NOT_ENDED);
        stop = 1;
        step(st);
        assert_int_equal(tt_run_why(st->run), TT_RUN_STOPPED);
        assert_int_equal(tt_run_step(st->run, &st->err), TT_ESTATE);
        assert_string_equal(st->err.msg, "the run is not playing");
        assert_int_equal(tt_run_steps(st->run), when[i]);
        st_free(st);
    }
}

/* The unit that ends the simulation made its step, so values are exchanged:
 * once. */
static void the_last_exchange_is_made_once(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_TERMINATE};

    (void)state;
    for (int unseen = 0; unseen < 2; unseen++) {
        struct stage *st = start(unseen);
        struct tt_mock_spec i = tt_mock_integrator, g = tt_mock_gain;

        i.tape = g.tape = &st->tape;
        i.cue = &cue;
        i.n_cue = 1;
        tt_mock_register("i", &i);
        tt_mock_register("g", &g);
        assert_string_equal(
            st_step_tape(st, LONG, 5),
            "a.step 0.5; b.step 0.5; a.get y; b.set u; b.get y; a.set u");
        assert_int_equal(tt_run_why(st->run), TT_RUN_TERMINATED);
        assert_true(tt_run_time(st->run) == 0.5);
        st_free(st);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instant_is_on_the_grid_and_the_last_at_the_end),
        cmocka_unit_test(calls_are_timed_in_every_256th_step),
        cmocka_unit_test(progress_is_reported_after_every_64th_step),
        cmocka_unit_test(a_wish_to_stop_is_seen_in_any_step),
        cmocka_unit_test(the_last_exchange_is_made_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
