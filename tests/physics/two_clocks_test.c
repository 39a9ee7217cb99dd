/* SPDX-License-Identifier: MIT */
/*
 * Two controllers with clocks of 2/10 s and 3/10 s around a double integrator.
 * Between ticks the acceleration is constant, so that
 *     v(t + h) = v + a h,   x(t + h) = x + v h + a h^2 / 2.
 * The reference counts tenths of a second in integers: at multiples of 3 the
 * outer controller samples, at multiples of 2 the inner one, in this order.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "two-clocks/scenario.json"

struct drive {
    double x, v, v_ref, a;
};

/* From tenth i to the next. */
static void move(struct drive *d)
{
    const double h = 0.1;

    d->x += d->v * h + d->a * h * h / 2;
    d->v += d->a * h;
}

static void tick(struct drive *d, int i)
{
    if (i % 3 == 0)
        d->v_ref = 0.8 * (1 - d->x);
    if (i % 2 == 0)
        d->a = 2 * (d->v_ref - d->v);
}

/* The rows of tenth i: one, or two if a clock ticks, the second after it. What
 * belongs to a clock is there when that has ticked. */
static size_t check_rows(const tt_table *t, size_t row, int i, struct drive *d,
                         int before_start)
{
    static const char *const name[] = {"{drive}.drive.x", "{drive}.drive.v",
                                       "{position}.position.v_ref",
                                       "{speed}.speed.a"};
    int ticks = i % 2 == 0 || i % 3 == 0;

    for (int limit = before_start; limit <= ticks; limit++, row++) {
        double want[4];

        if (limit)
            tick(d, i);
        memcpy(want, d, sizeof(want));
        want[2] = limit && i % 3 == 0 ? want[2] : (double)NAN;
        want[3] = limit && i % 2 == 0 ? want[3] : (double)NAN;
        assert_near(tt_table_time(t)[row], i / 10.0, 0);
        for (size_t k = 0; k < 4; k++)
            if (isnan(want[k]))
                assert_true(isnan(column(t, name[k])[row]));
            else
                assert_near(column(t, name[k])[row], want[k], 1e-12);
    }
    return row;
}

static void check_run(double step, const char *option, const char *more)
{
    tt_table *t = play(&(struct play){
        .scenario = SCENARIO, .step = step, .options = {option, more}});
    struct drive d = {0};
    size_t row = 0;

    for (int i = 0; i <= 120; i++) {
        int on_grid = fmod(i, 10 * step) == 0;

        if (i % 2 == 0 || i % 3 == 0 || on_grid)
            row = check_rows(t, row, i, &d, i == 0);
        move(&d);
    }
    assert_int_equal(row, tt_table_rows(t));
    tt_table_free(t);
}

static void ticks_are_where_integers_put_them(void **state)
{
    (void)state;
    check_run(0.5, NULL, NULL);
}

static void the_step_does_not_matter(void **state)
{
    (void)state;
    check_run(4, NULL, NULL);
    check_run(12, NULL, NULL);
}

/* Controllers and drive are one system then, or three: each event is known in
 * advance, so that nothing has to be taken back. */
static void by_model_exchange_it_is_the_same(void **state)
{
    static const char *const ways[] = {NULL, "--no-together", "--rollback",
                                       "--isolate", "--threads=2"};

    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        check_run(0.5, "--interface=me", ways[i]);
    check_run(12, "--interface=me", NULL);
}

static void refused(const char *option, const char *more, const char *why)
{
    const char *const argv[] = {
        "run",         TT_BUILD_DIR "/examples/" SCENARIO,
        "--interface", "me",
        option,        more,
        NULL};
    struct tt_buf words, want;

    tt_buf_init(&words, 1 << 16);
    tt_buf_init(&want, 1 << 16);
    tt_buf_fmt(&want,
               "tutti: clock '{position}.position.tick' would never tick: its "
               "instance is used by model exchange, and its events are left "
               "inside, since %s\n",
               why);
    assert_int_equal(run_tutti(argv, NULL, &words), 2);
    assert_string_equal(words.data, want.data);
    tt_buf_fini(&words);
    tt_buf_fini(&want);
}

static void clocks_that_nobody_would_tick_are_refused(void **state)
{
    (void)state;
    refused("--no-event-mode", NULL, "event mode is not to be used");
    refused("--dialect=maestro2", NULL, "steps are Maestro's");
    refused("--no-together", "--rates={position}.position=2",
            "it makes several steps in one macro step, which cannot be rolled "
            "back; --rollback or a variable step helps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_where_integers_put_them),
        cmocka_unit_test(the_step_does_not_matter),
        cmocka_unit_test(by_model_exchange_it_is_the_same),
        cmocka_unit_test(clocks_that_nobody_would_tick_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
