/* SPDX-License-Identifier: MIT */
/* `tutti run --threads` and `--profile`: the same results, the same words, and
 * who did what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"
#include "desk.h"
#include "support/run_tutti.h"
#include "sys/file.h"

/* --- every example ---------------------------------------------------------
 */

static void play_with(const char *scenario, const char *threads,
                      const char *output)
{
    struct output s;

    TUTTI(&s, "run", scenario, "--threads", threads, "-q", "-o", at(output));
    if (s.code != 0)
        fail_msg("%s with %s threads: %s", scenario, threads,
                 s.err.data ? s.err.data : "");
    output_fini(&s);
}

static void every_example_gives_the_same_bytes(void **state)
{
    static const char *const threads[] = {"2", "4", "auto"};
    glob_t found;

    (void)state;
    assert_int_equal(glob(EXAMPLES "*/scenario*.json", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *one, *many;

        play_with(found.gl_pathv[i], "1", "one.csv");
        one = read_text("one.csv");
        for (size_t k = 0; k < 3; k++) {
            play_with(found.gl_pathv[i], threads[k], "many.csv");
            many = read_text("many.csv");
            if (strcmp(one, many) != 0)
                fail_msg("%s differs with %s threads", found.gl_pathv[i],
                         threads[k]);
            tt_free(many);
        }
        tt_free(one);
    }
    globfree(&found);
}

/* --- who stepped what --------------------------------------------------------
 */

/* Eight units in two rings of four. */
static void put_eight(const char *fmu)
{
    char text[2048];
    int n = snprintf(text, sizeof(text),
                     "{\"fmus\": {\"{b}\": \"%s\"}, \"connections\": {", fmu);

    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "%s\"{b}.b%d.y\": [\"{b}.b%d.u\"]", i ? ", " : "", i,
                      (i + 1) % 4 + i / 4 * 4);
    (void)snprintf(text + n, sizeof(text) - (size_t)n,
                   "}, \"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                   "0.01}, \"endTime\": 1}");
    put_text("eight.json", text);
}

static json_t *profile_of(const char *threads)
{
    struct output s;
    json_error_t e;
    json_t *root;

    TUTTI(&s, "run", at("eight.json"), "--threads", threads, "--profile",
          "--json", "-o", at("eight.csv"));
    assert_int_equal(s.code, 0);
    root = json_loadb(s.out.data, s.out.len, 0, &e);
    if (!root)
        fail_msg("%s", e.text);
    output_fini(&s);
    return root;
}

static json_t *in(json_t *root, const char *a, const char *b)
{
    json_t *v = json_object_get(json_object_get(root, a), b);

    assert_non_null(v);
    return v;
}

/* Threads that stepped something, a bit each; all steps are counted. */
static unsigned who_stepped(json_t *root)
{
    json_t *unit, *v;
    size_t i, k;
    unsigned bits = 0;

    assert_int_equal(json_array_size(in(root, "profile", "units")), 8);
    json_array_foreach(in(root, "profile", "units"), i, unit)
    {
        assert_int_equal(json_integer_value(json_object_get(unit, "steps")),
                         100);
        assert_true(json_array_size(json_object_get(unit, "threads")) > 0);
        json_array_foreach(json_object_get(unit, "threads"), k, v) bits |=
            1u << json_integer_value(v);
    }
    return bits;
}

static void eight_units_are_stepped_by_four_threads(void **state)
{
    json_t *root;

    (void)state;
    put_eight(UNITS "busy.fmu");
    root = profile_of("4");
    assert_int_equal(json_integer_value(in(root, "threads", "made")), 4);
    assert_int_equal(json_integer_value(in(root, "threads", "used")), 4);
    assert_int_equal(who_stepped(root), 0xf);
    json_decref(root);
    root = profile_of("1");
    assert_int_equal(who_stepped(root), 1);
    json_decref(root);
}

/* --- FMUs that promise nothing: they may have globals -------------------- */

/* A copy of the FMU for each thread. */
static void instances_of_a_doubtful_fmu_have_copies(void **state)
{
    json_t *root;

    (void)state;
    put_eight(UNITS "raw2.fmu");
    root = profile_of("4");
    assert_int_equal(json_integer_value(in(root, "threads", "made")), 4);
    assert_int_equal(who_stepped(root), 0xf);
    json_decref(root);
}

static void expect_serial(const char *fmu, const char *why)
{
    struct output s;

    put_eight(fmu);
    TUTTI(&s, "run", at("eight.json"), "--threads", "4", "-o", at("eight.csv"));
    assert_int_equal(s.code, 0);
    if (!strstr(s.out.data, why))
        fail_msg("%s", s.out.data);
    assert_non_null(strstr(s.out.data, "\n  threads        1\n"));
    assert_non_null(strstr(
        s.out.data, "\n  threads        one thread plays, because no two "
                    "instances can be called at the same time ('tutti score' "
                    "shows the order; in a Jacobi step all can)\n"));
    output_fini(&s);
}

#define ONE_AT_A_TIME                                                          \
    "\n  threads        the 8 instances of '{b}' are called by one thread at " \
    "a time: FMI 2 promises no more, and there can be no private copies of "   \
    "its library, because "

static void a_run_that_stays_serial_states_why(void **state)
{
    (void)state;
    expect_serial(TT_BUILD_DIR "/tests/units/raw2.dir",
                  ONE_AT_A_TIME "it is a folder and not an archive\n");
    expect_serial(UNITS "raw2-neighbour.fmu",
                  ONE_AT_A_TIME "it brings other libraries beside its own\n");
}

/* Two instances that compute in a global wait for each other in every step. */
static void instances_with_globals_step_at_the_same_time(void **state)
{
    struct output s;
    tt_table *t = NULL;

    (void)state;
    put_text("pair.json",
             "{\"fmus\": {\"{g}\": \"" UNITS "raw2-global.fmu\"}, "
             "\"connections\": {}, \"logVariables\": {\"{g}.a\": [\"y\", "
             "\"second\"], \"{g}.b\": [\"y\", \"second\"]}, \"parameters\": "
             "{\"{g}.a.u\": 1, \"{g}.b.u\": 100}, \"algorithm\": {\"type\": "
             "\"fixed-step\", \"size\": 0.1}, \"endTime\": 1}");
    assert_int_equal(tt_file_write(at("meet"), "\0\0\0\0", 4, NULL), TT_OK);
    assert_int_equal(setenv("RAW_MEET", at("meet"), 1), 0);
    TUTTI(&s, "run", at("pair.json"), "--threads", "2", "-o", at("pair.csv"));
    unsetenv("RAW_MEET");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    assert_int_equal(tt_table_load(&t, at("pair.csv"), NULL), TT_OK);
    for (size_t i = 1; i < 11; i++) {
        assert_true(column(t, "{g}.a.second")[i] == 1);
        assert_true(column(t, "{g}.b.second")[i] == 1);
        assert_true(column(t, "{g}.a.y")[i] == (double)i);
        assert_true(column(t, "{g}.b.y")[i] == 100.0 * (double)i);
    }
    tt_table_free(t);
}

static void a_profile_shares_out_all_time(void **state)
{
    double units = 0, ops = 0;
    int steps = 0;
    json_t *root, *v;
    size_t i;

    (void)state;
    put_eight(UNITS "busy.fmu");
    root = profile_of("2");
    json_array_foreach(in(root, "profile", "operations"), i, v)
    {
        const char *name = json_string_value(json_object_get(v, "operation"));

        ops += json_number_value(json_object_get(v, "share"));
        assert_true(json_number_value(json_object_get(v, "seconds")) >=
                    json_number_value(json_object_get(v, "worst_seconds")));
        if (strcmp(name, "step") == 0) {
            steps++;
            assert_int_equal(json_integer_value(json_object_get(v, "calls")),
                             100);
            assert_true(json_number_value(json_object_get(v, "worst_seconds")) >
                        0);
        }
    }
    json_array_foreach(in(root, "profile", "units"), i, v) units +=
        json_number_value(json_object_get(v, "share"));
    assert_int_equal(steps, 8);
    assert_true(ops > 1 - 1e-9 && ops < 1 + 1e-9);
    assert_true(units > 0.5 && units <= ops);
    json_decref(root);
}

static void a_profile_for_people_has_two_tables(void **state)
{
    struct output s;

    (void)state;
    put_eight(UNITS "busy.fmu");
    TUTTI(&s, "run", at("eight.json"), "--threads", "4", "--profile", "-o",
          at("eight.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "\n  threads        4\n"));
    assert_non_null(strstr(s.out.data, "worst step"));
    assert_non_null(strstr(s.out.data, "step b7 to T1\n"));
    assert_null(strstr(s.out.data, "as fast as one")); /* not in a pipe */
    output_fini(&s);
}

/* Sixty units, of which one is heavy: the table has forty. */
static void a_profile_begins_with_the_costliest(void **state)
{
    char text[8192];
    int n = snprintf(text, sizeof(text),
                     "{\"fmus\": {\"{b}\": \"" UNITS
                     "busy.fmu\"}, \"connections\": {");
    struct output s;
    const char *head;

    (void)state;
    for (int i = 0; i < 60; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "%s\"{b}.b%d.y\": [\"{b}.b%d.u\"]", i ? ", " : "", i,
                      (i + 1) % 60);
    (void)snprintf(text + n, sizeof(text) - (size_t)n,
                   "}, \"parameters\": {\"{b}.b57.work\": 2000000}, "
                   "\"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                   "0.1}, \"endTime\": 1}");
    put_text("sixty.json", text);
    TUTTI(&s, "run", at("sixty.json"), "--quiet", "--profile", "-o",
          at("sixty.csv"));
    assert_int_equal(s.code, 0);
    head = strstr(s.out.data, "threads\n");
    assert_non_null(head);
    assert_memory_equal(head + strlen("threads\n"), "  b57 ", 6);
    assert_non_null(strstr(s.out.data, "\nand 20 more (--json has all)\n"));
    output_fini(&s);
}

/* --- the same words ----------------------------------------------------------
 */

/* In the step from 0.9 unit c does `what`, while a and b are asleep in theirs:
 * they come first in the score, and have not returned. */
static void put_four(int what)
{
    char text[1024];

    (void)snprintf(
        text, sizeof(text),
        "{\"fmus\": {\"{m}\": \"%s\"}, \"connections\": {\"{m}.a.y\": "
        "[\"{m}.b.u\"], \"{m}.b.y\": [\"{m}.c.u\"], \"{m}.c.y\": "
        "[\"{m}.d.u\"]}, \"parameters\": {\"{m}.a.what\": 8, \"{m}.b.what\": "
        "8, \"{m}.a.amount\": 0.3, \"{m}.b.amount\": 0.3, \"{m}.c.what\": %d}, "
        "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}, "
        "\"endTime\": 1}",
        UNITS "misbehave.fmu", what);
    put_text("four.json", text);
}

static void dies_alike(int what, const char *message)
{
    static const char *const threads[] = {"1", "4"};

    put_four(what);
    for (int i = 0; i < 2; i++) {
        struct output s;

        TUTTI(&s, "run", at("four.json"), "--threads", threads[i], "-o",
              at("four.csv"));
        assert_int_equal(s.code, 1);
        expect_err(&s,
                   "tutti: instance '{m}.c'%s; results so far: %s (10 rows to "
                   "t=0.9)\n",
                   message, at("four.csv"));
        output_fini(&s);
    }
}

static void a_crash_in_a_thread_names_its_unit(void **state)
{
    (void)state;
    dies_alike(6, ": crashed in step (SIGSEGV) at t=0.9");
}

static void an_exit_in_a_thread_names_its_unit(void **state)
{
    (void)state;
    dies_alike(7, ": ended the process in step (exit code 0) at t=0.9");
}

static void a_failure_in_a_thread_names_its_unit(void **state)
{
    (void)state;
    dies_alike(1, " (fmi2): step at t=0.9: fmi2DoStep returned fmi2Error: last "
                  "message: \"asked to fail\"");
}

/* --- bad input --------------------------------------------------------------
 */

static void threads_are_a_number_or_auto(void **state)
{
    static const char *const bad[] = {"0", "65", "-1", "many", "1.5"};
    struct output s;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const char *mark = i < 3 ? "" : "'";

        TUTTI(&s, "run", EXAMPLES "water-tank/scenario.json", "--threads",
              bad[i], "-o", at("none.csv"));
        assert_int_equal(s.code, 2);
        expect_err(&s,
                   "tutti: command line: --threads must be \"auto\" or a "
                   "number of threads from 1 to 64, not %s%s%s\n",
                   mark, bad[i], mark);
        assert_false(exists("none.csv"));
        output_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_gives_the_same_bytes),
        cmocka_unit_test(eight_units_are_stepped_by_four_threads),
        cmocka_unit_test(instances_of_a_doubtful_fmu_have_copies),
        cmocka_unit_test(a_run_that_stays_serial_states_why),
        cmocka_unit_test(instances_with_globals_step_at_the_same_time),
        cmocka_unit_test(a_profile_shares_out_all_time),
        cmocka_unit_test(a_profile_for_people_has_two_tables),
        cmocka_unit_test(a_profile_begins_with_the_costliest),
        cmocka_unit_test(a_crash_in_a_thread_names_its_unit),
        cmocka_unit_test(an_exit_in_a_thread_names_its_unit),
        cmocka_unit_test(a_failure_in_a_thread_names_its_unit),
        cmocka_unit_test(threads_are_a_number_or_auto),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
