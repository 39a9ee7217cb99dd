/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "desk.h"

#define SCENARIO EXAMPLES "water-tank/scenario.json"

static const char *const commands[] = {
    "run", "check",  "info",  "score",  "results",    "plot", "compare",
    "new", "export", "serve", "worker", "completion", "help", "version"};
#define N (sizeof(commands) / sizeof(*commands))

static void help_lists_every_command(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "help");
    assert_int_equal(s.code, 0);
    for (size_t i = 0; i < N; i++)
        assert_non_null(strstr(s.out.data, commands[i]));
    output_fini(&s);
}

static void every_command_has_help_with_an_example(void **state)
{
    struct output s, t;
    char title[64], example[64];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        TUTTI(&s, commands[i], "--help");
        assert_int_equal(s.code, 0);
        assert_int_equal(s.err.len, 0);
        (void)snprintf(title, sizeof(title), "tutti %s: ", commands[i]);
        assert_memory_equal(s.out.data, title, strlen(title));
        (void)snprintf(example, sizeof(example), "\nexample\n  tutti %s",
                       commands[i]);
        assert_non_null(strstr(s.out.data, example));
        assert_non_null(strstr(s.out.data, "\noptions\n"));
        TUTTI(&t, "help", commands[i]);
        assert_string_equal(t.out.data, s.out.data);
        output_fini(&s);
        output_fini(&t);
    }
}

static void help_fits_an_ordinary_terminal(void **state)
{
    struct output s;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        TUTTI(&s, commands[i], "--help");
        for (const char *p = s.out.data; *p;) {
            size_t n = strcspn(p, "\n");

            assert_true(n <= 100);
            assert_true(n == 0 || p[n - 1] != ' ');
            p += n + (p[n] == '\n');
        }
        output_fini(&s);
    }
}

static void an_unknown_command_brings_the_nearest(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "rnu", SCENARIO);
    expect_err(&s, "tutti: no command 'rnu'; did you mean 'run'?\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "frobnicate");
    expect_err(&s, "tutti: no command 'frobnicate' (see tutti help)\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void no_command_is_bad_usage(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, NULL);
    expect_err(&s, "tutti: no command given\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void an_unknown_option_brings_the_nearest(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--stpe=1");
    expect_err(&s, "tutti: 'tutti run' has no option '--stpe'; did you mean "
                   "'--step'?\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--frobnicate");
    expect_err(&s, "tutti: 'tutti run' has no option '--frobnicate' (see tutti "
                   "run --help)\n");
    output_fini(&s);
    TUTTI(&s, "run", "-z");
    expect_err(
        &s, "tutti: 'tutti run' has no option '-z' (see tutti run --help)\n");
    output_fini(&s);
}

static void values_are_checked(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--until");
    expect_err(&s, "tutti: --until needs a value: --until T\n");
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--until=later");
    expect_err(&s, "tutti: --until needs a number, not 'later'\n");
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--quiet=yes");
    expect_err(&s, "tutti: --quiet takes no value, but got 'yes'\n");
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--master", "jacoby");
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.err.data, "did you mean 'jacobi'?"));
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--dialect", "maestro3");
    expect_err(&s, "tutti: command line: --dialect must be 'maestro2', "
                   "'maestro1' or 'maestro', not 'maestro3'; did you mean "
                   "'maestro2'?\n");
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--json", "--output", "-");
    expect_err(&s, "tutti: --json and --output - both need standard output\n");
    output_fini(&s);
}

static void files_are_asked_for(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run");
    expect_err(&s, "tutti: 'tutti run' needs a scenario or an FMU: tutti run "
                   "SCENARIO.json [MORE.json ...] | MODEL.fmu\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "info");
    expect_err(&s, "tutti: 'tutti info' needs one FMU: tutti info MODEL.fmu; "
                   "with --json also a scenario or several FMUs\n");
    output_fini(&s);
    TUTTI(&s, "compare", "a.csv");
    expect_err(&s, "tutti: 'tutti compare' needs two tables: tutti compare "
                   "A.csv REFERENCE.csv\n");
    output_fini(&s);
    TUTTI(&s, "run", EXAMPLES "water-tank/watertank.fmu", SCENARIO);
    expect_err(&s,
               "tutti: '%s' is an FMU and can only run alone; couple several "
               "in a scenario (tutti new writes one)\n",
               EXAMPLES "water-tank/watertank.fmu");
    output_fini(&s);
}

static void options_may_stand_anywhere_and_repeat(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", "-q", "--until=1", "-o", at("any.csv"), "--until", "2",
          "--", SCENARIO);
    expect_err(&s, "%s", "");
    expect_out(&s, "%s", "");
    assert_int_equal(s.code, 0);
    assert_int_equal(count_lines("any.csv"), 22); /* the last one wins */
    output_fini(&s);
}

static void the_version_is_reported(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "--version");
    assert_int_equal(s.code, 0);
    assert_memory_equal(s.out.data, "tutti 0.1.0 ", 12);
    output_fini(&s);
    TUTTI(&s, "version", "--json");
    expect_json(&s);
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_every_command),
        cmocka_unit_test(every_command_has_help_with_an_example),
        cmocka_unit_test(help_fits_an_ordinary_terminal),
        cmocka_unit_test(an_unknown_command_brings_the_nearest),
        cmocka_unit_test(no_command_is_bad_usage),
        cmocka_unit_test(an_unknown_option_brings_the_nearest),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(files_are_asked_for),
        cmocka_unit_test(options_may_stand_anywhere_and_repeat),
        cmocka_unit_test(the_version_is_reported),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
