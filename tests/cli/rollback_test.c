/* SPDX-License-Identifier: MIT */
/* Units that say they can go back: tried before it is relied on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "desk.h"
#include "sys/file.h"

#define CAN    "tutti rollback 1: can\n"
#define CANNOT "tutti rollback 1: cannot\n"

/* Of the FMU `name` among the units. */
static const char *fmu(const char *name)
{
    static char path[512];

    (void)snprintf(path, sizeof(path), UNITS "%s.fmu", name);
    return path;
}

static const char *verdict_file(const char *name)
{
    static char file[256];
    char hex[TT_SHA256_HEX];

    assert_int_equal(tt_file_sha256(fmu(name), hex, NULL), TT_OK);
    (void)snprintf(file, sizeof(file), "cache/tutti/rollback/%s", hex);
    return file;
}

static void expect_verdict(const char *name, const char *verdict)
{
    char *text = read_text(verdict_file(name));

    assert_string_equal(text, verdict);
    tt_free(text);
}

/* A run of the unit alone, with a step taken back if somebody asks for it. */
static void run(struct output *s, const char *name)
{
    TUTTI(s, "run", fmu(name), "--rollback", "--step", "0.1", "--until", "1",
          "-o", at("out.csv"));
}

static void warned(const char *name, const char *why)
{
    struct output s;

    run(&s, name);
    expect_err(&s,
               "tutti: warning: FMU '{%s}' (instance '{%s}.%s') declares that "
               "it can be rolled back to a saved state, but it cannot: %s; it "
               "is treated as one that does not declare it\n",
               name, name, name, why);
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(
        s.out.data, "cannot save its state, so no step can be rolled back"));
    output_fini(&s);
}

static const char earlier[] =
    "as an earlier trial showed ('tutti check --walk' tries again)";

static void who_goes_back_is_believed(void **state)
{
    struct output s;

    (void)state;
    for (int i = 0; i < 2; i++) { /* the second time it is remembered */
        run(&s, "raw2-honest");
        expect_err(&s, "%s", "");
        assert_int_equal(s.code, 0);
        assert_null(strstr(s.out.data, "cannot save its state"));
        output_fini(&s);
        expect_verdict("raw2-honest", CAN);
    }
}

/* u = 0.01 in the first step: y = 0.001, and twice that when the step is made
 * from where the unit stands. */
static void who_ignores_it_is_found_out_and_remembered(void **state)
{
    (void)state;
    warned("raw2-liar", "repeated after a rollback of 1 step, 'y' is 0.002 "
                        "instead of 0.001 at t=0.1");
    expect_verdict("raw2-liar", CANNOT);
    warned("raw2-liar", earlier);
}

static void who_goes_back_one_step_only_is_found_out(void **state)
{
    (void)state;
    warned("raw2-short", "repeated after a rollback of 3 steps, 'y' is 0.007 "
                         "instead of 0.001 at t=0.1");
    expect_verdict("raw2-short", CANNOT);
}

static void a_crash_is_the_spare_ones(void **state)
{
    struct output s;

    (void)state;
    run(&s, "raw2-aborts");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.err.data, "but it cannot: a step that was made is "
                                       "not made again: "));
    assert_non_null(strstr(s.err.data, "(SIGABRT)"));
    assert_false(exists(verdict_file("raw2-aborts")));
    output_fini(&s);
}

/* To reject a step is the unit's right, and no answer to the question. */
static void a_rejected_step_leaves_the_question_open(void **state)
{
    struct output s;

    (void)state;
    run(&s, "raw2-rejects");
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    assert_null(strstr(s.out.data, "cannot save its state"));
    assert_false(exists(verdict_file("raw2-rejects")));
    output_fini(&s);
}

/* What others left in the cache is one of two words, or nothing. */
static void garbage_is_not_remembered(void **state)
{
    static const char *const garbage[] = {
        "", "tutti rollback 1: can", "tutti rollback 2: can\n",
        "tutti rollback 1: can\n\ntutti rollback 1: cannot\n"};
    const char *file = verdict_file("raw2-liar");
    struct output s;

    (void)state;
    run(&s, "raw2-liar");
    output_fini(&s);
    for (size_t i = 0; i < sizeof(garbage) / sizeof(*garbage); i++) {
        put_text(file, garbage[i]);
        warned("raw2-liar", "repeated after a rollback of 1 step, 'y' is 0.002 "
                            "instead of 0.001 at t=0.1");
        expect_verdict("raw2-liar", CANNOT);
    }
}

static void a_cache_that_cannot_be_written_changes_nothing(void **state)
{
    struct output s;

    (void)state;
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1), 0);
    for (int i = 0; i < 2; i++) {
        run(&s, "raw2-liar");
        assert_int_equal(s.code, 0);
        assert_non_null(
            strstr(s.err.data, "repeated after a rollback of 1 step"));
        output_fini(&s);
    }
    assert_int_equal(setenv("XDG_CACHE_HOME", at("cache"), 1), 0);
}

static void no_unit_is_tried_where_no_step_is_rolled_back(void **state)
{
    struct output s;

    (void)state;
    assert_int_equal(tt_dir_remove(at("cache"), NULL), TT_OK);
    TUTTI(&s, "run", fmu("raw2-liar"), "--step", "0.1", "--until", "1", "-qo",
          at("out.csv"));
    expect_err(&s, "%s", "");
    output_fini(&s);
    TUTTI(&s, "check", fmu("raw2-liar"));
    output_fini(&s);
    assert_false(exists("cache/tutti"));
}

static void a_walk_tries_whatever_is_remembered(void **state)
{
    struct output s;

    (void)state;
    run(&s, "raw2-liar");
    output_fini(&s);
    put_text(verdict_file("raw2-liar"), CAN);
    TUTTI(&s, "check", "--walk", fmu("raw2-liar"));
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(
        s.out.data,
        "walk: error: restore: repeated after a rollback of 1 step, 'y' is "));
    output_fini(&s);
    expect_verdict("raw2-liar", CANNOT);
    TUTTI(&s, "check", "--walk", fmu("raw2-honest"));
    assert_null(strstr(s.out.data, "restore"));
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_goes_back_is_believed),
        cmocka_unit_test(who_ignores_it_is_found_out_and_remembered),
        cmocka_unit_test(who_goes_back_one_step_only_is_found_out),
        cmocka_unit_test(a_crash_is_the_spare_ones),
        cmocka_unit_test(a_rejected_step_leaves_the_question_open),
        cmocka_unit_test(garbage_is_not_remembered),
        cmocka_unit_test(a_cache_that_cannot_be_written_changes_nothing),
        cmocka_unit_test(no_unit_is_tried_where_no_step_is_rolled_back),
        cmocka_unit_test(a_walk_tries_whatever_is_remembered),
    };

    return cmocka_run_group_tests_name("cli.rollback", tests, desk_open,
                                       desk_close);
}
