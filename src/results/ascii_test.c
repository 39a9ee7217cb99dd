/* SPDX-License-Identifier: MIT */
#include "results/ascii.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const double t3[] = {0, 5, 10};

static void expect(const struct tt_panel *p, const struct tt_ascii_opts *o,
                   const char *want)
{
    struct tt_buf b;

    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_ascii_panel(&b, p, o, NULL), TT_OK);
    assert_string_equal(b.data, want);
    tt_buf_fini(&b);
}

static void plain_letters_draw_two_series(void **state)
{
    static const double up[] = {0, 5, 10}, down[] = {10, 5, 0};
    struct tt_series s[] = {{.name = "up", .t = t3, .y = up, .n = 3},
                            {.name = "down", .t = t3, .y = down, .n = 3}};
    struct tt_panel p = {.title = "{a}.a", .unit = "m", .series = s, .n = 2};

    (void)state;
    expect(&p, &(struct tt_ascii_opts){.width = 30, .height = 5},
           "    {a}.a  * up  + down  [m]\n"
           "10 +++++                  ****\n"
           "   |    ++++++      ******\n"
           " 5 +          ++++++\n"
           "   |    ******      ++++++\n"
           " 0 +****                  ++++\n"
           "   ++------------+-----------+\n"
           "    0            5          10\n"
           "             time (s)\n");
}

static void braille_draws_a_single_series(void **state)
{
    static const double up[] = {0, 5, 10};
    struct tt_series s = {.name = "up", .t = t3, .y = up, .n = 3};
    struct tt_panel p = {.series = &s, .n = 1};

    (void)state;
    expect(&p, &(struct tt_ascii_opts){.width = 30, .height = 4, .utf8 = 1},
           "    ⠤⠤ up\n"
           "10 ┤                     ⢀⣀⠤⠤⠒\n"
           "   │              ⣀⣀⠤⠔⠒⠊⠉⠁\n"
           " 5 ┤     ⢀⣀⣀⠤⠤⠒⠒⠉⠉\n"
           " 0 ┤⠤⠔⠒⠊⠉⠁\n"
           "   └┬────────────┬───────────┬\n"
           "    0            5          10\n"
           "             time (s)\n");
}

/* A square is as wide as two characters per line it is high. */
static void paths_are_drawn_to_scale(void **state)
{
    static const double x[] = {0, 1, 1, 0, 0}, y[] = {0, 0, 1, 1, 0};
    struct tt_series s = {.name = "x, y", .t = x, .y = y, .n = 5};
    struct tt_panel p = {.unit = "y", .x_name = "x", .series = &s, .n = 1};

    (void)state;
    expect(&p, &(struct tt_ascii_opts){.width = 40, .height = 10},
           "     * x, y  [y]\n"
           "  1 +         *****************\n"
           "    |         *               *\n"
           "    |         *               *\n"
           "    |         *               *\n"
           "    |         *               *\n"
           "0.5 +         *               *\n"
           "    |         *               *\n"
           "    |         *               *\n"
           "    |         *               *\n"
           "  0 +         *****************\n"
           "    +---------+---------------+---------\n"
           "              0               1\n"
           "                     x\n");
    expect(&p, &(struct tt_ascii_opts){.width = 30, .height = 8, .utf8 = 1},
           "     ⠤⠤ x, y  [y]\n"
           "  1 ┤     ⡖⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⢲\n"
           "    │     ⡇             ⢸\n"
           "    │     ⡇             ⢸\n"
           "    │     ⡇             ⢸\n"
           "0.5 ┤     ⡇             ⢸\n"
           "    │     ⡇             ⢸\n"
           "    │     ⡇             ⢸\n"
           "  0 ┤     ⠧⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠼\n"
           "    └─────┬─────────────┬─────\n"
           "          0             1\n"
           "                x\n");
}

static void steps_and_gaps_are_drawn(void **state)
{
    static const double t[] = {0, 1, 2, 3, 4};
    const double y[] = {0, 3, 3, (double)NAN, 0};
    struct tt_series s = {.name = "n", .t = t, .y = y, .n = 5, .steps = 1};
    struct tt_panel p = {.series = &s, .n = 1};

    (void)state;
    expect(&p, &(struct tt_ascii_opts){.width = 31, .height = 4},
           "   * n\n"
           "  |       ********\n"
           "2 +       *\n"
           "  |       *\n"
           "0 +********                   *\n"
           "  ++-------------+------------+\n"
           "   0             2            4\n"
           "             time (s)\n");
}

static void events_are_upright_and_single_instants_have_stems(void **state)
{
    static const double t[] = {0, 2, 2, 4};
    static const double leap[] = {0, 0, 3, 3};
    const double ticks[] = {(double)NAN, 3, (double)NAN, 2};
    struct tt_series s = {.name = "n", .t = t, .y = leap, .n = 4};
    struct tt_panel p = {.series = &s, .n = 1};
    const struct tt_ascii_opts o = {.width = 31, .height = 4};

    (void)state;
    expect(&p, &o,
           "   * n\n"
           "  |              **************\n"
           "2 +              *\n"
           "  |              *\n"
           "0 +***************\n"
           "  ++-------------+------------+\n"
           "   0             2            4\n"
           "             time (s)\n");
    s.y = ticks;
    s.stems = 1;
    expect(&p, &o,
           "   * n\n"
           "  |              *\n"
           "2 +              *            *\n"
           "  |              *            *\n"
           "0 +              *            *\n"
           "  ++-------------+------------+\n"
           "   0             2            4\n"
           "             time (s)\n");
}

static void colours_distinguish_series_and_are_switched_off(void **state)
{
    static const double up[] = {0, 5, 10};
    struct tt_series s[] = {{.name = "a", .t = t3, .y = up, .n = 3},
                            {.name = "b", .t = t3, .y = up, .n = 3}};
    struct tt_panel p = {.series = s, .n = 2};
    struct tt_buf b;
    size_t on = 0, off = 0;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(
        tt_ascii_panel(&b, &p, &(struct tt_ascii_opts){.utf8 = 1, .color = 1},
                       NULL),
        TT_OK);
    assert_non_null(strstr(b.data, "\x1b[38;5;166m\xe2\xa0\xa4\xe2\xa0\xa4"
                                   "\x1b[0m b"));
    for (const char *at = b.data; (at = strchr(at, '\n')); at++) {
        const char *line = at;

        while (line > b.data && line[-1] != '\n')
            line--;
        for (; line < at; line++) {
            on += strncmp(line, "\x1b[38", 4) == 0;
            off += strncmp(line, "\x1b[0m", 4) == 0;
        }
        assert_true(off <= on && (on == 0 || off > 0));
    }
    tt_buf_fini(&b);
}

static void escape_codes_in_names_do_not_reach_the_terminal(void **state)
{
    struct tt_series s = {.name = "\x1b[2J\nx"};
    struct tt_panel p = {.title = "a\x07", .series = &s, .n = 1};
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_ascii_panel(&b, &p, NULL, NULL), TT_OK);
    assert_null(strchr(b.data, '\x1b'));
    assert_null(strchr(b.data, '\x07'));
    assert_non_null(strstr(b.data, "a?  * ?[2J?x"));
    tt_buf_fini(&b);
}

static void any_width_height_and_range_can_be_drawn(void **state)
{
    const double y[] = {-1e308, (double)INFINITY, 1e308};
    struct tt_series s = {.name = "x", .t = t3, .y = y, .n = 3};
    struct tt_panel p = {.series = &s, .n = 1};

    (void)state;
    for (int w = -1; w < 500; w += 7) {
        for (int h = 0; h < 30; h++) {
            struct tt_ascii_opts o = {w, h, h % 2, w % 2};
            struct tt_buf b;

            tt_buf_init(&b, 1 << 20);
            assert_int_equal(tt_ascii_panel(&b, &p, &o, NULL), TT_OK);
            tt_buf_fini(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_letters_draw_two_series),
        cmocka_unit_test(braille_draws_a_single_series),
        cmocka_unit_test(paths_are_drawn_to_scale),
        cmocka_unit_test(steps_and_gaps_are_drawn),
        cmocka_unit_test(events_are_upright_and_single_instants_have_stems),
        cmocka_unit_test(colours_distinguish_series_and_are_switched_off),
        cmocka_unit_test(escape_codes_in_names_do_not_reach_the_terminal),
        cmocka_unit_test(any_width_height_and_range_can_be_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
