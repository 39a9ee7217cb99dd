/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/clock.h"

static void clocks_never_go_back(void **state)
{
    uint64_t wall = tt_clock_ns(), cpu = tt_clock_cpu_ns();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t w = tt_clock_ns(), c = tt_clock_cpu_ns();

        assert_true(w >= wall && c >= cpu);
        wall = w;
        cpu = c;
    }
}

static void a_sleep_ends_at_its_instant_or_later(void **state)
{
    uint64_t until = tt_clock_ns() + 2000000u;

    (void)state;
    tt_clock_sleep_until(until);
    assert_true(tt_clock_ns() >= until);
    tt_clock_sleep_until(0); /* long past: returns */
}

static void the_wall_clock_reads_year_first(void **state)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    char text[21];

    (void)state;
    tt_clock_text(text, sizeof(text));
    assert_int_equal(strlen(text), strlen(form));
    for (size_t i = 0; form[i]; i++) {
        if (form[i] == 'd')
            assert_in_range(text[i], '0', '9');
        else
            assert_int_equal(text[i], form[i]);
    }
    tt_clock_text(text, 5);
    assert_string_equal(text, "");
}

static void wall_times_are_reported_in_utc(void **state)
{
    char text[TT_CLOCK_ISO_SIZE];

    (void)state;
    tt_clock_iso(0, text);
    assert_string_equal(text, "1970-01-01T00:00:00.000Z");
    tt_clock_iso(1769868309250u, text);
    assert_string_equal(text, "2026-01-31T14:05:09.250Z");
    assert_true(tt_clock_wall_ms() > 1769868309250u);
}

static void a_pipe_is_no_terminal(void **state)
{
    int fd[2];

    (void)state;
    assert_int_equal(pipe(fd), 0);
    assert_false(tt_tty_is(fd[0]));
    assert_int_equal(tt_tty_width(fd[0]), 0);
    close(fd[0]);
    close(fd[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_never_go_back),
        cmocka_unit_test(a_sleep_ends_at_its_instant_or_later),
        cmocka_unit_test(the_wall_clock_reads_year_first),
        cmocka_unit_test(wall_times_are_reported_in_utc),
        cmocka_unit_test(a_pipe_is_no_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
